//! The language models, and what they cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NoParams, methods};

methods! {
    #[doc = "The models that the configuration names."]
    List = "models.list", NoParams => ModelsList, Read;
    #[doc = "What the models cost, by day."]
    Cost = "usage.cost", CostParams => CostReport, Read;
}

/// The models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelsList {
    /// By provider, in the order of the configuration.
    pub models: Vec<ModelEntry>,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelEntry {
    /// The second part of `provider/model`.
    pub id: String,
    /// The name people see.
    pub name: String,
    /// The first part of `provider/model`.
    pub provider: String,
    /// How many tokens it can look at, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u32>,
    /// Whether it thinks before it answers, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<bool>,
}

/// Which days.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CostParams {
    /// The first day, as in `2026-01-31`.
    pub start_date: Option<String>,
    /// The last day; today when not set.
    pub end_date: Option<String>,
    /// So many days up to the last one, where no first one is named; 30 when not set.
    #[schemars(range(min = 1, max = 3660))]
    pub days: Option<u32>,
}

/// What the models cost. Days are those of UTC.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostReport {
    /// When this was found, in milliseconds since 1970.
    pub updated_at: i64,
    /// One entry a day on which a model was called.
    pub daily: Vec<CostDay>,
    /// All of them together.
    pub totals: CostTotals,
}

/// One day.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CostDay {
    /// The day.
    pub date: String,
    /// What it cost.
    #[serde(flatten)]
    pub cost: CostTotals,
}

/// Tokens and money.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostTotals {
    /// Tokens that were sent, those that a provider keeps among them.
    pub input: u64,
    /// Tokens that came back.
    pub output: u64,
    /// Both.
    pub total_tokens: u64,
    /// In dollars, as far as prices are known.
    pub total_cost: f64,
}
