//! Everything the process gets from outside, read in one place: arguments, environment variables, the working
//! directory and the terminal.
#![allow(clippy::disallowed_methods, reason = "the one place that reads the environment")]

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

use tarsus_host::path::SearchPath;

/// The environment variables that Tarsus reads by name, with their purpose. A test compares them with the table in
/// docs/dev/tables.md. `${NAME}` in the configuration reads further ones.
pub const VARIABLES: &[(&str, &str)] = &[
    ("OPENCLAW_STATE_DIR", "the state folder, unless --state-dir is given"),
    ("OPENCLAW_CONFIG_PATH", "the configuration file, unless --config is given"),
    ("HOME", "the home folder, `~` (USERPROFILE on Windows)"),
    ("PATH", "where programs that skills need are searched"),
    ("PATHEXT", "file extensions of programs, on Windows"),
    ("SHELL", "the shell named in the system prompt"),
    ("TARSUS_AGENT", "set in processes that an agent started; commands act for that agent at most"),
    ("LC_ALL", "the language of the Application Manager's menu"),
    ("LC_MESSAGES", "as LC_ALL, if that is not set"),
    ("LANG", "as LC_ALL, if neither of these is set"),
    ("NO_COLOR", "disables colours if set"),
    ("TERM", "disables colours if `dumb`"),
];

#[derive(Debug, Clone)]
pub struct Environment {
    /// The command line, including the program name.
    pub arguments: Vec<OsString>,
    /// The path of the executable, if the system reports it.
    pub program: Option<PathBuf>,
    pub working_dir: PathBuf,
    pub stdout_is_terminal: bool,
    /// Columns of the terminal on standard output, if it is one.
    pub terminal_width: Option<usize>,
    pub stdin_is_terminal: bool,
}

impl Environment {
    pub fn from_process() -> Self {
        Self {
            arguments: std::env::args_os().collect(),
            program: std::env::current_exe().ok(),
            // Without a working directory, relative paths stay relative and fail where they are used.
            working_dir: std::env::current_dir().unwrap_or_default(),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            terminal_width: terminal_size::terminal_size_of(std::io::stdout())
                .map(|(width, _)| usize::from(width.0)),
            stdin_is_terminal: std::io::stdin().is_terminal(),
        }
    }

    /// Returns a variable if it is set and valid Unicode.
    pub fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    /// Whether a variable is set to anything but nothing.
    pub fn variable_is_set(&self, name: &str) -> bool {
        std::env::var_os(name).is_some_and(|value| !value.is_empty())
    }

    /// Returns a variable as a path; an empty value counts as unset.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    pub fn user_home(&self) -> Option<PathBuf> {
        self.path("HOME").or_else(|| if cfg!(windows) { self.path("USERPROFILE") } else { None })
    }

    /// The `PATH` in which programs are searched.
    pub fn search_path(&self) -> SearchPath {
        let extensions = std::env::var_os("PATHEXT");
        SearchPath::new(&std::env::var_os("PATH").unwrap_or_default(), extensions.as_deref())
    }

    /// All variables, for processes that are started outside of Tarsus.
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        std::env::vars_os().collect()
    }

    /// The locale for messages, as in `zh_CN.UTF-8`; empty when none is set.
    pub fn locale(&self) -> String {
        let set = |name: &&str| self.variable(name).filter(|value| !value.is_empty());
        ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(set).unwrap_or_default()
    }

    /// Whether standard output should be coloured: a terminal, no `NO_COLOR`, not `TERM=dumb`.
    pub fn wants_colour(&self) -> bool {
        self.stdout_is_terminal
            && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }
}
