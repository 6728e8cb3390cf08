//! Facts about the machine and this account, queried once and passed as values.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::Clock;

/// A fact that the system did not provide.
#[derive(Debug, thiserror::Error)]
#[error("cannot determine {what}")]
pub struct PlatformError {
    what: &'static str,
    source: io::Error,
}

/// The kind of machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    /// The system, by the names that skills use: `linux`, `darwin`, `win32`.
    pub os: &'static str,
    /// The processor architecture, such as `x86_64` or `aarch64`.
    pub arch: &'static str,
    /// Whether this is WSL: Linux inside Windows.
    pub wsl: bool,
    /// Whether this is inside a container.
    pub container: bool,
}

impl Platform {
    /// Detects the current machine.
    #[must_use]
    pub fn detect() -> Self {
        Self {
            os: os_name(std::env::consts::OS),
            arch: std::env::consts::ARCH,
            wsl: read_short("/proc/sys/kernel/osrelease").is_some_and(|release| is_wsl(&release)),
            container: is_container(Path::new("/"), read_short("/proc/1/cgroup").as_deref()),
        }
    }
}

/// The host name, where the system has one.
#[must_use]
pub fn host_name() -> Option<String> {
    os::host_name().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// The version of the system, such as `6.12.9` or `10.0.26200`, where it has one.
#[must_use]
pub fn os_version() -> Option<String> {
    os::version().map(|version| version.trim().to_owned()).filter(|version| !version.is_empty())
}

fn os_name(os: &'static str) -> &'static str {
    match os {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    }
}

fn is_wsl(release: &str) -> bool {
    release.to_ascii_lowercase().contains("microsoft")
}

fn is_container(root: &Path, first_cgroup: Option<&str>) -> bool {
    let marks = [".dockerenv", "run/.containerenv"];
    let names = ["/docker", "/lxc", "/kubepods", "containerd"];
    marks.iter().any(|mark| root.join(mark).exists())
        || first_cgroup.is_some_and(|cgroup| names.iter().any(|name| cgroup.contains(name)))
}

/// The account this process acts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct User {
    /// The user id; Windows has none.
    pub id: Option<u32>,
    /// Whether it has all rights: root, or an elevated Windows process.
    pub is_root: bool,
}

impl User {
    /// The current account.
    ///
    /// # Errors
    /// When Windows does not provide it.
    pub fn current() -> Result<Self, PlatformError> {
        #[cfg(unix)]
        {
            let id = rustix::process::geteuid();
            Ok(Self { id: Some(id.as_raw()), is_root: id.is_root() })
        }
        #[cfg(windows)]
        match crate::sys::this_process().and_then(|process| process.is_elevated()) {
            Ok(is_root) => Ok(Self { id: None, is_root }),
            Err(source) => Err(PlatformError { what: "the account of this process", source }),
        }
    }
}

/// The home folder, from the variable of this system; only an absolute path is used.
#[must_use]
pub fn home_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    variable(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Identifies one boot of the machine, so that a process id stored on disk can be distinguished from one of an earlier
/// boot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootId(String);

impl BootId {
    /// The current boot.
    ///
    /// # Errors
    /// When the system does not provide it.
    pub fn current(clock: &Clock) -> Result<Self, PlatformError> {
        os::boot(clock)
            .map(Self)
            .map_err(|source| PlatformError { what: "the boot id of this machine", source })
    }

    /// The stored form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Marks an identifier that is the time of the start, in seconds since 1970.
#[cfg(not(target_os = "linux"))]
const STARTED: &str = "started-";

/// The first kilobytes of a small system file.
fn read_short(path: &str) -> Option<String> {
    use std::io::Read;
    let mut text = Vec::new();
    std::fs::File::open(path).ok()?.take(8 * 1024).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(target_os = "linux")]
mod os {
    use std::io;

    use super::{Clock, read_short};

    pub(super) fn boot(_: &Clock) -> io::Result<String> {
        let path = "/proc/sys/kernel/random/boot_id";
        let id = read_short(path).map(|id| id.trim().to_owned()).filter(|id| !id.is_empty());
        id.ok_or_else(|| io::Error::other(format!("{path} cannot be read")))
    }

    pub(super) fn host_name() -> Option<String> {
        read_short("/proc/sys/kernel/hostname")
    }

    pub(super) fn version() -> Option<String> {
        read_short("/proc/sys/kernel/osrelease")
    }
}

#[cfg(windows)]
mod os {
    use std::io;

    use super::{Clock, STARTED};
    use crate::sys;

    pub(super) fn boot(clock: &Clock) -> io::Result<String> {
        let up = i64::try_from(sys::up_ms()).map_err(io::Error::other)?;
        Ok(format!("{STARTED}{}", (clock.wall_ms() - up) / 1000))
    }

    pub(super) fn host_name() -> Option<String> {
        None
    }

    pub(super) fn version() -> Option<String> {
        sys::os_version().ok()
    }
}

#[cfg(not(any(target_os = "linux", windows)))]
mod os {
    use std::io;

    use sysinfo::System;

    use super::{Clock, STARTED};

    pub(super) fn boot(_: &Clock) -> io::Result<String> {
        Ok(format!("{STARTED}{}", System::boot_time().map_err(io::Error::other)?))
    }

    pub(super) fn host_name() -> Option<String> {
        System::host_name()
    }

    pub(super) fn version() -> Option<String> {
        System::kernel_version()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests make the files they look at")]

    use super::*;

    #[test]
    fn systems_are_named_as_skills_name_them() {
        for (os, word) in [("linux", "linux"), ("macos", "darwin"), ("windows", "win32")] {
            assert_eq!(os_name(os), word);
        }
        let here = Platform::detect();
        assert_eq!(here.os == "win32", cfg!(windows));
        assert_eq!(here.arch, std::env::consts::ARCH);
    }

    #[test]
    fn linux_inside_windows_is_seen_by_its_kernel() {
        assert!(is_wsl("5.15.153.1-microsoft-standard-WSL2"));
        assert!(is_wsl("4.4.0-19041-Microsoft"));
        assert!(!is_wsl("6.12.9-amd64"));
    }

    #[test]
    fn a_container_is_seen_by_its_marks() {
        let root = tempfile::tempdir().unwrap();
        assert!(!is_container(root.path(), Some("0::/init.scope\n")));
        assert!(!is_container(root.path(), None));
        assert!(is_container(root.path(), Some("1:name=systemd:/docker/0123abcd\n")));
        std::fs::write(root.path().join(".dockerenv"), "").unwrap();
        assert!(is_container(root.path(), None));
    }

    #[test]
    fn only_a_full_path_is_a_home_folder() {
        let (name, full) = if cfg!(windows) { ("USERPROFILE", r"C:\u") } else { ("HOME", "/u") };
        let home = |value: &'static str| {
            home_folder(move |variable| (variable == name).then(|| OsString::from(value)))
        };
        assert_eq!(home(full), Some(PathBuf::from(full)));
        assert_eq!(home("u"), None);
        assert_eq!(home(""), None);
        assert_eq!(home_folder(|_| None), None);
    }

    // Elsewhere it is computed from two clocks.
    #[cfg(target_os = "linux")]
    #[test]
    fn boot_id_is_stable() {
        let clock = Clock::system();
        assert_eq!(BootId::current(&clock).unwrap().as_str(), BootId::current(&clock).unwrap().as_str());
    }

    #[test]
    fn the_machine_has_a_name_on_one_line() {
        let name = host_name();
        assert_eq!(name.is_some(), !cfg!(windows));
        assert!(name.is_none_or(|name| name == name.trim() && !name.contains('\n')));
    }

    #[test]
    fn the_system_has_a_version_on_one_line() {
        let version = os_version().unwrap();
        assert!(version.starts_with(|first: char| first.is_ascii_digit()), "{version}");
        assert!(version.contains('.') && !version.contains('\n'), "{version}");
    }

    #[test]
    fn the_account_is_known() {
        let user = User::current().unwrap();
        assert_eq!(user.id.is_some(), cfg!(unix));
        assert!(user.id != Some(0) || user.is_root);
    }
}
