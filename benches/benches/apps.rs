//! The registry of apps as it grows: reading and checking it from disk, and finding one app by a few words.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark makes its own files"
)]

use std::fmt::Write;
use std::fs;

use divan::counter::ItemsCount;
use divan::{Bencher, bench};
use tarsus_apps::{Registry, find};
use tarsus_home::{Choice, Home};
use tempfile::TempDir;

const APPS: &[usize] = &[10, 1_000, 10_000];

fn main() {
    divan::main();
}

/// A home whose registry has so many apps.
fn home(apps: usize) -> (TempDir, Registry) {
    let folder = tempfile::tempdir().unwrap();
    let choice = Choice { state_flag: Some(folder.path().to_path_buf()), ..Choice::default() };
    let registry = Registry::of(&Home::locate(&choice).unwrap());
    let mut text = "{".to_owned();
    for number in 0..apps {
        let comma = if number == 0 { "" } else { "," };
        write!(
            text,
            "{comma}\n  \"Program {number} of Many\": {{\n    \"launch_path\": \"/opt/programs/{number}/run\",\n    \
             \"process_name\": \"program-{number}\",\n    \"mode\": \"allowlist\",\n    \"allowed_agents\": [\"main\"]\n  }}"
        )
        .unwrap();
    }
    text.push_str("\n}\n");
    fs::create_dir_all(registry.path().parent().unwrap()).unwrap();
    fs::write(registry.path(), text).unwrap();
    (folder, registry)
}

#[bench(args = APPS)]
fn read_and_check(bencher: Bencher, apps: usize) {
    let (_folder, registry) = home(apps);
    bencher.counter(ItemsCount::new(apps)).bench_local(|| registry.load().unwrap());
}

#[bench(args = APPS)]
fn find_by_name(bencher: Bencher, apps: usize) {
    let (_folder, registry) = home(apps);
    let loaded = registry.load().unwrap();
    let wanted = format!("program {} of many, please", apps / 2);
    bencher.counter(ItemsCount::new(apps)).bench_local(|| find(&wanted, loaded.names()));
}

#[bench(args = APPS)]
fn find_nothing(bencher: Bencher, apps: usize) {
    let (_folder, registry) = home(apps);
    let loaded = registry.load().unwrap();
    bencher.counter(ItemsCount::new(apps)).bench_local(|| find("the quarterly report", loaded.names()));
}
