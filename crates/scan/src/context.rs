//! Applies what is known beside the files: similar names, declared capabilities, accepted rules.
//!
//! Pure and idempotent; separate from the scan, so that a report can be cached for the same bytes anywhere.

use tarsus_protocol::capability::Capability;
use tarsus_protocol::scan::{Finding, ScanReport};

use crate::finding::{RuleMatch, SourceFile};
use crate::inventory::FileAnomaly;
use crate::name::{Similarity, similarity};
use crate::rule::{ContextCheck, Detection};
use crate::ruleset::bundled;
use crate::verdict;

/// Knowledge about a skill from outside its files.
#[derive(Debug, Clone, Copy, Default)]
pub struct SkillContext<'a> {
    /// The name of the skill.
    pub name: &'a str,
    /// Reserved names: those of the bundled skills.
    pub known_names: &'a [&'a str],
    /// Declared capabilities; `None` skips the comparison with the used ones.
    pub declared: Option<&'a [Capability]>,
    /// Ids of rules that the owner accepted for exactly these files.
    pub accepted: &'a [&'a str],
}

/// Adds findings from the context, marks accepted ones, and updates the verdict.
///
/// ```
/// use tarsus_protocol::scan::ScanVerdict;
/// use tarsus_scan::{Ruleset, Scanner, SkillContext, apply_context};
///
/// let scanner = Scanner::new(Ruleset::bundled());
/// let mut report = scanner.scan_text("SKILL.md", b"# Weather\nAsk for a town.");
/// apply_context(&mut report, &SkillContext { name: "wether", known_names: &["weather"], ..Default::default() });
/// assert_eq!(report.verdict, ScanVerdict::Warning);
/// ```
pub fn apply_context(report: &mut ScanReport, context: &SkillContext<'_>) {
    report.findings.retain(|finding| !is_outside(&finding.rule));
    report.findings.extend(by_name(context));
    if let Some(declared) = context.declared {
        let mismatches = mismatches(report, declared);
        report.findings.extend(mismatches);
    }
    for finding in &mut report.findings {
        finding.accepted = context.accepted.contains(&finding.rule.as_str()) && is_acceptable(&finding.rule);
    }
    report.findings.sort_by(|a, b| verdict::key(a).cmp(&verdict::key(b)));
    report.verdict = verdict::verdict_of(&report.findings);
}

/// Whether the owner can accept the findings of a rule. A finding about unread content cannot be accepted, because the
/// hash does not cover it.
#[must_use]
pub fn is_acceptable(rule: &str) -> bool {
    bundled().any(|(_, known)| {
        known.id == rule && !matches!(known.how, Detection::File(anomaly) if is_unread(anomaly))
    })
}

fn is_unread(anomaly: FileAnomaly) -> bool {
    matches!(
        anomaly,
        FileAnomaly::Unreadable
            | FileAnomaly::TooMany
            | FileAnomaly::TooMuch
            | FileAnomaly::LinkOut
            | FileAnomaly::BrokenLink
            | FileAnomaly::Special
    )
}

fn is_outside(rule: &str) -> bool {
    bundled().any(|(_, known)| known.id == rule && matches!(known.how, Detection::ContextCheck(_)))
}

fn by_name(context: &SkillContext<'_>) -> Option<Finding> {
    let outside = match similarity(context.name, context.known_names)? {
        Similarity::Same => ContextCheck::SameName,
        Similarity::Near => ContextCheck::NearName,
    };
    finding(outside, "SKILL.md", context.name)
}

fn mismatches(report: &ScanReport, declared: &[Capability]) -> Vec<Finding> {
    let undeclared =
        report.uses.iter().filter(|used| !declared.contains(&used.capability)).filter_map(|used| {
            let finding = finding(ContextCheck::Undeclared, &used.file, used.capability.name())?;
            let (line, column) = (used.line, used.column);
            Some(Finding { line, column, end_line: line, end_column: column, ..finding })
        });
    let uses = |capability| report.uses.iter().any(|used| used.capability == capability);
    let unused = declared.iter().filter(|declared| !uses(**declared));
    let unused = unused.filter_map(|declared| finding(ContextCheck::Unused, "SKILL.md", declared.name()));
    undeclared.chain(unused).collect()
}

fn finding(outside: ContextCheck, file: &str, shown: &str) -> Option<Finding> {
    let wanted = |how: Detection| matches!(how, Detection::ContextCheck(other) if other == outside);
    let rule = bundled().find(|(_, rule)| wanted(rule.how))?;
    Some(RuleMatch::for_file(rule, shown).into_finding(&SourceFile::new(file, "")))
}
