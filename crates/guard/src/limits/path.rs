//! A place where a skill may write: a file or everything below a folder, in the workspace, in `~` or absolute.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use crate::facts::Places;

/// A file, or a folder with everything below it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PathRule {
    from: From,
    path: PathBuf,
}

/// What a path is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum From {
    Workspace,
    Home,
    Root,
}

impl PathRule {
    /// Reads a path; `out/**` is the same as `out`. Other patterns and `..` are refused.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let text =
            text.strip_suffix("/**").map_or(text, |folder| if folder.is_empty() { "/" } else { folder });
        if text.contains(['*', '?', '[', '{']) {
            return Err("an entry is a pattern other than `FOLDER/**`".to_owned());
        }
        let (from, rest) = match text.strip_prefix('~') {
            Some("") => (From::Home, ""),
            Some(rest) if rest.starts_with(['/', std::path::MAIN_SEPARATOR]) => (From::Home, &rest[1..]),
            _ if Path::new(text).is_absolute() => (From::Root, text),
            _ => (From::Workspace, text),
        };
        let mut path = PathBuf::new();
        for component in Path::new(rest).components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => return Err("an entry has `..`".to_owned()),
                Component::Normal(_) => path.push(component),
                Component::RootDir | Component::Prefix(_) if from == From::Root => path.push(component),
                Component::RootDir | Component::Prefix(_) => {
                    return Err("an entry is no plain path".to_owned());
                }
            }
        }
        Ok(Self { from, path })
    }

    /// Whether a path lies there. One that is not absolute or goes up lies nowhere.
    pub(super) fn covers(&self, path: &Path, places: Places<'_>) -> bool {
        let base = match self.from {
            From::Workspace => places.workspace.join(&self.path),
            From::Home => places.home.map(|home| home.join(&self.path)).unwrap_or_default(),
            From::Root => self.path.clone(),
        };
        let plain = path.is_absolute() && !path.components().any(|part| part == Component::ParentDir);
        // Every path starts with the empty one.
        plain && base.is_absolute() && path.starts_with(base)
    }
}

impl fmt::Display for PathRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.from {
            From::Home => write!(f, "~{}{path}", std::path::MAIN_SEPARATOR),
            From::Workspace if self.path.as_os_str().is_empty() => f.write_str("."),
            From::Workspace | From::Root => write!(f, "{path}"),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_covered_below_its_folder_and_nowhere_else() {
        let table = [
            ("out", "/w/out", true),
            ("out", "/w/out/a/b.txt", true),
            ("./out/**", "/w/out/a", true),
            ("out", "/w/outside", false),
            ("out", "/w/out/../secret", false),
            ("out", "out/a", false),
            (".", "/w/a", true),
            (".", "/v/a", false),
            ("~/notes", "/home/p/notes/a.md", true),
            ("~", "/home/p/.bashrc", true),
            ("~/notes", "/w/notes/a.md", false),
            ("/srv/data", "/srv/data/x", true),
            ("/srv/data", "/w/srv/data/x", false),
            ("/**", "/etc/passwd", true),
        ];
        let places = Places { workspace: Path::new("/w"), home: Some(Path::new("/home/p")) };
        for (rule, path, covered) in table {
            assert_eq!(
                PathRule::read(rule).unwrap().covers(Path::new(path), places),
                covered,
                "{rule} {path}"
            );
        }
        let homeless = Places { home: None, ..places };
        assert!(!PathRule::read("~").unwrap().covers(Path::new("/home/p/a"), homeless));
        let nowhere = Places { workspace: Path::new(""), ..places };
        assert!(!PathRule::read(".").unwrap().covers(Path::new("/w/a"), nowhere));
    }

    #[test]
    fn patterns_and_paths_that_go_up_are_no_rules() {
        for text in ["../x", "a/../../b", "*.md", "a/*", "**", "a/?", "[ab]", "~/../x", "~//etc"] {
            assert!(PathRule::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_rule_is_shown_as_it_is_meant() {
        for (text, shown) in [(".", "."), ("./a//b/", "a/b"), ("~/n", "~/n"), ("/srv/**", "/srv")] {
            assert_eq!(PathRule::read(text).unwrap().to_string(), shown);
        }
    }
}
