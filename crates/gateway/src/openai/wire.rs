//! Wire types of the OpenAI-compatible API.

use serde::{Deserialize, Serialize};
use tarsus_models::Usage;

/// A chat completion request. Model parameters that clients send are ignored: the agent has its own.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct ChatRequest {
    /// Selects the agent.
    pub(super) model: String,
    /// Oldest first.
    pub(super) messages: Vec<RequestMessage>,
    #[serde(default)]
    pub(super) stream: bool,
    /// Requests with the same user continue the same session.
    #[serde(default)]
    pub(super) user: Option<String>,
    #[serde(default)]
    pub(super) stream_options: StreamOptions,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct StreamOptions {
    /// Sends the token counts in the last chunk.
    pub(super) include_usage: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct RequestMessage {
    pub(super) role: String,
    #[serde(default)]
    content: Option<Content>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct ContentPart {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
}

impl RequestMessage {
    /// Returns the text.
    ///
    /// # Errors
    /// If a part is not text.
    pub(super) fn text(&self) -> Result<String, String> {
        match &self.content {
            None => Ok(String::new()),
            Some(Content::Text(text)) => Ok(text.clone()),
            Some(Content::Parts(parts)) => {
                let texts = parts.iter().map(|part| match (part.kind.as_str(), &part.text) {
                    ("text" | "input_text", Some(text)) => Ok(text.as_str()),
                    (other, _) => {
                        Err(format!("content parts of type {other:?} are not supported; only text is"))
                    }
                });
                Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
            }
        }
    }
}

/// A response without streaming.
#[derive(Debug, Serialize)]
pub(super) struct Completion<'a> {
    pub(super) id: &'a str,
    pub(super) object: &'static str,
    pub(super) created: i64,
    pub(super) model: &'a str,
    pub(super) choices: [Choice<'a>; 1],
    pub(super) usage: TokenUsage,
}

#[derive(Debug, Serialize)]
pub(super) struct Choice<'a> {
    pub(super) index: u32,
    pub(super) message: AnswerMessage<'a>,
    pub(super) finish_reason: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct AnswerMessage<'a> {
    pub(super) role: &'static str,
    pub(super) content: &'a str,
    /// The reasoning, where the session shows it; other servers use the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_content: Option<&'a str>,
}

/// A piece of a streamed response.
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

#[derive(Debug, Serialize)]
pub(super) struct ChunkChoice<'a> {
    pub(super) index: u32,
    pub(super) delta: Delta<'a>,
    pub(super) finish_reason: Option<&'static str>,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Delta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_content: Option<&'a str>,
}

/// Token counts of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct TokenUsage {
    pub(super) prompt_tokens: u64,
    pub(super) completion_tokens: u64,
    pub(super) total_tokens: u64,
}

impl TokenUsage {
    /// Adds the tokens of one more model request.
    pub(super) fn add(&mut self, usage: &Usage) {
        let output = u64::from(usage.output);
        self.prompt_tokens += usage.total() - output;
        self.completion_tokens += output;
        self.total_tokens += usage.total();
    }
}

#[derive(Debug, Serialize)]
pub(super) struct ModelList {
    pub(super) object: &'static str,
    pub(super) data: Vec<Model>,
}

/// An agent, presented as a model.
#[derive(Debug, Serialize)]
pub(super) struct Model {
    pub(super) id: String,
    pub(super) object: &'static str,
    pub(super) created: i64,
    pub(super) owned_by: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct ErrorBody<'a> {
    pub(super) error: ErrorDetail<'a>,
}

#[derive(Debug, Serialize)]
pub(super) struct ErrorDetail<'a> {
    pub(super) message: &'a str,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) code: Option<&'static str>,
}
