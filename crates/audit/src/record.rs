//! Entries and records of the chain.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::seal::Hash;

/// Severity of an event, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordSeverity {
    Info,
    Warning,
    /// An action was prevented, or should have been.
    Critical,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordCategory {
    /// Decisions and their effects: blocked, denied, approved, launched, stopped.
    Security,
    /// The owner's use of the program: started, stopped, changed.
    Operation,
    /// Written by a newer version.
    #[serde(other)]
    Other,
}

/// An event to record. Text that is too long is truncated with a mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    pub category: RecordCategory,
    /// Name of the event, such as `app.launch` or `approval.asked`.
    pub event: String,
    pub severity: RecordSeverity,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Further details. The chain adds `lostBefore` (records that could not be written since the last one) and
    /// `tornBefore` (bytes of an unfinished line that were removed).
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub detail: Map<String, Value>,
}

impl AuditEntry {
    /// An event without optional fields.
    pub fn new(category: RecordCategory, event: impl Into<String>, severity: RecordSeverity) -> Self {
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

    pub fn security(event: impl Into<String>, severity: RecordSeverity) -> Self {
        Self::new(RecordCategory::Security, event, severity)
    }
}

/// A line of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// The sequence number; the first is 1.
    pub seq: u64,
    #[schemars(with = "String")]
    pub ts: Timestamp,
    #[serde(flatten)]
    pub entry: AuditEntry,
    /// The hash of the previous line; zeros for the first.
    pub prev: Hash,
    /// The keyed hash over this line up to here, which includes `prev`.
    pub hash: Hash,
}

/// The position of a written record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recorded {
    pub seq: u64,
    pub hash: Hash,
}
