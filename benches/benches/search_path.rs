//! Finding programs on PATH, half of which exist, in one large folder and seven small ones: the more names one
//! evaluation needs, the more it gains from listing the folders.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark makes its own files"
)]

use std::ffi::OsString;
use std::fs;

use divan::counter::ItemsCount;
use divan::{Bencher, bench};
use tarsus_host::path::SearchPath;
use tempfile::TempDir;

/// The number of files in each folder of PATH.
const FOLDERS: [usize; 8] = [50, 50, 2_000, 50, 50, 50, 50, 50];
const NAMES: &[usize] = &[1, 10, 100, 1_000];

fn main() {
    divan::main();
}

fn folders() -> (TempDir, OsString) {
    let root = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (number, files) in FOLDERS.into_iter().enumerate() {
        let folder = root.path().join(format!("folder-{number}"));
        fs::create_dir(&folder).unwrap();
        for file in 0..files {
            let file = folder.join(format!("program-{file}.exe"));
            fs::write(&file, "").unwrap();
            executable(&file);
        }
        paths.push(folder);
    }
    let joined = std::env::join_paths(paths).unwrap();
    (root, joined)
}

#[cfg(unix)]
fn executable(file: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn executable(_: &std::path::Path) {}

fn names(number: usize) -> Vec<String> {
    (0..number)
        .map(|name| if name % 2 == 0 { format!("program-{name}.exe") } else { format!("missing-{name}") })
        .collect()
}

#[bench(args = NAMES)]
fn one_evaluation(bencher: Bencher, number: usize) {
    let (_root, path) = folders();
    let names = names(number);
    bencher.counter(ItemsCount::new(number)).bench(|| {
        let programs = SearchPath::new(&path, None);
        names.iter().filter(|name| programs.find(name).is_some()).count()
    });
}

/// The cost of asking the system for every name in every folder.
#[bench(args = NAMES)]
fn asking_for_each_file(bencher: Bencher, number: usize) {
    let (_root, path) = folders();
    let (names, folders) = (names(number), std::env::split_paths(&path).collect::<Vec<_>>());
    bencher.counter(ItemsCount::new(number)).bench(|| {
        let is_there = |name: &&String| folders.iter().any(|folder| folder.join(name).is_file());
        names.iter().filter(is_there).count()
    });
}
