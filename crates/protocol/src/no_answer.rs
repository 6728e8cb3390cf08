//! Why a run came to nothing, as a word that a page has its own sentence for.
//!
//! Leaves to others: the sentence beside it, which says what a server said and what to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why there is no answer, where that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoAnswer {
    /// The key is missing or not accepted.
    Auth,
    /// The account has no credit.
    Billing,
    /// Too many requests.
    RateLimit,
    /// The server cannot answer now.
    Overloaded,
    /// The conversation is longer than the model can look at.
    ContextTooLong,
    /// The server does not take this request.
    BadRequest,
    /// It took too long.
    TimedOut,
    /// The server cannot be reached, or the connection broke.
    Network,
    /// The answer cannot be understood.
    Malformed,
    /// The model declines to answer.
    Declined,
    /// The model answered without a word.
    Empty,
    /// The model was asked as often as it may be in one turn, and is not done.
    NotDone,
}
