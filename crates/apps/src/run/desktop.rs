//! The desktop session that apps are launched in: its environment and its launcher programs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tarsus_host::path::SearchPath;
use tarsus_host::platform::{Platform, home_folder};
use tarsus_host::process::{Env, ProcessSpec};

use super::plan::{LaunchFacts, LaunchSystem, inspect};
use super::shortcut::shortcut_target;
use super::{LaunchError, environment, windows};

/// The search path without PATH.
const DEFAULT_PATH: &str =
    if cfg!(windows) { r"C:\Windows\System32" } else { "/usr/local/bin:/usr/bin:/bin" };

/// Timeout for reading the session environment from the service manager.
const ENVIRONMENT_TIMEOUT: Duration = Duration::from_secs(2);

/// The desktop session as it is now; created for each launch.
#[derive(Debug)]
pub struct Desktop {
    pub(super) facts: LaunchFacts,
    env: Env,
    pub(super) programs: SearchPath,
    /// The command prefix that starts a program outside our own service unit.
    pub(super) scope_prefix: Vec<OsString>,
    /// The agent that launches, if it is not the owner.
    pub(super) agent: Option<String>,
}

impl Desktop {
    /// Takes the desktop part of our own environment, and looks for the launcher programs.
    #[must_use]
    pub fn new(platform: &Platform, ours: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let env = environment::session_environment(ours);
        let value = |name: &str| environment::value(&env, name);
        let programs = SearchPath::new(value("PATH").unwrap_or(OsStr::new(DEFAULT_PATH)), value("PATHEXT"));
        let system = match platform.os {
            "win32" => LaunchSystem::Windows,
            "darwin" => LaunchSystem::MacOs,
            _ if platform.wsl => LaunchSystem::Wsl,
            _ => LaunchSystem::Linux,
        };
        let root = if cfg!(windows) { r"C:\" } else { "/" };
        let home = home_folder(|name| value(name).map(Into::into)).filter(|home| home.is_dir());
        let facts = LaunchFacts {
            system,
            home: home.unwrap_or_else(|| root.into()),
            cmd: cmd(system, value("SYSTEMROOT"), &programs),
            opener: opener(system, &programs),
            terminal: terminal(&programs),
        };
        let scope_prefix = match system {
            LaunchSystem::Linux => scope_command(value("XDG_RUNTIME_DIR").map(Path::new), &programs),
            _ => Vec::new(),
        };
        Self { facts, env, programs, scope_prefix, agent: None }
    }

    /// The same session, with apps marked as processes of this agent.
    #[must_use]
    pub fn for_agent(self, agent: &str) -> Self {
        Self { agent: Some(agent.to_owned()), ..self }
    }

    /// The environment of the session. If we were started before the desktop, the display is known only to the user's
    /// service manager.
    pub(super) async fn environment(&self) -> Env {
        let mut env = self.env.clone();
        let manager = self.programs.find("systemctl").filter(|_| !self.scope_prefix.is_empty());
        if let Some(systemctl) = manager.filter(|_| !environment::has_screen(&env)) {
            let args = ["--user", "show-environment"].map(OsString::from).into();
            let ask = ProcessSpec {
                args,
                env: env.clone(),
                timeout: ENVIRONMENT_TIMEOUT,
                ..ProcessSpec::new(systemctl, "/")
            };
            // Without an answer the app is launched as it is, and reports the missing display itself.
            if let Ok(answer) = ask.finish().await {
                environment::complete(&mut env, &String::from_utf8_lossy(&answer.stdout.bytes));
            }
        }
        env
    }

    /// The command that takes over the reading of errors from a program that goes on running; empty if there is none.
    pub(super) fn drain(&self) -> Vec<OsString> {
        let Some(cat) = self.programs.find("cat") else { return Vec::new() };
        self.scope_prefix.iter().cloned().chain([cat.into_os_string()]).collect()
    }

    /// Whether a launch path leads to something: a file, a folder, a program on PATH. Addresses and paths on other
    /// machines are assumed to exist.
    #[must_use]
    pub fn has_launch_path(&self, launch_path: &str) -> bool {
        let found = inspect(launch_path, self);
        !matches!(
            found,
            Err(LaunchError::Missing { .. }
                | LaunchError::NotAbsolute { .. }
                | LaunchError::WindowsPath { .. })
        )
    }

    /// Whether this is the full path of an existing file, which a process could run. Paths on other machines are assumed
    /// to exist.
    #[must_use]
    pub fn has_program(&self, exe: &str) -> bool {
        let path = Path::new(exe);
        self.is_remote(exe) || (path.is_absolute() && path.is_file())
    }

    /// The target of a Windows shortcut; `None` if it is no shortcut or its target is not a plain path.
    #[must_use]
    pub fn shortcut_target(&self, path: &str) -> Option<String> {
        if self.is_remote(path) { None } else { shortcut_target(Path::new(path)) }
    }

    /// Whether a path is not inspected: a request to another machine may take minutes, and WSL does not know Windows
    /// paths.
    pub(super) fn is_remote(&self, path: &str) -> bool {
        match self.facts.system {
            LaunchSystem::Windows => windows::is_share(path),
            LaunchSystem::Wsl => windows::is_path(path),
            LaunchSystem::MacOs | LaunchSystem::Linux => false,
        }
    }
}

/// Whether a path is relative or starts with `~`, so that nothing can be found there later.
#[must_use]
pub fn is_shorthand_path(path: &str) -> bool {
    path.starts_with(['.', '~'])
}

fn cmd(system: LaunchSystem, system_root: Option<&OsStr>, programs: &SearchPath) -> Option<PathBuf> {
    match system {
        // Not ComSpec and not PATH, which may name another program.
        LaunchSystem::Windows => {
            let root = system_root.map_or_else(|| PathBuf::from(r"C:\Windows"), PathBuf::from);
            Some(root.join("System32").join("cmd.exe"))
        }
        LaunchSystem::Wsl => programs.find("cmd.exe"),
        LaunchSystem::MacOs | LaunchSystem::Linux => None,
    }
}

fn opener(system: LaunchSystem, programs: &SearchPath) -> Option<PathBuf> {
    match system {
        LaunchSystem::Windows => None,
        LaunchSystem::MacOs => Some("/usr/bin/open".into()),
        LaunchSystem::Wsl | LaunchSystem::Linux => programs.find("xdg-open"),
    }
}

fn terminal(programs: &SearchPath) -> Option<Vec<OsString>> {
    let exec = || Some(vec![programs.find("xdg-terminal-exec")?.into_os_string()]);
    let emulator = || Some(vec![programs.find("x-terminal-emulator")?.into_os_string(), "-e".into()]);
    exec().or_else(emulator)
}

/// The command that starts a scope of the user's service manager, if that can be reached.
fn scope_command(runtime_dir: Option<&Path>, programs: &SearchPath) -> Vec<OsString> {
    let reachable = |folder: &Path| folder.join("systemd/private").exists() && folder.join("bus").exists();
    match programs.find("systemd-run") {
        Some(program) if runtime_dir.is_some_and(reachable) => {
            let mut argv = vec![program.into_os_string()];
            argv.extend(["--user", "--scope", "--quiet", "--collect", "--"].map(OsString::from));
            argv
        }
        _ => Vec::new(),
    }
}
