//! What holds on the labelled set `scan-dev`, where it is there: a rule blocks only while it blocks hardly anything
//! harmless, and what was found in the wild is blocked. Rates by group are `benches/src/bin/scan-report`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::thread;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use serde_json::Value;
use tarsus_protocol::scan::{ScanReport, ScanVerdict, Severity};
use tarsus_scan::{Ruleset, Scanner};

/// Reports of the skills that a test is about; nothing when the set is not there.
fn reports(wanted: fn(&Value) -> bool) -> Option<Vec<ScanReport>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/scan-dev.jsonl.gz");
    let Ok(file) = File::open(&path) else {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    };
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    let rows = lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap());
    let rows: Vec<Value> = rows.filter(wanted).collect();
    let scanner = Scanner::new(Ruleset::bundled());
    let scan = |row: &Value| {
        let bytes = STANDARD.decode(row["files"][0]["contentBase64"].as_str().unwrap()).unwrap();
        ScanReport { path: row["id"].to_string(), ..scanner.scan_text("SKILL.md", &bytes) }
    };
    // Half on each of two threads, which share the scanner.
    let (first, second) = rows.split_at(rows.len() / 2);
    Some(thread::scope(|scope| {
        let other = scope.spawn(|| second.iter().map(scan).collect::<Vec<_>>());
        let mut reports: Vec<_> = first.iter().map(scan).collect();
        reports.extend(other.join().unwrap());
        reports
    }))
}

#[test]
fn each_rule_blocks_at_most_one_clean_skill_in_1000() {
    let Some(reports) = reports(|row| row["label"] == "benign") else { return };
    let mut blocked: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for report in &reports {
        for finding in report.findings.iter().filter(|finding| finding.base_severity == Severity::Critical) {
            if finding.severity == Severity::Critical {
                blocked.entry(finding.rule.clone()).or_default().push(&report.path);
            }
        }
    }
    blocked.retain(|_, files| files.len() * 1000 > reports.len());
    assert_eq!(blocked, BTreeMap::new());
}

#[test]
fn known_malicious_skills_are_blocked() {
    let wild = |row: &Value| {
        row["label"] == "malicious" && row["provenance"] == "wild" && row["where"] != "other_files"
    };
    let Some(reports) = reports(wild) else { return };
    let passed = reports.iter().filter(|report| report.verdict != ScanVerdict::Blocked);
    let passed: Vec<_> = passed.map(|report| &report.path).collect();
    assert!(passed.len() * 20 <= reports.len(), "{passed:?}");
}
