//! The pieces of a streamed response.

use serde_json::{Map, Value};

use crate::Usage;

/// One piece of a response. `Stop` is the last one of a complete response.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    Text(String),
    Reasoning(String),
    /// A reasoning block ends. The signature is opaque and goes back to the provider unchanged
    /// (`Thinking::thinking_signature`). It may also arrive without reasoning; then it belongs to the next block.
    ReasoningEnd {
        signature: Option<String>,
    },
    CallStart {
        /// The index of the call in this response.
        call: usize,
        /// Unique in the conversation; the result refers to it.
        id: String,
        name: String,
        /// Whether the model wrote the call as text instead of using the provider's tool calls.
        from_text: bool,
    },
    /// A fragment of the arguments, which are JSON.
    CallArguments {
        call: usize,
        json: String,
    },
    CallEnd {
        call: usize,
        arguments: ToolArguments,
    },
    /// Tokens so far. Replaces the previous count.
    Usage(Usage),
    Stop(StopReason),
}

#[derive(Debug, Clone, PartialEq)]
pub enum ToolArguments {
    Object(Map<String, Value>),
    /// Not a JSON object; this is reported to the model.
    Invalid {
        text: String,
        reason: String,
    },
}

impl ToolArguments {
    /// Parses the text of a call's arguments. An empty text means no arguments.
    pub(crate) fn parse(text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::Object(Map::new());
        }
        let invalid = |reason: String| Self::Invalid { text: text.to_owned(), reason };
        match serde_json::from_str(text) {
            Ok(Value::Object(object)) => Self::Object(object),
            Ok(_) => invalid("arguments must be a JSON object".to_owned()),
            Err(error) => invalid(format!("arguments are not valid JSON: {error}")),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    EndTurn,
    ToolCalls,
    MaxTokens,
    Refused {
        /// The provider's word for the reason.
        reason: String,
    },
}
