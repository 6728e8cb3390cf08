//! The lines of the audit chain about skills that must not be used for what was found in them.
//!
//! Promises: one line a skill and state of its folder, at most a few at a time, and how many more there are. Leaves to
//! others: when a folder is looked into.

use jiff::Timestamp;
use serde_json::json;
use tarsus_audit::{Audit, Entry, Severity};
use tarsus_skills::gate::Blocked;

/// Lines that are written at a time; how many more there are is the last one.
const MOST_LINES: usize = 32;

/// What led to a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// The program started, or a configuration was put in force.
    Load,
    /// A file changed.
    Watch,
    /// Somebody asked.
    Command,
    /// Somebody wants to install it.
    Install,
}

impl Trigger {
    const fn word(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Watch => "watch",
            Self::Command => "command",
            Self::Install => "install",
        }
    }
}

/// Writes down what was blocked, and says whether all of it could be. A block holds whether it can be written down or
/// not.
pub fn record(audit: &Audit, blocked: &[Blocked], trigger: Trigger, now: Timestamp) -> bool {
    let mut lines: Vec<Entry> = blocked.iter().take(MOST_LINES).map(|skill| line(skill, trigger)).collect();
    let more = blocked.len().saturating_sub(MOST_LINES);
    if more > 0 {
        let mut line = empty(trigger);
        line.detail.insert("more".to_owned(), more.into());
        lines.push(line);
    }
    // Each is tried: what can be written is.
    let unwritten = lines.into_iter().filter(|line| audit.record_best_effort(line.clone(), now).is_none());
    unwritten.count() == 0
}

fn empty(trigger: Trigger) -> Entry {
    let mut line = Entry::security("scan.blocked", Severity::Critical);
    line.decision = Some("deny".to_owned());
    line.detail.insert("trigger".to_owned(), trigger.word().into());
    line
}

fn line(skill: &Blocked, trigger: Trigger) -> Entry {
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
