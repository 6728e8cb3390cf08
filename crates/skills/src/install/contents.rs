//! The files to install, by path.
//!
//! Every path stays inside the folder on every system, no two paths name the same file, and the limits are met.

use std::collections::{BTreeMap, HashMap};

use tarsus_scan::ScanLimits;
use unicode_normalization::UnicodeNormalization;

/// Bytes of a path.
const MAX_PATH_BYTES: usize = 1_024;
/// Bytes of a name in a path, as common file systems limit it.
const MAX_NAME_BYTES: usize = 255;

/// The files of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    files: BTreeMap<String, InstallFile>,
    /// Every file and folder in lower case, and whether it is a file.
    taken: HashMap<String, bool>,
    bytes: u64,
}

/// A file to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallFile {
    /// Its contents.
    pub bytes: Vec<u8>,
    /// Whether it is executable.
    pub executable: bool,
}

/// Why files cannot be installed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContentsError {
    /// A path that leaves the folder, or means something else on some system.
    #[error("{path:?} is not a path that can be installed: {why}")]
    Path {
        /// The path as written, truncated.
        path: String,
        /// The reason.
        why: &'static str,
    },
    /// Two entries for one file.
    #[error("{path:?} occurs twice, or differs from another name only in case")]
    Twice {
        /// Path of the second one.
        path: String,
    },
    /// A link, device or pipe.
    #[error("{path:?} is a {found}; only files and folders can be installed")]
    NotAFile {
        /// Its path.
        path: String,
        /// Its kind, such as `link`.
        found: &'static str,
    },
    /// Too many files and folders.
    #[error("it holds more than {most} files and folders")]
    TooMany {
        /// The limit.
        most: usize,
    },
    /// Too many bytes.
    #[error("it holds more than {most} bytes")]
    TooLarge {
        /// The limit.
        most: u64,
    },
}

impl Contents {
    /// Returns the files by path.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<String, InstallFile> {
        &self.files
    }

    /// Returns the bytes of the files by path.
    pub(crate) fn into_files(self) -> BTreeMap<String, Vec<u8>> {
        self.files.into_iter().map(|(path, file)| (path, file.bytes)).collect()
    }

    /// Returns the bytes of all files together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns how many bytes may still be added.
    pub(super) fn room(&self, limits: &ScanLimits) -> u64 {
        limits.total.saturating_sub(self.bytes)
    }

    pub(super) fn add_folder(&mut self, path: &str, limits: &ScanLimits) -> Result<(), ContentsError> {
        let path = path.trim_end_matches('/');
        if !path.is_empty() {
            check_path(path, limits)?;
            self.reserve(path, false, limits)?;
        }
        Ok(())
    }

    pub(super) fn add_file(
        &mut self,
        path: &str,
        file: InstallFile,
        limits: &ScanLimits,
    ) -> Result<(), ContentsError> {
        check_path(path, limits)?;
        let length = file.bytes.len() as u64;
        if length > self.room(limits) {
            return Err(ContentsError::TooLarge { most: limits.total });
        }
        self.reserve(path, true, limits)?;
        self.bytes += length;
        self.files.insert(path.to_owned(), file);
        Ok(())
    }

    /// Reserves a path and its parent folders.
    fn reserve(&mut self, path: &str, is_file: bool, limits: &ScanLimits) -> Result<(), ContentsError> {
        for (at, _) in path.match_indices('/').chain([(path.len(), "")]) {
            let (place, is_file) = (&path[..at], is_file && at == path.len());
            // Some file systems ignore case and Unicode normalization.
            let key: String = place.nfc().flat_map(char::to_lowercase).collect();
            match self.taken.insert(key, is_file) {
                None if self.taken.len() > limits.entries => {
                    return Err(ContentsError::TooMany { most: limits.entries });
                }
                Some(was_file) if was_file || is_file => {
                    return Err(ContentsError::Twice { path: shorten(path) });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the files of the skill: all of them, or those of the only top-level folder. A skill may contain further
    /// SKILL.md files, but nothing may lie beside its folder.
    ///
    /// # Errors
    /// If there is not exactly one skill.
    pub fn into_skill(self) -> Result<Self, NoSkillError> {
        if self.files.contains_key(SKILL_FILE) {
            return Ok(self);
        }
        let folders: Vec<&str> =
            self.files.keys().filter_map(|path| path.strip_suffix("/SKILL.md")).collect();
        let at_top: Vec<&str> = folders.iter().copied().filter(|path| !path.contains('/')).collect();
        let top = match (at_top.as_slice(), folders.len()) {
            (_, 0) => return Err(self.missing_skill_error()),
            ([only], _) => format!("{only}/"),
            ([], 1) => return Err(NoSkillError::TooDeep),
            (_, several) => return Err(NoSkillError::Several(several)),
        };
        if let Some(beside) = self.files.keys().find(|path| !path.starts_with(&top)) {
            let several = beside.ends_with("/SKILL.md");
            return Err(if several {
                NoSkillError::Several(folders.len())
            } else {
                NoSkillError::Beside(shorten(beside))
            });
        }
        let files = self.files.into_iter().map(|(path, file)| (path[top.len()..].to_owned(), file));
        Ok(Self { files: files.collect(), ..Self::default() }.with_total())
    }

    fn with_total(mut self) -> Self {
        self.bytes = self.files.values().map(|file| file.bytes.len() as u64).sum();
        self
    }

    fn missing_skill_error(&self) -> NoSkillError {
        let is_skill_file = |path: &&String| {
            path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE))
        };
        self.files
            .keys()
            .find(is_skill_file)
            .map_or(NoSkillError::None, |path| NoSkillError::Case(shorten(path)))
    }
}

/// The file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// Why files are not exactly one skill.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSkillError {
    /// No SKILL.md.
    #[error("it holds no SKILL.md")]
    None,
    /// A file whose name differs only in case.
    #[error("its {0} must be named SKILL.md, in capitals")]
    Case(String),
    /// SKILL.md is below the first folder level.
    #[error("its SKILL.md lies more than one folder deep")]
    TooDeep,
    /// More than one skill.
    #[error("it holds {0} skills; install them one by one")]
    Several(usize),
    /// A file outside of the skill's folder.
    #[error("{0:?} lies beside the skill's folder; install the folder itself")]
    Beside(String),
}

/// Checks that a path can be installed on every system.
fn check_path(path: &str, limits: &ScanLimits) -> Result<(), ContentsError> {
    let invalid = |why| Err(ContentsError::Path { path: shorten(path), why });
    if path.len() > MAX_PATH_BYTES {
        return invalid("it is too long");
    }
    if path.split('/').count() > limits.depth {
        return invalid("it is nested too deep");
    }
    if path.starts_with('/') {
        return invalid("it is an absolute path");
    }
    for name in path.split('/') {
        match name {
            "" | "." => return invalid("a name in it is empty"),
            ".." => return invalid("it leads out of the folder"),
            _ if name.len() > MAX_NAME_BYTES => return invalid("a name in it is too long"),
            _ if name.contains(['\\', ':']) => {
                return invalid("Windows reads `\\` and `:` as parts of a path");
            }
            _ if name.chars().any(char::is_control) => return invalid("it contains control characters"),
            _ if name.ends_with(['.', ' ']) => {
                return invalid("Windows drops a dot or space at the end of a name");
            }
            _ if is_device(name) => return invalid("it is the name of a device on Windows"),
            _ => {}
        }
    }
    Ok(())
}

/// `CON`, `NUL.txt`, `com1`, …
pub(super) fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_lowercase();
    match stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt")) {
        Some(digit) => matches!(digit.as_bytes(), [b'0'..=b'9']),
        None => matches!(stem.as_str(), "con" | "prn" | "aux" | "nul"),
    }
}

/// Truncates a path for an error.
pub(super) fn shorten(path: &str) -> String {
    const MAX_CHARS: usize = 100;
    match path.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{}…", &path[..at]),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &[u8]) -> InstallFile {
        InstallFile { bytes: bytes.to_vec(), executable: false }
    }

    fn from_paths(paths: &[&str]) -> Result<Contents, ContentsError> {
        let mut contents = Contents::default();
        for path in paths {
            match path.strip_suffix('/') {
                Some(folder) => contents.add_folder(folder, &ScanLimits::default())?,
                None => contents.add_file(path, file(b"x"), &ScanLimits::default())?,
            }
        }
        Ok(contents)
    }

    #[test]
    fn paths_that_are_unsafe_on_any_system_are_refused() {
        let long = format!("a/{}", "x".repeat(256));
        let deep = "a/".repeat(20) + "b";
        let bad = [
            "/etc/passwd",
            "../x",
            "a/../../x",
            "a//b",
            "./a",
            "a/.",
            "",
            "c:/x",
            "a\\..\\b",
            "x:stream",
            "a\nb",
            "a\0b",
            "end.",
            "end ",
            "CON",
            "nul.txt",
            "a/com1.sh",
            &long,
            &deep,
        ];
        for path in bad {
            let found = from_paths(&[path]);
            assert!(matches!(found, Err(ContentsError::Path { .. })), "{path:?}: {found:?}");
        }
        for good in ["a", ".hidden/x", "天气/ä.md", "console.log", "com10", "a.b/c d.txt"] {
            assert!(from_paths(&[good]).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn duplicate_paths_are_refused() {
        let twice = [
            &["a", "a"][..],
            &["a", "A"],
            &["a", "a/b"],
            &["a/b", "a"],
            &["a/", "a"],
            &["\u{e4}", "a\u{308}"],
            &["x/Y", "X/y"],
        ];
        for paths in twice {
            assert!(matches!(from_paths(paths), Err(ContentsError::Twice { .. })), "{paths:?}");
        }
        assert!(from_paths(&["a/", "a/b", "a/", "a/c", "a/d/e"]).is_ok());
    }

    #[test]
    fn limits_are_enforced() {
        let limits = ScanLimits { entries: 3, total: 10, ..ScanLimits::default() };
        let mut contents = Contents::default();
        contents.add_file("a/b", file(b"12345"), &limits).unwrap();
        assert_eq!(
            contents.clone().add_file("c", file(b"123456"), &limits),
            Err(ContentsError::TooLarge { most: 10 })
        );
        contents.add_file("c", file(b"12345"), &limits).unwrap();
        assert_eq!(contents.add_file("d", file(b""), &limits), Err(ContentsError::TooMany { most: 3 }));
    }

    #[test]
    fn skill_is_at_the_top_or_in_the_only_folder() {
        let names = |paths: &[&str]| {
            from_paths(paths).unwrap().into_skill().map(|skill| skill.files.into_keys().collect::<Vec<_>>())
        };
        assert_eq!(names(&["SKILL.md", "x/SKILL.md"]), Ok(vec!["SKILL.md".into(), "x/SKILL.md".into()]));
        assert_eq!(names(&["x/SKILL.md", "x/a/b"]), Ok(vec!["SKILL.md".into(), "a/b".into()]));
        assert_eq!(
            names(&["x/SKILL.md", "x/examples/y/SKILL.md"]),
            Ok(vec!["SKILL.md".into(), "examples/y/SKILL.md".into()])
        );
        assert_eq!(names(&["a"]), Err(NoSkillError::None));
        assert_eq!(names(&["x/skill.md"]), Err(NoSkillError::Case("x/skill.md".into())));
        assert_eq!(names(&["x/y/SKILL.md"]), Err(NoSkillError::TooDeep));
        assert_eq!(names(&["x/SKILL.md", "y/SKILL.md"]), Err(NoSkillError::Several(2)));
        assert_eq!(names(&["x/SKILL.md", "y/z/SKILL.md"]), Err(NoSkillError::Several(2)));
        assert_eq!(names(&["x/y/SKILL.md", "x/z/SKILL.md"]), Err(NoSkillError::Several(2)));
        assert_eq!(names(&["x/SKILL.md", "y"]), Err(NoSkillError::Beside("y".into())));
    }
}
