//! Methods of the log and of the audit log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{NoParams, methods};

methods! {
    #[doc = "Reads the newest lines of the log, or those after a cursor."]
    LogsTail = "logs.tail", LogsParams => LogLines, Read;
    #[doc = "Reads the newest records of the audit log, oldest first."]
    AuditTail = "audit.tail", AuditParams => AuditRecords, Read;
    #[doc = "Verifies the whole audit log."]
    AuditVerify = "audit.verify", NoParams => AuditCheck, Read;
}

/// Parameters of `logs.tail`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogsParams {
    /// Byte offset to continue from; by default the newest lines are returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<u64>,
    /// Maximum number of lines; 500 by default.
    #[schemars(range(min = 1, max = 5000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Maximum number of bytes; 250,000 by default.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Only lines of this part of the program, such as `tarsus_gateway`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Least serious level to include.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<LogLevel>,
    /// Earliest time, such as `2026-01-31T12:00:00Z`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// Level of a log line, the most serious first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "self-explanatory")]
pub enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// Result of `logs.tail`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogLines {
    /// Path of the file.
    pub file: String,
    /// Byte offset to continue from.
    pub cursor: u64,
    /// Size of the file in bytes.
    pub size: u64,
    /// The lines, oldest first.
    pub lines: Vec<String>,
    /// Whether lines were left out because of a limit.
    pub truncated: bool,
    /// Whether the file was replaced since the given cursor.
    pub reset: bool,
}

/// Parameters of `audit.tail`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditParams {
    /// Only records of this category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<AuditCategory>,
    /// Least serious level to include.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<AuditLevel>,
    /// Earliest time, such as `2026-01-31T12:00:00Z`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Maximum number of records; 100 by default.
    #[schemars(range(min = 1, max = 10_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Category of an audit record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditCategory {
    /// Blocks, denials, approvals, grants, launches and stops.
    Security,
    /// The owner's use of the program.
    Operation,
}

/// Severity of an audit record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditLevel {
    /// Information only.
    Info,
    /// Deserves attention.
    Warning,
    /// Something was prevented, or should have been.
    Critical,
}

/// Result of `audit.tail`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditRecords {
    /// The records, oldest first, in the form of `tarsus audit export`.
    pub records: Vec<Value>,
    /// Number of lines that are not valid records.
    pub unreadable: u64,
}

/// Result of `audit.verify`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditCheck {
    /// Whether every hash covers the line before it.
    pub ok: bool,
    /// Number of valid lines.
    pub lines: u64,
    /// Number of files read.
    pub files: u64,
    /// The first invalid line and the reason; `null` if there is none.
    pub first_bad: Option<String>,
}
