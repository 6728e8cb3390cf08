//! What is reported about the skills of an agent, made from what was found and how it was judged.
//!
//! Promises: everything in the catalog is in the report, once; no text in it carries terminal sequences, control
//! characters or what cannot be seen. Leaves to others: what was found in the skills' files.

mod about;
mod check;
mod status;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use tarsus_guard::Standing;
use tarsus_protocol::DiagnosticCode;
use tarsus_protocol::grants::PolicyReport;
use tarsus_protocol::report::{BlockedSkill, SkillsStatus};
use tarsus_protocol::skills::{NotInjected, SkillDiagnostic, SkillState, SkillStatus, SkillsReport, Text};
use tarsus_protocol::text::{is_invisible, without_controls};

pub use check::check;

use crate::eligibility::{Candidate, Eligibility, Rules, judge};
use crate::gate::{Guarded, guarded};
use crate::prompt::{Offer, Prompt};
use crate::{Catalog, Found, Parsed, Shadowed, Source};

/// A skill of the catalog with the judgement of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged<'a> {
    /// The skill.
    pub found: &'a Found,
    /// How it stands; nothing when its file cannot be read.
    pub eligibility: Option<Eligibility<'a>>,
    /// How far it is trusted, and what was found in it.
    pub guarded: Guarded,
}

impl Judged<'_> {
    /// Whether the agent can use it.
    #[must_use]
    pub fn is_at_hand(&self) -> bool {
        self.eligibility.as_ref().is_some_and(|how| how.eligible && !how.blocked_by_agent_filter)
    }
}

/// Judges every skill of a catalog that counts, in the catalog's order.
#[must_use]
pub fn judge_all<'a>(catalog: &'a Catalog, rules: &Rules<'_>) -> Vec<Judged<'a>> {
    catalog.entries.iter().map(|found| judged(found, rules)).collect()
}

/// Judges one skill.
pub(crate) fn judged<'a>(found: &'a Found, rules: &Rules<'_>) -> Judged<'a> {
    let guarded = guarded(found, rules.records);
    let eligibility = found.skill().map(|skill| {
        let degraded = matches!(&*found.parsed, Parsed::Degraded(..));
        let blocked = guarded.is_blocked();
        judge(&Candidate { skill, key: found.key(), source: found.source, degraded, blocked }, rules)
    });
    Judged { found, eligibility, guarded }
}

/// The skills that the model may be told of. `last_used_ms` says when a skill was last used.
#[must_use]
pub fn offers<'a>(judged: &[Judged<'a>], last_used_ms: impl Fn(&str) -> Option<i64>) -> Vec<Offer<'a>> {
    let offered =
        judged.iter().filter(|judged| judged.eligibility.as_ref().is_some_and(|how| how.model_visible));
    offered
        .filter_map(|judged| {
            let skill = judged.found.skill()?;
            Some(Offer {
                name: &skill.name,
                description: &skill.description,
                file: judged.found.file(),
                location_note: None,
                source: judged.found.source,
                last_used_ms: last_used_ms(&skill.name),
            })
        })
        .collect()
}

/// Whose skills a report is about.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The agent.
    pub agent_id: &'a str,
    /// Its folder.
    pub workspace_dir: &'a Path,
    /// Where skills for every agent are installed.
    pub managed_skills_dir: &'a Path,
    /// The version of the snapshot.
    pub version: Option<u64>,
}

/// The skills that an agent can use, however far they are trusted: those that count for what its tools may do.
pub fn at_hand(judged: &[Judged<'_>]) -> impl Iterator<Item = Standing> {
    judged.iter().filter(|judged| judged.is_at_hand()).map(|judged| judged.guarded.standing.clone())
}

/// The report on a catalog. `judged` is what [`judge_all`] gave for it and these rules, `prompt` what was made of that.
#[must_use]
pub fn report<'a>(
    subject: &Subject<'a>,
    catalog: &'a Catalog,
    judged: Vec<Judged<'a>>,
    rules: &Rules<'_>,
    prompt: &'a Prompt,
    policy: PolicyReport,
) -> SkillsReport<'a> {
    let diagnostics = diagnostics(catalog, &judged, rules);
    let mut skills = Vec::with_capacity(judged.len() + catalog.shadowed.len());
    let mut shadowed = catalog.shadowed.iter().peekable();
    for (entry, judged) in catalog.entries.iter().zip(judged) {
        skills.push(status::of(judged, rules));
        while let Some(shadow) = shadowed.next_if(|shadow| Arc::ptr_eq(&shadow.winner, entry)) {
            skills.push(beneath(shadow, rules));
        }
    }
    SkillsReport {
        workspace_dir: clean(subject.workspace_dir.to_string_lossy()),
        managed_skills_dir: clean(subject.managed_skills_dir.to_string_lossy()),
        agent_id: clean(subject.agent_id),
        version: subject.version,
        skills,
        not_injected: prompt
            .not_injected
            .iter()
            .map(|left| NotInjected { name: clean(&*left.name), reason: left.reason, limit: left.limit })
            .collect(),
        shortened: prompt.shortened.iter().map(|name| clean(name.as_str())).collect(),
        diagnostics,
        policy,
    }
}

/// How many skills of a report on a catalog stand how.
#[must_use]
pub fn counted(report: &SkillsReport<'_>, catalog: &Catalog) -> SkillsStatus {
    let count = |wanted: &[SkillState]| {
        report.skills.iter().filter(|skill| wanted.contains(&skill.status)).count() as u64
    };
    SkillsStatus {
        ready: count(&[SkillState::Ready]),
        need_setup: count(&[SkillState::Missing]),
        blocked: count(&[SkillState::Blocked]),
        unreadable: count(&[SkillState::Invalid, SkillState::Degraded]),
        limits_reached: catalog.limits.len() as u64,
        first_blocked: report.skills.iter().find_map(BlockedSkill::of),
    }
}

/// A skill whose name belongs to another one. One that must not be used is said to be that.
fn beneath<'a>(shadow: &'a Shadowed, rules: &Rules<'_>) -> SkillStatus<'a> {
    status::shadowed(status::of(judged(&shadow.loser, rules), rules), &shadow.winner)
}

/// What is odd about no skill in particular.
fn diagnostics<'a>(
    catalog: &'a Catalog,
    judged: &[Judged<'a>],
    rules: &Rules<'_>,
) -> Vec<SkillDiagnostic<'a>> {
    let path = |path: &'a Path| Some(clean(path.to_string_lossy()));
    let limits = catalog.limits.iter().map(|limit| SkillDiagnostic {
        code: DiagnosticCode::LimitReached.as_str().into(),
        message: clean(limit.to_string()),
        line: None,
        path: limit.path.as_deref().and_then(path),
    });
    let skipped = catalog.skipped.iter().map(|skipped| SkillDiagnostic {
        code: DiagnosticCode::Skipped.as_str().into(),
        message: clean(skipped.reason.to_string()),
        line: None,
        path: path(&skipped.path),
    });
    let covered = catalog.shadowed.iter().filter(|shadow| shadow.covers_bundled()).map(|shadow| SkillDiagnostic {
        code: DiagnosticCode::CoversBundled.as_str().into(),
        message: clean(format!(
            "{} was installed from outside and stands in for the skill of that name that Tarsus brings along; \
             remove it unless you put it there",
            shadow.winner.name()
        )),
        line: None,
        path: path(shadow.winner.file()),
    });
    let names: Vec<Cow<'_, str>> = judged.iter().map(|judged| judged.found.name()).collect();
    let unknown: Vec<SkillDiagnostic<'a>> = rules
        .filter
        .unknown(names.iter().map(|name| &**name))
        .into_iter()
        .map(|name| SkillDiagnostic {
            code: DiagnosticCode::UnknownSkill.as_str().into(),
            message: clean(format!("the agent's list of skills names {name:?}, but there is no such skill")),
            line: None,
            path: None,
        })
        .collect();
    limits.chain(skipped).chain(covered).chain(unknown).collect()
}

/// A text fit for a report: nothing in it acts on a terminal, and nothing in it is not seen.
#[must_use]
pub fn clean<'a>(text: impl Into<Text<'a>>) -> Text<'a> {
    match text.into() {
        Cow::Borrowed(text) => seen(text),
        Cow::Owned(text) => match seen(&text) {
            Cow::Borrowed(_) => Cow::Owned(text),
            Cow::Owned(clean) => Cow::Owned(clean),
        },
    }
}

fn seen(text: &str) -> Cow<'_, str> {
    let text = without_controls(text);
    let is_unseen = |letter: char| !matches!(letter, '\n' | '\t' | '\r') && is_invisible(letter);
    // What is left of ASCII can be seen.
    if text.is_ascii() || !text.contains(is_unseen) {
        return text;
    }
    Cow::Owned(text.chars().filter(|letter| !is_unseen(*letter)).collect())
}

/// Whether a source is what Tarsus brings along.
fn is_bundled(source: Source) -> bool {
    source == Source::Bundled
}
