//! The audit chain: verifying many lines, appending one, and the number of syncs for it.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark stops at the first surprise")]

use divan::counter::ItemsCount;
use divan::{Bencher, bench};
use jiff::Timestamp;
use tarsus_audit::{Audit, AuditEntry, RecordSeverity};
use tarsus_home::files::syncs;
use tarsus_home::{Home, HomeOptions};
use tempfile::TempDir;

fn main() {
    let (_folder, audit) = chain(on_disk(), 1);
    let before = syncs();
    add(&audit);
    println!("syncs to add one line: {}", syncs() - before);
    divan::main();
}

/// A folder on a real disk.
fn on_disk() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A folder in memory if possible, to create many lines quickly.
fn in_memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn chain(folder: TempDir, lines: usize) -> (TempDir, Audit) {
    let choice = HomeOptions { state_flag: Some(folder.path().to_owned()), ..HomeOptions::default() };
    let audit = Audit::open(&Home::locate(&choice).unwrap(), None).unwrap();
    (0..lines).for_each(|_| add(&audit));
    (folder, audit)
}

fn add(audit: &Audit) {
    let entry = AuditEntry {
        app: Some("notes".into()),
        reason: Some("the owner asked for it".into()),
        ..AuditEntry::security("app.launch", RecordSeverity::Info)
    };
    audit.record(entry, Timestamp::UNIX_EPOCH).unwrap();
}

#[bench(args = [1_000, 10_000], sample_count = 20)]
fn verify(bencher: Bencher, lines: usize) {
    let (_folder, audit) = chain(in_memory(), lines);
    bencher.counter(ItemsCount::new(lines)).bench_local(|| audit.verify().unwrap());
}

#[bench]
fn append_with_syncs(bencher: Bencher) {
    let (_folder, audit) = chain(on_disk(), 1);
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| add(&audit));
}

#[bench]
fn append_in_memory(bencher: Bencher) {
    let (_folder, audit) = chain(in_memory(), 1);
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| add(&audit));
}
