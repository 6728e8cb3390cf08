//! Which changes say that a skill may be different.

use std::path::Path;

use tarsus_host::watch::About;

/// Folders full of what programs make; nothing in them is a skill.
const IGNORED: [&str; 10] = [
    ".git",
    "node_modules",
    "dist",
    ".venv",
    "venv",
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
    "build",
    ".cache",
];

/// Whether something changed that may make another skill of it. `below` is the path below its root.
pub fn is_relevant(about: About, below: &Path) -> bool {
    if below.iter().any(|step| IGNORED.iter().any(|ignored| step == *ignored)) {
        return false;
    }
    let named = below
        .file_name()
        .is_none_or(|name| name.eq_ignore_ascii_case("SKILL.md") || name == "source-origin.json");
    named || about == About::Anything
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_skill_files_notes_of_their_origin_and_what_may_be_a_folder_count() {
        let table = [
            (About::File, "a/SKILL.md", true),
            (About::File, "a/skill.md", true),
            (About::File, "a/.openclaw/source-origin.json", true),
            (About::File, "a/scripts/run.py", false),
            (About::File, "a", false),
            (About::File, "", true),
            (About::Anything, "a", true),
            (About::Anything, "a/b", true),
            (About::Anything, "a/node_modules/b", false),
        ];
        for (about, path, expected) in table {
            assert_eq!(is_relevant(about, Path::new(path)), expected, "{about:?} {path}");
        }
    }
}
