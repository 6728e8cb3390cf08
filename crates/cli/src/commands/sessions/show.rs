//! `sessions show`: formats the newest items of a session.

use tarsus_protocol::rpc::chat::{ChatHistory, HistoryItem};
use tarsus_protocol::{Block, ExitCode, Problem, Role};

use super::local_time;
use super::source::{Page, SessionSource};
use crate::output::Output;
use crate::text::{count, number, printable, truncate};

/// Characters shown of an item.
const MAX_ITEM_CHARS: usize = 4_000;
const ARGUMENTS_WIDTH: usize = 200;

pub(super) fn run(
    key: &str,
    limit: usize,
    source: &mut SessionSource<'_>,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let key = source.key(key)?;
    let earlier = source.transcripts(&key, output)?.transcripts.len().saturating_sub(1);
    let history = source.page(&key, &Page { session_id: None, after: None, limit }, output)?;
    output.show(&history, |history| text(history, earlier))?;
    Ok(ExitCode::Done)
}

fn text(history: &ChatHistory, earlier: usize) -> String {
    let mut text = printable(&history.session_key);
    if let Some(entry) = &history.session_info {
        if let Some(label) = &entry.label {
            text.push_str(&format!("  {}", printable(label)));
        }
        text.push_str(&format!(
            "\ncreated {}, last updated {}",
            local_time(entry.created_at),
            local_time(entry.updated_at)
        ));
    }
    text.push('\n');
    for item in &history.messages {
        text.push_str(&item_text(item));
    }
    let hidden = history.total_messages.saturating_sub(history.messages.len() as u64);
    let mut remarks = vec![count(history.messages.len(), "item")];
    if hidden > 0 {
        remarks.push(format!("{} older with a higher --limit", number(hidden)));
    }
    if earlier > 0 {
        let before = count(earlier, "transcript");
        remarks.push(format!("{before} from before a reset; `tarsus sessions export` includes them"));
    }
    text.push_str(&format!("\n{}.\n", remarks.join("; ")));
    text
}

/// Formats the author and time, then the content.
fn item_text(item: &HistoryItem) -> String {
    let who = match &item.message.role {
        Role::User => "you".to_owned(),
        Role::Assistant => "agent".to_owned(),
        Role::System => "rules".to_owned(),
        Role::ToolResult { tool_name, is_error, .. } => {
            let failed = if *is_error { ", failed" } else { "" };
            format!("result of {}{failed}", printable(tool_name))
        }
        Role::Custom { custom_type, .. } => printable(custom_type),
    };
    let when = item.message.timestamp.and_then(|at| i64::try_from(at).ok()).map(local_time);
    let when = when.map(|when| format!("  {when}")).unwrap_or_default();
    let content: Vec<String> = item.message.content.iter().map(block_text).collect();
    let mut text = format!("\n{}{when}  {who}\n", item.number);
    let content = content.join("\n");
    let end = content.char_indices().nth(MAX_ITEM_CHARS).map(|(end, _)| end);
    for line in content[..end.unwrap_or(content.len())].lines() {
        text.push_str(format!("  {}", printable(line)).trim_end());
        text.push('\n');
    }
    if let Some(end) = end {
        let rest = content[end..].chars().count() as u64;
        text.push_str(&format!("  … ({} more characters; --json shows all)\n", number(rest)));
    }
    text
}

fn block_text(block: &Block) -> String {
    match block {
        Block::Text(text) => text.text.clone(),
        Block::Thinking(thought) => {
            format!("(thought, {} characters)", number(thought.thinking.chars().count() as u64))
        }
        Block::Image(image) => format!("(picture, {})", image.mime_type),
        Block::File(file) => format!("(file {}, {} bytes)", file.file_name, number(file.text.len() as u64)),
        Block::ToolCall(call) => {
            let arguments = serde_json::Value::Object(call.arguments.clone()).to_string();
            format!("calls {} {}", call.name, truncate(&arguments, ARGUMENTS_WIDTH))
        }
        // The text block beside it has the same content.
        Block::Menu(_) => String::new(),
        Block::Other(_) => "(content that this version does not support)".to_owned(),
    }
}
