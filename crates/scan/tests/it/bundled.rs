//! Scans of the bundled skills.

use std::fs;
use std::path::Path;

use tarsus_protocol::scan::{ScanVerdict, Severity};
use tarsus_scan::{Ruleset, ScanLimits, Scanner};

#[test]
fn bundled_skills_are_clean_and_show_their_uses() {
    let scanner = Scanner::new(Ruleset::bundled());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skills");
    let skills: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(skills.len() >= 8, "{skills:?}");
    for skill in skills {
        let report = scanner.scan_folder(&skill, &ScanLimits::default());
        let serious = report.findings.iter().filter(|finding| finding.severity > Severity::Info);
        let serious: Vec<_> = serious.map(|finding| (&finding.rule, &finding.file, finding.line)).collect();
        assert_eq!((report.verdict, serious), (ScanVerdict::Clean, vec![]), "{}", skill.display());
        assert!(!report.uses.is_empty(), "{}", skill.display());
    }
}
