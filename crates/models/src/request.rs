//! A request to a model, independent of the provider.

use serde_json::{Map, Value};
use tarsus_protocol::Message;
use tarsus_protocol::exec::ThinkingLevel;

/// One request. Messages of the runtime itself (`Role::Custom`) are not sent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelRequest {
    pub system: String,
    pub messages: Vec<Message>,
    pub tools: Vec<ToolSpec>,
    /// Ignored by models that cannot reason.
    pub thinking: ThinkingLevel,
    /// `None` means the model's own limit.
    pub max_tokens: Option<u32>,
    /// The cache key, the same for all requests of a session. Without one, prompt caching is not requested.
    pub cache: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// A JSON schema of type `object`.
    pub parameters: Map<String, Value>,
}
