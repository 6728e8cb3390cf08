//! `sessions`: lists, shows, exports and deletes conversations, and undoes what they did to files.

mod changes;
mod delete;
mod export;
mod list;
mod show;
mod source;
mod undo;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tarsus_protocol::{ExitCode, Problem};

pub(super) use self::changes::file_text;
use self::source::SessionSource;
use crate::args::Sessions;
use crate::context::Context;
use crate::output::Output;

pub fn run(step: Option<Sessions>, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let mut source = SessionSource::connect(context, output)?;
    match step.unwrap_or(Sessions::List { limit: 50 }) {
        Sessions::List { limit } => list::run(limit.into(), &mut source, output),
        Sessions::Show { key, limit } => show::run(&key, limit.into(), &mut source, output),
        Sessions::Export { key, out, force } => export::run(&key, out.as_deref(), force, &mut source, output),
        Sessions::Changes { key, run, diff, limit } => {
            changes::run(&key, run.as_deref(), diff, limit.into(), &mut source, output)
        }
        Sessions::Undo { key, run, dry_run, consent } => {
            undo::run(&key, run, dry_run, consent, &mut source, output)
        }
        Sessions::Delete { key, consent } => delete::run(&key, consent, &mut source, output),
    }
}

/// Formats a timestamp in local time.
fn local_time(at_ms: i64) -> String {
    match Timestamp::from_millisecond(at_ms) {
        Ok(at) => at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => "?".to_owned(),
    }
}
