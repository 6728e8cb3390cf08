//! Crash points: named steps at which a test can end the process or break the disk, to inspect what follows.
//!
//! Compiled in only with the cargo feature `crash-points`:
//! `TARSUS_CRASH_TRACE=FILE` appends the name of every step passed to FILE; `TARSUS_CRASH_POINT=NAME`,
//! `NAME#3` (its third passage) or `#17` (the seventeenth passage of any) ends the process there, at once
//! and without unwinding; with `TARSUS_CRASH_PAUSE=1` it prints the name and waits on its standard input
//! instead, so that a parent can kill it. With `TARSUS_FAULT` the process goes on: from that step on every write
//! fails (`Fault`), or the clock is set once (`on_clock_fault`).

use std::fs::File;
use std::io;
use std::path::Path;

/// The crash points of this module, roughly in the order of a first write.
pub const POINTS: &[&str] = &[
    "folder.made",
    "lock.opened",
    "lock.taken",
    "atomic.temp.made",
    "atomic.temp.half",
    "atomic.temp.written",
    "atomic.temp.synced",
    "atomic.renamed",
    "atomic.folder.synced",
    "append.made",
    "append.half",
    "append.written",
    "append.synced",
    "append.cut",
    "rewrite.folder.made",
    "rewrite.temp.written",
    "rewrite.renamed",
    "rewrite.removed",
    "move.renamed",
    "remove.unlinked",
    "reserve.filled",
    "reserve.given",
];

/// Passes the step `name`.
#[cfg(not(feature = "crash-points"))]
#[inline(always)]
pub const fn point(_name: &'static str) {}

/// Passes the step `name`: may end the process.
#[cfg(feature = "crash-points")]
pub fn point(name: &'static str) {
    armed::pass(name);
}

/// What a write takes from the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteNeed {
    /// Space, and the right to write.
    Space,
    /// Only the right to write, as a removal or a rename.
    Permission,
}

/// Checks whether a write may go on.
///
/// # Errors
/// Never.
#[cfg(not(feature = "crash-points"))]
#[inline(always)]
pub const fn check_write(_need: WriteNeed) -> io::Result<()> {
    Ok(())
}

/// Checks whether a write may go on.
///
/// # Errors
/// The error of the fault, once its step was passed.
#[cfg(feature = "crash-points")]
pub fn check_write(need: WriteNeed) -> io::Result<()> {
    faults::check_write(need)
}

/// Checks whether a file may be removed. One that is missing is reported as such on every disk.
pub(super) fn check_removal(path: &Path) -> io::Result<()> {
    if cfg!(feature = "crash-points") && path.symlink_metadata().is_ok() {
        check_write(WriteNeed::Permission)
    } else {
        Ok(())
    }
}

#[cfg(feature = "crash-points")]
pub use faults::{Fault, on_clock_fault};

/// Writes all of `bytes`; with the feature in two halves, with the step `name` between them.
pub(super) fn write_all(file: &mut File, bytes: &[u8], name: &'static str) -> io::Result<()> {
    use io::Write;
    check_write(WriteNeed::Space)?;
    if cfg!(feature = "crash-points") {
        let (first, second) = bytes.split_at(bytes.len() / 2);
        file.write_all(first)?;
        point(name);
        check_write(WriteNeed::Space)?;
        file.write_all(second)
    } else {
        file.write_all(bytes)
    }
}

#[cfg(feature = "crash-points")]
mod armed {
    use std::collections::HashMap;
    use std::fs::OpenOptions;
    use std::io::Write;
    use std::sync::{LazyLock, Mutex};

    struct Plan {
        name: String,
        passage: u64,
    }

    static PLAN: LazyLock<Option<Plan>> = LazyLock::new(|| {
        let value = std::env::var("TARSUS_CRASH_POINT").ok()?;
        let (name, passage) = value.split_once('#').unwrap_or((&value, "1"));
        Some(Plan { name: name.to_owned(), passage: passage.parse().unwrap_or(1) })
    });

    static PASSED: LazyLock<Mutex<HashMap<&'static str, u64>>> = LazyLock::new(Mutex::default);

    pub(super) fn pass(name: &'static str) {
        // Held until the end, so that passages of several threads are counted one after the other.
        let Ok(mut passed) = PASSED.lock() else { std::process::abort() };
        trace(name);
        let mut count = |name| {
            let count = passed.entry(name).or_default();
            *count += 1;
            *count
        };
        let (of_any, of_name) = (count(""), count(name));
        let here = PLAN.as_ref().is_some_and(|plan| match plan.name.as_str() {
            "" => plan.passage == of_any,
            planned => planned == name && plan.passage == of_name,
        });
        if here {
            match super::faults::requested() {
                Some(fault) => super::faults::begin(fault),
                None => end(name),
            }
        }
    }

    fn trace(name: &str) {
        let Some(path) = std::env::var_os("TARSUS_CRASH_TRACE") else {
            return;
        };
        let traced = OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .and_then(|mut file| file.write_all(format!("{name}\n").as_bytes()));
        if traced.is_err() {
            std::process::abort();
        }
    }

    fn end(name: &str) -> ! {
        if std::env::var_os("TARSUS_CRASH_PAUSE").is_some() {
            let mut out = std::io::stdout();
            let printed = writeln!(out, "{name}").and_then(|()| out.flush());
            let waited = std::io::stdin().read_line(&mut String::new());
            // The parent did not kill the process: the test is broken, so abort.
            drop((printed, waited));
        }
        std::process::abort()
    }
}

/// Faults that begin at a step and last until the process ends.
#[cfg(feature = "crash-points")]
mod faults {
    use std::io;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::WriteNeed;

    /// Failed writes after which the process aborts: a loop would reach it.
    const MAX_FAILED_WRITES: u64 = 100;

    /// A fault of the machine, as named in `TARSUS_FAULT`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Fault {
        /// `ENOSPC` for what takes space.
        DiskFull,
        /// `EROFS` for every write.
        ReadOnly,
        /// `EACCES` for every write.
        NoPermission,
        /// The clock is set back.
        ClockBack,
        /// The clock is set forward.
        ClockForward,
    }

    impl Fault {
        /// All faults.
        pub const ALL: [Self; 5] =
            [Self::DiskFull, Self::ReadOnly, Self::NoPermission, Self::ClockBack, Self::ClockForward];

        /// Its name in `TARSUS_FAULT`.
        #[must_use]
        pub const fn name(self) -> &'static str {
            match self {
                Self::DiskFull => "full disk",
                Self::ReadOnly => "read-only disk",
                Self::NoPermission => "no permission",
                Self::ClockBack => "clock back",
                Self::ClockForward => "clock forward",
            }
        }
    }

    static ACTIVE: OnceLock<Fault> = OnceLock::new();
    static FAILED_WRITES: AtomicU64 = AtomicU64::new(0);
    static SET_CLOCK: OnceLock<Box<dyn Fn(Fault) + Send + Sync>> = OnceLock::new();

    /// Sets what a fault of the clock does.
    pub fn on_clock_fault(set_clock: impl Fn(Fault) + Send + Sync + 'static) {
        // Set once: a process has one clock.
        SET_CLOCK.set(Box::new(set_clock)).ok();
    }

    pub(super) fn requested() -> Option<Fault> {
        let name = std::env::var("TARSUS_FAULT").ok()?;
        let fault = Fault::ALL.into_iter().find(|fault| fault.name() == name);
        // A test that names a fault that does not exist is broken.
        Some(fault.unwrap_or_else(|| std::process::abort()))
    }

    pub(super) fn begin(fault: Fault) {
        if ACTIVE.set(fault).is_ok()
            && let (Fault::ClockBack | Fault::ClockForward, Some(set_clock)) = (fault, SET_CLOCK.get())
        {
            set_clock(fault);
        }
    }

    pub(super) fn check_write(need: WriteNeed) -> io::Result<()> {
        let kind = match (ACTIVE.get(), need) {
            (Some(Fault::DiskFull), WriteNeed::Space) => io::ErrorKind::StorageFull,
            (Some(Fault::ReadOnly), _) => io::ErrorKind::ReadOnlyFilesystem,
            (Some(Fault::NoPermission), _) => io::ErrorKind::PermissionDenied,
            _ => return Ok(()),
        };
        if FAILED_WRITES.fetch_add(1, Ordering::Relaxed) >= MAX_FAILED_WRITES {
            std::process::abort();
        }
        Err(kind.into())
    }
}
