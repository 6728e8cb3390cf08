//! Formats scan findings and capabilities.

use tarsus_protocol::capability::Capability;
use tarsus_protocol::grants::{Consent, SkillCapabilities};
use tarsus_protocol::scan::{CapabilityUse, Finding, Severity};
use tarsus_protocol::skills::{ScanState, SkillScan};

use crate::text::{columns, count, printable, truncate};

const EXCERPT_WIDTH: usize = 100;

/// Formats each finding with its place, excerpt, reason and fix. Informational ones only if `all` is set.
pub fn list(findings: &[Finding], all: bool) -> String {
    let shown = findings.iter().filter(|finding| all || finding.severity > Severity::Info);
    shown.map(finding_text).collect()
}

fn finding_text(finding: &Finding) -> String {
    let mark = if finding.accepted { ", accepted" } else { "" };
    let more = match finding.more {
        0 => String::new(),
        more => format!(" and {} more", count(more as usize, "place")),
    };
    let mut text = format!(
        "  {}{mark}  {}  {}{more}\n",
        severity(finding.severity),
        printable(&finding.title),
        location(finding)
    );
    let details = [
        truncate(&printable(&finding.excerpt), EXCERPT_WIDTH),
        printable(&finding.why),
        printable(&finding.fix),
    ];
    for line in details.iter().filter(|line| !line.is_empty()) {
        text.push_str(&format!("    {line}\n"));
    }
    if !finding.lowered_by.is_empty() {
        let reasons: Vec<String> = finding.lowered_by.iter().map(enum_words).collect();
        text.push_str(&format!("    lowered because: {}\n", reasons.join(", ")));
    }
    text.push_str(&format!("    rule {}\n", printable(&finding.rule)));
    text
}

/// A serialized enum value as words.
fn enum_words(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word.replace('-', " "),
        _ => String::new(),
    }
}

/// `SKILL.md:14`.
fn location(finding: &Finding) -> String {
    format!("{}:{}", printable(&finding.file), finding.line)
}

/// A short form for listings: `fake prerequisite (SKILL.md:14)`.
pub fn summary(finding: &Finding) -> String {
    format!("{} ({})", enum_words(&finding.category), location(finding))
}

/// The scan state: `+ clean`, `[blocked] fake prerequisite detected`.
pub fn state(scan: &SkillScan) -> String {
    let found = || scan.deciding().map(|finding| enum_words(&finding.category)).unwrap_or_default();
    match scan.state {
        ScanState::Pending => "- pending".to_owned(),
        ScanState::Clean => "+ clean".to_owned(),
        ScanState::Warning => format!("[warning] {} detected", found()),
        ScanState::Blocked if scan.hash.is_none() => "[blocked] not scanned yet".to_owned(),
        ScanState::Blocked => format!("[blocked] {} detected", found()),
    }
}

/// The icons of the declared capabilities.
pub fn icons(capabilities: Option<&SkillCapabilities>) -> String {
    let declared = capabilities.map(|capabilities| capabilities.declared.as_slice()).unwrap_or_default();
    declared.iter().map(|capability| capability.icon()).collect::<Vec<_>>().join(" ")
}

/// Formats the declared capabilities with their meaning, then undeclared uses, limits and the owner's grants.
pub fn capabilities(capabilities: &SkillCapabilities, uses: &[CapabilityUse]) -> String {
    let rows: Vec<[String; 3]> = capabilities
        .declared
        .iter()
        .map(|capability| {
            [format!("  {}", capability.icon()), capability.to_string(), capitalized(capability.meaning())]
        })
        .collect();
    let mut text = if rows.is_empty() { "  (none - read-only skill)\n".to_owned() } else { columns(&rows) };
    let mut remark = |label: &str, what: &str| text.push_str(&format!("  {label}  {what}\n"));
    let undeclared: Vec<String> = uses
        .iter()
        .filter(|used| !capabilities.declared.contains(&used.capability))
        .map(|used| format!("{} ({}:{})", used.capability, printable(&used.file), used.line))
        .collect();
    if !undeclared.is_empty() {
        remark("uses without declaring", &undeclared.join(", "));
    }
    if !capabilities.unknown.is_empty() {
        remark("unknown", &printable(&capabilities.unknown.join(", ")));
    }
    for limit in &capabilities.limits {
        remark("limit", &printable(limit));
    }
    for limit in &capabilities.lifted {
        remark("limit lifted by your grant", &printable(limit));
    }
    for advisory in &capabilities.advisory {
        remark("not enforced", &printable(advisory));
    }
    for problem in &capabilities.problems {
        remark("cannot be read", &printable(problem));
    }
    if !capabilities.granted.is_empty() {
        remark("granted", &capability_names(&capabilities.granted));
    }
    if !capabilities.void.is_empty() {
        let void = capability_names(&capabilities.void);
        remark("granted before the folder changed", &format!("{void}: no longer in effect"));
    }
    text
}

/// Explains why the capabilities are not allowed yet; empty if they are.
pub fn consent_hint(name: &str, capabilities: &SkillCapabilities) -> String {
    let why = match capabilities.consent {
        _ if capabilities.declared.is_empty() => return String::new(),
        Consent::NotNeeded | Consent::Seen => return String::new(),
        Consent::Unseen => "you have not seen this list",
        Consent::Changed => "the folder changed since you saw this list",
        Consent::Widened => "it asks for more than when you saw this list",
    };
    let name = super::shell_name(name);
    format!("  not allowed yet  {why}; `tarsus skills enable {name}` shows it and asks\n")
}

/// `shell, network`.
pub fn capability_names(capabilities: &[Capability]) -> String {
    capabilities.iter().map(|capability| capability.name()).collect::<Vec<_>>().join(", ")
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Critical => "critical",
    }
}

/// Capitalizes the first letter.
fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
