//! The newest log lines and audit records.

use std::io::{Read, Seek, SeekFrom};

use jiff::Timestamp;
use serde_json::{Value, json};
use tarsus_audit::{RecordCategory, RecordFilter, RecordSeverity};
use tarsus_home::files::{self, FileError, FileOperation};
use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::journal::{
    AuditCategory, AuditCheck, AuditLevel, AuditParams, AuditRecords, LogLevel, LogLines, LogsParams,
};

use super::failure::Failure;
use crate::gateway::Gateway;

const USUAL_LINES: usize = 500;
const USUAL_BYTES: u64 = 250_000;
const USUAL_RECORDS: usize = 100;

pub(super) fn logs_tail(gateway: &Gateway, params: LogsParams) -> Result<LogLines, Failure> {
    let path = gateway.context.home.logs_dir().join("tarsus.log");
    let since = parse_since("logs.tail", params.since.as_deref())?;
    let mut answer = LogLines {
        file: path.display().to_string(),
        cursor: 0,
        size: 0,
        lines: Vec::new(),
        truncated: false,
        reset: false,
    };
    let Some(mut file) = files::open(&path)? else { return Ok(answer) };
    let failed = FileError::system(FileOperation::Read, &path);
    answer.size = file.seek(SeekFrom::End(0)).map_err(&failed)?;
    // A shorter file is a new one: it was rotated.
    answer.reset = params.cursor.is_some_and(|cursor| cursor > answer.size);
    let most = params.max_bytes.unwrap_or(USUAL_BYTES);
    let newest = answer.size.saturating_sub(most);
    let start = params.cursor.filter(|_| !answer.reset).unwrap_or(newest).max(newest);
    file.seek(SeekFrom::Start(start)).map_err(&failed)?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(&failed)?;
    // The last line may be incomplete, and the first may have started before the window.
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let begin = if start > 0 && params.cursor != Some(start) {
        bytes[..end].iter().position(|byte| *byte == b'\n').map_or(end, |at| at + 1)
    } else {
        0
    };
    answer.cursor = start + end as u64;
    let text = String::from_utf8_lossy(&bytes[begin..end]);
    let wanted: Vec<&str> = text.lines().filter(|line| matches_filter(&params, since, line)).collect();
    let limit = params.limit.unwrap_or(USUAL_LINES);
    answer.truncated = wanted.len() > limit || start > params.cursor.unwrap_or(0);
    answer.lines =
        wanted[wanted.len().saturating_sub(limit)..].iter().map(|line| (*line).to_owned()).collect();
    Ok(answer)
}

/// Lines that are not ours match only without a filter.
fn matches_filter(params: &LogsParams, since: Option<Timestamp>, line: &str) -> bool {
    if params.level.is_none() && params.category.is_none() && since.is_none() {
        return true;
    }
    let Ok(line) = serde_json::from_str::<Value>(line) else { return false };
    let text = |key: &str| line.get(key).and_then(Value::as_str).unwrap_or_default();
    let level = serde_json::from_value::<LogLevel>(json!(text("level").to_ascii_lowercase())).ok();
    params.level.is_none_or(|least| level.is_some_and(|level| level <= least))
        && params.category.as_deref().is_none_or(|category| text("target").starts_with(category))
        && since.is_none_or(|since| text("timestamp").parse::<Timestamp>().is_ok_and(|at| at >= since))
}

fn parse_since(method: &str, since: Option<&str>) -> Result<Option<Timestamp>, Failure> {
    since
        .map(|since| {
            since.parse().map_err(|_| {
                Failure::invalid(format!(
                    "invalid {method} params: at /since: must be a moment such as 2026-01-31T12:00:00Z"
                ))
            })
        })
        .transpose()
}

pub(super) fn audit_tail(gateway: &Gateway, params: AuditParams) -> Result<AuditRecords, Failure> {
    let filter = RecordFilter {
        category: params.category.map(|category| match category {
            AuditCategory::Security => RecordCategory::Security,
            AuditCategory::Operation => RecordCategory::Operation,
        }),
        severity: params.level.map(|level| match level {
            AuditLevel::Info => RecordSeverity::Info,
            AuditLevel::Warning => RecordSeverity::Warning,
            AuditLevel::Critical => RecordSeverity::Critical,
        }),
        since: parse_since("audit.tail", params.since.as_deref())?,
        limit: Some(params.limit.unwrap_or(USUAL_RECORDS)),
    };
    let tail = gateway.context.audit.tail(&filter)?;
    let records = tail.records.iter().map(|record| json!(record)).collect();
    Ok(AuditRecords { records, unreadable: tail.unreadable })
}

pub(super) fn audit_verify(gateway: &Gateway, _: NoParams) -> Result<AuditCheck, Failure> {
    let found = gateway.context.audit.verify()?;
    Ok(AuditCheck {
        ok: found.first_bad.is_none(),
        lines: found.lines,
        files: found.files,
        first_bad: found.first_bad.map(|bad| bad.to_string()),
    })
}
