//! How all skills stand together: how many, what the others miss, and what was left out of the prompt.

use tarsus_home::Home;
use tarsus_protocol::skills::{MissingRequirements, SkillsCheck, Text};

use super::{needs, section};
use crate::text::{columns, number, printable};

/// How many names stand in one line.
const NAMED: usize = 12;

/// The counts, then each reason with its skills.
pub fn text(check: &SkillsCheck<'_>, home: &Home) -> String {
    let mut text = format!("Skills Status Check\n\n{}", columns(&counts(check)));
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

fn counts(check: &SkillsCheck<'_>) -> Vec<[String; 2]> {
    let summary = &check.summary;
    let always = [
        ("Total", summary.total),
        ("Eligible", summary.eligible),
        ("Disabled", summary.disabled),
        ("Blocked (allowlist)", summary.blocked),
        ("Missing requirements", summary.missing_requirements),
    ];
    let when_any = [
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
