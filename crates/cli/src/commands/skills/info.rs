//! Formats `skills info`: one skill in full.

use tarsus_home::Home;
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::scan::{Finding, Severity};
use tarsus_protocol::skills::{
    SkillLinks, SkillNeeds, SkillReason, SkillReasonKind, SkillState, SkillStatus,
};
use tarsus_scan::is_acceptable;

use super::{findings, list, requirements, section};
use crate::text::{columns, printable, truncate};

const SELF_DESCRIPTION_WIDTH: usize = 100;

/// Formats all sections of a skill. Informational findings only if `all` is set.
pub fn text(skill: &SkillStatus, all: bool, home: &Home) -> String {
    let mut text = format!("{}  {}\n", printable(&skill.name), title(skill));
    if !skill.description.is_empty() {
        text.push_str(&format!("\n{}\n", printable(&skill.description.replace('\n', " "))));
    }
    text.push_str(&format!("\n{}", columns(&about(skill, home))));
    if let Some(capabilities) = &skill.capabilities {
        text.push_str(&format!("\nCapabilities\n{}", findings::capabilities(capabilities, &skill.scan.uses)));
        if skill.status != SkillState::Blocked {
            text.push_str(&findings::consent_hint(&skill.name, capabilities));
        }
        text.push_str(&format!("\nSecurity\n{}", columns(&security(skill))));
        text.push_str(&findings::list(&skill.scan.findings, all));
    }
    section(&mut text, "Requirements", &requirements(skill));
    section(&mut text, "Self-description", &self_description(skill));
    section(&mut text, "Install options", &install(skill));
    section(&mut text, "Noticed", &diagnostics(skill));
    if let Some(next) = next_step(skill) {
        text.push_str(&format!("\n{next}\n"));
    }
    text
}

/// The state in words, with the critical findings that the owner accepted.
fn title(skill: &SkillStatus) -> String {
    let mark = skill.accepted_findings.as_ref().map(|accepted| format!("; {accepted}")).unwrap_or_default();
    format!("{}{mark}", state_title(skill.status))
}

fn state_title(state: SkillState) -> &'static str {
    match state {
        SkillState::Ready => "+ Ready",
        SkillState::Unsupported => "x Unsupported (for another system)",
        SkillState::Unavailable => "x Unavailable (no tool for it)",
        SkillState::Missing => "x Missing requirements",
        SkillState::Blocked => "x Blocked (security)",
        SkillState::NotAllowed => "x Not allowed (skills.allowBundled)",
        SkillState::Invalid => "x Invalid",
        SkillState::Degraded => "~ Degraded",
        SkillState::Disabled => "- Disabled",
        SkillState::Filtered => "- Filtered (not on this agent's list)",
        SkillState::Shadowed => "- Shadowed",
    }
}

fn about(skill: &SkillStatus, home: &Home) -> Vec<[String; 2]> {
    let path = |path: &str| printable(&home.display(path.as_ref()));
    let mut rows = vec![
        ["  Source".to_owned(), list::source_label(&skill.source).to_owned()],
        ["  Path".to_owned(), path(&skill.file_path)],
    ];
    let optional = [
        ("  Homepage", skill.homepage.as_deref().map(printable)),
        ("  Primary env", skill.primary_env.as_deref().map(printable)),
        ("  Settings name", (skill.skill_key != skill.name).then(|| printable(&skill.skill_key))),
        ("  Shadowed by", skill.shadowed_by.as_ref().map(|winner| path(&winner.file_path))),
    ];
    rows.extend(optional.into_iter().filter_map(|(label, value)| Some([label.to_owned(), value?])));
    rows
}

/// The scan result, and the trust tier if it differs from that of the source.
fn security(skill: &SkillStatus) -> Vec<[String; 2]> {
    let mut rows = vec![["  Scan".to_owned(), findings::state(&skill.scan)]];
    let usual = match list::source_label(&skill.source) {
        "bundled" => TrustTier::Builtin,
        "openclaw-managed" => TrustTier::Community,
        _ => TrustTier::Local,
    };
    if skill.trust != usual {
        rows.push(["  Trust".to_owned(), skill.trust.to_string()]);
    }
    if let Some(tier) = skill.capabilities.as_ref().and_then(|held| held.void_trust) {
        rows.push(["  Trust".to_owned(), format!("{tier} for an earlier version: no longer in effect")]);
    }
    rows
}

/// Every requirement with its state, and the tools that are not there. Alternatives share one row.
fn requirements(skill: &SkillStatus) -> Vec<[String; 3]> {
    let mut rows = Vec::new();
    let missing = requirements::by_kind(&skill.missing);
    for ((kind, names), (_, missing)) in requirements::by_kind(&skill.requirements).iter().zip(&missing) {
        let row = |name: &str, met: bool| {
            let state = if met { "+ ok" } else { "x missing" };
            [format!("  {}", kind.label()), printable(name), state.to_owned()]
        };
        if kind.is_alternative() && !names.is_empty() {
            rows.push(row(&names.join(", "), missing.is_empty()));
        } else {
            rows.extend(names.iter().map(|name| row(name, !missing.contains(name))));
        }
    }
    let is_unavailable = skill.status == SkillState::Unavailable;
    let about_tools = |reason: &&SkillReason| is_unavailable && reason.state == SkillState::Unavailable;
    rows.extend(skill.reasons.iter().filter(about_tools).map(|reason| {
        let state = match reason.kind {
            SkillReasonKind::ToolDenied => format!("x denied by {}", printable(&reason.keys.join(", "))),
            _ => "x not in this version".to_owned(),
        };
        ["  any tool".to_owned(), printable(&reason.names.join(", ")), state]
    }));
    rows
}

/// Descriptive metadata without effect.
fn self_description(skill: &SkillStatus) -> Vec<[String; 2]> {
    let links = skill.links.as_ref();
    let link = |of: fn(&SkillLinks) -> Option<String>| links.and_then(of);
    let one_line = |text: &str| printable(&text.replace('\n', " "));
    let known = [
        ("author", skill.author.as_deref().map(one_line)),
        (
            "homepage",
            link(|links| links.homepage.as_deref().map(str::to_owned)).filter(|_| skill.homepage.is_none()),
        ),
        ("repository", link(|links| links.repository.as_deref().map(str::to_owned))),
        ("documentation", link(|links| links.documentation.as_deref().map(str::to_owned))),
        ("changelog", link(|links| links.changelog.as_deref().map(str::to_owned))),
        ("help", skill.cli_help.as_deref().map(one_line)),
    ];
    let row =
        |label: &str, text: &str| [format!("  {label}"), truncate(&printable(text), SELF_DESCRIPTION_WIDTH)];
    let mut rows: Vec<_> =
        known.iter().filter_map(|(label, text)| Some(row(label, text.as_ref()?))).collect();
    rows.extend(skill.env_vars.iter().map(|variable| {
        let must = if variable.required == Some(true) { " (required)" } else { "" };
        let about = variable.description.as_deref().map(|text| format!("  {text}")).unwrap_or_default();
        row("variable", &format!("{}{must}{about}", variable.name))
    }));
    rows.extend(skill.dependencies.iter().map(|needed| {
        let version = needed.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        row("builds on", &format!("{}{version}", needed.name))
    }));
    rows
}

/// The installers, each with its command and where that puts programs.
fn install(skill: &SkillStatus) -> Vec<[String; 4]> {
    let is_missing = matches!(skill.status, SkillState::Missing | SkillState::Unsupported)
        || (skill.status == SkillState::Unavailable && skill.missing != SkillNeeds::default());
    let options = skill.install.iter().filter(|_| is_missing);
    options
        .map(|option| {
            let by = format!("  {}", option.kind.as_str());
            let command = printable(&option.command.join(" "));
            let command = if command.is_empty() { command } else { format!("`{command}`") };
            let destination = option.destination.map(|place| format!("to {place}")).unwrap_or_default();
            [by, printable(&option.label), command, destination]
        })
        .collect()
}

fn diagnostics(skill: &SkillStatus) -> Vec<[String; 1]> {
    let line = |line: Option<u32>| line.map(|line| format!("line {line}: ")).unwrap_or_default();
    skill
        .diagnostics
        .iter()
        .map(|remark| [format!("  {}{}", line(remark.line), printable(&remark.message))])
        .collect()
}

/// The next step for a skill blocked by the scanner.
fn blocked_next_step(skill: &SkillStatus) -> String {
    let name = super::shell_name(&skill.name);
    let counts = |finding: &&Finding| finding.severity == Severity::Critical && !finding.accepted;
    match skill.scan.findings.iter().find(counts) {
        Some(finding) if is_acceptable(&finding.rule) => format!(
            "it is not used; if you have read the finding and accept it, run `tarsus skills accept {name} --rule {} --reason …`",
            printable(&finding.rule)
        ),
        Some(_) => format!(
            "it is not used, because it could not be scanned completely; `tarsus skills remove {name}` removes it"
        ),
        None => "it is not used until it has been scanned; run `tarsus skills refresh`".to_owned(),
    }
}

fn next_step(skill: &SkillStatus) -> Option<String> {
    let key = super::shell_name(&skill.skill_key);
    match skill.status {
        SkillState::Blocked => Some(blocked_next_step(skill)),
        SkillState::Disabled => Some(format!("`tarsus skills enable {key}` turns it on")),
        SkillState::Missing if skill.missing.env.iter().any(|name| skill.primary_env.as_deref() == Some(name)) => {
            Some(format!("`tarsus config set skills.entries.{key}.apiKey …` stores its key"))
        }
        SkillState::Missing if !skill.missing.env.is_empty() => Some(format!(
            "`tarsus config set skills.entries.{key}.env.{} …` sets it",
            printable(&skill.missing.env[0])
        )),
        SkillState::NotAllowed => Some(format!("add {key} to skills.allowBundled to allow it")),
        SkillState::Filtered => Some("add it to the agent's `skills` list to allow it".to_owned()),
        SkillState::Degraded => Some(
            "it is listed but not offered to the model; fix the file, or set skills.load.lenient to use it as it is"
                .to_owned(),
        ),
        _ => None,
    }
}
