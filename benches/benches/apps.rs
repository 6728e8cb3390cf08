//! The registry of apps as it grows: reading and listing it from disk, and finding one app by a few words, both
//! typical and deliberately slow ones.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark makes its own files"
)]

use std::fs;

use divan::counter::ItemsCount;
use divan::{Bencher, bench};
use tarsus_apps::conversation::parse_request;
use tarsus_apps::manager::app_list;
use tarsus_apps::run::Processes;
use tarsus_apps::{Registry, find_app};
use tarsus_home::{Home, HomeOptions};
use tempfile::TempDir;

const APPS: &[usize] = &[10, 1_000, 10_000];

fn main() {
    divan::main();
}

/// A home whose registry has so many apps.
fn home(apps: usize) -> (TempDir, Registry) {
    let folder = tempfile::tempdir().unwrap();
    let choice = HomeOptions { state_flag: Some(folder.path().to_path_buf()), ..HomeOptions::default() };
    let registry = Registry::for_home(&Home::locate(&choice).unwrap());
    fs::create_dir_all(registry.path().parent().unwrap()).unwrap();
    fs::write(registry.path(), tarsus_benches::registry(apps)).unwrap();
    (folder, registry)
}

#[bench(args = APPS)]
fn read_and_check(bencher: Bencher, apps: usize) {
    let (_folder, registry) = home(apps);
    bencher.counter(ItemsCount::new(apps)).bench_local(|| registry.load().unwrap());
}

/// Everything `tarsus apps list --json` does between its start and its output.
#[bench(args = APPS)]
fn list(bencher: Bencher, apps: usize) {
    let (_folder, registry) = home(apps);
    bencher.counter(ItemsCount::new(apps)).bench_local(|| {
        let loaded = registry.load().unwrap();
        serde_json::to_string(&app_list(&loaded, Some(&Processes::now().unwrap()))).unwrap()
    });
}

fn bench_find(bencher: Bencher, apps: usize, request: &str) {
    let (_folder, registry) = home(apps);
    let loaded = registry.load().unwrap();
    bencher.counter(ItemsCount::new(apps)).bench_local(|| find_app(request, loaded.names()));
}

#[bench(args = APPS)]
fn find_by_name(bencher: Bencher, apps: usize) {
    bench_find(bencher, apps, &format!("program {} of many, please", apps / 2));
}

#[bench(args = APPS)]
fn find_nothing(bencher: Bencher, apps: usize) {
    bench_find(bencher, apps, "the quarterly report");
}

/// As many ways to leave out polite words as a request can have.
#[bench(args = APPS)]
fn find_among_polite_words(bencher: Bencher, apps: usize) {
    bench_find(bencher, apps, &format!("{}of{}", "please ".repeat(11), " please".repeat(11)));
}

/// A request that almost matches every name.
#[bench(args = APPS)]
fn find_near_misses(bencher: Bencher, apps: usize) {
    bench_find(bencher, apps, "please the prrogramm 5555 off manny app please");
}

/// The longest message that is parsed as a request, with as many ways to cut it.
#[bench]
fn read_polite_words() -> bool {
    parse_request(&"请".repeat(333)).is_some()
}
