//! Builds the report on an agent's skills.
//!
//! Everything in the catalog is reported once. No text of a report contains terminal sequences, control characters or
//! invisible characters.

mod about;
mod check;
mod row;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use tarsus_home::settings::Enforcement;
use tarsus_protocol::DiagnosticCode;
use tarsus_protocol::grants::PolicyReport;
use tarsus_protocol::report::{AcceptedSkill, BlockedSkill, SkillsStatus};
use tarsus_protocol::skills::{NotInjected, SkillDiagnostic, SkillState, SkillStatus, SkillsReport};
use tarsus_text::{is_invisible, without_controls};

pub use check::check;
pub(crate) use row::{evaluate, evaluate_shadowed};

use crate::Catalog;
use crate::filter::AgentFilter;
use crate::prompt::SkillsPrompt;

/// The facts of a report that do not depend on single skills.
#[derive(Debug, Clone)]
pub struct ReportContext<'a> {
    /// The agent.
    pub agent_id: &'a str,
    /// Its workspace.
    pub workspace_dir: PathBuf,
    /// Where skills for all agents are installed.
    pub managed_skills_dir: PathBuf,
    /// The version of the snapshot.
    pub version: Option<u64>,
    /// Whether community skills are held to their capabilities.
    pub enforcement: Enforcement,
}

pub(crate) fn assemble(
    context: &ReportContext<'_>,
    skills: Vec<SkillStatus>,
    diagnostics: Vec<SkillDiagnostic>,
    prompt: &SkillsPrompt,
    policy: PolicyReport,
) -> SkillsReport {
    let not_injected = prompt.not_injected.iter().map(|left| NotInjected {
        name: sanitize(&left.name),
        reason: left.reason,
        limit: left.limit,
    });
    SkillsReport {
        workspace_dir: sanitize(context.workspace_dir.to_string_lossy()),
        managed_skills_dir: sanitize(context.managed_skills_dir.to_string_lossy()),
        agent_id: sanitize(context.agent_id),
        version: context.version,
        skills,
        not_injected: not_injected.collect(),
        shortened: prompt.shortened.iter().map(sanitize).collect(),
        diagnostics,
        policy,
    }
}

/// Counts the skills of a report by state.
pub(crate) fn count_states(report: &SkillsReport, limits_reached: usize) -> SkillsStatus {
    let count = |states: &[SkillState]| {
        report.skills.iter().filter(|skill| states.contains(&skill.status)).count() as u64
    };
    let mut accepted = report.skills.iter().filter_map(AcceptedSkill::from_status);
    let first_accepted = accepted.next();
    SkillsStatus {
        accepted: first_accepted.iter().len() as u64 + accepted.count() as u64,
        first_accepted,
        ready: count(&[SkillState::Ready]),
        need_setup: count(&[SkillState::Missing]),
        unavailable: count(&[SkillState::Unavailable]),
        blocked: count(&[SkillState::Blocked]),
        unreadable: count(&[SkillState::Invalid, SkillState::Degraded]),
        limits_reached: limits_reached as u64,
        first_blocked: report.skills.iter().find_map(BlockedSkill::from_status),
    }
}

/// Returns the diagnostics that belong to no single skill.
pub(crate) fn diagnostics(catalog: &Catalog, filter: &AgentFilter) -> Vec<SkillDiagnostic> {
    let diagnostic = |code: DiagnosticCode, message: String, path: Option<&Path>| SkillDiagnostic {
        code: code.as_str().to_owned(),
        message: sanitize(message),
        line: None,
        path: path.map(|path| sanitize(path.to_string_lossy())),
    };
    let limits = catalog
        .limits
        .iter()
        .map(|limit| diagnostic(DiagnosticCode::LimitReached, limit.to_string(), limit.path.as_deref()));
    let skipped = catalog
        .skipped
        .iter()
        .map(|skipped| diagnostic(DiagnosticCode::Skipped, skipped.reason.to_string(), Some(&skipped.path)));
    let covered = catalog.shadowed.iter().filter(|shadow| shadow.covers_bundled()).map(|shadow| {
        let message = format!(
            "{} is a third-party skill that replaces the bundled skill of this name; remove it unless you installed \
             it yourself",
            shadow.winner.name()
        );
        diagnostic(DiagnosticCode::CoversBundled, message, Some(shadow.winner.path()))
    });
    let names: Vec<Cow<'_, str>> = catalog.entries.iter().map(|file| file.name()).collect();
    let unknown = filter.unknown(names.iter().map(|name| &**name)).into_iter().map(|name| {
        let message = format!("the agent's list of skills names {name:?}, but there is no such skill");
        diagnostic(DiagnosticCode::UnknownSkill, message, None)
    });
    limits.chain(skipped).chain(covered).chain(unknown).collect()
}

/// Removes terminal sequences, control characters and invisible characters.
#[must_use]
pub fn sanitize<'a>(text: impl Into<Cow<'a, str>>) -> String {
    let text = text.into();
    let text = match without_controls(&text) {
        Cow::Borrowed(_) => text.into_owned(),
        Cow::Owned(cleaned) => cleaned,
    };
    let is_hidden = |letter: char| !matches!(letter, '\n' | '\t' | '\r') && is_invisible(letter);
    // ASCII has no other invisible characters.
    if text.is_ascii() || !text.contains(is_hidden) {
        return text;
    }
    text.chars().filter(|letter| !is_hidden(*letter)).collect()
}
