//! Decisions of the owner about skills: written down in the audit chain, then kept in the settings.
//!
//! Promises: what gives a skill more is recorded before it counts, and does not count when it cannot be recorded; taking
//! away always works. What was recorded and then could not be kept is recorded too. Leaves to others: asking the owner.

use jiff::Timestamp;
use serde_json::json;
use tarsus_audit::{Audit, AuditError, Entry, Severity};
use tarsus_home::Home;
use tarsus_home::files::FileError;
use tarsus_home::settings::{self, Change, SettingsError, SkillRecords};
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::grants::{ContentHash, TrustChoice};
use tarsus_protocol::{ErrorCode, Problem};

use crate::error::GuardError;
use crate::gives;
use crate::noted::Notebook;
use crate::shown::shown;

/// Who decided.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct By {
    /// The surface, such as `terminal` or the name of a client.
    pub surface: String,
    /// The agent, where it was decided for one.
    pub agent: Option<String>,
}

/// The change that trusts a skill as far as is wanted. More trust than its origin gives is for the folder as it is.
///
/// # Errors
/// When it is to be builtin and is not, or trusted more without its folder having been looked at.
pub fn trust(
    name: &str,
    natural: TrustTier,
    wanted: TrustTier,
    hash: Option<ContentHash>,
) -> Result<Change, GuardError> {
    let name = name.to_owned();
    if wanted == natural {
        return Ok(Change::Untrust { name });
    }
    if wanted < natural {
        return Ok(Change::Trust { name, choice: TrustChoice { tier: wanted, hash: None } });
    }
    match hash {
        _ if wanted == TrustTier::Builtin => Err(GuardError::NotBuiltin { name: shown(&name) }),
        None => Err(GuardError::NoFolder { name: shown(&name) }),
        hash => Ok(Change::Trust { name, choice: TrustChoice { tier: wanted, hash } }),
    }
}

/// What a change came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The records before.
    pub before: SkillRecords,
    /// The records after; the same when there was nothing to change.
    pub after: SkillRecords,
    /// What went wrong with its record, when it took something away and could not be written down.
    pub unrecorded: Option<String>,
}

/// Makes a change. Nothing is recorded when there is nothing to change. The chain may be one that could not be opened:
/// taking away works without it.
///
/// # Errors
/// When the settings cannot be changed, or more was to be given and the chain cannot be written.
pub fn change(
    home: &Home,
    audit: Result<&Audit, &AuditError>,
    change: &Change,
    by: &By,
    now: Timestamp,
) -> Result<Changed, GuardError> {
    // Held until the end: whoever looks for edits by hand must not take this change for one.
    let notebook = Notebook::open(home)?;
    let line = line(change, by);
    let mut recorded = None;
    let agree = |before: &SkillRecords, after: &SkillRecords| {
        if gives::any(change.skill(), before, after) {
            let audit = audit.map_err(unwritable)?;
            audit.record(line.clone(), now).map_err(Problem::from)?;
            recorded = Some(audit);
        }
        Ok(())
    };
    match settings::change(home, change, agree) {
        Ok(settings::Changed { before, after }) => {
            let unrecorded = match recorded {
                _ if before == after => Ok(()),
                Some(_) => notebook.add(change).map_err(twice),
                None => written(audit, line, now).and_then(|()| notebook.add(change).map_err(twice)),
            };
            Ok(Changed { before, after, unrecorded: unrecorded.err() })
        }
        Err(error) => {
            if let Some(audit) = recorded {
                undone(audit, line, &error, now);
            }
            Err(error.into())
        }
    }
}

fn twice(error: FileError) -> String {
    format!("it is on record, and will be a second time: {error}")
}

/// Writes down what happens in any case; else says why it could not be written.
fn written(audit: Result<&Audit, &AuditError>, line: Entry, now: Timestamp) -> Result<(), String> {
    let audit = audit.map_err(AuditError::to_string)?;
    let Err(error) = audit.record(line.clone(), now) else { return Ok(()) };
    // Once more, with the reserve, and counted.
    audit.record_best_effort(line, now).map(drop).ok_or_else(|| error.to_string())
}

/// What keeps a chain that could not be opened from being written.
fn unwritable(error: &AuditError) -> Problem {
    match error {
        AuditError::Tampered(bad) => AuditError::Tampered(bad.clone()).into(),
        error if error.is_disk_full() => Problem::new(ErrorCode::DiskFull, error.to_string()),
        error => Problem::new(ErrorCode::Io, error.to_string()),
    }
}

/// The record of a change.
pub(crate) fn line(change: &Change, by: &By) -> Entry {
    let (event, severity) = match change {
        Change::Grant { .. } => ("skill.grant", Severity::Warning),
        Change::Revoke { .. } => ("skill.revoke", Severity::Info),
        Change::See { .. } => ("skill.seen", Severity::Info),
        Change::Accept { .. } => ("skill.accept", Severity::Warning),
        Change::Unaccept { .. } => ("skill.unaccept", Severity::Info),
        Change::Trust { .. } | Change::Untrust { .. } => ("skill.trust", Severity::Warning),
        Change::Forget { .. } => ("skill.forget", Severity::Info),
    };
    let mut line = Entry::security(event, severity);
    line.skill = Some(shown(change.skill()));
    line.agent_id.clone_from(&by.agent);
    let mut put = |key: &str, value| drop(line.detail.insert(key.to_owned(), value));
    put("surface", json!(by.surface));
    match change {
        Change::Grant { grant: pinned, .. } | Change::See { seen: pinned, .. } => {
            put("hash", json!(pinned.hash));
            put("capabilities", json!(pinned.capabilities));
        }
        Change::Revoke { capabilities, .. } => put("capabilities", json!(capabilities)),
        Change::Accept { acceptance, .. } => {
            put("hash", json!(acceptance.hash));
            put("rule", json!(acceptance.rule));
            line.reason = Some(acceptance.reason.clone());
        }
        Change::Unaccept { rule, .. } => put("rule", json!(rule)),
        Change::Trust { choice, .. } => {
            put("tier", json!(choice.tier));
            put("hash", json!(choice.hash));
        }
        Change::Untrust { .. } => put("tier", json!("as its origin says")),
        Change::Forget { hash: Some(hash), .. } => put("hash", json!(hash)),
        Change::Forget { hash: None, .. } => {}
    }
    line
}

fn undone(audit: &Audit, mut line: Entry, error: &SettingsError, now: Timestamp) {
    line.event.push_str(".failed");
    line.reason = Some(error.to_string());
    audit.record_best_effort(line, now);
}

#[cfg(test)]
mod tests {
    use super::*;
    use tarsus_audit::Filter;
    use tarsus_home::Choice;

    #[test]
    fn what_was_recorded_and_then_not_kept_is_recorded_as_failed_with_its_reason() {
        let dir = tempfile::tempdir().unwrap();
        let choice = Choice { state_flag: Some(dir.path().to_path_buf()), ..Choice::default() };
        let audit = Audit::open(&Home::locate(&choice).unwrap()).unwrap();
        let forget = Change::Forget { name: "a".to_owned(), hash: None };
        let why = Problem::new(ErrorCode::DiskFull, "no space is left");
        let error = SettingsError::NotAgreed(Box::new(why));
        undone(&audit, line(&forget, &By::default()), &error, Timestamp::UNIX_EPOCH);
        let [record] = &audit.tail(&Filter::default()).unwrap().records[..] else { panic!("one record") };
        assert_eq!(record.entry.event, "skill.forget.failed");
        assert_eq!(record.entry.reason.as_deref(), Some("no space is left"));
    }
}
