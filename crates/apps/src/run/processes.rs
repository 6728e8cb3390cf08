//! Finds the processes of apps in one snapshot of the process list. Only processes of this account are included.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::Path;

use tarsus_host::processes::{self, ListProcessesError, ProcessId, ProcessInfo};
use tarsus_protocol::apps::AppEntry;

use crate::registry::App;

/// A snapshot of the processes of this account, by name and by executable.
#[derive(Debug)]
pub struct Processes {
    by_name: HashMap<String, BTreeSet<ProcessId>>,
    by_exe: HashMap<String, BTreeSet<ProcessId>>,
    rules: Rules,
}

/// How names and paths are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rules {
    Windows,
    Unix,
}

impl Processes {
    /// Reads the process list.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn now() -> Result<Self, ListProcessesError> {
        Ok(Self::in_list(&processes::list()?))
    }

    /// The processes of this account in a list that was just read.
    pub(super) fn in_list(list: &[ProcessInfo]) -> Self {
        Self::among(list, Rules::of_system())
    }

    fn among(list: &[ProcessInfo], rules: Rules) -> Self {
        let mut found = Self { by_name: HashMap::new(), by_exe: HashMap::new(), rules };
        for process in list.iter().filter(|process| process.mine) {
            let exe = process.exe.as_deref();
            let whole = [exe.and_then(Path::file_name), process.argv0.as_deref().map(file_name)];
            let whole = whole.into_iter().flatten().map(OsStr::to_string_lossy);
            // A name that may be cut off stands for the process only if its executable cannot be read.
            let short =
                (exe.is_none() || !rules.may_be_cut(&process.name)).then(|| process.name.as_str().into());
            for name in whole.chain(short) {
                found.by_name.entry(rules.name(&name).into_owned()).or_default().insert(process.identity);
            }
            if let Some(exe) = exe {
                found.by_exe.entry(rules.path(exe).into_owned()).or_default().insert(process.identity);
            }
        }
        found
    }

    /// The processes of an entry, by process id. They match the process name and the executable, as far as each is stored;
    /// `None` if neither is.
    #[must_use]
    pub fn of_entry(&self, entry: &AppEntry) -> Option<Vec<ProcessId>> {
        self.find(entry.process_name.as_deref(), entry.runtime_exe.as_deref())
    }

    /// Like [`Self::of_entry`], for a stored entry that may be invalid.
    #[must_use]
    pub fn of_app(&self, app: &App) -> Option<Vec<ProcessId>> {
        self.find(app.process_name.as_deref(), app.runtime_exe.as_deref())
    }

    fn find(&self, process_name: Option<&str>, runtime_exe: Option<&str>) -> Option<Vec<ProcessId>> {
        let by_name = process_name.map(|name| self.by_name.get(&*self.rules.name(name)));
        let by_exe = || runtime_exe.map(|exe| self.running(Path::new(exe)));
        let found: Vec<ProcessId> = match by_name {
            None => by_exe()?.into_iter().flatten().copied().collect(),
            // No process has that name, so the executable need not be resolved.
            Some(None) => Vec::new(),
            Some(Some(named)) => match by_exe() {
                None => named.iter().copied().collect(),
                Some(None) => Vec::new(),
                Some(Some(running)) => named.intersection(running).copied().collect(),
            },
        };
        Some(found)
    }

    fn running(&self, exe: &Path) -> Option<&BTreeSet<ProcessId>> {
        let known = |path: &Path| self.by_exe.get(&*self.rules.path(path));
        // The list has real paths; the stored path may be a link.
        known(exe).or_else(|| known(&exe.canonicalize().ok()?))
    }
}

/// The kernel of Linux cuts a process name to this many bytes.
const MAX_KERNEL_NAME: usize = 15;

impl Rules {
    const fn of_system() -> Self {
        if cfg!(windows) { Self::Windows } else { Self::Unix }
    }

    /// Whether the system may have cut this name, so that several programs have it.
    fn may_be_cut(self, name: &str) -> bool {
        self == Self::Unix && name.len() >= MAX_KERNEL_NAME
    }

    /// The normal form of a process name.
    fn name(self, name: &str) -> Cow<'_, str> {
        match self {
            Self::Unix => Cow::Borrowed(name),
            Self::Windows => {
                let name = name.to_lowercase();
                Cow::Owned(name.strip_suffix(".exe").unwrap_or(&name).to_owned())
            }
        }
    }

    /// The normal form of an executable path.
    fn path(self, path: &Path) -> Cow<'_, str> {
        let path = path.to_string_lossy();
        match self {
            Self::Unix => path,
            Self::Windows => {
                let path = path.to_lowercase().replace('/', r"\");
                Cow::Owned(path.strip_prefix(r"\\?\").unwrap_or(&path).to_owned())
            }
        }
    }
}

/// The file name in argv[0], which may be a path or any text.
fn file_name(argv0: &OsStr) -> &OsStr {
    Path::new(argv0).file_name().unwrap_or(argv0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, name: &str, exe: &str, argv0: Option<&str>) -> ProcessInfo {
        ProcessInfo {
            identity: ProcessId { pid, start: 1 },
            parent: 1,
            name: name.into(),
            exe: Some(exe.into()),
            argv0: argv0.map(Into::into),
            mine: true,
        }
    }

    fn pids(list: &[ProcessInfo], rules: Rules, exe: Option<&str>, name: Option<&str>) -> Option<Vec<u32>> {
        let found = Processes::among(list, rules).find(name, exe)?;
        Some(found.into_iter().map(|process| process.pid).collect())
    }

    #[test]
    fn linux_name_is_short_name_executable_or_argv0() {
        let list = [
            process(7, "a-name-of-more-", "/opt/a-name-of-more-than-15", Some("/opt/link")),
            process(5, "python3", "/usr/bin/python3.13", Some("editor")),
            ProcessInfo { mine: false, ..process(6, "python3", "/usr/bin/python3.13", None) },
        ];
        for (name, expected) in [
            ("a-name-of-more-than-15", vec![7]),
            ("link", vec![7]),
            ("editor", vec![5]),
            ("python3", vec![5]),
            ("python3.13", vec![5]),
            ("Python3", vec![]),
            ("python", vec![]),
            ("python3.exe", vec![]),
        ] {
            assert_eq!(pids(&list, Rules::Unix, None, Some(name)), Some(expected), "{name}");
        }
    }

    #[test]
    fn cut_name_counts_only_without_an_executable() {
        let list = [
            process(1, "averylongproces", "/opt/averylongprocess-one", Some("/opt/averylongprocess-one")),
            process(2, "averylongproces", "/opt/averylongprocess-two", None),
            process(3, "averylongproces", "/opt/averylongproces", None),
            ProcessInfo { exe: None, ..process(4, "averylongproces", "", None) },
            process(5, "fourteen-bytes", "/usr/bin/python3", None),
        ];
        for (name, expected) in [
            ("averylongproces", vec![3, 4]),
            ("averylongprocess-one", vec![1]),
            ("averylongprocess-two", vec![2]),
            ("fourteen-bytes", vec![5]),
        ] {
            assert_eq!(pids(&list, Rules::Unix, None, Some(name)), Some(expected), "{name}");
        }
    }

    #[test]
    fn windows_name_ignores_case_and_extension() {
        let list = [process(4, "Survival.exe", "x", None), process(9, "survival", "y", None)];
        for name in ["Survival.exe", "survival", "SURVIVAL.EXE"] {
            assert_eq!(pids(&list, Rules::Windows, None, Some(name)), Some(vec![4, 9]), "{name}");
        }
        assert_eq!(pids(&list, Rules::Windows, None, Some("Survival.ex")), Some(vec![]));
    }

    #[test]
    fn both_stored_fields_must_match() {
        let list = [
            process(1, "game", "/opt/one/game", None),
            process(2, "game", "/opt/two/game", None),
            process(3, "tool", "/opt/one/tool", None),
        ];
        for (exe, name, expected) in [
            (Some("/opt/one/game"), Some("game"), Some(vec![1])),
            (Some("/opt/one/tool"), Some("game"), Some(vec![])),
            (Some("/opt/two/game"), None, Some(vec![2])),
            (None, Some("game"), Some(vec![1, 2])),
            (None, None, None),
        ] {
            assert_eq!(pids(&list, Rules::Unix, exe, name), expected, "{exe:?} {name:?}");
        }
    }

    #[test]
    fn windows_paths_ignore_case_and_separators() {
        let list = [process(1, "g.exe", r"C:\Games\Last Z\G.exe", None)];
        for exe in [r"c:\games\last z\g.exe", "C:/Games/Last Z/G.exe", r"\\?\C:\Games\Last Z\G.exe"] {
            assert_eq!(pids(&list, Rules::Windows, Some(exe), None), Some(vec![1]), "{exe}");
        }
        assert_eq!(pids(&list, Rules::Unix, Some(r"c:\games\last z\g.exe"), None), Some(vec![]));
    }
}
