//! What to run for a launch path, decided from the path and from what was seen of the machine.
//!
//! Pure, so that the plan of every system can be tested on each.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{LaunchError, windows};

/// The system, as far as it matters for launching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Windows.
    Windows,
    /// Linux inside Windows.
    Wsl,
    /// macOS.
    MacOs,
    /// Linux and other Unix systems.
    Linux,
}

/// What was seen at the launch path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// An address, such as `steam://run/1`, or a path on another machine.
    NotLookedAt,
    /// A file that may be executed: its full path.
    Program(PathBuf),
    /// A desktop file, and what it says.
    Application(Application),
    /// A file or folder of another kind.
    Other,
}

/// What a desktop file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// The program, as a full path, and its arguments.
    pub argv: Vec<OsString>,
    /// The folder to start in.
    pub cwd: Option<PathBuf>,
    /// Whether it wants a terminal around it.
    pub in_terminal: bool,
}

/// What is known of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The system.
    pub system: System,
    /// The user's home folder.
    pub home: PathBuf,
    /// `cmd.exe`, on Windows and in Linux inside it.
    pub cmd: Option<PathBuf>,
    /// What opens a file with the program for it: `open`, `xdg-open`.
    pub opener: Option<PathBuf>,
    /// What runs a command in a terminal window: a program and its first arguments.
    pub terminal: Option<Vec<OsString>>,
}

/// One way to start it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The program, as a full path, and its arguments.
    pub argv: Vec<OsString>,
    /// The arguments as one line for `cmd.exe`, where they cannot be handed over one by one.
    pub line: Option<String>,
    /// A variable that only this step gets.
    pub variable: Option<(&'static str, String)>,
    /// The folder it starts in.
    pub cwd: PathBuf,
    /// Whether this is a launcher: it ends once it has handed over, and its exit code says whether it could.
    pub hands_over: bool,
}

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What is tried first.
    pub first: Step,
    /// What is tried once more when the first is nothing that can be started as such.
    pub stable: Option<Step>,
}

/// Decides what to run. `look` says what lies at the path; it is asked once the path itself is in order.
///
/// # Errors
/// When no launcher can be given this path safely, the one that is needed is not there, or `look` fails.
pub fn plan(
    launch_path: &str,
    facts: &Facts,
    look: impl FnOnce() -> Result<Found, LaunchError>,
) -> Result<Plan, LaunchError> {
    if launch_path.contains('\0') {
        return Err(LaunchError::Unsafe { path: launch_path.into(), reason: "there is a NUL in it" });
    }
    let cmd = || need(facts.cmd.as_deref(), launch_path, "cmd.exe");
    match facts.system {
        System::Windows => {
            let plan = windows::plan(launch_path, cmd()?, &facts.home)?;
            look().map(|_| plan)
        }
        System::Wsl if windows::is_path(launch_path) => windows::plan_from_linux(launch_path, cmd()?),
        System::MacOs => {
            look()?;
            Ok(Plan { first: open(launch_path, facts)?, stable: None })
        }
        System::Wsl | System::Linux => match look()? {
            Found::Application(application) => {
                Ok(Plan { first: run(application, launch_path, facts)?, stable: None })
            }
            Found::Program(program) => {
                let cwd = program.parent().map_or_else(|| facts.home.clone(), Path::to_path_buf);
                let argv = vec![program.into_os_string()];
                let first = Step { argv, line: None, variable: None, cwd, hands_over: false };
                // Without an opener the first error stands.
                Ok(Plan { first, stable: open(launch_path, facts).ok() })
            }
            Found::Other | Found::NotLookedAt => Ok(Plan { first: open(launch_path, facts)?, stable: None }),
        },
    }
}

fn open(launch_path: &str, facts: &Facts) -> Result<Step, LaunchError> {
    let tool = if facts.system == System::MacOs { "open" } else { "xdg-open" };
    let opener = need(facts.opener.as_deref(), launch_path, tool)?;
    let argv = vec![opener.into(), launch_path.into()];
    Ok(Step { argv, line: None, variable: None, cwd: facts.home.clone(), hands_over: true })
}

fn run(application: Application, launch_path: &str, facts: &Facts) -> Result<Step, LaunchError> {
    let Application { argv: command, cwd, in_terminal } = application;
    let terminal = match in_terminal {
        true => need(facts.terminal.as_deref(), launch_path, "a terminal (xdg-terminal-exec)")?,
        false => &[],
    };
    let argv = terminal.iter().cloned().chain(command).collect();
    let cwd = cwd.unwrap_or_else(|| facts.home.clone());
    Ok(Step { argv, line: None, variable: None, cwd, hands_over: false })
}

fn need<T>(known: Option<T>, launch_path: &str, tool: &'static str) -> Result<T, LaunchError> {
    known.ok_or_else(|| LaunchError::NoTool { path: launch_path.into(), tool })
}
