//! A process that ends at any step leaves a store in which everything that it was told is there; the next one goes on.
//! Two processes never have it at the same time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

use tarsus_protocol::Block;
use tarsus_store::{CRASH_POINTS, History, Item, NewMessage, RunState, SessionQuery, Start, Store};
use tarsus_tests::{TestHome, amount, printed};

const DRIVER: &str = env!("CARGO_BIN_EXE_tarsus-test-driver");

fn converse(home: &TestHome, writers: usize, times: usize) -> Command {
    let mut command = home.command(DRIVER);
    let state = home.state_dir().to_str().unwrap();
    command.args(["store-converse", state, &writers.to_string(), &times.to_string()]);
    command
}

/// The text of an item: `question RUN` or `answer RUN`.
fn text(item: &Item) -> &str {
    match item.message.content.as_slice() {
        [Block::Text(text)] => &text.text,
        other => panic!("one text, not {other:?}"),
    }
}

/// Every item of a store by its number. The numbers have no gap, and SQLite finds nothing wrong.
fn items(home: &TestHome, store: &Store, context: &str) -> BTreeMap<u64, String> {
    let mut found = BTreeMap::new();
    for session in store.sessions(&SessionQuery::default()).unwrap().sessions {
        let wanted = History { start: Start::After(0), limit: 1_000, ..History::of(session.key) };
        let page = store.history(&wanted).unwrap().unwrap();
        assert_eq!((page.items.len() as u64, page.more), (session.items, false), "{context}");
        found.extend(page.items.iter().map(|item| (item.number, text(item).to_owned())));
    }
    assert!(found.keys().copied().eq(1..=found.len() as u64), "{context}: {found:?}");
    let db = rusqlite::Connection::open(home.home().store_path()).unwrap();
    let said: String = db.query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
    let dangling: i64 =
        db.query_row("SELECT count(*) FROM pragma_foreign_key_check", (), |row| row.get(0)).unwrap();
    assert_eq!((said.as_str(), dangling), ("ok", 0), "{context}");
    found
}

/// What must hold after a process was cut short, and after the next one came to its end.
fn check(home: &TestHome, writers: usize, times: usize, cut_short: &Output, context: &str) {
    let store = Store::open(home.home(), 9).unwrap();
    let there = items(home, &store, context);
    let told = String::from_utf8_lossy(&cut_short.stdout);
    for line in told.lines() {
        let (what, rest) = line.split_once(' ').unwrap();
        let state = |run: &str| store.run(&run.parse().unwrap()).unwrap().unwrap().state;
        match what.parse::<u64>() {
            Ok(number) => assert_eq!(there.get(&number).map(String::as_str), Some(rest), "{context}: {line}"),
            Err(_) => assert_eq!(state(rest), RunState::Finished, "{context}: {line}"),
        }
    }
    for run in there.values().filter_map(|text| text.strip_prefix("question ")) {
        let state = store.run(&run.parse().unwrap()).unwrap().unwrap().state;
        assert!(matches!(state, RunState::Finished | RunState::Interrupted), "{context}: {run} is {state:?}");
    }
    drop(store);

    let again = converse(home, writers, times).output().unwrap();
    assert!(again.status.success(), "{context}: {}", printed(&again));
    let store = Store::open(home.home(), 9).unwrap();
    assert_eq!(store.recovered().interrupted, [], "{context}");
    let after = items(home, &store, context);
    assert!(
        there.iter().all(|(number, text)| after.get(number) == Some(text)),
        "{context}: an item was changed"
    );
    let questions: Vec<_> = after.values().filter(|text| text.starts_with("question ")).collect();
    let each: BTreeSet<_> = questions.iter().collect();
    assert_eq!(
        (questions.len(), each.len()),
        (writers * times, writers * times),
        "{context}: each was asked once"
    );
}

/// A store whose last process left a run.
fn left_behind(home: &TestHome) {
    let store = Store::open(home.home(), 1).unwrap();
    let message = serde_json::from_str(r#"{"role":"user","content":"question 1-1"}"#).unwrap();
    let (session, run) = ("agent:main:writer-1".parse().unwrap(), "1-1".parse().unwrap());
    store.accept(NewMessage { session, run, message, at_ms: 1 }).wait().unwrap();
}

/// A store of which only the file was made.
fn empty(home: &TestHome) {
    drop(Store::open(home.home(), 1).unwrap());
    fs::write(home.home().store_path(), "").unwrap();
}

#[test]
fn ended_at_every_step_nothing_that_was_told_is_lost() {
    let mut passed = BTreeSet::new();
    let beginnings =
        [("a new store", (|_| {}) as fn(&TestHome)), ("empty", empty), ("a run was left", left_behind)];
    for (name, before) in beginnings {
        let home = TestHome::in_memory();
        before(&home);
        let trace = home.path().join("trace");
        let output = converse(&home, 1, 2).env("TARSUS_CRASH_TRACE", &trace).output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
        let steps = fs::read_to_string(&trace).unwrap().lines().count();
        passed.extend(fs::read_to_string(&trace).unwrap().lines().map(str::to_owned));
        for step in 1..=steps {
            let context = format!("{name}, ended at step {step}");
            let home = TestHome::in_memory();
            before(&home);
            let output =
                converse(&home, 1, 2).env("TARSUS_CRASH_POINT", format!("#{step}")).output().unwrap();
            assert!(!output.status.success(), "{context}: the step was not reached");
            check(&home, 1, 2, &output, &context);
        }
    }
    let missed: Vec<_> = CRASH_POINTS.iter().filter(|point| !passed.contains(**point)).collect();
    assert_eq!(missed, [&""; 0], "steps that no operation passes");
    let unnamed: Vec<_> = passed
        .iter()
        .filter(|step| step.starts_with("store.") && !CRASH_POINTS.contains(&step.as_str()))
        .collect();
    assert_eq!(unnamed, [""; 0], "steps that have no name in the list");
}

#[test]
fn ended_under_many_writers_nothing_that_was_told_is_lost() {
    let (writers, times) = (6, 6);
    let mut ended = 0;
    for round in 0..amount(20) {
        let home = TestHome::in_memory();
        // Spread over the whole run: how many steps it has depends on how the changes are gathered.
        let step = 12 + 7 * (round % 20) + round / 20;
        let output =
            converse(&home, writers, times).env("TARSUS_CRASH_POINT", format!("#{step}")).output().unwrap();
        ended += usize::from(!output.status.success());
        check(&home, writers, times, &output, &format!("ended at step {step}"));
    }
    assert!(ended >= amount(20) / 2, "only {ended} were cut short");
}

#[test]
fn a_second_process_is_refused_by_name_until_the_first_is_gone() {
    let home = TestHome::in_memory();
    let mut first = converse(&home, 1, 1)
        .env("TARSUS_CRASH_POINT", "store.group.made")
        .env("TARSUS_CRASH_PAUSE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Held open: the process waits on it.
    let _input = first.stdin.take();
    let mut said = String::new();
    BufReader::new(first.stdout.take().unwrap()).read_line(&mut said).unwrap();
    assert_eq!(said, "store.group.made\n");

    let second = converse(&home, 1, 1).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&second.stderr), "busy: store.db is in use by another process\n");
    assert_eq!(second.status.code(), Some(1));

    first.kill().unwrap();
    first.wait().unwrap();
    let third = converse(&home, 1, 1).output().unwrap();
    let expected = "1 question 1-1\n2 answer 1-1\nfinished 1-1\n";
    assert_eq!(String::from_utf8_lossy(&third.stdout), expected, "what was not written was not told");
}
