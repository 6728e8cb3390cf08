//! The tables of the report.

use std::collections::BTreeMap;

use tarsus_protocol::scan::Severity;
use tarsus_scan::Scanner;

use crate::Judged;
use crate::corpus::GROUPS;

/// Block and alert rates by group; never one number for all.
pub fn groups(judged: &[&Judged]) {
    println!("{:<36} {:>5}  {:>24}  {:>24}  must be", "group", "files", "block % (95 %)", "any % (95 %)");
    for (number, group) in GROUPS.into_iter().enumerate() {
        let members: Vec<_> = judged.iter().filter(|judged| judged.sample.group == group).collect();
        let count = |test: fn(&Judged) -> bool| members.iter().filter(|judged| test(judged)).count();
        let (blocked, alerted) = (count(Judged::blocked), count(Judged::alerted));
        println!(
            "{group:<36} {:>5}  {:>24}  {:>24}  {}",
            members.len(),
            rate(blocked, members.len()),
            rate(alerted, members.len()),
            MUST[number],
        );
    }
}

/// The targets of each group, in percent.
const MUST: [&str; GROUPS.len()] = [
    "block >= 95",
    "any >= 60",
    "any >= 40",
    "any >= 25",
    "",
    "",
    "block 0",
    "block 0",
    "block 0",
    "block <= 1",
    "block <= 0.5, any <= 8",
    "block <= 10",
    "",
];

/// A rate with Wilson's interval.
fn rate(hits: usize, of: usize) -> String {
    if of == 0 {
        return "-".to_owned();
    }
    let (z, n) = (1.96_f64, of as f64);
    let p = hits as f64 / n;
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let percent = |value: f64| (value * 100.0).clamp(0.0, 100.0);
    format!("{hits:>3}  {:>5.1} ({:>4.1}-{:>5.1})", p * 100.0, percent(middle - half), percent(middle + half))
}

/// The number of files of each kind in which each rule matched, and blocked.
pub fn rules(judged: &[Judged], scanner: &Scanner) {
    let mut hits: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for judged in judged {
        let mut seen: BTreeMap<&str, Severity> = BTreeMap::new();
        for finding in &judged.report.findings {
            let severity = seen.entry(&finding.rule).or_insert(finding.severity);
            *severity = finding.severity.max(*severity);
        }
        for (rule, severity) in seen {
            let row = hits.entry(rule).or_default();
            let column = if judged.sample.malicious { 0 } else { 2 };
            row[column] += 1;
            row[column + 1] += usize::from(severity == Severity::Critical);
        }
    }
    println!("{:<44} {:>9} {:>8} {:>8} {:>8}", "rule", "malicious", "blocks", "benign", "blocks");
    for (_, rule) in scanner.rules().rules() {
        let [malicious, stops, benign, wrongly] = hits.get(rule.id).copied().unwrap_or_default();
        println!("{:<44} {malicious:>9} {stops:>8} {benign:>8} {wrongly:>8}", rule.id);
    }
}

/// The misjudged files, with their findings.
pub fn wrong(judged: &[&Judged]) {
    println!("\nJudged wrongly");
    for judged in judged {
        let wrong = if judged.sample.malicious { !judged.blocked() } else { judged.alerted() };
        if wrong {
            let found = judged.report.findings.iter().filter(|finding| finding.severity > Severity::Info);
            let found: Vec<_> = found
                .map(|finding| {
                    format!(
                        "{:?} {}:{}{:?}",
                        finding.severity, finding.rule, finding.line, finding.lowered_by
                    )
                })
                .collect();
            println!(
                "{} {} {:?}: {}",
                judged.sample.id,
                judged.sample.group,
                judged.report.verdict,
                found.join(", ")
            );
        }
    }
}
