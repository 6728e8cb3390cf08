//! Formats the table of skills, with what keeps each from being ready.

use tarsus_home::Home;
use tarsus_protocol::skills::{AcceptedFindings, SkillReason, SkillState, SkillStatus, SkillsReport};
use tarsus_skills::SkillSource;
use unicode_width::UnicodeWidthStr;

use super::{findings, requirements};
use crate::text::{columns, count, number, printable, truncate};

/// Skills named in the line with the next step.
const MAX_NAMES: usize = 3;

/// Title of the column that takes the remaining width.
const DESCRIPTION: &str = "Description";

/// Filters and layout of the table.
pub struct ListOptions {
    /// Only eligible skills.
    pub eligible: bool,
    /// Also show missing requirements and shadowed or skipped skills.
    pub verbose: bool,
    pub width: usize,
}

pub fn text(report: &SkillsReport, options: &ListOptions, home: &Home) -> String {
    let all = report.skills.iter().filter(|skill| skill.status != SkillState::Shadowed).count();
    let ready = report.skills.iter().filter(|skill| skill.status == SkillState::Ready).count();
    let rows: Vec<&SkillStatus> = report
        .skills
        .iter()
        .filter(|skill| match skill.status {
            SkillState::Ready => true,
            SkillState::Shadowed => options.verbose && !options.eligible,
            _ => !options.eligible,
        })
        .collect();
    let mut text = format!("Skills ({}/{} ready)\n", number(ready as u64), number(all as u64));
    if !rows.is_empty() {
        text.push('\n');
        text.push_str(&table(&rows, options));
    }
    if !options.eligible {
        text.push_str(&next_step(report));
        text.push_str(&remarks(report, options.verbose, home));
    }
    text
}

/// `+ ready`, `x missing`, …: the sign says as much as a colour would.
pub fn state_label(state: SkillState) -> String {
    let sign = match state {
        SkillState::Ready => '+',
        SkillState::Missing
        | SkillState::Unsupported
        | SkillState::Unavailable
        | SkillState::Blocked
        | SkillState::NotAllowed
        | SkillState::Invalid => 'x',
        SkillState::Degraded => '~',
        SkillState::Disabled | SkillState::Filtered | SkillState::Shadowed => '-',
    };
    format!("{sign} {}", state.as_str())
}

/// The label of a state with the lasting mark: `+ ready; 5 critical findings accepted by you`.
pub fn marked_state(state: SkillState, accepted: Option<&AcceptedFindings>) -> String {
    let mark = accepted.map(|accepted| format!("; {accepted}")).unwrap_or_default();
    format!("{}{mark}", state_label(state))
}

pub fn source_label(id: &str) -> &str {
    SkillSource::ALL.iter().find(|source| source.id() == id).map_or(id, |source| source.label())
}

fn table(rows: &[&SkillStatus], options: &ListOptions) -> String {
    let head = ["Status", "Skill", DESCRIPTION, "Source", if options.verbose { "Missing" } else { "" }];
    let mut cells = vec![head.map(str::to_owned)];
    cells.extend(rows.iter().map(|skill| {
        [
            state_label(skill.status),
            name(skill),
            String::new(),
            source_label(&skill.source).to_owned(),
            if options.verbose { detailed_reason(skill) } else { reason(skill) },
        ]
    }));
    // The description gets the remaining width, but at least 24 columns.
    let others = columns(&cells).lines().map(UnicodeWidthStr::width).max().unwrap_or_default();
    let available = (options.width + DESCRIPTION.len()).saturating_sub(others).max(24);
    for (cells, skill) in cells.iter_mut().skip(1).zip(rows) {
        cells[2] = truncate(&printable(&skill.description), available);
    }
    columns(&cells)
}

/// The name with the icons of its capabilities.
fn name(skill: &SkillStatus) -> String {
    let name = truncate(&printable(&skill.name), 40);
    match findings::icons(skill.capabilities.as_ref()).as_str() {
        "" => name,
        icons => format!("{name}  {icons}"),
    }
}

/// Why a skill is not ready, or its deciding finding; and the critical findings that the owner accepted.
fn reason(skill: &SkillStatus) -> String {
    with_mark(skill, state_reason(skill))
}

fn with_mark(skill: &SkillStatus, reason: String) -> String {
    match &skill.accepted_findings {
        None => reason,
        Some(accepted) if reason.is_empty() || skill.status == SkillState::Ready => format!("! {accepted}"),
        Some(accepted) => format!("{reason}; ! {accepted}"),
    }
}

fn state_reason(skill: &SkillStatus) -> String {
    let found = || skill.scan.deciding().map(findings::summary);
    match skill.status {
        SkillState::Blocked => found().unwrap_or_else(|| "not scanned yet".to_owned()),
        SkillState::Ready => found().map(|found| format!("! {found}")).unwrap_or_default(),
        SkillState::Unsupported => format!("for {}", printable(&skill.requirements.os.join(", "))),
        SkillState::Unavailable => tools_reason(skill),
        SkillState::Missing => format!("needs {}", requirements::summary(&skill.missing)),
        SkillState::Invalid | SkillState::Degraded => skill
            .diagnostics
            .first()
            .map(|first| truncate(&printable(&first.message), 48))
            .unwrap_or_default(),
        _ => String::new(),
    }
}

/// Like [`reason`], with missing requirements by kind.
fn detailed_reason(skill: &SkillStatus) -> String {
    match (&skill.status, &skill.shadowed_by) {
        (SkillState::Missing | SkillState::Unsupported, _) => {
            with_mark(skill, requirements::summary_by_kind(&skill.missing))
        }
        (_, Some(winner)) => with_mark(skill, format!("shadowed by {}", source_label(&winner.source))),
        _ => reason(skill),
    }
}

/// The first tools that the skill lacks, and the keys that take them away.
fn tools_reason(skill: &SkillStatus) -> String {
    let about_tools = |reason: &&SkillReason| reason.state == SkillState::Unavailable;
    let Some(reason) = skill.reasons.iter().find(about_tools) else { return String::new() };
    let keys = if reason.keys.is_empty() { String::new() } else { format!(" ({})", reason.keys.join(", ")) };
    printable(&format!("no tool {}{keys}", reason.alternatives()))
}

fn next_step(report: &SkillsReport) -> String {
    let needs_action = |skill: &&SkillStatus| {
        use SkillState::{Blocked, Degraded, Invalid, Missing};
        matches!(skill.status, Missing | Blocked | Invalid | Degraded)
    };
    let pending: Vec<&SkillStatus> = report.skills.iter().filter(needs_action).collect();
    if pending.is_empty() {
        return String::new();
    }
    let commands: Vec<String> = pending
        .iter()
        .take(MAX_NAMES)
        .map(|skill| format!("`tarsus skills info {}`", super::shell_name(&skill.name)))
        .collect();
    let more = if pending.len() > MAX_NAMES { ", …" } else { "" };
    let verb = if pending.len() == 1 { "needs" } else { "need" };
    format!("\n{} {verb} your attention: {}{more}\n", number(pending.len() as u64), commands.join(", "))
}

/// Skills left out of the prompt, and diagnostics.
fn remarks(report: &SkillsReport, verbose: bool, home: &Home) -> String {
    let mut text = String::new();
    if !report.not_injected.is_empty() {
        text.push_str(&format!(
            "\n{} too many for the prompt: `tarsus skills check` names them\n",
            count(report.not_injected.len(), "ready skill")
        ));
    }
    let remarks: Vec<String> = report
        .diagnostics
        .iter()
        .map(|remark| {
            let place = remark.path.as_deref().map(|path| home.display(path.as_ref()));
            let place = place.map(|path| format!("{}: ", printable(&path))).unwrap_or_default();
            format!("  {place}{}\n", printable(&remark.message))
        })
        .collect();
    match remarks.len() {
        0 => {}
        amount if verbose || amount <= MAX_NAMES => {
            text.push_str(&format!("\nnoticed\n{}", remarks.concat()))
        }
        many => {
            text.push_str(&format!("\n{} noticed: `tarsus skills check` shows them\n", number(many as u64)))
        }
    }
    text
}
