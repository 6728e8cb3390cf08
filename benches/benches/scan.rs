//! Scanning skills: creating the rules, the first text, a text of usual size, a long one that triggers every rule,
//! and a folder on disk.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a measurement makes the files that it reads"
)]

use std::fs;
use std::sync::LazyLock;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use tarsus_scan::{Inventory, Ruleset, ScanLimits, Scanner, SkillContext, apply_context};

static SCANNER: LazyLock<Scanner> = LazyLock::new(|| Scanner::new(Ruleset::bundled()));

const SKILL: &str = include_str!("../../skills/weather/SKILL.md");

fn main() {
    divan::main();
}

/// The cost of a start that only uses the cache.
#[divan::bench]
fn rules_and_their_hash() -> String {
    Ruleset::bundled().hash().to_owned()
}

/// The cost of the first text, which later ones do not pay.
#[divan::bench]
fn first_text() -> usize {
    let scanner = Scanner::new(Ruleset::bundled());
    scanner.scan_text("SKILL.md", SKILL.as_bytes()).findings.len()
}

#[divan::bench]
fn usual_text(bencher: Bencher) {
    let inventory = Inventory::from_file("SKILL.md", SKILL.as_bytes().to_vec());
    bencher.counter(BytesCount::of_str(SKILL)).bench(|| SCANNER.scan("x", black_box(&inventory)));
}

#[divan::bench(args = [256, 512, 1024], sample_count = 5)]
fn near_misses(bencher: Bencher, kilobytes: usize) {
    let text = tarsus_benches::scan::near_misses(SCANNER.rules(), kilobytes * 1024);
    let inventory = Inventory::from_file("SKILL.md", text.clone().into_bytes());
    bencher.counter(BytesCount::of_str(&text)).bench(|| SCANNER.scan("x", black_box(&inventory)));
}

#[divan::bench]
fn folder_is_read_and_hashed(bencher: Bencher) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("SKILL.md"), SKILL).unwrap();
    bencher.bench(|| Inventory::read(black_box(folder.path()), &ScanLimits::default()));
}

#[divan::bench]
fn report_is_settled(bencher: Bencher) {
    let report = SCANNER.scan_text("SKILL.md", SKILL.as_bytes());
    let surroundings = SkillContext { name: "wether", known_names: &["weather"], ..SkillContext::default() };
    bencher.with_inputs(|| report.clone()).bench_refs(|report| apply_context(report, &surroundings));
}
