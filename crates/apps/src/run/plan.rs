//! Decides what to run for a launch path. [`plan_launch`] is pure, so that the plan of every system can be tested on each;
//! [`inspect`] reads what the path leads to.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use tarsus_home::files;
use tarsus_host::path::may_execute;

use super::desktop_file::{DesktopFile, DesktopFileError};
use super::{Desktop, LaunchError, UnsafePath, windows};

/// Far more than a desktop file with every translation has.
const MAX_DESKTOP_FILE_BYTES: u64 = 1024 * 1024;

/// The operating system, as far as it matters for launching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchSystem {
    /// Microsoft Windows.
    Windows,
    /// Linux inside Windows (WSL).
    Wsl,
    /// Apple macOS.
    MacOs,
    /// Linux and other Unix systems.
    Linux,
}

/// The target of a launch path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathContent {
    /// An address, such as `steam://run/1`, or a path on another machine.
    Unchecked,
    /// An executable file, with its full path.
    Program(PathBuf),
    /// A desktop file.
    DesktopEntry(DesktopEntry),
    /// A file or folder of another kind.
    Other,
}

/// The command of a desktop file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesktopEntry {
    /// The full path of the program, and its arguments.
    pub argv: Vec<OsString>,
    /// The working directory.
    pub cwd: Option<PathBuf>,
    /// Whether it runs in a terminal window.
    pub in_terminal: bool,
}

/// The parts of the machine that a plan depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchFacts {
    /// The operating system.
    pub system: LaunchSystem,
    /// The user's home folder.
    pub home: PathBuf,
    /// `cmd.exe`, on Windows and in WSL.
    pub cmd: Option<PathBuf>,
    /// The program that opens a file with its default application: `open`, `xdg-open`.
    pub opener: Option<PathBuf>,
    /// The program that runs a command in a terminal window, with its first arguments.
    pub terminal: Option<Vec<OsString>>,
}

/// One command to start an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchStep {
    /// The full path of the program, and its arguments.
    pub argv: Vec<OsString>,
    /// The arguments as one line for `cmd.exe`, if they cannot be passed one by one.
    pub line: Option<String>,
    /// An environment variable for this step only.
    pub variable: Option<(&'static str, String)>,
    /// The working directory.
    pub cwd: PathBuf,
    /// Whether this is a launcher: it exits after handing over, and its exit code reports success.
    pub hands_over: bool,
}

/// The commands to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchPlan {
    /// The first attempt.
    pub first: LaunchStep,
    /// The second attempt, if the system cannot execute the first as such.
    pub stable: Option<LaunchStep>,
}

/// Plans a launch. `inspect` is called after the path itself was checked.
///
/// # Errors
/// If no launcher takes this path safely, the launcher is not installed, or `inspect` fails.
pub fn plan_launch(
    launch_path: &str,
    facts: &LaunchFacts,
    inspect: impl FnOnce() -> Result<PathContent, LaunchError>,
) -> Result<LaunchPlan, LaunchError> {
    if launch_path.contains('\0') {
        return Err(LaunchError::Unsafe { path: launch_path.into(), reason: UnsafePath::Nul });
    }
    let cmd = || need(facts.cmd.as_deref(), launch_path, "cmd.exe");
    match facts.system {
        LaunchSystem::Windows => {
            let plan = windows::plan(launch_path, cmd()?, &facts.home)?;
            inspect().map(|_| plan)
        }
        LaunchSystem::Wsl if windows::is_path(launch_path) => windows::plan_from_linux(launch_path, cmd()?),
        LaunchSystem::MacOs => {
            inspect()?;
            Ok(LaunchPlan { first: open(launch_path, facts)?, stable: None })
        }
        LaunchSystem::Wsl | LaunchSystem::Linux => match inspect()? {
            PathContent::DesktopEntry(application) => {
                Ok(LaunchPlan { first: run(application, launch_path, facts)?, stable: None })
            }
            PathContent::Program(program) => {
                let cwd = program.parent().map_or_else(|| facts.home.clone(), Path::to_path_buf);
                let argv = vec![program.into_os_string()];
                let first = LaunchStep { argv, line: None, variable: None, cwd, hands_over: false };
                // Without an opener the first error is reported.
                Ok(LaunchPlan { first, stable: open(launch_path, facts).ok() })
            }
            PathContent::Other | PathContent::Unchecked => {
                Ok(LaunchPlan { first: open(launch_path, facts)?, stable: None })
            }
        },
    }
}

fn open(launch_path: &str, facts: &LaunchFacts) -> Result<LaunchStep, LaunchError> {
    let tool = if facts.system == LaunchSystem::MacOs { "open" } else { "xdg-open" };
    let opener = need(facts.opener.as_deref(), launch_path, tool)?;
    let argv = vec![opener.into(), launch_path.into()];
    Ok(LaunchStep { argv, line: None, variable: None, cwd: facts.home.clone(), hands_over: true })
}

fn run(application: DesktopEntry, launch_path: &str, facts: &LaunchFacts) -> Result<LaunchStep, LaunchError> {
    let DesktopEntry { argv: command, cwd, in_terminal } = application;
    let terminal = match in_terminal {
        true => need(facts.terminal.as_deref(), launch_path, "a terminal (xdg-terminal-exec)")?,
        false => &[],
    };
    let argv = terminal.iter().cloned().chain(command).collect();
    let cwd = cwd.unwrap_or_else(|| facts.home.clone());
    Ok(LaunchStep { argv, line: None, variable: None, cwd, hands_over: false })
}

fn need<T>(known: Option<T>, launch_path: &str, tool: &'static str) -> Result<T, LaunchError> {
    known.ok_or_else(|| LaunchError::MissingTool { path: launch_path.into(), tool })
}

/// Reads what a launch path leads to.
pub(super) fn inspect(launch_path: &str, desktop: &Desktop) -> Result<PathContent, LaunchError> {
    let system = desktop.facts.system;
    let path = Path::new(launch_path);
    if matches!(system, LaunchSystem::Linux | LaunchSystem::MacOs) && windows::is_path(launch_path) {
        return Err(LaunchError::WindowsPath { path: launch_path.into() });
    }
    // `C:` looks like the scheme of an address.
    if desktop.is_remote(launch_path) || (!path.is_absolute() && is_address(launch_path)) {
        return Ok(PathContent::Unchecked);
    }
    if !path.is_absolute() {
        let program = desktop.programs.find(launch_path).map(PathContent::Program);
        return program.ok_or_else(|| LaunchError::NotAbsolute { path: launch_path.into() });
    }
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => Ok(PathContent::Other),
        Ok(_)
            if matches!(system, LaunchSystem::Linux | LaunchSystem::Wsl)
                && path.extension().is_some_and(|end| end == "desktop") =>
        {
            read_desktop_file(launch_path, desktop).map(PathContent::DesktopEntry)
        }
        Ok(_) if may_execute(path) => Ok(PathContent::Program(path.into())),
        Ok(_) => Ok(PathContent::Other),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(LaunchError::Missing { path: launch_path.into() })
        }
        Err(source) => Err(LaunchError::Unreadable { path: launch_path.into(), source }),
    }
}

/// Whether this starts with a scheme, as `steam://run/1` and `mailto:someone` do.
fn is_address(launch_path: &str) -> bool {
    let letters = |scheme: &str| scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    launch_path.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1 && scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && letters(scheme)
    })
}

fn read_desktop_file(launch_path: &str, desktop: &Desktop) -> Result<DesktopEntry, LaunchError> {
    let invalid = |source| LaunchError::DesktopFile { path: launch_path.into(), source };
    let bytes = match files::read(Path::new(launch_path), MAX_DESKTOP_FILE_BYTES) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(LaunchError::Missing { path: launch_path.into() }),
        Err(files::FileError::TooLarge { limit, .. }) => {
            return Err(invalid(DesktopFileError::TooLarge { limit }));
        }
        Err(error) => {
            return Err(LaunchError::Unreadable {
                path: launch_path.into(),
                source: io::Error::other(error),
            });
        }
    };
    DesktopFile::parse(&bytes, launch_path).and_then(|file| resolve(file, desktop)).map_err(invalid)
}

/// Finds the program that a desktop file names.
fn resolve(file: DesktopFile, desktop: &Desktop) -> Result<DesktopEntry, DesktopFileError> {
    let mut exec = file.exec.into_iter();
    let named = exec.next().unwrap_or_default();
    let program = match Path::new(&named) {
        path if path.is_absolute() => Some(path.to_path_buf()).filter(|path| path.exists()),
        _ => desktop.programs.find(&named),
    };
    let Some(program) = program else { return Err(DesktopFileError::NoProgram { program: named }) };
    let argv = std::iter::once(program.into_os_string()).chain(exec.map(Into::into)).collect();
    Ok(DesktopEntry { argv, cwd: file.folder.map(PathBuf::from), in_terminal: file.terminal })
}
