//! The table of skills: one line each, with what keeps it from being ready.

use tarsus_home::Home;
use tarsus_protocol::skills::{SkillState, SkillStatus, SkillsReport};
use tarsus_skills::Source;
use unicode_width::UnicodeWidthStr;

use super::{findings, needs};
use crate::text::{columns, count, cut, number, printable};

/// How many skills are named in the line that says what to do next.
const NAMED: usize = 3;

/// The title of the column that takes what the others leave.
const DESCRIPTION: &str = "Description";

/// What of the skills is shown.
pub struct Shown {
    /// Only those that are ready.
    pub eligible: bool,
    /// What is missing, and what was shadowed or skipped.
    pub verbose: bool,
    /// Columns of the terminal.
    pub width: usize,
}

/// The table.
pub fn text(report: &SkillsReport<'_>, shown: &Shown, home: &Home) -> String {
    let all = report.skills.iter().filter(|skill| skill.status != SkillState::Shadowed).count();
    let ready = report.skills.iter().filter(|skill| skill.status == SkillState::Ready).count();
    let rows: Vec<&SkillStatus<'_>> = report
        .skills
        .iter()
        .filter(|skill| match skill.status {
            SkillState::Ready => true,
            SkillState::Shadowed => shown.verbose && !shown.eligible,
            _ => !shown.eligible,
        })
        .collect();
    let mut text = format!("Skills ({}/{} ready)\n", number(ready as u64), number(all as u64));
    if !rows.is_empty() {
        text.push('\n');
        text.push_str(&table(&rows, shown));
    }
    if !shown.eligible {
        text.push_str(&next_step(report));
        text.push_str(&remarks(report, shown.verbose, home));
    }
    text
}

/// `+ ready`, `x missing`, …: the sign says as much as a colour would.
pub fn state(state: SkillState) -> String {
    let sign = match state {
        SkillState::Ready => '+',
        SkillState::Missing | SkillState::Blocked | SkillState::NotAllowed | SkillState::Invalid => 'x',
        SkillState::Degraded => '~',
        SkillState::Disabled | SkillState::Filtered | SkillState::Shadowed => '-',
    };
    format!("{sign} {}", state.as_str())
}

/// The word for a source's id.
pub fn source(id: &str) -> &str {
    Source::ALL.iter().find(|source| source.id() == id).map_or(id, |source| source.label())
}

fn table(rows: &[&SkillStatus<'_>], shown: &Shown) -> String {
    let head = ["Status", "Skill", DESCRIPTION, "Source", if shown.verbose { "Missing" } else { "" }];
    let mut cells = vec![head.map(str::to_owned)];
    cells.extend(rows.iter().map(|skill| {
        [
            state(skill.status),
            name(skill),
            String::new(),
            source(&skill.source).to_owned(),
            if shown.verbose { why_at_length(skill) } else { why(skill) },
        ]
    }));
    // The description takes what the others leave; it is never squeezed out.
    let others = columns(&cells).lines().map(UnicodeWidthStr::width).max().unwrap_or_default();
    let room = (shown.width + DESCRIPTION.len()).saturating_sub(others).max(24);
    for (cells, skill) in cells.iter_mut().skip(1).zip(rows) {
        cells[2] = cut(&printable(&skill.description), room);
    }
    columns(&cells)
}

/// The name, with the signs of what it asks for.
fn name(skill: &SkillStatus<'_>) -> String {
    let name = cut(&printable(&skill.name), 40);
    match findings::icons(skill.capabilities.as_ref()).as_str() {
        "" => name,
        icons => format!("{name}  {icons}"),
    }
}

/// What keeps a skill from being ready, in a few words, or what was found in it.
fn why(skill: &SkillStatus<'_>) -> String {
    let found = || skill.scan.deciding().map(findings::in_a_word);
    match skill.status {
        SkillState::Blocked => found().unwrap_or_else(|| "not looked into yet".to_owned()),
        SkillState::Ready => found().map(|found| format!("! {found}")).unwrap_or_default(),
        SkillState::Missing if skill.platform_incompatible => {
            format!("for {}", printable(&skill.requirements.os.join(", ")))
        }
        SkillState::Missing => format!("needs {}", needs::in_a_word(&skill.missing)),
        SkillState::Invalid | SkillState::Degraded => {
            skill.diagnostics.first().map(|first| cut(&printable(&first.message), 48)).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The same, kind by kind.
fn why_at_length(skill: &SkillStatus<'_>) -> String {
    match (&skill.status, &skill.shadowed_by) {
        (SkillState::Missing, _) => needs::by_kind(&skill.missing),
        (_, Some(winner)) => format!("shadowed by {}", source(&winner.source)),
        _ => why(skill),
    }
}

fn next_step(report: &SkillsReport<'_>) -> String {
    let waits = |skill: &&SkillStatus<'_>| match skill.status {
        // Nothing can be done here about a skill for other systems.
        SkillState::Missing => !skill.platform_incompatible,
        SkillState::Blocked | SkillState::Invalid | SkillState::Degraded => true,
        _ => false,
    };
    let waiting: Vec<&SkillStatus<'_>> = report.skills.iter().filter(waits).collect();
    if waiting.is_empty() {
        return String::new();
    }
    let commands: Vec<String> = waiting
        .iter()
        .take(NAMED)
        .map(|skill| format!("`tarsus skills info {}`", super::quoted(&skill.name)))
        .collect();
    let more = if waiting.len() > NAMED { ", …" } else { "" };
    let verb = if waiting.len() == 1 { "needs" } else { "need" };
    format!("\n{} {verb} you: {}{more}\n", number(waiting.len() as u64), commands.join(", "))
}

/// What is left out of a prompt or of the list itself: nothing goes silently.
fn remarks(report: &SkillsReport<'_>, verbose: bool, home: &Home) -> String {
    let mut text = String::new();
    if !report.not_injected.is_empty() {
        text.push_str(&format!(
            "\n{} too many for the prompt: `tarsus skills check` names them\n",
            count(report.not_injected.len(), "ready skill")
        ));
    }
    let said: Vec<String> = report
        .diagnostics
        .iter()
        .map(|remark| {
            let place = remark.path.as_deref().map(|path| home.display(path.as_ref()));
            let place = place.map(|path| format!("{}: ", printable(&path))).unwrap_or_default();
            format!("  {place}{}\n", printable(&remark.message))
        })
        .collect();
    match said.len() {
        0 => {}
        few if verbose || few <= NAMED => text.push_str(&format!("\nnoticed\n{}", said.concat())),
        many => {
            text.push_str(&format!("\n{} noticed: `tarsus skills check` shows them\n", number(many as u64)))
        }
    }
    text
}
