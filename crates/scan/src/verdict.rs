//! Combines findings into a verdict.
//!
//! Two findings of different telling categories block together, unless they are mere mentions. Accepted findings keep
//! their severity and do not count. The order of findings is deterministic.

use std::cmp::Reverse;

use tarsus_protocol::scan::{Category, Finding, Raised, ScanVerdict, Severity};

/// Categories that are weak evidence alone and strong evidence together.
const TELLING: [Category; 5] = [
    Category::FakePrerequisite,
    Category::Exfiltration,
    Category::Obfuscation,
    Category::RemoteExecution,
    Category::Credentials,
];

/// Raises combined findings, sorts, and returns the verdict.
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
    verdict_of(findings)
}

pub(crate) fn verdict_of(findings: &[Finding]) -> ScanVerdict {
    match findings.iter().filter(|finding| !finding.accepted).map(|finding| finding.severity).max() {
        Some(Severity::Critical) => ScanVerdict::Blocked,
        Some(Severity::Warning) => ScanVerdict::Warning,
        Some(Severity::Info) | None => ScanVerdict::Clean,
    }
}

/// Sorts by severity, file, position and rule.
pub(crate) fn key(finding: &Finding) -> (Reverse<Severity>, &str, u32, u32, &str, &str) {
    let Finding { severity, file, line, column, rule, fingerprint, .. } = finding;
    (Reverse(*severity), file, *line, *column, rule, fingerprint)
}
