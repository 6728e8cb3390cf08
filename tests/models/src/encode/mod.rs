//! Encodes an answer as a stream of server-sent events in each dialect.

mod anthropic;
mod completions;
mod google;
mod responses;

use serde_json::Value;
use tarsus_models::Dialect;

use crate::script::Script;

/// Encodes the events of an answer.
#[must_use]
pub fn encode_events(dialect: Dialect, script: &Script) -> Vec<String> {
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

/// Splits a text into small pieces, as providers do with arguments; large texts into larger pieces.
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
