//! Single steps of loading skills: parsing, reading a root, resolving names.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark stops at the first surprise")]

use std::sync::Arc;

use divan::counter::ItemsCount;
use divan::{Bencher, bench};
use tarsus_benches::skills::{generate, text};
use tarsus_skills::{Catalog, DiscoveredRoot, DiscoveryLimits, SkillRoot, SkillSource, parse};
use tempfile::TempDir;

const NUMBERS: &[usize] = &[100, 1_000, 10_000];
/// Later than every file: none of them may have changed since.
const LATER_MS: i64 = 4_000_000_000_000;

fn main() {
    divan::main();
}

fn skills(number: usize) -> (TempDir, SkillRoot) {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path(), number);
    let root = SkillRoot::new(SkillSource::Managed, folder.path().to_path_buf(), &[]);
    (folder, root)
}

#[bench]
fn parse_one(bencher: Bencher) {
    let text = text(1, 0);
    bencher.bench(|| parse(text.as_bytes(), "SKILL.md", "skill-00001"));
}

#[bench(args = NUMBERS)]
fn first_look(bencher: Bencher, number: usize) {
    let (_folder, root) = skills(number);
    bencher
        .counter(ItemsCount::new(number))
        .bench(|| DiscoveredRoot::walk(&root, &DiscoveryLimits::default(), None, LATER_MS));
}

#[bench(args = NUMBERS)]
fn look_again_at_everything(bencher: Bencher, number: usize) {
    let (_folder, root) = skills(number);
    let discovered = DiscoveredRoot::walk(&root, &DiscoveryLimits::default(), None, LATER_MS);
    let again = || DiscoveredRoot::walk(&root, &DiscoveryLimits::default(), Some(&discovered), LATER_MS);
    bencher.counter(ItemsCount::new(number)).bench(again);
}

#[bench(args = NUMBERS)]
fn settle_names(bencher: Bencher, number: usize) {
    let (_folder, root) = skills(number);
    let discovered = [Arc::new(DiscoveredRoot::walk(&root, &DiscoveryLimits::default(), None, LATER_MS))];
    bencher
        .counter(ItemsCount::new(number))
        .bench(|| Catalog::new(&discovered, &DiscoveryLimits::default(), &|_| false));
}
