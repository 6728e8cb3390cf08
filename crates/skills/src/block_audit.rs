//! Records blocked skills in the audit chain: one line per skill and state of its folder.

use jiff::Timestamp;
use serde_json::json;
use tarsus_audit::{Audit, AuditEntry, RecordSeverity};

use crate::gate::BlockedFolder;

/// Lines written at a time; one more line counts the rest.
const MAX_LINES: usize = 32;

/// Cause of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanTrigger {
    /// The program started, or a configuration was applied.
    Load,
    /// A file changed.
    Watch,
    /// A command or request.
    Command,
    /// An installation.
    Install,
}

impl ScanTrigger {
    const fn word(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Watch => "watch",
            Self::Command => "command",
            Self::Install => "install",
        }
    }
}

/// Records blocked skills and returns whether all lines were written. The block does not depend on that.
pub fn record_blocked(
    audit: &Audit,
    blocked: &[BlockedFolder],
    trigger: ScanTrigger,
    now: Timestamp,
) -> bool {
    let mut lines: Vec<AuditEntry> =
        blocked.iter().take(MAX_LINES).map(|skill| line(skill, trigger)).collect();
    let more = blocked.len().saturating_sub(MAX_LINES);
    if more > 0 {
        let mut line = empty(trigger);
        line.detail.insert("more".to_owned(), more.into());
        lines.push(line);
    }
    // Every line is attempted, even after a failure.
    let unwritten = lines.into_iter().filter(|line| audit.record_best_effort(line.clone(), now).is_none());
    unwritten.count() == 0
}

fn empty(trigger: ScanTrigger) -> AuditEntry {
    let mut line = AuditEntry::security("scan.blocked", RecordSeverity::Critical);
    line.decision = Some("deny".to_owned());
    line.detail.insert("trigger".to_owned(), trigger.word().into());
    line
}

fn line(skill: &BlockedFolder, trigger: ScanTrigger) -> AuditEntry {
    let mut line = empty(trigger);
    line.skill = Some(skill.name.clone());
    line.detail.insert("hash".to_owned(), skill.report.hash.clone().into());
    line.detail.insert("folder".to_owned(), skill.folder.to_string_lossy().into());
    if let Some(first) = skill.report.findings.first() {
        line.reason = Some(format!("{} at {}:{}", first.title, first.file, first.line));
        line.detail.insert("rule".to_owned(), json!(first.rule));
    }
    line
}
