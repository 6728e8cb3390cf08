//! Which processes belong to an application.
//!
//! One look at the process list answers for any number of applications. Only processes of this account
//! count. What to do with them is decided elsewhere.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::Path;

use tarsus_host::processes::{self, ListProcessesError, ProcessId, ProcessInfo};

use super::Target;

/// The processes of this account at one moment, by name and by executable.
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
    /// Looks at the process list.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn now() -> Result<Self, ListProcessesError> {
        let rules = if cfg!(windows) { Rules::Windows } else { Rules::Unix };
        Ok(Self::among(&processes::list()?, rules))
    }

    fn among(list: &[ProcessInfo], rules: Rules) -> Self {
        let mut found = Self { by_name: HashMap::new(), by_exe: HashMap::new(), rules };
        for process in list.iter().filter(|process| process.mine) {
            let exe = process.exe.as_deref();
            // Linux cuts the name to 15 bytes; the executable and what it was called as are whole.
            let whole = [exe.and_then(Path::file_name), process.argv0.as_deref().map(file_name)];
            let whole = whole.into_iter().flatten().map(OsStr::to_string_lossy);
            for name in whole.chain([process.name.as_str().into()]) {
                found.by_name.entry(rules.name(&name).into_owned()).or_default().insert(process.identity);
            }
            if let Some(exe) = exe {
                found.by_exe.entry(rules.path(exe).into_owned()).or_default().insert(process.identity);
            }
        }
        found
    }

    /// The processes of an application, in the order of their numbers: those with its process name and its
    /// executable, as far as each is stored. None when neither is.
    #[must_use]
    pub fn of(&self, target: &Target<'_>) -> Option<Vec<ProcessId>> {
        let by_name = target.process_name.map(|name| self.by_name.get(&*self.rules.name(name)));
        let by_exe = || target.runtime_exe.map(|exe| self.running(Path::new(exe)));
        let found: Vec<ProcessId> = match by_name {
            None => by_exe()?.into_iter().flatten().copied().collect(),
            // Nothing of that name runs: where its executable really lies need not be asked.
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
        // The list has real paths; what is stored may lead there through links.
        known(exe).or_else(|| known(&exe.canonicalize().ok()?))
    }
}

impl Rules {
    /// What a process name is compared by.
    fn name(self, name: &str) -> Cow<'_, str> {
        match self {
            Self::Unix => Cow::Borrowed(name),
            Self::Windows => {
                let name = name.to_lowercase();
                Cow::Owned(name.strip_suffix(".exe").unwrap_or(&name).to_owned())
            }
        }
    }

    /// What the path of an executable is compared by.
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

/// What a process was called as may be a path, or any text.
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
        let target = Target { launch_path: "x", runtime_exe: exe, process_name: name };
        let found = Processes::among(list, rules).of(&target)?;
        Some(found.into_iter().map(|process| process.pid).collect())
    }

    #[test]
    fn on_linux_a_name_is_the_cut_name_the_executable_or_what_it_was_called_as() {
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
    fn on_windows_neither_case_nor_the_extension_matters() {
        let list = [process(4, "Survival.exe", "x", None), process(9, "survival", "y", None)];
        for name in ["Survival.exe", "survival", "SURVIVAL.EXE"] {
            assert_eq!(pids(&list, Rules::Windows, None, Some(name)), Some(vec![4, 9]), "{name}");
        }
        assert_eq!(pids(&list, Rules::Windows, None, Some("Survival.ex")), Some(vec![]));
    }

    #[test]
    fn with_both_fields_both_must_match() {
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
    fn windows_paths_are_compared_as_windows_does() {
        let list = [process(1, "g.exe", r"C:\Games\Last Z\G.exe", None)];
        for exe in [r"c:\games\last z\g.exe", "C:/Games/Last Z/G.exe", r"\\?\C:\Games\Last Z\G.exe"] {
            assert_eq!(pids(&list, Rules::Windows, Some(exe), None), Some(vec![1]), "{exe}");
        }
        assert_eq!(pids(&list, Rules::Unix, Some(r"c:\games\last z\g.exe"), None), Some(vec![]));
    }
}
