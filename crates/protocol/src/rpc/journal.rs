//! What happened: the log, and the audit chain.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{NoParams, methods};

methods! {
    #[doc = "The newest lines of the log, or those after a place."]
    LogsTail = "logs.tail", LogsParams => LogLines, Read;
    #[doc = "The newest records of the audit chain, oldest first."]
    AuditTail = "audit.tail", AuditParams => AuditRecords, Read;
    #[doc = "Checks the whole audit chain."]
    AuditVerify = "audit.verify", NoParams => AuditCheck, Read;
}

/// Which lines of the log.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogsParams {
    /// The place that the last answer ended at; the newest lines when not set.
    pub cursor: Option<u64>,
    /// At most so many lines (500).
    #[schemars(range(min = 1, max = 5000))]
    pub limit: Option<usize>,
    /// At most so many bytes (250,000).
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_bytes: Option<u64>,
    /// Of this part of the program alone, such as `tarsus_gateway`.
    pub category: Option<String>,
    /// At least this serious.
    pub level: Option<LogLevel>,
    /// Not older than this moment, as in `2026-01-31T12:00:00Z`.
    pub since: Option<String>,
}

/// How serious a line of the log is; the least comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "each is a word that everybody knows")]
pub enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// Lines of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LogLines {
    /// The file.
    pub file: String,
    /// The place to go on from.
    pub cursor: u64,
    /// The bytes of the file.
    pub size: u64,
    /// The lines, oldest first.
    pub lines: Vec<String>,
    /// Whether lines were left out because there were too many.
    pub truncated: bool,
    /// Whether the file is another one than that of the given place.
    pub reset: bool,
}

/// Which records of the audit chain.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditParams {
    /// Of this category alone.
    pub category: Option<AuditCategory>,
    /// At least this serious.
    pub level: Option<AuditLevel>,
    /// Not older than this moment, as in `2026-01-31T12:00:00Z`.
    pub since: Option<String>,
    /// At most so many (100).
    #[schemars(range(min = 1, max = 10_000))]
    pub limit: Option<usize>,
}

/// The categories of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditCategory {
    /// Blocked, refused, asked, granted, launched, stopped.
    Security,
    /// What the owner did with the program.
    Operation,
}

/// How serious a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditLevel {
    /// For the record.
    Info,
    /// Worth a look.
    Warning,
    /// Something was stopped, or should have been.
    Critical,
}

/// Records of the audit chain.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AuditRecords {
    /// The records, oldest first, as `tarsus audit export` has them.
    pub records: Vec<Value>,
    /// Lines on the way that are no records.
    pub unreadable: u64,
}

/// The audit chain, checked.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditCheck {
    /// Whether every line follows from the one before it.
    pub ok: bool,
    /// Lines that hold.
    pub lines: u64,
    /// Files that were read.
    pub files: u64,
    /// What is wrong first, and where; `null` when nothing is.
    pub first_bad: Option<String>,
}
