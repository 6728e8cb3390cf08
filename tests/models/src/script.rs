//! Scripted replies: the chunks of a model's answer, and how they are sent.

use serde_json::{Value, json};
use tarsus_models::{StopReason, Usage};

use crate::gate::Gate;

/// A chunk of a model's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// Text, sent in one event.
    Text(String),
    /// A piece of reasoning.
    Reasoning(String),
    /// The provider's signature of the reasoning before it, in dialects that have one.
    Signature(String),
    /// A tool call. The arguments are sent unchanged, valid or not.
    Call {
        /// Call id.
        id: String,
        /// Tool name.
        name: String,
        /// Arguments as JSON.
        arguments: String,
    },
}

impl Chunk {
    /// A chunk of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A chunk of reasoning.
    pub fn reasoning(text: impl Into<String>) -> Self {
        Self::Reasoning(text.into())
    }

    /// A tool call.
    pub fn call(id: impl Into<String>, name: impl Into<String>, arguments: &Value) -> Self {
        Self::Call { id: id.into(), name: name.into(), arguments: arguments.to_string() }
    }
}

/// A complete answer of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// Chunks in order.
    pub chunks: Vec<Chunk>,
    /// Reported usage.
    pub usage: Usage,
    /// Stop reason.
    pub stop: StopReason,
}

impl Script {
    /// An answer with the stop reason that fits its chunks.
    pub fn new(chunks: impl IntoIterator<Item = Chunk>) -> Self {
        let chunks: Vec<Chunk> = chunks.into_iter().collect();
        let has_calls = chunks.iter().any(|chunk| matches!(chunk, Chunk::Call { .. }));
        let stop = if has_calls { StopReason::ToolCalls } else { StopReason::EndTurn };
        Self { chunks, usage: Usage { input: 12, output: 5, cache_read: 0, cache_write: 0 }, stop }
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// Encoded in the dialect of the request.
    Script(Script),
    /// Sent unchanged.
    Raw { content_type: String, bytes: Vec<u8> },
}

/// The server's reply to one request.
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
    /// Whether the response is terminated properly.
    pub(crate) is_clean: bool,
}

impl Reply {
    /// An answer with these chunks.
    pub fn answer(chunks: impl IntoIterator<Item = Chunk>) -> Self {
        Self::script(Script::new(chunks))
    }

    /// A complete answer.
    #[must_use]
    pub fn script(script: Script) -> Self {
        Self::new(200, Body::Script(script))
    }

    /// An error in the form that most providers use.
    #[must_use]
    pub fn failing(status: u16, message: &str) -> Self {
        Self::json(status, &json!({ "error": { "message": message } }))
    }

    /// A JSON body.
    #[must_use]
    pub fn json(status: u16, value: &Value) -> Self {
        Self::new(
            status,
            Body::Raw { content_type: "application/json".into(), bytes: value.to_string().into() },
        )
    }

    /// A recorded stream, sent unchanged.
    #[must_use]
    pub fn recorded(stream: impl Into<Vec<u8>>) -> Self {
        Self::new(200, Body::Raw { content_type: "text/event-stream".into(), bytes: stream.into() })
    }

    fn new(status: u16, body: Body) -> Self {
        let (headers, gates) = (Vec::new(), Vec::new());
        Self { status, headers, body, piece: usize::MAX, cut: None, gates, until_hang_up: false }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends the body in pieces of so many bytes.
    #[must_use]
    pub fn in_pieces(mut self, bytes: usize) -> Self {
        self.piece = bytes.max(1);
        self
    }

    /// Breaks the connection after so many bytes of the body.
    #[must_use]
    pub fn broken_after(mut self, bytes: usize) -> Self {
        self.cut = Some(Cut { after: bytes, is_clean: false });
        self
    }

    /// Ends the body properly after so many bytes.
    #[must_use]
    pub fn ended_after(mut self, bytes: usize) -> Self {
        self.cut = Some(Cut { after: bytes, is_clean: true });
        self
    }

    /// Waits for the gate before this event of the body, counted from 0.
    #[must_use]
    pub fn held_before(mut self, piece: usize, gate: &Gate) -> Self {
        self.gates.push((piece, gate.clone()));
        self
    }

    /// Keeps the response open until the client disconnects.
    #[must_use]
    pub fn until_hang_up(mut self) -> Self {
        self.until_hang_up = true;
        self
    }
}
