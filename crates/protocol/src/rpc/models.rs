//! Methods of language models and their costs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NoParams, methods};

methods! {
    #[doc = "Lists the configured models."]
    List = "models.list", NoParams => ModelsList, Read;
    #[doc = "Reports the costs of models by day."]
    Cost = "usage.cost", CostParams => CostReport, Read;
}

/// Result of `models.list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelsList {
    /// The models by provider, in the order of the configuration.
    pub models: Vec<ModelEntry>,
}

/// A configured model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelEntry {
    /// Id: the second part of `provider/model`.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Provider: the first part of `provider/model`.
    pub provider: String,
    /// Context window in tokens, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u32>,
    /// Whether it is a reasoning model, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<bool>,
}

/// Parameters of `usage.cost`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CostParams {
    /// First day, such as `2026-01-31`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_date: Option<String>,
    /// Last day; today by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_date: Option<String>,
    /// Number of days up to the last one, unless a first day is given; 30 by default.
    #[schemars(range(min = 1, max = 3660))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
}

/// Result of `usage.cost`. Days are in UTC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostReport {
    /// Time of the report, in milliseconds since 1970.
    pub updated_at: i64,
    /// Costs of each day on which a model was called.
    pub daily: Vec<CostDay>,
    /// Sum of all days.
    pub totals: CostTotals,
}

/// Costs of one day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostDay {
    /// The day, such as `2026-01-31`.
    pub date: String,
    /// Tokens and costs.
    #[serde(flatten)]
    pub cost: CostTotals,
}

/// Tokens and costs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostTotals {
    /// Input tokens, including cached ones.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Sum of both.
    pub total_tokens: u64,
    /// Cost in US dollars, as far as prices are known.
    pub total_cost: f64,
}
