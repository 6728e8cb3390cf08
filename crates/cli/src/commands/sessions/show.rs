//! `sessions show`: the last items of a session, as people read them.

use tarsus_protocol::rpc::chat::{ChatHistory, HistoryItem};
use tarsus_protocol::{Block, ExitCode, Problem, Role};

use super::moment;
use super::source::{Page, Source};
use crate::output::Output;
use crate::text::{count, cut, number, printable};

/// Characters of an item that are shown.
const LONGEST: usize = 4_000;
/// Columns of the arguments of a call.
const ARGUMENTS: usize = 200;

pub(super) fn run(
    key: &str,
    limit: usize,
    source: &mut Source<'_>,
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
            "\nbegun {}, last written {}",
            moment(entry.created_at),
            moment(entry.updated_at)
        ));
    }
    text.push('\n');
    for item in &history.messages {
        text.push_str(&shown(item));
    }
    let hidden = history.total_messages.saturating_sub(history.messages.len() as u64);
    let mut remarks = vec![count(history.messages.len(), "item")];
    if hidden > 0 {
        remarks.push(format!("{} older with a higher --limit", number(hidden)));
    }
    if earlier > 0 {
        let before = count(earlier, "transcript");
        remarks.push(format!("{before} of before a reset, which `tarsus sessions export` has too"));
    }
    text.push_str(&format!("\n{}.\n", remarks.join("; ")));
    text
}

/// A line that says who and when, then the words.
fn shown(item: &HistoryItem) -> String {
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
    let when = item.message.timestamp.and_then(|at| i64::try_from(at).ok()).map(moment);
    let when = when.map(|when| format!("  {when}")).unwrap_or_default();
    let words: Vec<String> = item.message.content.iter().map(words).collect();
    let mut text = format!("\n{}{when}  {who}\n", item.number);
    let words = words.join("\n");
    let end = words.char_indices().nth(LONGEST).map(|(end, _)| end);
    for line in words[..end.unwrap_or(words.len())].lines() {
        text.push_str(format!("  {}", printable(line)).trim_end());
        text.push('\n');
    }
    if let Some(end) = end {
        let rest = words[end..].chars().count() as u64;
        text.push_str(&format!("  … ({} more characters; --json shows all)\n", number(rest)));
    }
    text
}

fn words(block: &Block) -> String {
    match block {
        Block::Text(text) => text.text.clone(),
        Block::Thinking(thought) => {
            format!("(thought, {} characters)", number(thought.thinking.chars().count() as u64))
        }
        Block::Image(image) => format!("(picture, {})", image.mime_type),
        Block::File(file) => format!("(file {}, {} bytes)", file.file_name, number(file.text.len() as u64)),
        Block::ToolCall(call) => {
            let arguments = serde_json::Value::Object(call.arguments.clone()).to_string();
            format!("calls {} {}", call.name, cut(&arguments, ARGUMENTS))
        }
        Block::Other(_) => "(something that this version does not know)".to_owned(),
    }
}
