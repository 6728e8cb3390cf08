//! `models`: language models beyond the built-in ones.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ignored, SecretInput};

/// Language models beyond the built-in ones.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("bedrockDiscovery mode pricing"))]
pub struct Models {
    /// Providers by name, the first part of `provider/model`.
    pub providers: BTreeMap<String, Provider>,
}

/// A provider of language models.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    auth authHeader injectNumCtxForOpenAICompat params region request timeoutSeconds"))]
pub struct Provider {
    /// The address of the API.
    pub base_url: Option<String>,
    /// The API key.
    pub api_key: Option<SecretInput>,
    /// The wire format.
    pub api: Option<Api>,
    /// Additional request headers.
    pub headers: BTreeMap<String, SecretInput>,
    /// The models.
    pub models: Vec<Model>,
}

/// The wire format of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Api {
    OpenaiCompletions,
    OpenaiResponses,
    AnthropicMessages,
    GoogleGenerativeAi,
    OpenaiCodexResponses,
    AzureOpenaiResponses,
    BedrockConverseStream,
    GithubCopilot,
    Ollama,
}

/// A model of a provider.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = Ignored("api baseUrl compat contextTokens headers params"))]
pub struct Model {
    /// The second part of `provider/model`.
    pub id: String,
    /// The display name.
    #[serde(default)]
    pub name: Option<String>,
    /// The context window in tokens.
    #[serde(default)]
    pub context_window: Option<u32>,
    /// The maximum number of output tokens.
    #[serde(default)]
    pub max_tokens: Option<u32>,
    /// Whether it is a reasoning model.
    #[serde(default)]
    pub reasoning: bool,
    /// The supported inputs.
    #[serde(default = "text_only")]
    pub input: Vec<Input>,
    /// The price.
    #[serde(default)]
    pub cost: Option<Cost>,
    /// The form of its tool calls.
    #[serde(default)]
    pub tool_calls: Option<ToolCalls>,
}

/// The form of a model's tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolCalls {
    /// The provider's tool calls only.
    Native,
    /// Text only, for providers without tool calls.
    Text,
    /// Both; a reply that consists of a call in text form counts as a call.
    Auto,
}

fn text_only() -> Vec<Input> {
    vec![Input::Text]
}

/// An input of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Input {
    Text,
    Image,
    Audio,
    Video,
}

/// The price of a model in US dollars per million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("tieredPricing"))]
pub struct Cost {
    /// Input tokens.
    pub input: f64,
    /// Output tokens.
    pub output: f64,
    /// Cached input tokens.
    pub cache_read: f64,
    /// Input tokens written to the cache.
    pub cache_write: f64,
}
