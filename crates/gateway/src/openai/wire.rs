//! The words of the OpenAI-compatible door: what is asked, what is answered, whole or in pieces.

use serde::{Deserialize, Serialize};
use tarsus_models::Usage;

/// What is asked. What else clients send is about models, and the agent has its own.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct ChatRequest {
    /// Which agent.
    pub(super) model: String,
    /// The conversation, the oldest first.
    pub(super) messages: Vec<RequestMessage>,
    /// Whether the answer comes in pieces.
    #[serde(default)]
    pub(super) stream: bool,
    /// A word for who asks: the same word goes on in the same session.
    #[serde(default)]
    pub(super) user: Option<String>,
    /// What comes with the pieces.
    #[serde(default)]
    pub(super) stream_options: StreamOptions,
}

/// What comes with the pieces of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct StreamOptions {
    /// Whether the last piece says how many tokens it took.
    pub(super) include_usage: bool,
}

/// One message of what is asked.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct RequestMessage {
    /// Who speaks.
    pub(super) role: String,
    /// What.
    #[serde(default)]
    content: Option<Content>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
}

impl RequestMessage {
    /// Its text.
    ///
    /// # Errors
    /// Names a part that is none.
    pub(super) fn text(&self) -> Result<String, String> {
        match &self.content {
            None => Ok(String::new()),
            Some(Content::Text(text)) => Ok(text.clone()),
            Some(Content::Parts(parts)) => {
                let texts = parts.iter().map(|part| match (part.kind.as_str(), &part.text) {
                    ("text" | "input_text", Some(text)) => Ok(text.as_str()),
                    (other, _) => Err(format!("a part of the kind {other:?} cannot be read; text can")),
                });
                Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
            }
        }
    }
}

/// A whole answer.
#[derive(Debug, Serialize)]
pub(super) struct Completion<'a> {
    pub(super) id: &'a str,
    pub(super) object: &'static str,
    pub(super) created: i64,
    pub(super) model: &'a str,
    pub(super) choices: [Choice<'a>; 1],
    pub(super) usage: TokenUsage,
}

/// The one answer that there is.
#[derive(Debug, Serialize)]
pub(super) struct Choice<'a> {
    pub(super) index: u32,
    pub(super) message: AnswerMessage<'a>,
    pub(super) finish_reason: &'static str,
}

/// What the agent says.
#[derive(Debug, Serialize)]
pub(super) struct AnswerMessage<'a> {
    pub(super) role: &'static str,
    pub(super) content: &'a str,
}

/// A piece of an answer.
#[derive(Debug, Serialize)]
pub(super) struct Chunk<'a> {
    pub(super) id: &'a str,
    pub(super) object: &'static str,
    pub(super) created: i64,
    pub(super) model: &'a str,
    pub(super) choices: Vec<ChunkChoice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<TokenUsage>,
}

/// What a piece adds.
#[derive(Debug, Serialize)]
pub(super) struct ChunkChoice<'a> {
    pub(super) index: u32,
    pub(super) delta: Delta<'a>,
    pub(super) finish_reason: Option<&'static str>,
}

/// The words of a piece.
#[derive(Debug, Default, Serialize)]
pub(super) struct Delta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<&'a str>,
}

/// Tokens, as these clients count them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct TokenUsage {
    pub(super) prompt_tokens: u64,
    pub(super) completion_tokens: u64,
    pub(super) total_tokens: u64,
}

impl TokenUsage {
    /// Adds those of one more request.
    pub(super) fn add(&mut self, usage: &Usage) {
        let output = u64::from(usage.output);
        self.prompt_tokens += usage.total() - output;
        self.completion_tokens += output;
        self.total_tokens += usage.total();
    }
}

/// The agents, as models.
#[derive(Debug, Serialize)]
pub(super) struct ModelList {
    pub(super) object: &'static str,
    pub(super) data: Vec<Model>,
}

/// An agent, as a model.
#[derive(Debug, Serialize)]
pub(super) struct Model {
    pub(super) id: String,
    pub(super) object: &'static str,
    pub(super) created: i64,
    pub(super) owned_by: &'static str,
}

/// Why there is no answer.
#[derive(Debug, Serialize)]
pub(super) struct ErrorBody<'a> {
    pub(super) error: ErrorDetail<'a>,
}

/// What is wrong.
#[derive(Debug, Serialize)]
pub(super) struct ErrorDetail<'a> {
    pub(super) message: &'a str,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) code: Option<&'static str>,
}
