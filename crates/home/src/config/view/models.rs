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
    /// Servers by name; the name is the first part of `provider/model`.
    pub providers: BTreeMap<String, Provider>,
}

/// A server of language models.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    auth authHeader injectNumCtxForOpenAICompat params region request timeoutSeconds"))]
pub struct Provider {
    /// Its address.
    pub base_url: Option<String>,
    /// The key it wants.
    pub api_key: Option<SecretInput>,
    /// How it is spoken to.
    pub api: Option<Api>,
    /// Headers to send along.
    pub headers: BTreeMap<String, SecretInput>,
    /// Its models.
    pub models: Vec<Model>,
}

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each is the name of a wire format")]
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

/// One model of a server.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = Ignored("api baseUrl compat contextTokens headers params"))]
pub struct Model {
    /// The second part of `provider/model`.
    pub id: String,
    /// The name people see.
    #[serde(default)]
    pub name: Option<String>,
    /// How many tokens it can look at.
    #[serde(default)]
    pub context_window: Option<u32>,
    /// How many tokens it can answer with.
    #[serde(default)]
    pub max_tokens: Option<u32>,
    /// Whether it thinks before it answers.
    #[serde(default)]
    pub reasoning: bool,
    /// What it can look at.
    #[serde(default = "text_only")]
    pub input: Vec<Input>,
    /// What it costs.
    #[serde(default)]
    pub cost: Option<Cost>,
    /// How its calls of tools are taken.
    #[serde(default)]
    pub tool_calls: Option<ToolCalls>,
}

/// How a model's calls of tools are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolCalls {
    /// In the provider's own way only.
    Native,
    /// As text only, for servers that know no tools.
    Text,
    /// Both: a reply that is nothing but a call written as text is taken as one.
    Auto,
}

fn text_only() -> Vec<Input> {
    vec![Input::Text]
}

/// What a model can look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Input {
    Text,
    Image,
    Audio,
    Video,
}

/// What a model costs, in dollars for a million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("tieredPricing"))]
pub struct Cost {
    /// Tokens it looks at.
    pub input: f64,
    /// Tokens it answers with.
    pub output: f64,
    /// Tokens it had looked at before.
    pub cache_read: f64,
    /// Tokens it keeps for later.
    pub cache_write: f64,
}
