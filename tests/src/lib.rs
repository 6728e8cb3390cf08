//! Shared code of black-box tests: the built binary, a home for each test, and a driver that performs one
//! operation per process so that it can be killed at any step.
#![forbid(unsafe_code)]

pub mod agent_process;
pub mod apps;
mod running;
pub mod skills;
#[cfg(target_os = "linux")]
pub mod terminal;

use std::env;
use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tarsus_audit::{Audit, AuditError};
use tarsus_home::files::crash::{self, Fault};
use tarsus_home::{Home, HomeOptions};
use tarsus_host::Clock;
use tarsus_store::AuditAnchor;
use tempfile::TempDir;

pub use running::Running;

/// An amount of work, multiplied by `TARSUS_SOAK` in a soak.
#[must_use]
pub fn amount(usual: usize) -> usize {
    usual * env::var("TARSUS_SOAK").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// The built `tarsus`: `TARSUS_BIN`, else the one next to this test in the target folder.
///
/// # Panics
/// If it has not been built.
#[must_use]
pub fn tarsus() -> PathBuf {
    if let Some(path) = env::var_os("TARSUS_BIN") {
        return path.into();
    }
    let test = env::current_exe().expect("a test knows its own path");
    // target/<profile>/deps/<test>, or target/<profile>/<program>
    let built = test
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join(format!("tarsus{}", env::consts::EXE_SUFFIX)))
        .find(|path| path.is_file());
    built.unwrap_or_else(|| {
        panic!("tarsus is not built: run `cargo build -p tarsus` first, or set TARSUS_BIN")
    })
}

/// Opens the audit chain of a home with its anchor, as the program does.
///
/// # Errors
/// As [`Audit::open`].
pub fn open_audit(home: &Home) -> Result<Audit, AuditError> {
    Audit::open(home, Some(AuditAnchor::for_home(home)))
}

/// A home folder with a state folder, removed at the end of the test.
#[derive(Debug)]
pub struct TestHome {
    folder: TempDir,
    home: Home,
}

impl TestHome {
    /// An empty home; the state folder does not exist yet.
    ///
    /// # Panics
    /// If no temporary folder can be created.
    #[must_use]
    pub fn new() -> Self {
        Self::within(&env::temp_dir())
    }

    /// An empty home in memory if possible: for tests about processes rather than the disk,
    /// because every sync of a real disk takes milliseconds.
    ///
    /// # Panics
    /// If no temporary folder can be created.
    #[must_use]
    pub fn in_memory() -> Self {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Self::within(memory) } else { Self::new() }
    }

    /// An empty home in a given folder, such as a small disk.
    ///
    /// # Panics
    /// If no temporary folder can be created there.
    #[must_use]
    pub fn within(folder: &Path) -> Self {
        let folder = TempDir::new_in(folder).expect("a temporary folder can be made");
        let choice = HomeOptions {
            state_flag: Some(folder.path().join(".openclaw")),
            user_home: Some(folder.path().to_path_buf()),
            ..HomeOptions::default()
        };
        let home = Home::locate(&choice).expect("the state folder was given");
        Self { folder, home }
    }

    /// The user's home folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The layout of its files.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The state folder.
    #[must_use]
    pub fn state_dir(&self) -> &Path {
        self.home.state_dir()
    }

    /// A command in this home that inherits only what a program needs to start.
    #[must_use]
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.path())
            .env("USERPROFILE", self.path())
            .env("OPENCLAW_STATE_DIR", self.state_dir())
            .current_dir(self.path());
        // Windows finds its own libraries by SystemRoot.
        for name in ["PATH", "SystemRoot"] {
            if let Some(value) = env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }

    /// `tarsus` in this home.
    #[must_use]
    pub fn tarsus<I: IntoIterator<Item: AsRef<OsStr>>>(&self, arguments: I) -> Command {
        let mut command = self.command(tarsus());
        command.args(arguments);
        command
    }
}

impl Default for TestHome {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs a command with this input and returns its output. A command may end before it has read everything.
///
/// # Panics
/// If the command cannot be started or written to.
pub fn run_with_input(command: &mut Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    if let Err(error) = child.stdin.take().unwrap().write_all(input) {
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    }
    child.wait_with_output().unwrap()
}

/// How far a fault sets the clock, in milliseconds.
const CLOCK_JUMP_MS: i64 = 400 * 24 * 60 * 60 * 1000;

/// The clock of a test program: the system's, or one that stands still until a fault sets it (`TARSUS_FAULT`).
#[must_use]
pub fn faulty_clock() -> Clock {
    let system = Clock::system();
    if !env::var("TARSUS_FAULT").is_ok_and(|fault| fault.starts_with("clock")) {
        return system;
    }
    let before_ms = system.wall_ms();
    let (clock, control) = Clock::fixed(before_ms);
    crash::on_clock_fault(move |fault| {
        let jump_ms = if fault == Fault::ClockBack { -CLOCK_JUMP_MS } else { CLOCK_JUMP_MS };
        control.set_wall_ms(before_ms + jump_ms);
    });
    clock
}

/// The output of a process, for assertion messages.
#[must_use]
pub fn printed(output: &Output) -> String {
    format!(
        "{}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
