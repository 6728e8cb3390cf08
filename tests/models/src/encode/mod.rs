//! An answer in the words of each dialect: the events of its stream, each with its blank line.

mod anthropic;
mod completions;
mod google;
mod responses;

use serde_json::Value;
use tarsus_models::Dialect;

use crate::script::Script;

/// The events of an answer.
#[must_use]
pub fn events(dialect: Dialect, script: &Script) -> Vec<String> {
    match dialect {
        Dialect::OpenaiCompletions => completions::events(script),
        Dialect::OpenaiResponses => responses::events(script),
        Dialect::AnthropicMessages => anthropic::events(script),
        Dialect::GoogleGenerativeAi => google::events(script),
    }
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn named(value: &Value) -> String {
    let name = value["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {value}\n\n")
}

/// A text in pieces of a few bytes, as providers send arguments; large ones in larger pieces.
fn pieces(text: &str) -> Vec<&str> {
    let size = (text.len() / 64).max(7);
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = (size..=rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}
