//! `sessions delete`: deletes a session after confirmation.

use tarsus_protocol::{ExitCode, Problem};

use super::source::SessionSource;
use crate::args::Consent;
use crate::input;
use crate::output::Output;
use crate::text::{count, number, printable};

pub(super) fn run(
    key: &str,
    consent: Consent,
    source: &mut SessionSource<'_>,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let context = source.context;
    let key = source.key(key)?;
    let transcripts = source.transcripts(&key, output)?.transcripts;
    let items: u64 = transcripts.iter().map(|transcript| transcript.items).sum();
    let what = format!(
        "{} ({}, {} {})",
        printable(key.as_str()),
        count(transcripts.len(), "transcript"),
        number(items),
        if items == 1 { "item" } else { "items" }
    );
    if !consent.yes {
        let question = format!("Delete {what} permanently? Its cost stays in the statistics.");
        input::confirm(&question, context, output)?;
    }
    let deleted = source.delete(&key)?;
    output.show(&deleted, |deleted| match deleted.deleted {
        true => format!("deleted {what}; its cost stays in the statistics\n"),
        false => format!("{} was already deleted\n", printable(&deleted.key)),
    })?;
    Ok(ExitCode::Done)
}
