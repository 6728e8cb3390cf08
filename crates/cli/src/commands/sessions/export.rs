//! `sessions export`: writes all transcripts of a session page by page, in bounded memory.

use std::path::Path;

use serde::Serialize;
use tarsus_home::files::{Existing, FileError, NewFile};
use tarsus_protocol::rpc::chat::HistoryItem;
use tarsus_protocol::{ErrorCode, ExitCode, Problem, SourceLocation};
use tarsus_store::SessionKey;

use super::source::{Page, SessionSource};
use crate::output::Output;
use crate::text::{count, number, printable};

/// Items read at a time.
const PAGE_SIZE: usize = 200;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExportLine<'a> {
    session_key: &'a str,
    session_id: &'a str,
    #[serde(flatten)]
    item: &'a HistoryItem,
}

/// The summary of an export.
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
    source: &mut SessionSource<'_>,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let key = source.key(key)?;
    let transcripts = source.transcripts(&key, output)?.transcripts;
    let ids: Vec<String> = transcripts.into_iter().map(|transcript| transcript.session_id).collect();
    let Some(out) = out else {
        write_pages(&key, &ids, source, output, |lines, output| output.bytes(lines))?;
        return Ok(ExitCode::Done);
    };
    let target = source.context.environment.working_dir.join(out);
    let existing = if force { Existing::Replaced } else { Existing::Kept };
    if existing == Existing::Kept && target.exists() {
        return Err(file_exists(&target));
    }
    let mut file = NewFile::begin(&target)?;
    let items = write_pages(&key, &ids, source, output, |lines, _| Ok(file.write(lines)?))?;
    file.put(existing).map_err(|error| match error {
        FileError::Exists { path } => file_exists(&path),
        error => error.into(),
    })?;
    let path = target.display().to_string();
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

fn file_exists(path: &Path) -> Problem {
    Problem::new(ErrorCode::Usage, "the file already exists")
        .at(SourceLocation::file(path))
        .hint("nothing was written; --force replaces it")
}

/// Writes the lines page by page and returns their number.
fn write_pages(
    key: &SessionKey,
    ids: &[String],
    source: &mut SessionSource<'_>,
    output: &mut Output,
    mut write: impl FnMut(&[u8], &mut Output) -> Result<(), Problem>,
) -> Result<u64, Problem> {
    let mut items = 0;
    for session_id in ids {
        let mut after = 0;
        loop {
            let selection = Page { session_id: Some(session_id), after: Some(after), limit: PAGE_SIZE };
            let page = source.page(key, &selection, output)?;
            let mut lines = Vec::new();
            for item in &page.messages {
                let line = ExportLine { session_key: key.as_str(), session_id, item };
                serde_json::to_writer(&mut lines, &line)
                    .map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?;
                lines.push(b'\n');
            }
            write(&lines, output)?;
            items += page.messages.len() as u64;
            after = page.messages.last().map_or(after, |item| item.number);
            if !page.has_more || page.messages.is_empty() || output.is_closed() {
                break;
            }
        }
    }
    Ok(items)
}
