//! Looking at a launch path before it is launched: what lies there, and what a desktop file says.

use std::io;
use std::path::{Path, PathBuf};

use tarsus_home::files;
use tarsus_host::path::may_execute;

use super::desktop_file::{DesktopFile, DesktopFileError};
use super::plan::{Application, Found, System};
use super::shortcut::shortcut_target;
use super::{Desktop, LaunchError, windows};

/// Far more than a desktop file with every translation has.
const DESKTOP_FILE_LIMIT: u64 = 1024 * 1024;

impl Desktop {
    /// Whether there is something to launch here: a file, a folder, a program on PATH. An address, and what only another
    /// machine can tell, is taken to be there.
    #[must_use]
    pub fn has(&self, launch_path: &str) -> bool {
        let found = look(launch_path, self);
        !matches!(found, Err(LaunchError::Missing { .. } | LaunchError::NotAbsolute { .. }))
    }

    /// Whether an executable can be what a process here runs: its path is a full one, and a file lies there.
    #[must_use]
    pub fn has_program(&self, exe: &str) -> bool {
        let path = Path::new(exe);
        self.is_elsewhere(exe) || (path.is_absolute() && path.is_file())
    }

    /// Where the Windows shortcut at a path points; none when it is no shortcut, or does not say so plainly.
    #[must_use]
    pub fn shortcut_target(&self, path: &str) -> Option<String> {
        if self.is_elsewhere(path) { None } else { shortcut_target(Path::new(path)) }
    }

    /// Whether a path is not looked at: asking another machine may take minutes, and Linux inside Windows does not know
    /// the paths of Windows.
    fn is_elsewhere(&self, path: &str) -> bool {
        match self.facts.system {
            System::Windows => windows::is_share(path),
            System::Wsl => windows::is_path(path),
            System::MacOs | System::Linux => false,
        }
    }
}

/// Whether a path begins at the current folder or at home, which is nowhere for whoever reads it later.
#[must_use]
pub fn is_short(path: &str) -> bool {
    path.starts_with(['.', '~'])
}

/// Finds out what the launch path is.
pub(super) fn look(launch_path: &str, desktop: &Desktop) -> Result<Found, LaunchError> {
    let system = desktop.facts.system;
    let path = Path::new(launch_path);
    // `C:` looks like the scheme of an address.
    if desktop.is_elsewhere(launch_path) || (!path.is_absolute() && is_address(launch_path)) {
        return Ok(Found::NotLookedAt);
    }
    if !path.is_absolute() {
        let program = desktop.programs.find(launch_path).map(Found::Program);
        return program.ok_or_else(|| LaunchError::NotAbsolute { path: launch_path.into() });
    }
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => Ok(Found::Other),
        Ok(_)
            if matches!(system, System::Linux | System::Wsl)
                && path.extension().is_some_and(|end| end == "desktop") =>
        {
            let wrong = |source| LaunchError::DesktopFile { path: launch_path.into(), source };
            application(launch_path, desktop)?.map(Found::Application).map_err(wrong)
        }
        Ok(_) if may_execute(path) => Ok(Found::Program(path.into())),
        Ok(_) => Ok(Found::Other),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(LaunchError::Missing { path: launch_path.into() })
        }
        Err(source) => Err(LaunchError::Look { path: launch_path.into(), source }),
    }
}

/// Whether this begins with a scheme, as `steam://run/1` and `mailto:someone` do.
fn is_address(launch_path: &str) -> bool {
    let letters = |scheme: &str| scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    launch_path.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1 && scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && letters(scheme)
    })
}

type Read = Result<Application, DesktopFileError>;

fn application(launch_path: &str, desktop: &Desktop) -> Result<Read, LaunchError> {
    let bytes = match files::read(Path::new(launch_path), DESKTOP_FILE_LIMIT) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(LaunchError::Missing { path: launch_path.into() }),
        Err(files::FileError::TooLarge { limit, .. }) => {
            return Ok(Err(DesktopFileError::TooLarge { limit }));
        }
        Err(error) => {
            return Err(LaunchError::Look { path: launch_path.into(), source: io::Error::other(error) });
        }
    };
    Ok(DesktopFile::parse(&bytes, launch_path).and_then(|file| resolve(file, desktop)))
}

/// Finds the program that a desktop file names.
fn resolve(file: DesktopFile, desktop: &Desktop) -> Read {
    let mut exec = file.exec.into_iter();
    let named = exec.next().unwrap_or_default();
    let program = match Path::new(&named) {
        path if path.is_absolute() => Some(path.to_path_buf()).filter(|path| path.exists()),
        _ => desktop.programs.find(&named),
    };
    let Some(program) = program else { return Err(DesktopFileError::NoProgram { program: named }) };
    let argv = std::iter::once(program.into_os_string()).chain(exec.map(Into::into)).collect();
    Ok(Application { argv, cwd: file.folder.map(PathBuf::from), in_terminal: file.terminal })
}
