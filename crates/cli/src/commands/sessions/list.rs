//! `sessions list`.

use tarsus_protocol::rpc::sessions::{SessionEntry, SessionsList};
use tarsus_protocol::{ExitCode, Problem};

use super::local_time;
use super::source::SessionSource;
use crate::output::Output;
use crate::text::{columns, count, number, printable, truncate};

const LABEL_WIDTH: usize = 40;

pub(super) fn run(
    limit: usize,
    source: &mut SessionSource<'_>,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let list = source.list(limit, output)?;
    output.show(&list, text)?;
    Ok(ExitCode::Done)
}

fn text(list: &SessionsList) -> String {
    if list.sessions.is_empty() {
        return "No sessions yet: the first message to an agent creates one.\n".to_owned();
    }
    let head = ["Session", "Label", "Items", "Last updated"].map(str::to_owned);
    let mut text = columns(&[head].into_iter().chain(list.sessions.iter().map(row)).collect::<Vec<_>>());
    let hidden = list.total_count.saturating_sub(list.count as u64);
    let more =
        if hidden > 0 { format!(", {} more with a higher --limit", number(hidden)) } else { String::new() };
    text.push_str(&format!(
        "\n{}{more}. `tarsus sessions show SESSION` shows one.\n",
        count(list.count, "session")
    ));
    text
}

fn row(entry: &SessionEntry) -> [String; 4] {
    [
        printable(&entry.key),
        truncate(&printable(entry.label.as_deref().unwrap_or_default()), LABEL_WIDTH),
        number(entry.items),
        local_time(entry.updated_at),
    ]
}
