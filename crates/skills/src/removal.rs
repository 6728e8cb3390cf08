//! Removes and restores skills, with their audit lines.
//!
//! A restore happens only if it can be recorded; a removal also works on a full disk. The owner's decisions about a skill
//! are removed with it.

use jiff::Timestamp;
use tarsus_audit::{Audit, AuditEntry, AuditError, RecordSeverity};
use tarsus_guard::ChangeOrigin;
use tarsus_home::Home;
use tarsus_home::settings::SkillRecordChange;
use tarsus_protocol::Problem;
use tarsus_protocol::skills_acts::{SkillRemoved, SkillRestored, SkillTrash, TrashedSkill};

use crate::report::sanitize;
use crate::trash::{self, RemoveError, TrashItem};
use crate::{SkillFile, SkillRoot};

/// Moves a skill to the trash. Also returns why that could not be recorded.
///
/// # Errors
/// If it must not be removed or cannot be moved; it stays in its place.
pub fn remove(
    home: &Home,
    audit: Result<&Audit, &AuditError>,
    (found, roots): (&SkillFile, &[SkillRoot]),
    by: &ChangeOrigin,
    now: Timestamp,
) -> Result<(SkillRemoved, Option<String>), Problem> {
    let (removed, gone) = trash::remove(home, found, roots, now)?;
    if let Ok(audit) = audit {
        audit.record_best_effort(line("skill.remove", &removed, by), now);
    }
    let hash = found.scan.as_ref().and_then(|scan| scan.report.hash.parse().ok());
    let change = SkillRecordChange::Forget { name: removed.name.clone(), hash };
    tarsus_guard::apply_change(home, audit, &change, by, now)?;
    let TrashItem { id, name, place, .. } = removed;
    let name = sanitize(name);
    let removed = SkillRemoved { ok: true, id, name, path: place.to_string_lossy().into_owned(), gone };
    Ok((removed, audit.err().map(ToString::to_string)))
}

/// Moves a skill from the trash back to its place: the one with this id, else the last removed with this name.
///
/// # Errors
/// If it is not in the trash, its place is taken or gone, or it cannot be moved or recorded; it stays in the trash.
pub fn restore(
    home: &Home,
    audit: &Audit,
    id_or_name: &str,
    roots: &[SkillRoot],
    by: &ChangeOrigin,
    now: Timestamp,
) -> Result<SkillRestored, Problem> {
    let removed = trash::list(home)?;
    let found = removed.iter().find(|removed| removed.id == id_or_name);
    let found = found.or_else(|| removed.iter().find(|removed| has_name(removed, id_or_name)));
    let Some(kept) = found else { return Err(RemoveError::NotInTrash(id_or_name.to_owned()).into()) };
    let mut line = line("skill.restore", kept, by);
    audit.record(line.clone(), now)?;
    let restored = trash::restore(home, &kept.id, roots).inspect_err(|error| {
        line.decision = Some("not-restored".to_owned());
        line.reason = Some(error.to_string());
        audit.record_best_effort(line, now);
    })?;
    let path = restored.place.to_string_lossy().into_owned();
    Ok(SkillRestored { ok: true, name: sanitize(restored.name), path })
}

/// Whether this is its name, or its name without control characters.
fn has_name(removed: &TrashItem, name: &str) -> bool {
    removed.name == name || sanitize(removed.name.as_str()) == name
}

/// Lists the trash.
///
/// # Errors
/// If it cannot be read.
pub fn list_trash(home: &Home) -> Result<SkillTrash, Problem> {
    let skills = trash::list(home)?.into_iter().map(|removed| TrashedSkill {
        id: removed.id,
        name: sanitize(removed.name),
        path: removed.place.to_string_lossy().into_owned(),
        removed_at: removed.removed_at.to_string(),
    });
    Ok(SkillTrash { skills: skills.collect() })
}

fn line(event: &str, removed: &TrashItem, by: &ChangeOrigin) -> AuditEntry {
    let mut line = AuditEntry::security(event, RecordSeverity::Info);
    line.skill = Some(removed.name.clone());
    line.agent_id.clone_from(&by.agent);
    line.detail.insert("id".to_owned(), removed.id.clone().into());
    line.detail.insert("folder".to_owned(), removed.place.to_string_lossy().into());
    line.detail.insert("surface".to_owned(), by.surface.clone().into());
    line
}
