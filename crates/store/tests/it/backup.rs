//! A backup is a snapshot of one moment, and appears complete or not at all.

use std::fs;
use std::path::Path;

use crate::fixture::{Fixture, answer_of, key, lines};
use tarsus_home::config::Config;
use tarsus_protocol::Problem;
use tarsus_store::{Durability, SessionPatch, Store, backup};

const MAIN: &str = "agent:main:main";
const AT_MS: i64 = 1_794_744_000_000;
const NAME: &str = "tarsus-2026-11-15T120000Z";

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn append(store: &Store, text: &str) {
    store.append(answer_of(MAIN, None, text, 1), Durability::KillSafe).wait().unwrap();
}

#[test]
fn backup_is_a_snapshot_and_blocks_no_writer() {
    let fixture = Fixture::new();
    let store = fixture.open();
    store.patch(key(MAIN), SessionPatch::default(), 1).wait().unwrap();
    let large = "x".repeat(100_000);
    for _ in 0..100 {
        append(&store, &large);
    }
    let to = fixture.folder.path().join("copies");
    let mut progress_steps = Vec::new();
    let mut tell = |progress: backup::Progress| {
        // A change is made and a page is read in the middle of it.
        append(&store, "meanwhile");
        assert_eq!(store.session(&key(MAIN)).unwrap().unwrap().items, 101 + progress_steps.len() as u64);
        let hidden = names(&to);
        assert!(hidden.iter().all(|name| name.starts_with(".tarsus-")), "{hidden:?}");
        progress_steps.push((progress.done, progress.total));
    };
    let report = backup::make(&store, &fixture.home, &Config::default(), &to, AT_MS, &mut tell).unwrap();
    assert!(progress_steps.len() > 1 && progress_steps.is_sorted(), "{progress_steps:?}");
    assert!(
        progress_steps.iter().all(|(_, total)| total == &progress_steps[0].1),
        "it is of one moment: {progress_steps:?}"
    );
    assert_eq!(progress_steps.last().map(|(done, total)| done == total), Some(true), "{progress_steps:?}");
    assert_eq!(names(&to), [NAME]);
    assert_eq!(report.folder, to.join(NAME).display().to_string());

    let other = Fixture::new();
    fs::create_dir_all(other.home.own_dir()).unwrap();
    fs::copy(to.join(NAME).join("tarsus/store.db"), other.home.store_path()).unwrap();
    let copied = lines(&other.open(), MAIN);
    let there = lines(&store, MAIN);
    assert_eq!((copied.len(), there.len()), (100, 100 + progress_steps.len()));
    assert_eq!(copied, there[..100]);
}

#[test]
fn failed_backup_leaves_nothing_and_replaces_nothing() {
    let fixture = Fixture::new();
    let store = fixture.open();
    let to = fixture.folder.path().join("copies");
    fs::create_dir_all(to.join(NAME)).unwrap();
    let make = |to: &Path| {
        backup::make(&store, &fixture.home, &Config::default(), to, AT_MS, &mut |_| {}).map_err(Problem::from)
    };
    let problem = make(&to).unwrap_err();
    assert!(problem.message.contains("already exists"), "{problem:?}");
    assert_eq!((names(&to), names(&to.join(NAME))), (vec![NAME.to_owned()], vec![]));
    let file = fixture.folder.path().join("file");
    fs::write(&file, "").unwrap();
    let problem = make(&file).unwrap_err();
    assert!(problem.message.contains("it is not a folder"), "{problem:?}");
}
