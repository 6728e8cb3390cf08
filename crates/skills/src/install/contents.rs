//! What is to be installed, as a value: the files of one folder by their paths, within limits.
//!
//! Promises: every path stays inside the folder on every system, no two name one file, and there are no more bytes and
//! files than the limits allow. Leaves to others: where the files come from, and what they say.

use std::collections::{BTreeMap, HashMap};

use tarsus_scan::ScanLimits;
use unicode_normalization::UnicodeNormalization;

/// Bytes of a path.
const LONGEST_PATH: usize = 1_024;
/// Bytes of a name in it: no usual file system takes more.
const LONGEST_NAME: usize = 255;

/// The files of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    files: BTreeMap<String, ToInstall>,
    /// Every file and folder in small letters, with whether it is a file.
    taken: HashMap<String, bool>,
    bytes: u64,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToInstall {
    /// What is in it.
    pub bytes: Vec<u8>,
    /// Whether it may be run.
    pub program: bool,
}

/// Something that is not installed, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A path that does not stay in the folder, or that some system reads otherwise than it is written.
    #[error("{path:?} is not a path that can be installed: {why}")]
    Path {
        /// The path as it is written, cut.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Two entries for one place.
    #[error("{path:?} is there twice, or differs from another name only in case")]
    Twice {
        /// The second one.
        path: String,
    },
    /// A link, device or pipe.
    #[error("{path:?} is a {found}; only files and folders are installed")]
    NotAFile {
        /// Which.
        path: String,
        /// What it is.
        found: &'static str,
    },
    /// Too many files and folders.
    #[error("there are more than {most} files and folders in it")]
    TooMany {
        /// What would be accepted.
        most: usize,
    },
    /// Too many bytes.
    #[error("there are more than {most} bytes in it")]
    TooLarge {
        /// What would be accepted.
        most: u64,
    },
}

impl Contents {
    /// The files, by path.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<String, ToInstall> {
        &self.files
    }

    /// The bytes of the files, by path.
    pub(crate) fn into_files(self) -> BTreeMap<String, Vec<u8>> {
        self.files.into_iter().map(|(path, file)| (path, file.bytes)).collect()
    }

    /// All bytes together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many bytes may still be added.
    pub(super) fn room(&self, limits: &ScanLimits) -> u64 {
        limits.total.saturating_sub(self.bytes)
    }

    /// Takes in a folder.
    pub(super) fn folder(&mut self, path: &str, limits: &ScanLimits) -> Result<(), Unfit> {
        let path = path.trim_end_matches('/');
        if !path.is_empty() {
            fits(path, limits)?;
            self.take(path, false, limits)?;
        }
        Ok(())
    }

    /// Takes in a file.
    pub(super) fn file(&mut self, path: &str, file: ToInstall, limits: &ScanLimits) -> Result<(), Unfit> {
        fits(path, limits)?;
        let length = file.bytes.len() as u64;
        if length > self.room(limits) {
            return Err(Unfit::TooLarge { most: limits.total });
        }
        self.take(path, true, limits)?;
        self.bytes += length;
        self.files.insert(path.to_owned(), file);
        Ok(())
    }

    /// Keeps the place of a path and of the folders above it.
    fn take(&mut self, path: &str, is_file: bool, limits: &ScanLimits) -> Result<(), Unfit> {
        for (at, _) in path.match_indices('/').chain([(path.len(), "")]) {
            let (place, is_file) = (&path[..at], is_file && at == path.len());
            // Some file systems take `Ä` written in two ways, or in another case, for one name.
            let key: String = place.nfc().flat_map(char::to_lowercase).collect();
            match self.taken.insert(key, is_file) {
                None if self.taken.len() > limits.entries => {
                    return Err(Unfit::TooMany { most: limits.entries });
                }
                Some(was_file) if was_file || is_file => return Err(Unfit::Twice { path: shown(path) }),
                _ => {}
            }
        }
        Ok(())
    }

    /// The folder in it that is the skill: itself, or the only folder at its top. Everything beside it must be none;
    /// whatever lies in it is part of it, another SKILL.md too.
    ///
    /// # Errors
    /// When there is none, or not one.
    pub fn into_skill(self) -> Result<Self, NoSkill> {
        if self.files.contains_key(SKILL_FILE) {
            return Ok(self);
        }
        let holds: Vec<&str> = self.files.keys().filter_map(|path| path.strip_suffix("/SKILL.md")).collect();
        let at_top: Vec<&str> = holds.iter().copied().filter(|path| !path.contains('/')).collect();
        let top = match (at_top.as_slice(), holds.len()) {
            (_, 0) => return Err(self.why_none()),
            ([only], _) => format!("{only}/"),
            ([], 1) => return Err(NoSkill::TooDeep),
            (_, several) => return Err(NoSkill::Several(several)),
        };
        if let Some(beside) = self.files.keys().find(|path| !path.starts_with(&top)) {
            let several = beside.ends_with("/SKILL.md");
            return Err(if several { NoSkill::Several(holds.len()) } else { NoSkill::Beside(shown(beside)) });
        }
        let files = self.files.into_iter().map(|(path, file)| (path[top.len()..].to_owned(), file));
        Ok(Self { files: files.collect(), ..Self::default() }.counted())
    }

    fn counted(mut self) -> Self {
        self.bytes = self.files.values().map(|file| file.bytes.len() as u64).sum();
        self
    }

    fn why_none(&self) -> NoSkill {
        let named = |path: &&String| {
            path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE))
        };
        self.files.keys().find(named).map_or(NoSkill::None, |path| NoSkill::Case(shown(path)))
    }
}

/// The file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// Why there is no one skill among files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSkill {
    /// No file of the name.
    #[error("there is no SKILL.md in it")]
    None,
    /// A file of nearly the name.
    #[error("its {0} has to be called SKILL.md, in capitals")]
    Case(String),
    /// Further down than the first folder.
    #[error("its SKILL.md lies more than one folder deep")]
    TooDeep,
    /// More than one.
    #[error("there are {0} skills in it; install them one by one")]
    Several(usize),
    /// Files that belong to no skill.
    #[error("{0:?} lies beside the skill's folder; install the folder itself")]
    Beside(String),
}

/// Whether a path can be installed everywhere.
fn fits(path: &str, limits: &ScanLimits) -> Result<(), Unfit> {
    let unfit = |why| Err(Unfit::Path { path: shown(path), why });
    if path.len() > LONGEST_PATH {
        return unfit("it is too long");
    }
    if path.split('/').count() > limits.depth {
        return unfit("it lies too deep");
    }
    if path.starts_with('/') {
        return unfit("it begins at the root of the disk");
    }
    for name in path.split('/') {
        match name {
            "" | "." => return unfit("a name in it is empty"),
            ".." => return unfit("it leads out of the folder"),
            _ if name.len() > LONGEST_NAME => return unfit("a name in it is too long"),
            _ if name.contains(['\\', ':']) => return unfit("Windows reads `\\` and `:` as parts of a path"),
            _ if name.chars().any(char::is_control) => return unfit("it holds control characters"),
            _ if name.ends_with(['.', ' ']) => {
                return unfit("Windows drops a dot or space at the end of a name");
            }
            _ if is_device(name) => return unfit("it is the name of a device on Windows"),
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

/// A path for an error: short.
pub(super) fn shown(path: &str) -> String {
    const MOST: usize = 100;
    match path.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &path[..at]),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &[u8]) -> ToInstall {
        ToInstall { bytes: bytes.to_vec(), program: false }
    }

    fn of(paths: &[&str]) -> Result<Contents, Unfit> {
        let mut contents = Contents::default();
        for path in paths {
            match path.strip_suffix('/') {
                Some(folder) => contents.folder(folder, &ScanLimits::default())?,
                None => contents.file(path, file(b"x"), &ScanLimits::default())?,
            }
        }
        Ok(contents)
    }

    #[test]
    fn a_path_that_any_system_reads_otherwise_is_refused() {
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
            let found = of(&[path]);
            assert!(matches!(found, Err(Unfit::Path { .. })), "{path:?}: {found:?}");
        }
        for good in ["a", ".hidden/x", "天气/ä.md", "console.log", "com10", "a.b/c d.txt"] {
            assert!(of(&[good]).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn one_place_is_taken_once() {
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
            assert!(matches!(of(paths), Err(Unfit::Twice { .. })), "{paths:?}");
        }
        assert!(of(&["a/", "a/b", "a/", "a/c", "a/d/e"]).is_ok());
    }

    #[test]
    fn limits_hold() {
        let limits = ScanLimits { entries: 3, total: 10, ..ScanLimits::default() };
        let mut contents = Contents::default();
        contents.file("a/b", file(b"12345"), &limits).unwrap();
        assert_eq!(contents.clone().file("c", file(b"123456"), &limits), Err(Unfit::TooLarge { most: 10 }));
        contents.file("c", file(b"12345"), &limits).unwrap();
        assert_eq!(contents.file("d", file(b""), &limits), Err(Unfit::TooMany { most: 3 }));
    }

    #[test]
    fn the_skill_is_at_the_top_or_in_the_only_folder() {
        let names = |paths: &[&str]| {
            of(paths).unwrap().into_skill().map(|skill| skill.files.into_keys().collect::<Vec<_>>())
        };
        assert_eq!(names(&["SKILL.md", "x/SKILL.md"]), Ok(vec!["SKILL.md".into(), "x/SKILL.md".into()]));
        assert_eq!(names(&["x/SKILL.md", "x/a/b"]), Ok(vec!["SKILL.md".into(), "a/b".into()]));
        assert_eq!(
            names(&["x/SKILL.md", "x/examples/y/SKILL.md"]),
            Ok(vec!["SKILL.md".into(), "examples/y/SKILL.md".into()])
        );
        assert_eq!(names(&["a"]), Err(NoSkill::None));
        assert_eq!(names(&["x/skill.md"]), Err(NoSkill::Case("x/skill.md".into())));
        assert_eq!(names(&["x/y/SKILL.md"]), Err(NoSkill::TooDeep));
        assert_eq!(names(&["x/SKILL.md", "y/SKILL.md"]), Err(NoSkill::Several(2)));
        assert_eq!(names(&["x/SKILL.md", "y/z/SKILL.md"]), Err(NoSkill::Several(2)));
        assert_eq!(names(&["x/y/SKILL.md", "x/z/SKILL.md"]), Err(NoSkill::Several(2)));
        assert_eq!(names(&["x/SKILL.md", "y"]), Err(NoSkill::Beside("y".into())));
    }
}
