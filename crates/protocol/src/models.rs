//! Reports about language models: the configured ones, those in use, and a test call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Output of `tarsus models list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelsReport {
    /// Models by provider.
    pub models: Vec<ModelRow>,
    /// Providers with an invalid configuration.
    pub problems: Vec<ModelProblem>,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelRow {
    /// `provider/model`.
    pub model: String,
    /// Display name.
    pub name: String,
    /// How the agent uses it, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_as: Option<UsedAs>,
    /// API dialect.
    pub api: String,
    /// Whether it runs on this machine.
    pub local: bool,
    /// State of its key.
    pub key: KeyState,
    /// Context window in tokens, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u32>,
    /// Maximum output in tokens, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Whether it is a reasoning model.
    pub reasoning: bool,
    /// Whether it accepts pictures.
    pub images: bool,
    /// Prices, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<ModelCost>,
}

/// How an agent uses a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum UsedAs {
    /// The first choice.
    Primary,
    /// Used when the models before it fail.
    Fallback,
}

/// State of an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum KeyState {
    /// The key is set.
    Set,
    /// The key is missing.
    Missing,
    /// No key is needed.
    NotNeeded,
}

/// Prices in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelCost {
    /// Input tokens.
    pub input: f64,
    /// Output tokens.
    pub output: f64,
}

/// A model or provider that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelProblem {
    /// `provider/model`, or a provider.
    pub model: String,
    /// The reason why it cannot be used.
    pub problem: String,
}

/// Output of `tarsus models status`: the models of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelsStatus {
    /// Id of the agent.
    pub agent: String,
    /// The first choice, then the fallbacks.
    pub models: Vec<ModelState>,
    /// Model servers that respond on this machine.
    pub local: Vec<LocalModels>,
    /// Environment variables with keys that are set.
    pub keys: Vec<String>,
    /// Suggested model, if none is chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// State of one model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelState {
    /// `provider/model`.
    pub model: String,
    /// Whether it can be used.
    pub ok: bool,
    /// Reason why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// API dialect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
    /// URL of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Source of its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Context window that is assumed, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u32>,
}

/// A model server on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocalModels {
    /// The provider.
    pub provider: String,
    /// URL of the server.
    pub address: String,
    /// Models of the server, as `provider/model`.
    pub models: Vec<String>,
}

/// Output of `tarsus models test`: a short call of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelTest {
    /// `provider/model`.
    pub model: String,
    /// Text of the answer.
    pub text: String,
    /// Milliseconds until the first text.
    pub first_ms: u64,
    /// Milliseconds until the end.
    pub total_ms: u64,
    /// Input tokens, if reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Output tokens, if reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Cost in US dollars, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}
