//! Typical skills: about 4 kB, with metadata.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a measurement makes its own files, and stops at the first surprise"
)]

use std::fs;
use std::path::Path;

/// The text of a skill; it differs by version.
#[must_use]
pub fn text(skill: usize, version: usize) -> String {
    let body = "Read the notes of the day, then write what is new in them, one line for each.\n".repeat(46);
    format!(
        "---\nname: skill-{skill:05}\ndescription: Writes summary number {skill} of the day when one is asked for.\n\
         version: {version}\nmetadata: {{\"openclaw\": {{\"emoji\": \"📝\", \"requires\": {{\"bins\": [\"sh\", \"tool-{}\"], \
         \"env\": [\"KEY_{}\"]}}, \"os\": [\"linux\", \"darwin\"]}}}}\n---\n\n# Summary {skill}\n\n{body}",
        skill % 50,
        skill % 20
    )
}

/// The file of a skill, relative to its root.
#[must_use]
pub fn file(skill: usize) -> String {
    format!("skill-{skill:05}/SKILL.md")
}

/// Writes so many skills below a root.
pub fn generate(root: &Path, number: usize) {
    for skill in 0..number {
        let file = root.join(file(skill));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text(skill, 0)).unwrap();
    }
}
