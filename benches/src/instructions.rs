//! The number of instructions of a command: independent of the load of the machine.

use std::process::{Command, Stdio};

/// Counted by perf if permitted, else by valgrind, else not at all.
#[must_use]
pub fn count(command: &[&str]) -> Option<u64> {
    let perf = ["perf", "stat", "-x,", "-e", "instructions:u", "--"];
    let valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];
    counted(&perf, command, |line| line.contains("instructions").then(|| line.split(',').next())?).or_else(
        || counted(&valgrind, command, |line| line.split_once("Collected : ").map(|(_, number)| number)),
    )
}

#[allow(clippy::disallowed_methods, reason = "a measurement starts what it measures")]
fn counted(counter: &[&str], command: &[&str], number: impl Fn(&str) -> Option<&str>) -> Option<u64> {
    let (program, arguments) = counter.split_first()?;
    let mut counter = Command::new(program);
    counter.args(arguments).args(command).stdin(Stdio::null()).stdout(Stdio::null());
    let answer = counter.output().ok()?;
    String::from_utf8_lossy(&answer.stderr)
        .lines()
        .filter_map(number)
        .find_map(|number| number.trim().parse().ok())
}
