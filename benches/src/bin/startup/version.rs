//! `--version`: the least that the program can do, beside a program that does nothing.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::report::Row;

/// The argument that makes this program run another one and say how much memory that took.
pub const PEAK_OF: &str = "--peak-of";

const NOTHING: &str = "/bin/true";

/// Time, memory and instructions of `--version`.
pub fn measure(program: &Path, runs: usize) -> Vec<Row> {
    let program = program.to_str().expect("the program's path is text");
    let version = [program, "--version"];
    let nothing = Path::new(NOTHING).is_file();
    let (mut times, mut floor) = (Vec::new(), Vec::new());
    // Turn by turn, so that both see the same machine.
    for _ in 0..runs {
        times.push(time(&version));
        if nothing {
            floor.push(time(&[NOTHING]));
        }
    }
    let mut rows = vec![Row::times("--version", times, Some(3.0), "ZeroClaw 8 to 11 ms, OpenClaw 107 ms")];
    if nothing {
        rows.push(Row::times("/bin/true in the same run", floor, None, ""));
    }
    if let Some(bytes) = peak(&version) {
        rows.push(Row::memory("--version, peak memory", bytes, Some(8.0), "ZeroClaw 17 MB, OpenClaw 68 MB"));
    }
    if let Some(number) = instructions(&version) {
        rows.push(Row::instructions("--version, instructions", number));
    }
    rows
}

fn quiet(command: &[&str]) -> Command {
    let mut quiet = Command::new(command[0]);
    quiet.args(&command[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet
}

fn time(command: &[&str]) -> Duration {
    let mut command = quiet(command);
    let start = Instant::now();
    let status = command.status().expect("the program can be started");
    let time = start.elapsed();
    assert!(status.success(), "{command:?} ended with {status}");
    time
}

/// The most memory that a command ever had. Asked by a small process of its own, because the system counts
/// the most of all children, and before a child becomes the program it counts as its parent.
fn peak(command: &[&str]) -> Option<u64> {
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

/// Counted by perf where the machine lets it, else by valgrind, else not at all.
fn instructions(command: &[&str]) -> Option<u64> {
    let perf = ["perf", "stat", "-x,", "-e", "instructions:u", "--"];
    let valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];
    counted(&perf, command, |line| line.contains("instructions").then(|| line.split(',').next())?).or_else(
        || counted(&valgrind, command, |line| line.split_once("Collected : ").map(|(_, number)| number)),
    )
}

fn counted(counter: &[&str], command: &[&str], number: impl Fn(&str) -> Option<&str>) -> Option<u64> {
    let all: Vec<_> = counter.iter().chain(command).copied().collect();
    let answer = quiet(&all).stderr(Stdio::piped()).output().ok()?;
    String::from_utf8_lossy(&answer.stderr)
        .lines()
        .filter_map(number)
        .find_map(|number| number.trim().parse().ok())
}
