//! What is played: what a model says, and how it gets over the wire.

use serde_json::{Value, json};
use tarsus_models::{StopReason, Usage};

use crate::gate::Gate;

/// One thing that a model says.
#[derive(Debug, Clone, PartialEq)]
pub enum Say {
    /// Text, in one piece.
    Text(String),
    /// A piece of a thought.
    Reasoning(String),
    /// The provider's seal on the thought before it, where the dialect has one.
    Seal(String),
    /// A call of a tool. The arguments are sent as they stand here, right or wrong.
    Call {
        /// Its id.
        id: String,
        /// The tool.
        name: String,
        /// What it is called with, as JSON.
        arguments: String,
    },
}

impl Say {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A thought.
    pub fn reasoning(text: impl Into<String>) -> Self {
        Self::Reasoning(text.into())
    }

    /// A call.
    pub fn call(id: impl Into<String>, name: impl Into<String>, arguments: &Value) -> Self {
        Self::Call { id: id.into(), name: name.into(), arguments: arguments.to_string() }
    }
}

/// A whole answer of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// What it says, in order.
    pub says: Vec<Say>,
    /// Tokens.
    pub usage: Usage,
    /// Why it stops.
    pub stop: StopReason,
}

impl Script {
    /// An answer that stops as its last words ask for.
    pub fn new(says: impl IntoIterator<Item = Say>) -> Self {
        let says: Vec<Say> = says.into_iter().collect();
        let calls = says.iter().any(|say| matches!(say, Say::Call { .. }));
        let stop = if calls { StopReason::ToolCalls } else { StopReason::EndTurn };
        Self { says, usage: Usage { input: 12, output: 5, cache_read: 0, cache_write: 0 }, stop }
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// Played in the dialect that is asked in.
    Script(Script),
    /// These bytes.
    Raw { content_type: String, bytes: Vec<u8> },
}

/// What the server does with one request.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Body,
    pub(crate) piece: usize,
    pub(crate) cut: Option<Cut>,
    pub(crate) gates: Vec<(usize, Gate)>,
    pub(crate) until_hang_up: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) after: usize,
    /// Whether the end looks like a right one.
    pub(crate) is_clean: bool,
}

impl Reply {
    /// The model says this.
    pub fn says(says: impl IntoIterator<Item = Say>) -> Self {
        Self::script(Script::new(says))
    }

    /// The model answers so.
    #[must_use]
    pub fn script(script: Script) -> Self {
        Self::new(200, Body::Script(script))
    }

    /// The server fails, in the words that most providers use.
    #[must_use]
    pub fn failing(status: u16, message: &str) -> Self {
        Self::json(status, &json!({ "error": { "message": message } }))
    }

    /// A JSON value.
    #[must_use]
    pub fn json(status: u16, value: &Value) -> Self {
        Self::new(
            status,
            Body::Raw { content_type: "application/json".into(), bytes: value.to_string().into() },
        )
    }

    /// A recorded stream, byte by byte as it stands here.
    #[must_use]
    pub fn recorded(stream: impl Into<Vec<u8>>) -> Self {
        Self::new(200, Body::Raw { content_type: "text/event-stream".into(), bytes: stream.into() })
    }

    fn new(status: u16, body: Body) -> Self {
        let (headers, gates) = (Vec::new(), Vec::new());
        Self { status, headers, body, piece: usize::MAX, cut: None, gates, until_hang_up: false }
    }

    /// With a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// In pieces of so many bytes, each sent by itself.
    #[must_use]
    pub fn in_pieces_of(mut self, bytes: usize) -> Self {
        self.piece = bytes.max(1);
        self
    }

    /// The connection breaks after so many bytes of the body.
    #[must_use]
    pub fn broken_after(mut self, bytes: usize) -> Self {
        self.cut = Some(Cut { after: bytes, is_clean: false });
        self
    }

    /// The body ends after so many bytes as if that were all.
    #[must_use]
    pub fn ended_after(mut self, bytes: usize) -> Self {
        self.cut = Some(Cut { after: bytes, is_clean: true });
        self
    }

    /// Waits before this piece of the body, from 0; for a script a piece is an event.
    #[must_use]
    pub fn held_before(mut self, piece: usize, gate: &Gate) -> Self {
        self.gates.push((piece, gate.clone()));
        self
    }

    /// Does not end after the last piece, but waits until the client hangs up.
    #[must_use]
    pub fn until_hang_up(mut self) -> Self {
        self.until_hang_up = true;
        self
    }
}
