//! How all skills stand together: how many, what the others miss, and what was left out of the prompt.

use tarsus_home::Home;
use tarsus_protocol::capability::Capability;
use tarsus_protocol::grants::PolicyReport;
use tarsus_protocol::report::BlockedSkill;
use tarsus_protocol::skills::{MissingRequirements, SkillsCheck, Text};

use super::{findings, needs, section};
use crate::text::{columns, number, printable};

/// How many names stand in one line.
const NAMED: usize = 12;

/// The counts, then each reason with its skills.
pub fn text(check: &SkillsCheck<'_>, home: &Home) -> String {
    let mut text = format!("Skills Status Check\n\n{}", columns(&counts(check)));
    text.push_str(&capabilities(check));
    text.push_str(&policy(check));
    section(&mut text, "Scan results", &scanned(check));
    section(&mut text, "Blocked", &blocked(check));
    let missing: Vec<_> = check.missing_requirements.iter().map(missing).collect();
    section(&mut text, "Missing requirements", &missing);
    for (title, names) in [
        ("Left out of the prompt: its list is full", &check.not_injected),
        ("In the prompt with a shorter description", &check.shortened),
        ("Invalid: the file cannot be read as a skill", &check.invalid),
        ("Degraded: listed, but not offered to the model", &check.degraded),
    ] {
        if !names.is_empty() {
            text.push_str(&format!("\n{title}\n  {}\n", few(names)));
        }
    }
    let noticed: Vec<_> = check
        .diagnostics
        .iter()
        .map(|remark| {
            let place = remark.path.as_deref().map(|path| home.display(path.as_ref())).unwrap_or_default();
            [format!("  {}", printable(&remark.message)), printable(&place)]
        })
        .collect();
    section(&mut text, "Noticed", &noticed);
    text
}

/// What is blocked by what was found in it, with that.
fn blocked(check: &SkillsCheck<'_>) -> Vec<[String; 2]> {
    let row = |BlockedSkill { name, finding }: &BlockedSkill| {
        let found = finding.as_ref().map_or_else(|| "not looked into yet".to_owned(), findings::in_a_word);
        [format!("  {}", printable(name)), found]
    };
    let mut rows: Vec<_> = check.found.iter().take(NAMED).map(row).collect();
    let more = check.found.len().saturating_sub(NAMED);
    if more > 0 {
        rows.push([format!("  and {} more", number(more as u64)), String::new()]);
    }
    rows
}

fn counts(check: &SkillsCheck<'_>) -> Vec<[String; 2]> {
    let summary = &check.summary;
    let always = [
        ("Total", summary.total),
        ("Eligible", summary.eligible),
        ("Disabled", summary.disabled),
        ("Blocked (allowlist)", summary.blocked - summary.blocked_by_security),
        ("Missing requirements", summary.missing_requirements),
    ];
    let when_any = [
        ("Blocked (security)", summary.blocked_by_security),
        ("Not on the agent's list", summary.agent_filtered),
        ("Left out of the prompt", summary.not_injected),
        ("Shortened in the prompt", summary.shortened),
        ("Invalid", summary.invalid),
        ("Degraded", summary.degraded),
        ("Shadowed", summary.shadowed),
    ];
    let row = |(label, amount): (&str, usize)| [label.to_owned(), number(amount as u64)];
    let mut rows = vec![["Status".to_owned(), "Count".to_owned()]];
    rows.extend(always.map(row));
    rows.extend(when_any.into_iter().filter(|(_, amount)| *amount > 0).map(row));
    rows
}

/// What community skills ask for.
fn capabilities(check: &SkillsCheck<'_>) -> String {
    let mut rows = vec![["Icon", "Capability", "#", "Skills"].map(str::to_owned)];
    for capability in Capability::ALL {
        if let Some(skills) = check.capabilities.get(capability.name()) {
            let names: Vec<Text<'_>> = skills.iter().map(|name| name.as_str().into()).collect();
            let number = number(skills.len() as u64);
            rows.push([capability.icon().to_owned(), capability.to_string(), number, few(&names)]);
        }
    }
    let mut text = String::new();
    if rows.len() > 1 {
        section(&mut text, "Community skill capabilities", &rows);
    }
    text
}

/// What community skills change for tools.
fn policy(check: &SkillsCheck<'_>) -> String {
    let PolicyReport { enforcement, denied, gated, because } = &check.policy;
    let mut rows = vec![["Enforcement".to_owned(), enforcement.clone()]];
    let when = if enforcement == "active" { " while one is in use" } else { "" };
    for (label, tools) in [("Refused".to_owned(), denied), (format!("Needs a grant{when}"), gated)] {
        if !tools.is_empty() {
            rows.push([label, tools.join(", ")]);
        }
    }
    let mut skills: Vec<Text<'_>> = because.values().flatten().map(|name| name.as_str().into()).collect();
    skills.sort();
    skills.dedup();
    if !skills.is_empty() {
        rows.push(["Because of".to_owned(), few(&skills)]);
    }
    let mut text = String::new();
    section(&mut text, "Runtime policy", &rows);
    text
}

fn scanned(check: &SkillsCheck<'_>) -> Vec<[String; 2]> {
    let scan = &check.scan;
    let always = [("Clean", scan.clean), ("Warning", scan.warning), ("Blocked", scan.blocked)];
    let pending = (scan.pending > 0).then_some(("Pending", scan.pending));
    let mut rows = vec![["Result".to_owned(), "#".to_owned()]];
    rows.extend(
        always.into_iter().chain(pending).map(|(label, amount)| [label.to_owned(), number(amount as u64)]),
    );
    rows
}

fn missing(skill: &MissingRequirements<'_>) -> [String; 3] {
    let install = skill.install.first().map(|option| printable(&option.label)).unwrap_or_default();
    [format!("  {}", printable(&skill.name)), needs::by_kind(&skill.missing), install]
}

fn few(names: &[Text<'_>]) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| printable(name)).collect();
    let rest = names.len() - shown.len();
    let more =
        if rest > 0 { format!(" and {} more (--json has all)", number(rest as u64)) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
