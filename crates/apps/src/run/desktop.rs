//! The desktop that applications are launched on: its environment, and the programs that open things.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tarsus_host::path::SearchPath;
use tarsus_host::platform::{Platform, home_folder};
use tarsus_host::process::{Env, ProcessSpec};

use super::environment;
use super::plan::{Facts, System};

/// Where programs lie when PATH does not say.
const USUAL_PATH: &str = if cfg!(windows) { r"C:\Windows\System32" } else { "/usr/local/bin:/usr/bin:/bin" };

/// How long the service manager may take to say what it knows of the session.
const PATIENCE: Duration = Duration::from_secs(2);

/// The desktop session as it is now; made anew for each launch.
#[derive(Debug)]
pub struct Desktop {
    pub(super) facts: Facts,
    env: Env,
    pub(super) programs: SearchPath,
    /// What puts a program outside the service that we may be: a program and its first arguments.
    pub(super) outside: Vec<OsString>,
}

impl Desktop {
    /// Takes what belongs to the desktop from our own environment, and looks for what opens things.
    #[must_use]
    pub fn new(platform: &Platform, ours: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let env = environment::of_the_session(ours);
        let value = |name: &str| environment::value(&env, name);
        let programs = SearchPath::new(value("PATH").unwrap_or(OsStr::new(USUAL_PATH)), value("PATHEXT"));
        let system = match platform.os {
            "win32" => System::Windows,
            "darwin" => System::MacOs,
            _ if platform.wsl => System::Wsl,
            _ => System::Linux,
        };
        let root = if cfg!(windows) { r"C:\" } else { "/" };
        let home = home_folder(|name| value(name).map(Into::into)).filter(|home| home.is_dir());
        let facts = Facts {
            system,
            home: home.unwrap_or_else(|| root.into()),
            cmd: cmd(system, value("SYSTEMROOT"), &programs),
            opener: opener(system, &programs),
            terminal: terminal(&programs),
        };
        let outside = match system {
            System::Linux => scope(value("XDG_RUNTIME_DIR").map(Path::new), &programs),
            _ => Vec::new(),
        };
        Self { facts, env, programs, outside }
    }

    /// The environment of the session. When we were started before the desktop was, the user's service
    /// manager knows by now where the screen is.
    pub(super) async fn environment(&self) -> Env {
        let mut env = self.env.clone();
        let manager = self.programs.find("systemctl").filter(|_| !self.outside.is_empty());
        if let Some(systemctl) = manager.filter(|_| !environment::has_screen(&env)) {
            let args = ["--user", "show-environment"].map(OsString::from).into();
            let ask =
                ProcessSpec { args, env: env.clone(), timeout: PATIENCE, ..ProcessSpec::new(systemctl, "/") };
            // Without an answer the application is launched as it is, and says itself what it misses.
            if let Ok(answer) = ask.finish().await {
                environment::complete(&mut env, &String::from_utf8_lossy(&answer.stdout.bytes));
            }
        }
        env
    }
}

fn cmd(system: System, system_root: Option<&OsStr>, programs: &SearchPath) -> Option<PathBuf> {
    match system {
        // Not ComSpec and not PATH, which may name another program.
        System::Windows => {
            let root = system_root.map_or_else(|| PathBuf::from(r"C:\Windows"), PathBuf::from);
            Some(root.join("System32").join("cmd.exe"))
        }
        System::Wsl => programs.find("cmd.exe"),
        System::MacOs | System::Linux => None,
    }
}

fn opener(system: System, programs: &SearchPath) -> Option<PathBuf> {
    match system {
        System::Windows => None,
        System::MacOs => Some("/usr/bin/open".into()),
        System::Wsl | System::Linux => programs.find("xdg-open"),
    }
}

fn terminal(programs: &SearchPath) -> Option<Vec<OsString>> {
    let exec = || Some(vec![programs.find("xdg-terminal-exec")?.into_os_string()]);
    let emulator = || Some(vec![programs.find("x-terminal-emulator")?.into_os_string(), "-e".into()]);
    exec().or_else(emulator)
}

/// A scope of the user's own service manager, where one runs and can be reached.
fn scope(runtime_dir: Option<&Path>, programs: &SearchPath) -> Vec<OsString> {
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
