//! Measures one command from outside.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The argument that makes this program run another one and print its peak memory.
pub const PEAK_OF: &str = "--peak-of";

/// A command that neither reads nor prints.
pub fn quiet(command: &[&str]) -> Command {
    let mut quiet = Command::new(command[0]);
    quiet.args(&command[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet
}

/// The duration of a command that must succeed.
pub fn time(command: &[&str]) -> Duration {
    let mut command = quiet(command);
    let start = Instant::now();
    let status = command.status().expect("the program can be started");
    let time = start.elapsed();
    assert!(status.success(), "{command:?} ended with {status}");
    time
}

/// The peak memory of a command. Measured by a small process of its own: the system reports the
/// maximum of all children, and a child counts as its parent until it becomes the program.
pub fn peak(command: &[&str]) -> Option<u64> {
    let this = std::env::current_exe().expect("this program has a path");
    let answer = Command::new(this).arg(PEAK_OF).args(command).output().expect("this program can be started");
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    String::from_utf8_lossy(&answer.stdout).trim().parse().ok()
}

/// Runs one command and returns its peak memory in bytes, if known.
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

/// Not available on this system.
#[cfg(not(unix))]
pub fn peak_of(_: &[String]) -> String {
    String::new()
}
