//! A rule for paths that a skill may write: a file or a folder, relative to the workspace, to `~` or absolute.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use crate::call_facts::PathBases;

/// A file, or a folder with everything below it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PathRule {
    base: PathBase,
    path: PathBuf,
}

/// The base of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PathBase {
    Workspace,
    Home,
    Root,
}

impl PathRule {
    /// Parses a path; `out/**` is the same as `out`. Other patterns and `..` are refused.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text =
            text.strip_suffix("/**").map_or(text, |folder| if folder.is_empty() { "/" } else { folder });
        if text.contains(['*', '?', '[', '{']) {
            return Err("an entry is a pattern other than `FOLDER/**`".to_owned());
        }
        let (base, rest) = match text.strip_prefix('~') {
            Some("") => (PathBase::Home, ""),
            Some(rest) if rest.starts_with(['/', std::path::MAIN_SEPARATOR]) => (PathBase::Home, &rest[1..]),
            _ if Path::new(text).is_absolute() => (PathBase::Root, text),
            _ => (PathBase::Workspace, text),
        };
        let mut path = PathBuf::new();
        for component in Path::new(rest).components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => return Err("an entry has `..`".to_owned()),
                Component::Normal(_) => path.push(component),
                Component::RootDir | Component::Prefix(_) if base == PathBase::Root => path.push(component),
                Component::RootDir | Component::Prefix(_) => {
                    return Err("an entry is no plain path".to_owned());
                }
            }
        }
        Ok(Self { base, path })
    }

    /// Whether the rule covers a path. Relative paths and paths with `..` are never covered.
    pub(super) fn covers(&self, path: &Path, path_bases: PathBases<'_>) -> bool {
        let base = match self.base {
            PathBase::Workspace => path_bases.workspace.join(&self.path),
            PathBase::Home => path_bases.home.map(|home| home.join(&self.path)).unwrap_or_default(),
            PathBase::Root => self.path.clone(),
        };
        let plain = path.is_absolute() && !path.components().any(|part| part == Component::ParentDir);
        // Every path starts with an empty base.
        plain && base.is_absolute() && path.starts_with(base)
    }
}

impl fmt::Display for PathRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.base {
            PathBase::Home => write!(f, "~{}{path}", std::path::MAIN_SEPARATOR),
            PathBase::Workspace if self.path.as_os_str().is_empty() => f.write_str("."),
            PathBase::Workspace | PathBase::Root => write!(f, "{path}"),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn path_rule_covers_only_its_folder() {
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
        let path_bases = PathBases { workspace: Path::new("/w"), home: Some(Path::new("/home/p")) };
        for (rule, path, covered) in table {
            assert_eq!(
                PathRule::parse(rule).unwrap().covers(Path::new(path), path_bases),
                covered,
                "{rule} {path}"
            );
        }
        let homeless = PathBases { home: None, ..path_bases };
        assert!(!PathRule::parse("~").unwrap().covers(Path::new("/home/p/a"), homeless));
        let nowhere = PathBases { workspace: Path::new(""), ..path_bases };
        assert!(!PathRule::parse(".").unwrap().covers(Path::new("/w/a"), nowhere));
    }

    #[test]
    fn globs_and_parent_paths_are_rejected() {
        for text in ["../x", "a/../../b", "*.md", "a/*", "**", "a/?", "[ab]", "~/../x", "~//etc"] {
            assert!(PathRule::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn path_rule_is_displayed_normalized() {
        for (text, shown) in [(".", "."), ("./a//b/", "a/b"), ("~/n", "~/n"), ("/srv/**", "/srv")] {
            assert_eq!(PathRule::parse(text).unwrap().to_string(), shown);
        }
    }
}
