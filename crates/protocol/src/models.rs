//! What every surface reports about language models: which there are, which are used, and how one answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelsReport {
    /// By provider.
    pub models: Vec<ModelRow>,
    /// Providers that cannot be used as they are configured.
    pub problems: Vec<ModelProblem>,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelRow {
    /// `provider/model`.
    pub model: String,
    /// The name people see.
    pub name: String,
    /// Whether the agent uses it, and as what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_as: Option<UsedAs>,
    /// How it is spoken to.
    pub api: String,
    /// Whether it runs on this machine.
    pub local: bool,
    /// How its key stands.
    pub key: KeyState,
    /// How many tokens it can look at, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u32>,
    /// How many tokens it can answer with, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Whether it can be asked to think.
    pub reasoning: bool,
    /// Whether it sees pictures.
    pub images: bool,
    /// What it costs, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<ModelCost>,
}

/// What a model is to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum UsedAs {
    /// It is asked first.
    Primary,
    /// It is asked when those before it fail.
    Fallback,
}

/// How a key stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum KeyState {
    /// It is there.
    Set,
    /// It is not there.
    Missing,
    /// None is needed.
    NotNeeded,
}

/// Dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelCost {
    /// Tokens it looks at.
    pub input: f64,
    /// Tokens it answers with.
    pub output: f64,
}

/// A model or provider that cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelProblem {
    /// `provider/model`, or a provider.
    pub model: String,
    /// Why.
    pub problem: String,
}

/// How the models of one agent stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelsStatus {
    /// The agent.
    pub agent: String,
    /// The model that is asked first, then those that are asked when it fails.
    pub models: Vec<ModelState>,
    /// Servers on this machine that answer.
    pub local: Vec<LocalModels>,
    /// Variables with keys that are set.
    pub keys: Vec<String>,
    /// The model to begin with, where none is chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// How one model stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelState {
    /// `provider/model`.
    pub model: String,
    /// Whether it can be asked.
    pub ok: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// How it is spoken to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Where its key comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// How many tokens are counted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u32>,
}

/// A server on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LocalModels {
    /// The provider.
    pub provider: String,
    /// Where it is.
    pub address: String,
    /// Its models, as `provider/model`.
    pub models: Vec<String>,
}

/// How a model answered a small question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelTest {
    /// `provider/model`.
    pub model: String,
    /// What it said.
    pub text: String,
    /// Milliseconds until its first words.
    pub first_ms: u64,
    /// Milliseconds until its last.
    pub total_ms: u64,
    /// Tokens that were sent, where the provider says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Tokens that came back, where the provider says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// What it cost in dollars, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}
