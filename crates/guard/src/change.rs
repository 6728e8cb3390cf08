//! Applies the owner's decisions about skills: records them in the audit chain, then stores them in the settings.
//!
//! A widening change is recorded before it takes effect and fails if it cannot be recorded. A narrowing change always
//! works. A change that was recorded but could not be stored gets a `.failed` record.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::json;
use tarsus_audit::{Audit, AuditEntry, AuditError, RecordSeverity};
use tarsus_home::Home;
use tarsus_home::files::FileError;
use tarsus_home::settings::{self, SettingsError, SkillRecordChange, SkillRecords};
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::grants::{ContentHash, TrustChoice};
use tarsus_protocol::{ErrorCode, Problem};

use crate::error::GuardError;
use crate::sanitize::sanitize;
use crate::settings_audit::AuditedSettingsFile;
use crate::widening;

/// Where a change comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeOrigin {
    /// The surface, such as `terminal` or the name of a client.
    pub surface: String,
    /// The agent that the decision is for, if any.
    pub agent: Option<String>,
}

/// Returns the change that sets a skill's trust tier. Raised trust is pinned to the current hash, and overrides the
/// findings of the `critical` rules only.
///
/// # Errors
/// If `wanted` is `Builtin` for a skill that is not, or trust is raised without a hash.
pub fn trust_change(
    name: &str,
    natural: TrustTier,
    wanted: TrustTier,
    hash: Option<ContentHash>,
    critical: BTreeSet<String>,
) -> Result<SkillRecordChange, GuardError> {
    let name = name.to_owned();
    if wanted == natural {
        return Ok(SkillRecordChange::Untrust { name });
    }
    if wanted < natural {
        let choice = TrustChoice { tier: wanted, hash: None, accepted: None };
        return Ok(SkillRecordChange::Trust { name, choice });
    }
    match hash {
        _ if wanted == TrustTier::Builtin => Err(GuardError::NotBuiltin { name: sanitize(&name) }),
        None => Err(GuardError::NoFolder { name: sanitize(&name) }),
        hash => {
            let choice = TrustChoice { tier: wanted, hash, accepted: Some(critical) };
            Ok(SkillRecordChange::Trust { name, choice })
        }
    }
}

/// The result of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeOutcome {
    /// The records before.
    pub before: SkillRecords,
    /// The records after; equal to `before` if nothing changed.
    pub after: SkillRecords,
    /// The error, if a narrowing change could not be recorded.
    pub unrecorded: Option<String>,
}

/// Applies a change. A change without effect is not recorded. A narrowing change works even if the audit chain could not
/// be opened.
///
/// # Errors
/// If the settings cannot be written, or a widening change cannot be recorded.
pub fn apply_change(
    home: &Home,
    audit: Result<&Audit, &AuditError>,
    change: &SkillRecordChange,
    origin: &ChangeOrigin,
    now: Timestamp,
) -> Result<ChangeOutcome, GuardError> {
    // Held until the end, so that `record_manual_edits` does not take this change for an edit by hand.
    let audited = AuditedSettingsFile::open(home)?;
    let line = audit_entry(change, origin);
    let mut recorded = None;
    let agree = |before: &SkillRecords, after: &SkillRecords| {
        if widening::widens_records(change.skill(), before, after) {
            let audit = audit.map_err(unwritable_chain)?;
            audit.record(line.clone(), now).map_err(Problem::from)?;
            recorded = Some(audit);
        }
        Ok(())
    };
    match settings::change(home, change, agree) {
        Ok(settings::Changed { before, after }) => {
            let unrecorded = match recorded {
                _ if before == after => Ok(()),
                Some(_) => audited.add(change).map_err(duplicate_record_message),
                None => record_narrowing(audit, line, now)
                    .and_then(|()| audited.add(change).map_err(duplicate_record_message)),
            };
            Ok(ChangeOutcome { before, after, unrecorded: unrecorded.err() })
        }
        Err(error) => {
            if let Some(audit) = recorded {
                record_failure(audit, line, &error, now);
            }
            Err(error.into())
        }
    }
}

fn duplicate_record_message(error: FileError) -> String {
    format!("the change is recorded and will be recorded once more: {error}")
}

/// Records a narrowing change; returns the error text if that failed.
fn record_narrowing(
    audit: Result<&Audit, &AuditError>,
    line: AuditEntry,
    now: Timestamp,
) -> Result<(), String> {
    let audit = audit.map_err(AuditError::to_string)?;
    let Err(error) = audit.record(line.clone(), now) else { return Ok(()) };
    // Retry with the disk reserve; a failure is counted as lost.
    audit.record_best_effort(line, now).map(drop).ok_or_else(|| error.to_string())
}

fn unwritable_chain(error: &AuditError) -> Problem {
    match error {
        AuditError::Tampered(bad) => AuditError::Tampered(bad.clone()).into(),
        error if error.is_disk_full() => Problem::new(ErrorCode::DiskFull, error.to_string()),
        error => Problem::new(ErrorCode::Io, error.to_string()),
    }
}

pub(crate) fn audit_entry(change: &SkillRecordChange, origin: &ChangeOrigin) -> AuditEntry {
    let (event, severity) = match change {
        SkillRecordChange::Grant { .. } => ("skill.grant", RecordSeverity::Warning),
        SkillRecordChange::Revoke { .. } => ("skill.revoke", RecordSeverity::Info),
        SkillRecordChange::See { .. } => ("skill.seen", RecordSeverity::Info),
        SkillRecordChange::Accept { .. } => ("skill.accept", RecordSeverity::Warning),
        SkillRecordChange::Unaccept { .. } => ("skill.unaccept", RecordSeverity::Info),
        SkillRecordChange::Trust { .. } | SkillRecordChange::Untrust { .. } => {
            ("skill.trust", RecordSeverity::Warning)
        }
        SkillRecordChange::Disable { .. } => ("skill.disable", RecordSeverity::Info),
        SkillRecordChange::Enable { .. } => ("skill.enable", RecordSeverity::Warning),
        SkillRecordChange::Forget { .. } => ("skill.forget", RecordSeverity::Info),
    };
    let mut line = AuditEntry::security(event, severity);
    line.skill = Some(sanitize(change.skill()));
    line.agent_id.clone_from(&origin.agent);
    let mut put = |key: &str, value| drop(line.detail.insert(key.to_owned(), value));
    put("surface", json!(origin.surface));
    match change {
        SkillRecordChange::Grant { grant: pinned, .. } | SkillRecordChange::See { seen: pinned, .. } => {
            put("hash", json!(pinned.hash));
            put("capabilities", json!(pinned.capabilities));
        }
        SkillRecordChange::Revoke { capabilities, .. } => put("capabilities", json!(capabilities)),
        SkillRecordChange::Accept { acceptance, .. } => {
            put("hash", json!(acceptance.hash));
            put("rule", json!(acceptance.rule));
            line.reason = Some(acceptance.reason.clone());
        }
        SkillRecordChange::Unaccept { rule, .. } => put("rule", json!(rule)),
        SkillRecordChange::Trust { choice, .. } => {
            put("tier", json!(choice.tier));
            put("hash", json!(choice.hash));
            if let Some(rules) = choice.accepted.as_ref().filter(|rules| !rules.is_empty()) {
                put("accepted", json!(rules));
            }
        }
        SkillRecordChange::Untrust { .. } => put("tier", json!("as its origin says")),
        SkillRecordChange::Forget { hash: Some(hash), .. } => put("hash", json!(hash)),
        SkillRecordChange::Disable { .. }
        | SkillRecordChange::Enable { .. }
        | SkillRecordChange::Forget { hash: None, .. } => {}
    }
    line
}

fn record_failure(audit: &Audit, mut line: AuditEntry, error: &SettingsError, now: Timestamp) {
    line.event.push_str(".failed");
    line.reason = Some(error.to_string());
    audit.record_best_effort(line, now);
}

#[cfg(test)]
mod tests {
    use super::*;
    use tarsus_audit::RecordFilter;
    use tarsus_home::HomeOptions;

    #[test]
    fn change_that_cannot_be_stored_is_recorded_as_failed() {
        let dir = tempfile::tempdir().unwrap();
        let choice = HomeOptions { state_flag: Some(dir.path().to_path_buf()), ..HomeOptions::default() };
        let audit = Audit::open(&Home::locate(&choice).unwrap(), None).unwrap();
        let forget = SkillRecordChange::Forget { name: "a".to_owned(), hash: None };
        let why = Problem::new(ErrorCode::DiskFull, "no space is left");
        let error = SettingsError::NotAgreed(Box::new(why));
        record_failure(&audit, audit_entry(&forget, &ChangeOrigin::default()), &error, Timestamp::UNIX_EPOCH);
        let [record] = &audit.tail(&RecordFilter::default()).unwrap().records[..] else {
            panic!("one record")
        };
        assert_eq!(record.entry.event, "skill.forget.failed");
        assert_eq!(record.entry.reason.as_deref(), Some("no space is left"));
    }
}
