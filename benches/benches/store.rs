//! The store: adding an item, how many syncs that takes alone and in company, reading a page of a long transcript, and
//! listing many sessions.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark stops at the first surprise")]

use std::thread;

use divan::counter::ItemsCount;
use divan::{Bencher, bench};
use tarsus_home::{Home, HomeOptions};
use tarsus_protocol::{Block, Message, Role};
use tarsus_store::{
    Durability, HistoryQuery, HistoryStart, NewItem, NewMessage, SessionPatch, SessionQuery, Store,
};
use tempfile::TempDir;

fn main() {
    for writers in [1, 8, 64] {
        let (_folder, store) = store(on_disk());
        let before = store.writer_stats();
        together(&store, writers, 50);
        let (changes, groups, syncs) = (
            store.writer_stats().changes - before.changes,
            store.writer_stats().groups - before.groups,
            store.writer_stats().syncs - before.syncs,
        );
        println!("power-safe, {writers:>2} writers: {changes} changes in {groups} groups, {syncs} syncs");
    }
    divan::main();
}

/// A folder whose syncs are real.
fn on_disk() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A folder in memory where there is one, so that much is quickly made.
fn in_memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn store(folder: TempDir) -> (TempDir, Store) {
    let choice = HomeOptions { state_flag: Some(folder.path().to_owned()), ..HomeOptions::default() };
    let store = Store::open(&Home::locate(&choice).unwrap()).unwrap();
    store.patch(session(0), SessionPatch::default(), 1).wait().unwrap();
    (folder, store)
}

fn session(number: usize) -> tarsus_store::SessionKey {
    format!("agent:main:session-{number}").parse().unwrap()
}

fn message() -> Message {
    let text = "A usual answer has a few sentences. ".repeat(8);
    Message { role: Role::Assistant, content: vec![Block::text(text)], timestamp: Some(1) }
}

fn item() -> NewItem {
    NewItem { session: session(0), run: None, message: message(), at_ms: 2 }
}

/// So many threads add so many items each, power-safe.
fn together(store: &Store, writers: usize, times: usize) {
    thread::scope(|scope| {
        for _ in 0..writers {
            scope.spawn(|| {
                (0..times).for_each(|_| {
                    store.append(item(), Durability::PowerSafe).wait().unwrap();
                });
            });
        }
    });
}

/// A store whose first session has so many items.
fn with_items(items: usize) -> (TempDir, Store) {
    let (folder, store) = store(in_memory());
    for part in vec![500; items / 500] {
        let answers: Vec<_> = (0..part).map(|_| store.append(item(), Durability::KillSafe)).collect();
        answers.into_iter().for_each(|answer| assert!(answer.wait().is_ok()));
    }
    (folder, store)
}

#[bench]
fn append_kill_safe(bencher: Bencher) {
    let (_folder, store) = store(on_disk());
    bencher.bench_local(|| store.append(item(), Durability::KillSafe).wait().unwrap());
}

#[bench]
fn append_power_safe(bencher: Bencher) {
    let (_folder, store) = store(on_disk());
    bencher.bench_local(|| store.append(item(), Durability::PowerSafe).wait().unwrap());
}

#[bench(args = [8, 64], sample_count = 20)]
fn append_power_safe_together(bencher: Bencher, writers: usize) {
    let (_folder, store) = store(on_disk());
    bencher.counter(ItemsCount::new(writers * 10)).bench_local(|| together(&store, writers, 10));
}

#[bench]
fn accept_message(bencher: Bencher) {
    let (_folder, store) = store(on_disk());
    let mut number = 0_u64;
    bencher.bench_local(|| {
        number += 1;
        let run = format!("run-{number}").parse().unwrap();
        store.accept(NewMessage { session: session(0), run, message: message(), at_ms: 2 }).wait().unwrap()
    });
}

#[bench(args = [2_000, 100_000])]
fn newest_50_of(bencher: Bencher, items: usize) {
    let (_folder, store) = with_items(items);
    let wanted = HistoryQuery::for_session(session(0));
    bencher.bench_local(|| store.history(&wanted).unwrap());
}

#[bench(args = [2_000, 100_000])]
fn next_50_in_the_middle_of(bencher: Bencher, items: usize) {
    let (_folder, store) = with_items(items);
    let wanted = HistoryQuery {
        start: HistoryStart::After(items as u64 / 2),
        ..HistoryQuery::for_session(session(0))
    };
    bencher.bench_local(|| store.history(&wanted).unwrap());
}

/// A store with so many sessions.
fn with_sessions(sessions: usize) -> (TempDir, Store) {
    let (folder, store) = store(in_memory());
    for first in (0..sessions).step_by(500) {
        let answers: Vec<_> = (first..first + 500)
            .map(|number| store.patch(session(number), SessionPatch::default(), 2))
            .collect();
        answers.into_iter().for_each(|answer| assert!(answer.wait().is_ok()));
    }
    (folder, store)
}

#[bench(args = [10_000])]
fn list_100_sessions_of(bencher: Bencher, sessions: usize) {
    let (_folder, store) = with_sessions(sessions);
    bencher.bench_local(|| store.sessions(&SessionQuery::default()).unwrap());
}

#[bench(args = [10_000])]
fn search_sessions_of(bencher: Bencher, sessions: usize) {
    let (_folder, store) = with_sessions(sessions);
    let query = SessionQuery {
        agent: Some("main".parse().unwrap()),
        search: Some("session-777".to_owned()),
        limit: 4,
        ..SessionQuery::default()
    };
    bencher.bench_local(|| store.sessions(&query).unwrap());
}
