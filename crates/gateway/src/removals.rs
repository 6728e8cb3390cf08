//! Taking a skill away and bringing it back, with what is written down about it: for the gateway and for the command
//! that does it without one.
//!
//! Promises: a skill comes back only when that is written down; taking one away works on a full disk, too. What was
//! decided about a skill goes when it goes. Leaves to others: asking the person, and looking at the skills again.

use jiff::Timestamp;
use tarsus_audit::{Audit, AuditError, Entry, Severity};
use tarsus_guard::By;
use tarsus_home::Home;
use tarsus_home::settings::Change;
use tarsus_protocol::Problem;
use tarsus_protocol::skills_acts::{SkillRemoved, SkillRestored, SkillTrash, TrashedSkill};
use tarsus_skills::remove::{self, RemoveError, Removed};
use tarsus_skills::report::clean;
use tarsus_skills::{Found, Root};

/// Moves a skill into the trash. Says why that could not be written down.
///
/// # Errors
/// When it may not be taken away, or a file cannot be moved: it is in its place then.
pub fn remove(
    home: &Home,
    audit: Result<&Audit, &AuditError>,
    (found, roots): (&Found, &[Root]),
    by: &By,
    now: Timestamp,
) -> Result<(SkillRemoved, Option<String>), Problem> {
    let (removed, gone) = remove::remove(home, found, roots, now)?;
    if let Ok(audit) = audit {
        audit.record_best_effort(line("skill.remove", &removed, by), now);
    }
    let hash = found.examined.as_ref().and_then(|examined| examined.report.hash.parse().ok());
    let change = Change::Forget { name: removed.name.clone(), hash };
    tarsus_guard::change(home, audit, &change, by, now)?;
    let Removed { id, name, place, .. } = removed;
    let name = clean(name).into_owned();
    let removed = SkillRemoved { ok: true, id, name, path: place.to_string_lossy().into_owned(), gone };
    Ok((removed, audit.err().map(ToString::to_string)))
}

/// Moves what the trash keeps under `id`, or last took in of this name, back to where it was.
///
/// # Errors
/// When it is not in the trash, its place is taken or is none any more, or a file cannot be moved or the line not be
/// written: it is in the trash then.
pub fn restore(
    home: &Home,
    audit: &Audit,
    id_or_name: &str,
    roots: &[Root],
    by: &By,
    now: Timestamp,
) -> Result<SkillRestored, Problem> {
    let trash = remove::trash(home)?;
    let found = trash.iter().find(|removed| removed.id == id_or_name);
    let found = found.or_else(|| trash.iter().find(|removed| is_called(removed, id_or_name)));
    let Some(kept) = found else { return Err(RemoveError::NotInTrash(id_or_name.to_owned()).into()) };
    let mut line = line("skill.restore", kept, by);
    audit.record(line.clone(), now)?;
    let restored = remove::restore(home, &kept.id, roots).inspect_err(|error| {
        line.decision = Some("not-restored".to_owned());
        line.reason = Some(error.to_string());
        audit.record_best_effort(line, now);
    })?;
    let path = restored.place.to_string_lossy().into_owned();
    Ok(SkillRestored { ok: true, name: clean(restored.name).into_owned(), path })
}

/// By its name, or as that is shown.
fn is_called(removed: &Removed, name: &str) -> bool {
    removed.name == name || clean(removed.name.as_str()) == name
}

/// What is in the trash.
///
/// # Errors
/// When it cannot be listed.
pub fn trash(home: &Home) -> Result<SkillTrash, Problem> {
    let skills = remove::trash(home)?.into_iter().map(|removed| TrashedSkill {
        id: removed.id,
        name: clean(removed.name).into_owned(),
        path: removed.place.to_string_lossy().into_owned(),
        removed_at: removed.removed_at.to_string(),
    });
    Ok(SkillTrash { skills: skills.collect() })
}

fn line(event: &str, removed: &Removed, by: &By) -> Entry {
    let mut line = Entry::security(event, Severity::Info);
    line.skill = Some(removed.name.clone());
    line.agent_id.clone_from(&by.agent);
    line.detail.insert("id".to_owned(), removed.id.clone().into());
    line.detail.insert("folder".to_owned(), removed.place.to_string_lossy().into());
    line.detail.insert("surface".to_owned(), by.surface.clone().into());
    line
}
