//! `logs`: prints and follows the gateway's log; works without a running gateway.

mod file;
mod follow;
mod line;
mod reverse_lines;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use tarsus_home::Home;
use tarsus_home::files::FileError;
use tarsus_home::settings::LogLevel;
use tarsus_protocol::{ExitCode, Problem};

use self::file::{LogFile, MAX_ROTATED_FILES};
use self::follow::LogFollower;
pub use self::line::LogLine;
use crate::args::Logs;
use crate::commands::runtime;
use crate::context::Context;
use crate::output::Output;
use crate::stop_requests::{StopRequests, USUAL_GRACE};

/// Pause between two reads of a followed log.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The path of the gateway's log. Rotated files have a number appended.
pub fn path(home: &Home) -> PathBuf {
    home.logs_dir().join("tarsus.log")
}

/// Prints the newest lines, then follows the log if requested.
pub fn run(logs: &Logs, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let LogTail { lines, follower } = read_tail(&context.home, logs.lines as usize, logs.level)?;
    if lines.is_empty() && !logs.follow && !output.is_json() {
        let path = context.home.display(&path(&context.home));
        output.text(&match follower.is_open() {
            true => format!("{path} has no matching line"),
            false => format!("{path} does not exist yet: the gateway creates it"),
        })?;
    }
    for line in &lines {
        print(&LogLine::parse(line), output)?;
    }
    if logs.follow { follow(follower, logs.level, output) } else { Ok(ExitCode::Done) }
}

pub struct LogTail {
    /// The stored lines, oldest first.
    pub lines: Vec<Vec<u8>>,
    /// Follows the log after these lines.
    follower: LogFollower,
}

/// Reads the newest lines of at least this level, without an unfinished last line.
pub fn read_tail(home: &Home, most: usize, level: Option<LogLevel>) -> Result<LogTail, FileError> {
    let path = path(home);
    let mut lines = Vec::new();
    let mut end = 0;
    let mut read: Vec<LogFile> = Vec::new();
    for age in 0..=MAX_ROTATED_FILES {
        let Some(file) = LogFile::open(&path, age)? else {
            // After a rotation, the next log line creates the new file.
            if age == 0 { continue } else { break }
        };
        if read.last().is_some_and(|last| last.is_same_file(&file)) {
            // It was rotated while it was read.
            continue;
        }
        let file_end = collect_lines(&file, &mut lines, most, level)?;
        if read.is_empty() {
            end = file_end;
        }
        read.push(file);
        if lines.len() == most {
            break;
        }
    }
    lines.reverse();
    Ok(LogTail { lines, follower: LogFollower::new(path, read.into_iter().next(), end) })
}

/// Appends the newest lines of a file, newest first, until there are `most`. Returns the offset after its last
/// complete line.
fn collect_lines(
    file: &LogFile,
    lines: &mut Vec<Vec<u8>>,
    most: usize,
    level: Option<LogLevel>,
) -> Result<u64, FileError> {
    let failed = file.read_error();
    let mut reader = file.reverse_lines()?;
    let unfinished_len = reader.next().transpose().map_err(&failed)?.unwrap_or_default().len();
    while lines.len() < most
        && let Some(line) = reader.next().transpose().map_err(&failed)?
    {
        if LogLine::parse(&line).is_at_least(level) {
            lines.push(line);
        }
    }
    Ok(reader.length - unfinished_len as u64)
}

fn follow(mut log: LogFollower, level: Option<LogLevel>, output: &mut Output) -> Result<ExitCode, Problem> {
    runtime()?.block_on(async {
        let mut stop_requests = StopRequests::listen(USUAL_GRACE)?;
        let mut ticks = tokio::time::interval(POLL_INTERVAL);
        let mut more = true;
        loop {
            tokio::select! {
                _ = stop_requests.next() => return Ok(ExitCode::Interrupted),
                () = tokio::task::yield_now(), if more => {}
                _ = ticks.tick(), if !more => {}
            }
            let found = log.poll()?;
            more = found.more;
            if found.gap {
                output.note("the log was rotated so fast that lines may be missing here");
            }
            for line in
                found.lines.iter().map(|line| LogLine::parse(line)).filter(|line| line.is_at_least(level))
            {
                print(&line, output)?;
            }
            if output.is_closed() {
                return Ok(ExitCode::Done);
            }
        }
    })
}

/// Prints a line as text, or as the stored JSON. Invalid JSON is wrapped.
fn print(line: &LogLine, output: &mut Output) -> Result<(), Problem> {
    match &line.json {
        _ if !output.is_json() => output.text(&line.text()),
        Some(json) => output.json_line(json),
        None => output.json_line(&json!({ "unreadable": line.message })),
    }
}
