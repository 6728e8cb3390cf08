//! Checks the scanner on labelled samples.
//!
//! `tests/corpus/samples.jsonl` is part of the project. The larger set `scan-dev` is not; its tests are ignored unless asked for.
//! `benches/src/bin/scan-report` prints rates by group.

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

/// Scans the selected samples of the larger set.
fn scan_dev(is_selected: fn(&Value) -> bool) -> Vec<ScanReport> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/scan-dev.jsonl.gz");
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    let rows = lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap());
    scan_all(&rows.filter(is_selected).collect::<Vec<_>>())
}

fn scan_all(rows: &[Value]) -> Vec<ScanReport> {
    let scanner = Scanner::new(Ruleset::bundled());
    let scan = |row: &Value| {
        let bytes = match row["text"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => STANDARD.decode(row["files"][0]["contentBase64"].as_str().unwrap()).unwrap(),
        };
        ScanReport { path: row["id"].to_string(), ..scanner.scan_text("SKILL.md", &bytes) }
    };
    // Two threads share the scanner.
    let (first, second) = rows.split_at(rows.len() / 2);
    thread::scope(|scope| {
        let other = scope.spawn(|| second.iter().map(scan).collect::<Vec<_>>());
        let mut reports: Vec<_> = first.iter().map(scan).collect();
        reports.extend(other.join().unwrap());
        reports
    })
}

#[test]
fn project_samples_have_their_verdicts() {
    let lines = include_str!("../corpus/samples.jsonl").lines();
    let rows: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let wrong: Vec<String> = scan_all(&rows)
        .iter()
        .zip(&rows)
        .filter(|(report, row)| serde_json::to_value(report.verdict).unwrap() != row["verdict"])
        .map(|(report, row)| {
            let rules: Vec<_> = report.findings.iter().map(|finding| finding.rule.as_str()).collect();
            format!("{}: {:?} {rules:?}", row["id"], report.verdict)
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(rows.len(), 22);
}

#[test]
#[ignore = "needs ../shared/corpus; ./test runs it where that is"]
fn each_rule_blocks_at_most_one_clean_skill_in_1000() {
    let reports = scan_dev(|row| row["label"] == "benign");
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
#[ignore = "needs ../shared/corpus; ./test runs it where that is"]
fn known_malicious_skills_are_blocked() {
    let wild = |row: &Value| {
        row["label"] == "malicious" && row["provenance"] == "wild" && row["where"] != "other_files"
    };
    let reports = scan_dev(wild);
    let passed = reports.iter().filter(|report| report.verdict != ScanVerdict::Blocked);
    let passed: Vec<_> = passed.map(|report| &report.path).collect();
    assert!(passed.len() * 20 <= reports.len(), "{passed:?}");
}

#[test]
#[ignore = "needs ../shared/corpus; ./test runs it where that is"]
fn descriptions_of_clean_skills_hold_no_orders() {
    let reports = scan_dev(|row| row["label"] == "benign");
    let has_order = |report: &&ScanReport| {
        report.findings.iter().any(|finding| finding.rule == "prompt-injection.description-order")
    };
    let wrong: Vec<_> = reports.iter().filter(has_order).map(|report| &report.path).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}
