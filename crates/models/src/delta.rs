//! What a model answers, piece by piece.

use serde_json::{Map, Value};

use crate::Usage;

/// One piece of an answer. The last one of a whole answer is its `Stop`.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// Text for the reader.
    Text(String),
    /// What the model thinks before it answers.
    Reasoning(String),
    /// The thought so far is complete. The seal is the provider's own and goes back with it unchanged
    /// (`Thinking::thinking_signature`); it may also come without a thought, and then is about what follows.
    ReasoningEnd {
        /// The seal, where the provider gives one.
        seal: Option<String>,
    },
    /// The model begins to call a tool.
    CallStart {
        /// Which call of this answer, from 0.
        call: usize,
        /// The id that the result carries; not used by any other call of the conversation.
        id: String,
        /// The tool.
        name: String,
        /// Whether it was written as text and not called in the provider's own way.
        from_text: bool,
    },
    /// The next piece of a call's arguments, which are JSON.
    CallArguments {
        /// Which call.
        call: usize,
        /// The piece.
        json: String,
    },
    /// The call is complete.
    CallEnd {
        /// Which call.
        call: usize,
        /// What it is called with.
        arguments: Arguments,
    },
    /// Tokens so far. A later one replaces an earlier one.
    Usage(Usage),
    /// The answer is complete.
    Stop(Stop),
}

/// What a tool is called with.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    /// An object, as it has to be.
    Object(Map<String, Value>),
    /// Something else, to be told to the model.
    Broken {
        /// What it wrote.
        text: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Arguments {
    /// Reads what a model wrote. Nothing at all stands for no arguments.
    pub(crate) fn read(text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::Object(Map::new());
        }
        let broken = |why: String| Self::Broken { text: text.to_owned(), why };
        match serde_json::from_str(text) {
            Ok(Value::Object(object)) => Self::Object(object),
            Ok(_) => broken("arguments have to be a JSON object".to_owned()),
            Err(error) => broken(format!("arguments are not valid JSON: {error}")),
        }
    }
}

/// Why an answer is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The model has said what it wanted.
    Done,
    /// It waits for the results of its calls.
    Calls,
    /// There was no room for more.
    Length,
    /// The provider or the model declines to answer.
    Refused {
        /// The provider's word for the reason.
        why: String,
    },
}
