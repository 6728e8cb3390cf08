//! Audit records about secrets: which one was set or removed, never its value.
//!
//! A secret is set only after that is recorded; removing one always works. A recorded change that then failed gets a
//! record, too.

use tarsus_audit::{AuditEntry, RecordSeverity};
use tarsus_home::config::SecretChange;
use tarsus_home::config::json5::PathStep;
use tarsus_protocol::Problem;

use crate::gateway::Gateway;

/// Secrets of one request with a record of their own; one more record counts the rest.
const MAX_LINES: usize = 64;

/// Where a secret is stored.
pub(super) struct SecretLocation {
    /// Its id in the secret store, or its path in a file.
    pub id: String,
    /// The skill that it belongs to, if any.
    pub skill: Option<String>,
}

/// The secrets that one request changes.
#[derive(Default)]
pub(super) struct SecretAudit {
    set: Vec<SecretLocation>,
    /// How many of `set` are recorded.
    recorded: usize,
    pub removed: Vec<SecretLocation>,
}

impl SecretAudit {
    pub(super) fn for_set(set: Vec<SecretLocation>) -> Self {
        Self { set, ..Self::default() }
    }

    pub(super) fn for_removed(removed: Vec<SecretLocation>) -> Self {
        Self { removed, ..Self::default() }
    }

    /// The secrets that differ between two versions of the configuration.
    pub(super) fn for_config(changes: Vec<SecretChange>) -> Self {
        let (set, removed): (Vec<_>, Vec<_>) = changes.into_iter().partition(|change| change.is_set);
        let places = |changes: Vec<SecretChange>| changes.into_iter().map(to_location).collect();
        Self { removed: places(removed), ..Self::for_set(places(set)) }
    }

    /// Records the secrets that are about to be set.
    pub(super) fn record_set(&mut self, gateway: &Gateway) -> Result<(), Problem> {
        for line in audit_entries(&self.set, "set") {
            gateway.context.audit.record(line, gateway.now())?;
            self.recorded += 1;
        }
        Ok(())
    }

    pub(super) fn record_removed(&self, gateway: &Gateway) {
        for line in audit_entries(&self.removed, "removed") {
            gateway.context.audit.record_best_effort(line, gateway.now());
        }
    }

    /// Records that a recorded change failed.
    pub(super) fn record_failed(&self, gateway: &Gateway, why: &str) {
        for mut line in audit_entries(&self.set, "not-set").take(self.recorded) {
            line.reason = Some(why.to_owned());
            gateway.context.audit.record_best_effort(line, gateway.now());
        }
    }
}

fn to_location(change: SecretChange) -> SecretLocation {
    let skill = match change.path.steps() {
        [PathStep::Key(section), PathStep::Key(entries), PathStep::Key(skill), ..]
            if section == "skills" && entries == "entries" =>
        {
            Some(skill.clone())
        }
        _ => None,
    };
    SecretLocation { id: change.path.to_string(), skill }
}

fn audit_entries(places: &[SecretLocation], decision: &'static str) -> impl Iterator<Item = AuditEntry> {
    let line = move |key: &str, value: serde_json::Value| {
        let mut line = AuditEntry::security("secret.changed", RecordSeverity::Info);
        line.decision = Some(decision.to_owned());
        line.detail.insert(key.to_owned(), value);
        line
    };
    let more = places.len().saturating_sub(MAX_LINES);
    let each = places.iter().take(MAX_LINES);
    let each = each
        .map(move |place| AuditEntry { skill: place.skill.clone(), ..line("id", place.id.as_str().into()) });
    each.chain((more > 0).then(|| line("more", more.into())))
}
