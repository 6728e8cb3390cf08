//! Reasons why a run failed, as codes that front ends translate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reason why a model gave no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoAnswer {
    /// The key is missing or was rejected.
    Auth,
    /// The account has no credit.
    Billing,
    /// Too many requests.
    RateLimit,
    /// The server is overloaded.
    Overloaded,
    /// The conversation exceeds the context window.
    ContextTooLong,
    /// The server rejected the request.
    BadRequest,
    /// It timed out.
    TimedOut,
    /// The server cannot be reached, or the connection broke.
    Network,
    /// The response is not valid.
    Malformed,
    /// The model declined to answer.
    Declined,
    /// The model returned an empty answer.
    Empty,
    /// The limit of model calls per turn was reached.
    NotDone,
}
