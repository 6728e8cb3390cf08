//! Crash points: named steps at which a test can end the process, to inspect what is left on disk.
//!
//! Compiled in only with the cargo feature `crash-points`:
//! `TARSUS_CRASH_TRACE=FILE` appends the name of every step passed to FILE; `TARSUS_CRASH_POINT=NAME`,
//! `NAME#3` (its third passage) or `#17` (the seventeenth passage of any) ends the process there, at once
//! and without unwinding; with `TARSUS_CRASH_PAUSE=1` it prints the name and waits on its standard input
//! instead, so that a parent can kill it.

use std::fs::File;
use std::io;

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

/// Writes all of `bytes`; with the feature in two halves, with the step `name` between them.
pub(super) fn write_all(file: &mut File, bytes: &[u8], name: &'static str) -> io::Result<()> {
    use io::Write;
    if cfg!(feature = "crash-points") {
        let (first, second) = bytes.split_at(bytes.len() / 2);
        file.write_all(first)?;
        point(name);
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
            end(name);
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
