//! Finding programs on PATH.
//!
//! A [`SearchPath`] belongs to one evaluation: it looks up the first few names one by one, then lists each folder at
//! most once and caches the listing, so that hundreds of lookups cost a few listings and are consistent.
//! Empty and relative entries are ignored: they would find programs in the current folder.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

/// Larger folders are not cached; each name is looked up directly then.
const MAX_NAMES: usize = 100_000;
const MAX_FOLDERS: usize = 1_000;
/// Direct lookups before folders are listed: about the cost of listing them. On Windows a name has several forms, and a
/// listing knows the right one.
const MAX_DIRECT_LOOKUPS: usize = if cfg!(windows) { 0 } else { 16 };
/// The extensions of programs when PATHEXT is not set.
const DEFAULT_EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD";

/// The folders of PATH, in order, with their cached contents.
#[derive(Debug)]
pub struct SearchPath {
    folders: Vec<Folder>,
    /// The state of the folders at the first lookup.
    snapshot: OnceLock<FolderSnapshot>,
    /// Windows only; elsewhere a name is the whole name.
    extensions: Vec<String>,
    /// The results of direct lookups.
    direct_results: Mutex<HashMap<String, Option<PathBuf>>>,
}

impl SearchPath {
    /// Parses the values of PATH and, on Windows, PATHEXT. Does not access the disk yet.
    #[must_use]
    pub fn new(path: &OsStr, pathext: Option<&OsStr>) -> Self {
        let mut folders: Vec<Folder> = Vec::new();
        for path in std::env::split_paths(path).filter(|path| path.is_absolute()) {
            if folders.len() < MAX_FOLDERS && !folders.iter().any(|known| known.path == path) {
                folders.push(Folder { path, listing: OnceLock::new() });
            }
        }
        let extensions = if cfg!(windows) { extensions(pathext) } else { Vec::new() };
        Self { folders, snapshot: OnceLock::new(), extensions, direct_results: Mutex::default() }
    }

    /// The first executable of this name. A name with a separator is never found.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        if !is_program_name(name) {
            return None;
        }
        if let Some(answer) = self.find_directly(name) {
            return answer;
        }
        let candidate_names = candidate_names(name, &self.extensions);
        self.distinct()
            .find_map(|folder| candidate_names.iter().find_map(|spelling| folder.program(spelling)))
    }

    /// A direct lookup; `None` once the folders are to be listed.
    fn find_directly(&self, name: &str) -> Option<Option<PathBuf>> {
        let mut first = self.direct_results.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = first.get(name) {
            return Some(answer.clone());
        }
        if first.len() == MAX_DIRECT_LOOKUPS {
            return None;
        }
        let answer = self.distinct().map(|folder| folder.path.join(name)).find(|path| may_execute(path));
        first.insert(name.to_owned(), answer.clone());
        Some(answer)
    }

    /// The existing folders, each once: on most systems `/bin` is a link to `/usr/bin`.
    fn distinct(&self) -> impl Iterator<Item = &Folder> {
        let looked = self.snapshot.get_or_init(|| FolderSnapshot::take(&self.folders));
        looked.distinct.iter().map(|&at| &self.folders[at])
    }

    /// Whether no folder was modified since the first lookup, by its modification time.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        let is_same = |(folder, seen): (&Folder, &Option<SystemTime>)| changed_at(&folder.path) == *seen;
        self.snapshot.get().is_none_or(|looked| self.folders.iter().zip(&looked.changed_at).all(is_same))
    }
}

#[derive(Debug)]
struct FolderSnapshot {
    /// The indexes of the searched folders.
    distinct: Vec<usize>,
    /// Modification times, read before the search, so that concurrent changes are noticed.
    changed_at: Vec<Option<SystemTime>>,
}

impl FolderSnapshot {
    fn take(folders: &[Folder]) -> Self {
        let changed_at = folders.iter().map(|folder| changed_at(&folder.path)).collect();
        let mut seen = HashSet::new();
        let mut is_new = |at: &usize| identity(&folders[*at].path).is_some_and(|it| seen.insert(it));
        Self { distinct: (0..folders.len()).filter(|at| is_new(at)).collect(), changed_at }
    }
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    listing: OnceLock<Listing>,
}

#[derive(Debug)]
enum Listing {
    /// Each name by its [`key`].
    Names(HashMap<OsString, Name>),
    /// A folder that may be entered but not listed, or a far too large one.
    Unlisted,
}

#[derive(Debug)]
struct Name {
    /// The spelling, where it differs from the key.
    spelling: Option<OsString>,
    /// Cached on first use.
    is_program: OnceLock<bool>,
}

impl Folder {
    fn program(&self, name: &str) -> Option<PathBuf> {
        match self.listing.get_or_init(|| list(&self.path)) {
            Listing::Names(names) => {
                let key = key(OsStr::new(name));
                let found = names.get(&key)?;
                let path = self.path.join(found.spelling.as_ref().unwrap_or(&key));
                found.is_program.get_or_init(|| may_execute(&path)).then_some(path)
            }
            Listing::Unlisted => Some(self.path.join(name)).filter(|path| may_execute(path)),
        }
    }
}

/// The modification time of a folder; `None` when it does not exist.
fn changed_at(folder: &Path) -> Option<SystemTime> {
    std::fs::metadata(folder).and_then(|folder| folder.modified()).ok()
}

fn list(folder: &Path) -> Listing {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Listing::Unlisted,
        // PATH often names folders that do not exist.
        Err(_) => return Listing::Names(HashMap::new()),
    };
    let mut names = HashMap::new();
    for entry in entries {
        let Ok(entry) = entry else { return Listing::Unlisted };
        if names.len() == MAX_NAMES {
            return Listing::Unlisted;
        }
        let name = entry.file_name();
        let key = key(&name);
        let spelling = (key != name).then_some(name);
        names.insert(key, Name { spelling, is_program: OnceLock::new() });
    }
    Listing::Names(names)
}

/// The key for comparisons: Windows ignores case.
fn key(name: &OsStr) -> OsString {
    if cfg!(windows) { name.to_string_lossy().to_lowercase().into() } else { name.to_os_string() }
}

fn is_program_name(name: &str) -> bool {
    let has_separator = name.contains(['/', '\0']) || (cfg!(windows) && name.contains(['\\', ':']));
    !has_separator && !matches!(name, "" | "." | "..")
}

fn extensions(pathext: Option<&OsStr>) -> Vec<String> {
    let given = pathext.map(OsStr::to_string_lossy).unwrap_or(DEFAULT_EXTENSIONS.into());
    let extensions: Vec<String> = given
        .split(';')
        .map(str::trim)
        .filter(|extension| extension.len() > 1 && extension.starts_with('.'))
        .map(str::to_lowercase)
        .collect();
    if extensions.is_empty() && pathext.is_some() { self::extensions(None) } else { extensions }
}

/// The possible file names of a program, in order of preference.
fn candidate_names(name: &str, extensions: &[String]) -> Vec<String> {
    let lower = name.to_lowercase();
    let whole = extensions.is_empty() || extensions.iter().any(|end| lower.ends_with(end));
    let own = whole.then(|| name.to_owned());
    own.into_iter().chain(extensions.iter().map(|end| format!("{name}{end}"))).collect()
}

/// The identity of a folder; `None` when it does not exist.
#[cfg(unix)]
fn identity(folder: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(folder).ok().filter(std::fs::Metadata::is_dir).map(|found| (found.dev(), found.ino()))
}

/// The identity of a folder; `None` when it does not exist.
#[cfg(windows)]
fn identity(folder: &Path) -> Option<&Path> {
    Some(folder)
}

/// Whether this is a file that this account may execute; on Windows any file.
#[cfg(unix)]
#[must_use]
pub fn may_execute(path: &Path) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    path.is_file() && accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}

/// Whether this is a file that this account may execute; on Windows any file.
#[cfg(windows)]
#[must_use]
pub fn may_execute(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_relative_and_repeated_entries_are_not_searched() {
        let full = std::env::temp_dir();
        let entries = ["", ".", "bin", "../bin"].map(PathBuf::from);
        let entries = entries.iter().chain([&full, &full]);
        let search = SearchPath::new(&std::env::join_paths(entries).unwrap(), None);
        assert_eq!(search.folders.iter().map(|folder| &folder.path).collect::<Vec<_>>(), [&full]);
        assert!(SearchPath::new(OsStr::new(""), None).folders.is_empty());
    }

    #[test]
    fn windows_name_with_program_extension_is_used_as_is() {
        let usual = extensions(None);
        for (name, expected) in [
            ("git", vec!["git.com", "git.exe", "git.bat", "git.cmd"]),
            ("Git.EXE", vec!["Git.EXE", "Git.EXE.com", "Git.EXE.exe", "Git.EXE.bat", "Git.EXE.cmd"]),
            ("a.b", vec!["a.b.com", "a.b.exe", "a.b.bat", "a.b.cmd"]),
        ] {
            assert_eq!(candidate_names(name, &usual), expected);
        }
        assert_eq!(candidate_names("git", &[]), ["git"]);
    }

    #[test]
    fn pathext_is_read_leniently() {
        for (given, expected) in [
            (Some(".EXE; .Py ;;py;."), vec![".exe", ".py"]),
            (Some(""), vec![".com", ".exe", ".bat", ".cmd"]),
            (None, vec![".com", ".exe", ".bat", ".cmd"]),
        ] {
            assert_eq!(extensions(given.map(OsStr::new)), expected, "{given:?}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_no_program_names() {
        for name in ["", ".", "..", "/bin/sh", "a/b", "../sh", "a\0b"] {
            assert!(!is_program_name(name), "{name:?}");
        }
        for name in [r"a\b", "c:sh"] {
            assert_eq!(is_program_name(name), cfg!(unix), "{name:?}");
        }
        assert!(is_program_name("sh") && is_program_name("程序 (1)"));
    }
}
