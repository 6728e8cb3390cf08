//! How well the scanner separates harmful skills from others, on the labelled corpus `scan-dev`: block and alert rates by
//! group with confidence intervals and targets, the hits of every rule, and the time per file.
//!
//! A fifth of the families, chosen by a hash of the name, is for validation: no rule was written with knowledge of them, and
//! they are reported separately. `--wrong` lists the misjudged files of the other four fifths.
//!
//! `--linear` counts the instructions for a text that triggers every rule, and for one of twice the size;
//! `--near-misses BYTES` scans such a text once. `--thousand` scans a thousand folders like a first start.
#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a measurement of real files, which stops at the first surprise"
)]

mod corpus;
mod table;
mod thousand;

use std::time::{Duration, Instant};

use corpus::Sample;
use tarsus_benches::instructions;
use tarsus_protocol::scan::{ScanReport, ScanVerdict};
use tarsus_scan::{Inventory, Ruleset, ScanLimits, Scanner};

/// How often a file is scanned; the fastest time counts, because the rest is noise.
const RUNS: usize = 5;

/// A file and its findings.
struct Judged {
    sample: Sample,
    report: ScanReport,
    time: Duration,
}

impl Judged {
    fn blocked(&self) -> bool {
        self.report.verdict == ScanVerdict::Blocked
    }

    fn alerted(&self) -> bool {
        self.report.verdict != ScanVerdict::Clean
    }
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--near-misses", size] => near_misses(size.parse().unwrap()),
        ["--linear"] => linear(),
        ["--thousand"] => thousand::run(),
        [] => report(false),
        ["--wrong"] => report(true),
        _ => println!("scan-report [--wrong | --linear | --near-misses BYTES | --thousand]"),
    }
}

fn report(wrong: bool) {
    let Some(samples) = corpus::read() else {
        println!("skipped: ../shared/corpus/scan-dev.jsonl.gz is not there");
        return;
    };
    let scanner = Scanner::new(Ruleset::bundled());
    let judged: Vec<_> = samples.into_iter().map(|sample| judge(&scanner, sample)).collect();
    let (validation, tuned): (Vec<_>, Vec<_>) = judged.iter().partition(|judged| judged.sample.validation);

    println!("All files\n");
    table::groups(&judged.iter().collect::<Vec<_>>());
    println!("\nFour fifths that rules were made with\n");
    table::groups(&tuned);
    println!("\nValidation: a fifth that no rule was made with\n");
    table::groups(&validation);
    println!("\nRule x hits (files)\n");
    table::rules(&judged, &scanner);
    times(&judged);
    if wrong {
        table::wrong(&tuned);
    }
}

/// Twice the text may cost this many times as much.
const LINEAR: f64 = 2.3;
/// The shorter of the two texts, in bytes.
const SIZE: usize = 5_000_000;

fn linear() {
    let program = std::env::current_exe().unwrap();
    let count =
        |size: usize| instructions::count(&[program.to_str().unwrap(), "--near-misses", &size.to_string()]);
    let (Some(once), Some(twice)) = (count(SIZE), count(2 * SIZE)) else {
        println!("skipped: neither perf nor valgrind counts instructions here");
        return;
    };
    println!("instructions for {SIZE} bytes of near misses  {once:>16}");
    println!("instructions for twice as many              {twice:>16}");
    println!("factor {:.2}, must be under {LINEAR}", twice as f64 / once as f64);
}

fn near_misses(size: usize) {
    let scanner = Scanner::new(Ruleset::bundled());
    let text = tarsus_benches::scan::near_misses(scanner.rules(), size);
    let start = Instant::now();
    let limits = ScanLimits { file: size, ..ScanLimits::default() };
    let report = scanner.scan("x", &Inventory::from_file_with_limits("SKILL.md", text.into_bytes(), &limits));
    println!("{size} bytes, {} findings, {:.0?}", report.findings.len(), start.elapsed());
}

fn judge(scanner: &Scanner, sample: Sample) -> Judged {
    let mut fastest = Duration::MAX;
    let mut report = None;
    for _ in 0..RUNS {
        let start = Instant::now();
        report = Some(scanner.scan(&sample.id, &sample.inventory));
        fastest = fastest.min(start.elapsed());
    }
    Judged { sample, report: report.unwrap(), time: fastest }
}

fn times(judged: &[Judged]) {
    let mut times: Vec<_> = judged.iter().map(|judged| (judged.time, judged.sample.bytes)).collect();
    times.sort();
    let (median, worst) = (times[times.len() / 2].0, times[times.len() - 1]);
    println!("\nTime a file: median {median:.0?}, worst {:.0?} ({} bytes)", worst.0, worst.1);
}
