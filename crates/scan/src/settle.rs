//! What only the surroundings of a skill tell: whose name it takes, what it declares, what a person has accepted.
//!
//! Promises: pure and idempotent, and apart from looking into files, so that a report can be kept for the same bytes
//! wherever they stand. Leaves to others: where the surroundings come from.

use tarsus_protocol::capability::Capability;
use tarsus_protocol::scan::{Finding, ScanReport};

use crate::finding::{Found, Source};
use crate::inventory::Oddity;
use crate::judge;
use crate::name::{Likeness, likeness};
use crate::rule::{How, Outside};
use crate::ruleset::bundled;

/// What is known about a skill beside its files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// Its name.
    pub name: &'a str,
    /// Names that are taken: those of the skills that Tarsus brings along.
    pub known_names: &'a [&'a str],
    /// What it declares; nothing when that is not to be compared with what it uses.
    pub declared: Option<&'a [Capability]>,
    /// Ids of the rules that a person has accepted for exactly these files.
    pub accepted: &'a [&'a str],
}

/// Adds what follows from the surroundings, marks what is accepted, and says what follows from it all.
///
/// ```
/// use tarsus_protocol::scan::ScanVerdict;
/// use tarsus_scan::{Ruleset, Scanner, Surroundings, settle};
///
/// let scanner = Scanner::new(Ruleset::bundled());
/// let mut report = scanner.scan_text("SKILL.md", b"# Weather\nAsk for a town.");
/// settle(&mut report, &Surroundings { name: "wether", known_names: &["weather"], ..Default::default() });
/// assert_eq!(report.verdict, ScanVerdict::Warning);
/// ```
pub fn settle(report: &mut ScanReport, surroundings: &Surroundings<'_>) {
    report.findings.retain(|finding| !is_outside(&finding.rule));
    report.findings.extend(by_name(surroundings));
    if let Some(declared) = surroundings.declared {
        let mismatches = mismatches(report, declared);
        report.findings.extend(mismatches);
    }
    for finding in &mut report.findings {
        finding.accepted =
            surroundings.accepted.contains(&finding.rule.as_str()) && acceptable(&finding.rule);
    }
    report.findings.sort_by(|a, b| judge::key(a).cmp(&judge::key(b)));
    report.verdict = judge::standing(&report.findings);
}

/// Whether a person can accept what a rule finds. What means that something was not seen cannot be accepted: nobody
/// knows what it is, and the hash does not cover it.
#[must_use]
pub fn acceptable(rule: &str) -> bool {
    bundled().any(|(_, known)| known.id == rule && !matches!(known.how, How::File(oddity) if unseen(oddity)))
}

fn unseen(oddity: Oddity) -> bool {
    matches!(
        oddity,
        Oddity::Unreadable
            | Oddity::TooMany
            | Oddity::TooMuch
            | Oddity::LinkOut
            | Oddity::BrokenLink
            | Oddity::Special
    )
}

fn is_outside(rule: &str) -> bool {
    bundled().any(|(_, known)| known.id == rule && matches!(known.how, How::Outside(_)))
}

fn by_name(surroundings: &Surroundings<'_>) -> Option<Finding> {
    let outside = match likeness(surroundings.name, surroundings.known_names)? {
        Likeness::Same => Outside::SameName,
        Likeness::Near => Outside::NearName,
    };
    finding(outside, "SKILL.md", surroundings.name)
}

fn mismatches(report: &ScanReport, declared: &[Capability]) -> Vec<Finding> {
    let undeclared =
        report.uses.iter().filter(|used| !declared.contains(&used.capability)).filter_map(|used| {
            let finding = finding(Outside::Undeclared, &used.file, used.capability.name())?;
            let (line, column) = (used.line, used.column);
            Some(Finding { line, column, end_line: line, end_column: column, ..finding })
        });
    let uses = |capability| report.uses.iter().any(|used| used.capability == capability);
    let unused = declared.iter().filter(|declared| !uses(**declared));
    let unused = unused.filter_map(|declared| finding(Outside::Unused, "SKILL.md", declared.name()));
    undeclared.chain(unused).collect()
}

fn finding(outside: Outside, file: &str, shown: &str) -> Option<Finding> {
    let wanted = |how: How| matches!(how, How::Outside(other) if other == outside);
    let rule = bundled().find(|(_, rule)| wanted(rule.how))?;
    Some(Found::of_file(rule, shown).told(&Source::of(file, "")))
}
