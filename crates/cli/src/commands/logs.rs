//! `logs`: what the gateway wrote into its log, with a running gateway or without one.

mod backwards;
mod file;
mod follow;
mod line;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use tarsus_home::Home;
use tarsus_home::files::FileError;
use tarsus_home::settings::LogLevel;
use tarsus_host::signals::Signals;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use self::file::{LogFile, MOST_FILES};
use self::follow::Following;
pub use self::line::Line;
use crate::args::Logs;
use crate::commands::runtime;
use crate::context::Context;
use crate::output::Output;

/// How long until a log that is followed is looked at again.
const LOOK: Duration = Duration::from_millis(100);

/// Where the gateway writes its log. Older parts lie beside it, with a number at the end.
pub fn path(home: &Home) -> PathBuf {
    home.logs_dir().join("tarsus.log")
}

/// Prints the newest lines, and goes on with what follows where that is wanted.
pub fn run(logs: &Logs, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let Newest { lines, then } = newest(&context.home, logs.lines as usize, logs.level)?;
    if lines.is_empty() && !logs.follow && !output.is_json() {
        let path = context.home.display(&path(&context.home));
        output.text(&match then.is_open() {
            true => format!("{path} has no such line"),
            false => format!("there is no {path} yet: the gateway makes it"),
        })?;
    }
    for line in &lines {
        print(&Line::read(line), output)?;
    }
    if logs.follow { follow(then, logs.level, output) } else { Ok(ExitCode::Done) }
}

/// The end of the log.
pub struct Newest {
    /// Its lines as they are stored, oldest first.
    pub lines: Vec<Vec<u8>>,
    /// Where the log goes on.
    then: Following,
}

/// The newest lines of at least this level. A line that is still being written is not one yet.
pub fn newest(home: &Home, most: usize, level: Option<LogLevel>) -> Result<Newest, FileError> {
    let path = path(home);
    let mut lines = Vec::new();
    let mut end = 0;
    let mut read: Vec<LogFile> = Vec::new();
    for age in 0..=MOST_FILES {
        let Some(file) = LogFile::open(&path, age)? else {
            // After a turn the next line makes the new file.
            if age == 0 { continue } else { break }
        };
        if read.last().is_some_and(|last| last.is(&file)) {
            // It was turned over while it was read.
            continue;
        }
        let finished = gather(&file, &mut lines, most, level)?;
        if read.is_empty() {
            end = finished;
        }
        read.push(file);
        if lines.len() == most {
            break;
        }
    }
    lines.reverse();
    Ok(Newest { lines, then: Following::new(path, read.into_iter().next(), end) })
}

/// Adds the newest lines of a file, newest first, until there are enough. Says where its last line ends.
fn gather(
    file: &LogFile,
    lines: &mut Vec<Vec<u8>>,
    most: usize,
    level: Option<LogLevel>,
) -> Result<u64, FileError> {
    let failed = file.failed();
    let mut pieces = file.backwards()?;
    let unfinished = pieces.next().transpose().map_err(&failed)?.unwrap_or_default().len();
    while lines.len() < most
        && let Some(piece) = pieces.next().transpose().map_err(&failed)?
    {
        if Line::read(&piece).is_at_least(level) {
            lines.push(piece);
        }
    }
    Ok(pieces.length - unfinished as u64)
}

fn follow(mut log: Following, level: Option<LogLevel>, output: &mut Output) -> Result<ExitCode, Problem> {
    runtime()?.block_on(async {
        let mut signals =
            Signals::listen().map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?;
        let mut looks = tokio::time::interval(LOOK);
        let mut more = true;
        loop {
            tokio::select! {
                _ = signals.next() => return Ok(ExitCode::Interrupted),
                () = tokio::task::yield_now(), if more => {}
                _ = looks.tick(), if !more => {}
            }
            let found = log.look()?;
            more = found.more;
            if found.gap {
                output.note("the log was turned over so fast that lines may be missing here");
            }
            for line in found.lines.iter().map(|line| Line::read(line)).filter(|line| line.is_at_least(level))
            {
                print(&line, output)?;
            }
            if output.is_unread() {
                // Nobody reads any more.
                return Ok(ExitCode::Done);
            }
        }
    })
}

/// JSON as it is stored; what is stored but is none, as the text of one.
fn print(line: &Line, output: &mut Output) -> Result<(), Problem> {
    match &line.json {
        _ if !output.is_json() => output.text(&line.text()),
        Some(json) => output.json_line(json),
        None => output.json_line(&json!({ "unreadable": line.message })),
    }
}
