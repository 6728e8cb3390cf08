//! Formats `skills check`: counts, missing requirements, and skills left out of the prompt.

use tarsus_home::Home;
use tarsus_protocol::capability::Capability;
use tarsus_protocol::grants::PolicyReport;
use tarsus_protocol::report::{AcceptedSkill, BlockedSkill};
use tarsus_protocol::skills::{MissingRequirements, SkillReason, SkillState, SkillsCheck, UnavailableSkill};

use super::{findings, requirements, section};
use crate::text::{columns, number, printable};

/// Names listed in one line.
const MAX_NAMES: usize = 12;

/// Returns the counts, then each reason with its skills.
pub fn text(check: &SkillsCheck, home: &Home) -> String {
    let mut text = format!("Skills Status Check\n\n{}", columns(&counts(check)));
    text.push_str(&capabilities(check));
    text.push_str(&policy(check));
    section(&mut text, "Scan results", &scan_counts(check));
    section(&mut text, "Blocked", &blocked_rows(check));
    section(&mut text, "Accepted by you", &accepted_rows(check));
    let missing: Vec<_> = check.missing_requirements.iter().map(missing).collect();
    section(&mut text, "Missing requirements", &missing);
    let unavailable: Vec<_> = check.unavailable.iter().map(unavailable).collect();
    section(&mut text, "Unavailable: no tool for what it does", &unavailable);
    for (title, names) in [
        ("Left out of the prompt: its list is full", &check.not_injected),
        ("In the prompt with a shorter description", &check.shortened),
        ("Invalid: the file cannot be read as a skill", &check.invalid),
        ("Degraded: listed, but not offered to the model", &check.degraded),
    ] {
        if !names.is_empty() {
            text.push_str(&format!("\n{title}\n  {}\n", first_names(names)));
        }
    }
    let diagnostics: Vec<_> = check
        .diagnostics
        .iter()
        .map(|remark| {
            let place = remark.path.as_deref().map(|path| home.display(path.as_ref())).unwrap_or_default();
            [format!("  {}", printable(&remark.message)), printable(&place)]
        })
        .collect();
    section(&mut text, "Noticed", &diagnostics);
    text
}

/// Blocked skills with their deciding finding.
fn blocked_rows(check: &SkillsCheck) -> Vec<[String; 2]> {
    let row = |BlockedSkill { name, finding }: &BlockedSkill| {
        let found = finding.as_ref().map_or_else(|| "not scanned yet".to_owned(), findings::summary);
        [format!("  {}", printable(name)), found]
    };
    let mut rows: Vec<_> = check.found.iter().take(MAX_NAMES).map(row).collect();
    let more = check.found.len().saturating_sub(MAX_NAMES);
    if more > 0 {
        rows.push([format!("  and {} more", number(more as u64)), String::new()]);
    }
    rows
}

/// Skills with critical findings that the owner accepted.
fn accepted_rows(check: &SkillsCheck) -> Vec<[String; 2]> {
    let row = |AcceptedSkill { name, status, findings }: &AcceptedSkill| {
        [format!("  {}", printable(name)), format!("{}; {findings}", status.as_str())]
    };
    check.accepted.iter().map(row).collect()
}

/// The number of skills in each state, in the words of `skills list`.
fn counts(check: &SkillsCheck) -> Vec<[String; 2]> {
    let row = |label: &str, count: usize| [label.to_owned(), number(count as u64)];
    let mut rows = vec![["Status".to_owned(), "Count".to_owned()], row("total", check.summary.total)];
    for state in SkillState::ALL.iter().rev() {
        let count = check.states.get(state.as_str()).copied().unwrap_or_default();
        if count > 0 || *state == SkillState::Ready {
            rows.push(row(state.as_str(), count));
        }
    }
    for (label, count) in [
        ("left out of the prompt", check.summary.not_injected),
        ("shortened in the prompt", check.summary.shortened),
    ] {
        if count > 0 {
            rows.push(row(label, count));
        }
    }
    rows
}

/// Capabilities that community skills declare.
fn capabilities(check: &SkillsCheck) -> String {
    let mut rows = vec![["Icon", "Capability", "#", "Skills"].map(str::to_owned)];
    for capability in Capability::ALL {
        if let Some(skills) = check.capabilities.get(capability.name()) {
            let number = number(skills.len() as u64);
            rows.push([capability.icon().to_owned(), capability.to_string(), number, first_names(skills)]);
        }
    }
    let mut text = String::new();
    if rows.len() > 1 {
        section(&mut text, "Community skill capabilities", &rows);
    }
    text
}

/// Effects of community skills on the tool policy.
fn policy(check: &SkillsCheck) -> String {
    let PolicyReport { enforcement, denied, gated, because } = &check.policy;
    let mut rows = vec![["Enforcement".to_owned(), enforcement.clone()]];
    let when = if enforcement == "active" { " while one is in use" } else { "" };
    for (label, tools) in [("Refused".to_owned(), denied), (format!("Needs a grant{when}"), gated)] {
        if !tools.is_empty() {
            rows.push([label, tools.join(", ")]);
        }
    }
    let mut skills: Vec<String> = because.values().flatten().cloned().collect();
    skills.sort();
    skills.dedup();
    if !skills.is_empty() {
        rows.push(["Because of".to_owned(), first_names(&skills)]);
    }
    let mut text = String::new();
    section(&mut text, "Runtime policy", &rows);
    text
}

fn scan_counts(check: &SkillsCheck) -> Vec<[String; 2]> {
    let scan = &check.scan;
    let always = [("Clean", scan.clean), ("Warning", scan.warning), ("Blocked", scan.blocked)];
    let pending = (scan.pending > 0).then_some(("Pending", scan.pending));
    let mut rows = vec![["Result".to_owned(), "#".to_owned()]];
    rows.extend(
        always.into_iter().chain(pending).map(|(label, amount)| [label.to_owned(), number(amount as u64)]),
    );
    rows
}

fn missing(skill: &MissingRequirements) -> [String; 3] {
    let install = skill.install.first().map(|option| printable(&option.label)).unwrap_or_default();
    [format!("  {}", printable(&skill.name)), requirements::summary_by_kind(&skill.missing), install]
}

fn unavailable(skill: &UnavailableSkill) -> [String; 2] {
    let texts: Vec<String> = skill.reasons.iter().filter_map(SkillReason::tools_text).collect();
    [format!("  {}", printable(&skill.name)), format!("needs {}", printable(&texts.join("; ")))]
}

fn first_names(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MAX_NAMES).map(|name| printable(name)).collect();
    let rest = names.len() - shown.len();
    let more =
        if rest > 0 { format!(" and {} more (--json has all)", number(rest as u64)) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
