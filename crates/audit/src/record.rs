//! Entries and records of the chain.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::seal::Hash;

/// How serious an event is, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// For the record.
    Info,
    /// Worth a look.
    Warning,
    /// Something was stopped, or should have been.
    Critical,
}

/// What kind of event it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Blocked, refused, asked, granted, launched, stopped.
    Security,
    /// Started, stopped, changed: what the owner did with the program.
    Operation,
    /// Written by a newer version.
    #[serde(other)]
    Other,
}

/// An event as it is handed in. Texts that are too long are cut, with a mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// What kind of event.
    pub category: Category,
    /// What happened, such as `app.launch` or `approval.asked`.
    pub event: String,
    /// How serious it is.
    pub severity: Severity,
    /// The agent it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The session it happened in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// The run it happened in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The skill it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The tool it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The application it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// What was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whatever else belongs to this event. The chain itself adds `lostBefore` (records that could not be
    /// written since the last one) and `tornBefore` (bytes of an unfinished line that were cut).
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub detail: Map<String, Value>,
}

impl Entry {
    /// An event with nothing but what every event has.
    pub fn new(category: Category, event: impl Into<String>, severity: Severity) -> Self {
        Self {
            category,
            event: event.into(),
            severity,
            agent_id: None,
            session_key: None,
            run_id: None,
            skill: None,
            tool: None,
            app: None,
            decision: None,
            reason: None,
            detail: Map::new(),
        }
    }

    /// A security event.
    pub fn security(event: impl Into<String>, severity: Severity) -> Self {
        Self::new(Category::Security, event, severity)
    }
}

/// A line of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Its number; the first is 1.
    pub seq: u64,
    /// When it was recorded.
    #[schemars(with = "String")]
    pub ts: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub entry: Entry,
    /// The hash of the line before; zeros for the first.
    pub prev: Hash,
    /// The keyed hash over this line up to here, and `prev`.
    pub hash: Hash,
}

/// Where a record was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recorded {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: Hash,
}
