//! From findings to a verdict.
//!
//! Promises: two telling findings of different kinds, neither of which only speaks of something, block together; what a
//! person has accepted stays as serious as it is and does not count. The order of findings does not depend on the order
//! in which they were found.

use std::cmp::Reverse;

use tarsus_protocol::scan::{Category, Finding, Raised, ScanVerdict, Severity};

/// Kinds that say little alone and much together.
const TELLING: [Category; 5] = [
    Category::FakePrerequisite,
    Category::Exfiltration,
    Category::Obfuscation,
    Category::RemoteExecution,
    Category::Credentials,
];

/// Raises what stands together, sorts, and says what follows.
pub(crate) fn verdict(findings: &mut [Finding]) -> ScanVerdict {
    let telling = |finding: &Finding| {
        finding.severity >= Severity::Warning
            && finding.lowered_by.is_empty()
            && TELLING.contains(&finding.category)
    };
    let first = findings.iter().find(|finding| telling(finding)).map(|finding| finding.category);
    if findings.iter().any(|finding| telling(finding) && Some(finding.category) != first) {
        for finding in findings.iter_mut().filter(|finding| telling(finding)) {
            if finding.severity == Severity::Warning {
                finding.severity = Severity::Critical;
                finding.raised_by.push(Raised::Combined);
            }
        }
    }
    findings.sort_by(|a, b| key(a).cmp(&key(b)));
    standing(findings)
}

/// What follows from findings as they stand.
pub(crate) fn standing(findings: &[Finding]) -> ScanVerdict {
    match findings.iter().filter(|finding| !finding.accepted).map(|finding| finding.severity).max() {
        Some(Severity::Critical) => ScanVerdict::Blocked,
        Some(Severity::Warning) => ScanVerdict::Warning,
        Some(Severity::Info) | None => ScanVerdict::Clean,
    }
}

/// The most serious first, then by file, place and rule.
pub(crate) fn key(finding: &Finding) -> (Reverse<Severity>, &str, u32, u32, &str, &str) {
    let Finding { severity, file, line, column, rule, fingerprint, .. } = finding;
    (Reverse(*severity), file, *line, *column, rule, fingerprint)
}
