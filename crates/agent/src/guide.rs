//! The user guide: embedded in the binary, and on disk where agents can read it.
//!
//! It consists of the four groups of pages below `docs/`; `docs/dev` is for people who work on the code.

use std::path::PathBuf;

use tarsus_home::Home;
use tarsus_home::files::{self, FileError};

/// A group of pages, in reading order.
#[derive(Debug, Clone, Copy)]
pub struct GuideGroup {
    pub title: &'static str,
    pub pages: &'static [GuidePage],
}

#[derive(Debug, Clone, Copy)]
pub struct GuidePage {
    /// Relative to the folder of the guide, so that links between pages resolve.
    pub path: &'static str,
    pub text: &'static str,
}

macro_rules! pages {
    ($($path:literal),* $(,)?) => {
        &[$(GuidePage { path: $path, text: include_str!(concat!("../../../docs/", $path)) }),*]
    };
}

pub const GROUPS: &[GuideGroup] = &[
    GuideGroup {
        title: "Getting started",
        pages: pages![
            "getting-started/install.md",
            "getting-started/first-ten-minutes.md",
            "getting-started/coming-from-openclaw.md",
            "getting-started/troubleshooting.md",
        ],
    },
    GuideGroup {
        title: "Guides",
        pages: pages![
            "guides/studio.md",
            "guides/agents.md",
            "guides/undo.md",
            "guides/models.md",
            "guides/skills.md",
            "guides/apps.md",
            "guides/web.md",
            "guides/status.md",
            "guides/security-audit.md",
            "guides/audit.md",
        ],
    },
    GuideGroup {
        title: "Concepts",
        pages: pages![
            "concepts/permissions.md",
            "concepts/scanner.md",
            "concepts/sessions.md",
            "concepts/security.md",
        ],
    },
    GuideGroup {
        title: "Reference",
        pages: pages![
            "reference/commands.md",
            "reference/config.md",
            "reference/config-reference.md",
            "reference/files.md",
            "reference/tools.md",
            "reference/gateway.md",
            "reference/errors.md",
        ],
    },
];

/// Earlier names of pages, which still work.
const ALIASES: [(&str, &str); 3] =
    [("guard", "permissions"), ("scan", "scanner"), ("start", "first-ten-minutes")];

impl GuidePage {
    /// The name by which `tarsus docs NAME` prints it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        let file = self.path.rsplit('/').next().unwrap_or(self.path);
        file.trim_end_matches(".md")
    }

    #[must_use]
    pub fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("# ")
    }
}

/// Finds a page by its name, with or without `.md`.
#[must_use]
pub fn find_page(name: &str) -> Option<&'static GuidePage> {
    let name = name.trim_end_matches(".md");
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, page)| page);
    pages().find(|page| page.name() == name)
}

fn pages() -> impl Iterator<Item = &'static GuidePage> {
    GROUPS.iter().flat_map(|group| group.pages)
}

/// The folder of the guide on disk.
#[must_use]
pub fn folder(home: &Home) -> PathBuf {
    home.own_dir().join("docs")
}

/// Makes the folder on disk contain exactly the embedded pages.
///
/// # Errors
/// When a page has to be written and cannot be.
pub fn ensure(home: &Home) -> Result<(), FileError> {
    let files: Vec<(&str, &[u8])> = pages().map(|page| (page.path, page.text.as_bytes())).collect();
    files::bring(&folder(home), &home.own_dir().join(".docs.lock"), &files)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests look at files")]

    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use tarsus_home::HomeOptions;

    use super::*;

    #[test]
    fn guide_has_every_page_of_the_four_groups() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let mut files = BTreeSet::new();
        for group in ["getting-started", "guides", "concepts", "reference"] {
            for entry in fs::read_dir(docs.join(group)).unwrap() {
                files.insert(format!("{group}/{}", entry.unwrap().file_name().to_str().unwrap()));
            }
        }
        let paths: BTreeSet<String> = pages().map(|page| page.path.to_owned()).collect();
        assert_eq!(paths, files);
        assert!(pages().all(|page| page.text.starts_with("# ")));
        let names: BTreeSet<&str> = pages().map(GuidePage::name).collect();
        assert_eq!(names.len(), paths.len(), "two pages have the same name");
    }

    #[test]
    fn pages_are_found_by_name_file_name_and_earlier_name() {
        let found = |name: &str| find_page(name).map(|page| page.path);
        assert_eq!(found("apps"), Some("guides/apps.md"));
        assert_eq!(found("apps.md"), Some("guides/apps.md"));
        assert_eq!(found("guard"), Some("concepts/permissions.md"));
        assert_eq!(found("start"), Some("getting-started/first-ten-minutes.md"));
        assert_eq!(found("claims"), None);
    }

    #[test]
    fn folder_on_disk_follows_the_binary() {
        let state = tempfile::tempdir().unwrap();
        let choice = HomeOptions { state_flag: Some(state.path().to_path_buf()), ..HomeOptions::default() };
        let home = Home::locate(&choice).unwrap();
        ensure(&home).unwrap();
        fs::write(folder(&home).join("guides/apps.md"), "of an older version").unwrap();
        fs::write(folder(&home).join("gone.md"), "a page that was removed").unwrap();
        ensure(&home).unwrap();
        let on_disk = |path: &str| fs::read_to_string(folder(&home).join(path)).ok();
        assert!(pages().all(|page| on_disk(page.path).as_deref() == Some(page.text)));
        assert_eq!(on_disk("gone.md"), None);
    }
}
