//! The user guide: in the program, and on disk where agents can read it.
//!
//! Promises: every page of `docs/` is in it (a test compares them). Leaves to others: showing it.

use std::path::PathBuf;

use tarsus_home::Home;
use tarsus_home::files::{self, FileError};

/// The pages, in reading order: the name of the file and its text.
pub const PAGES: &[(&str, &str)] = &[
    ("start.md", include_str!("../../../docs/start.md")),
    ("studio.md", include_str!("../../../docs/studio.md")),
    ("gateway.md", include_str!("../../../docs/gateway.md")),
    ("apps.md", include_str!("../../../docs/apps.md")),
    ("skills.md", include_str!("../../../docs/skills.md")),
    ("agents.md", include_str!("../../../docs/agents.md")),
    ("models.md", include_str!("../../../docs/models.md")),
    ("sessions.md", include_str!("../../../docs/sessions.md")),
    ("config.md", include_str!("../../../docs/config.md")),
    ("config-reference.md", include_str!("../../../docs/config-reference.md")),
    ("status.md", include_str!("../../../docs/status.md")),
    ("audit.md", include_str!("../../../docs/audit.md")),
    ("security.md", include_str!("../../../docs/security.md")),
    ("scan.md", include_str!("../../../docs/scan.md")),
    ("guard.md", include_str!("../../../docs/guard.md")),
    ("security-audit.md", include_str!("../../../docs/security-audit.md")),
    ("claims.md", include_str!("../../../docs/claims.md")),
    ("errors.md", include_str!("../../../docs/errors.md")),
];

/// Where the pages are on disk.
#[must_use]
pub fn folder(home: &Home) -> PathBuf {
    home.own_dir().join("docs")
}

/// Makes sure that the pages are on disk as they are in the program.
///
/// # Errors
/// When one has to be written and cannot be.
pub fn ensure(home: &Home) -> Result<(), FileError> {
    let pages: Vec<(&str, &[u8])> = PAGES.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    files::bring(&folder(home), &home.own_dir().join(".docs.lock"), &pages)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests look at files")]

    use std::fs;

    use tarsus_home::Choice;

    use super::*;

    #[test]
    fn every_page_of_the_folder_is_in_the_program() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
        let names =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut files: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
        files.sort_unstable();
        let mut pages: Vec<&str> = PAGES.iter().map(|(name, _)| *name).collect();
        pages.sort_unstable();
        assert_eq!(pages, files);
        assert!(PAGES.iter().all(|(_, text)| text.starts_with("# ")));
    }

    #[test]
    fn pages_on_disk_are_those_of_the_program() {
        let state = tempfile::tempdir().unwrap();
        let choice = Choice { state_flag: Some(state.path().to_path_buf()), ..Choice::default() };
        let home = Home::locate(&choice).unwrap();
        ensure(&home).unwrap();
        let page = folder(&home).join("apps.md");
        fs::write(&page, "of an older version").unwrap();
        fs::write(folder(&home).join("gone.md"), "a page that is no more").unwrap();
        ensure(&home).unwrap();
        let on_disk = |name: &str| fs::read_to_string(folder(&home).join(name)).ok();
        assert!(PAGES.iter().all(|(name, text)| on_disk(name).as_deref() == Some(*text)));
        assert_eq!(on_disk("gone.md"), None);
    }
}
