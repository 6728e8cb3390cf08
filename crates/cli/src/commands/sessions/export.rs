//! `sessions export`: every transcript of a session, page by page, so that memory does not grow with it.

use std::path::Path;

use serde::Serialize;
use tarsus_home::files::{Existing, FileError, NewFile};
use tarsus_protocol::rpc::chat::HistoryItem;
use tarsus_protocol::{ErrorCode, ExitCode, Place, Problem};
use tarsus_store::SessionKey;

use super::source::{Page, Source};
use crate::output::Output;
use crate::text::{count, number, printable};

/// Items that are read at a time.
const PAGE: usize = 200;

/// One line of an export.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    session_key: &'a str,
    session_id: &'a str,
    #[serde(flatten)]
    item: &'a HistoryItem,
}

/// What was written.
#[derive(Serialize)]
struct Exported {
    key: String,
    path: String,
    transcripts: usize,
    items: u64,
}

pub(super) fn run(
    key: &str,
    out: Option<&Path>,
    force: bool,
    source: &mut Source<'_>,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let key = source.key(key)?;
    let transcripts = source.transcripts(&key, output)?.transcripts;
    let ids: Vec<String> = transcripts.into_iter().map(|transcript| transcript.session_id).collect();
    let Some(out) = out else {
        pages(&key, &ids, source, output, |lines, output| output.bytes(lines))?;
        return Ok(ExitCode::Done);
    };
    let place = source.context.environment.working_dir.join(out);
    let existing = if force { Existing::Replaced } else { Existing::Kept };
    if existing == Existing::Kept && place.exists() {
        return Err(is_there(&place));
    }
    let mut file = NewFile::begin(&place)?;
    let items = pages(&key, &ids, source, output, |lines, _| Ok(file.write(lines)?))?;
    file.put(existing).map_err(|error| match error {
        FileError::Exists { path } => is_there(&path),
        error => error.into(),
    })?;
    let path = place.display().to_string();
    let exported = Exported { key: key.to_string(), path, transcripts: ids.len(), items };
    output.show(&exported, |exported| {
        format!(
            "{} {} of {} to {}\n",
            number(exported.items),
            if exported.items == 1 { "item" } else { "items" },
            count(exported.transcripts, "transcript"),
            printable(&exported.path)
        )
    })?;
    Ok(ExitCode::Done)
}

fn is_there(place: &Path) -> Problem {
    Problem::new(ErrorCode::Usage, "the file is there already")
        .at(Place::file(place))
        .hint("nothing was written; --force replaces it")
}

/// Hands over the lines of one page after the other, and says how many there were.
fn pages(
    key: &SessionKey,
    ids: &[String],
    source: &mut Source<'_>,
    output: &mut Output,
    mut write: impl FnMut(&[u8], &mut Output) -> Result<(), Problem>,
) -> Result<u64, Problem> {
    let mut items = 0;
    for session_id in ids {
        let mut after = 0;
        loop {
            let wanted = Page { session_id: Some(session_id), after: Some(after), limit: PAGE };
            let page = source.page(key, &wanted, output)?;
            let mut lines = Vec::new();
            for item in &page.messages {
                let line = Line { session_key: key.as_str(), session_id, item };
                serde_json::to_writer(&mut lines, &line)
                    .map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?;
                lines.push(b'\n');
            }
            write(&lines, output)?;
            items += page.messages.len() as u64;
            after = page.messages.last().map_or(after, |item| item.number);
            if !page.has_more || page.messages.is_empty() || output.is_unread() {
                break;
            }
        }
    }
    Ok(items)
}
