//! One command, measured from outside.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The argument that makes this program run another one and say how much memory that took.
pub const PEAK_OF: &str = "--peak-of";

/// A command that neither reads nor prints.
pub fn quiet(command: &[&str]) -> Command {
    let mut quiet = Command::new(command[0]);
    quiet.args(&command[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet
}

/// How long a command takes that must succeed.
pub fn time(command: &[&str]) -> Duration {
    let mut command = quiet(command);
    let start = Instant::now();
    let status = command.status().expect("the program can be started");
    let time = start.elapsed();
    assert!(status.success(), "{command:?} ended with {status}");
    time
}

/// The most memory that a command ever had. Asked by a small process of its own, because the system counts
/// the most of all children, and before a child becomes the program it counts as its parent.
pub fn peak(command: &[&str]) -> Option<u64> {
    let this = std::env::current_exe().expect("this program has a path");
    let answer = Command::new(this).arg(PEAK_OF).args(command).output().expect("this program can be started");
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    String::from_utf8_lossy(&answer.stdout).trim().parse().ok()
}

/// Runs one command and answers with its peak memory in bytes, or with nothing where that is not known.
#[cfg(unix)]
pub fn peak_of(command: &[String]) -> String {
    use nix::sys::resource::{UsageWho, getrusage};

    let command: Vec<_> = command.iter().map(String::as_str).collect();
    time(&command);
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system counts memory").max_rss();
    // macOS counts bytes, the others kilobytes.
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    (peak * unit).to_string()
}

/// Not known here.
#[cfg(not(unix))]
pub fn peak_of(_: &[String]) -> String {
    String::new()
}
