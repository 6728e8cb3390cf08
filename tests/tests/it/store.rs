//! A process that crashes at any step loses no acknowledged write, and the next one continues. Two processes never have the
//! store open at the same time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

use tarsus_store::{
    CRASH_POINTS, Durability, HistoryQuery, HistoryStart, NewCall, NewItem, NewMessage, RunId, RunState,
    SessionKey, SessionQuery, Store,
};
use tarsus_tests::{TestHome, amount, printed};

const DRIVER: &str = env!("CARGO_BIN_EXE_tarsus-test-driver");

fn converse(home: &TestHome, writers: usize, times: usize) -> Command {
    let mut command = home.command(DRIVER);
    let state = home.state_dir().to_str().unwrap();
    command.args(["store-converse", state, &writers.to_string(), &times.to_string()]);
    command
}

/// Every item of a store by its number. Checks that the numbers have no gaps, and SQLite's integrity.
fn items(home: &TestHome, store: &Store, context: &str) -> BTreeMap<u64, String> {
    let mut found = BTreeMap::new();
    for session in store.sessions(&SessionQuery::default()).unwrap().sessions {
        let wanted = HistoryQuery {
            start: HistoryStart::After(0),
            limit: 1_000,
            ..HistoryQuery::for_session(session.key)
        };
        let page = store.history(&wanted).unwrap().unwrap();
        assert_eq!((page.items.len() as u64, page.more), (session.items, false), "{context}");
        found.extend(page.items.iter().map(|item| (item.number, item.message.text())));
    }
    assert!(found.keys().copied().eq(1..=found.len() as u64), "{context}: {found:?}");
    let db = rusqlite::Connection::open(home.home().store_path()).unwrap();
    let integrity: String = db.query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
    let dangling: i64 =
        db.query_row("SELECT count(*) FROM pragma_foreign_key_check", (), |row| row.get(0)).unwrap();
    assert_eq!((integrity.as_str(), dangling), ("ok", 0), "{context}");
    found
}

/// Checks the store after a crash, and after the next process finished.
fn check(home: &TestHome, writers: usize, times: usize, cut_short: &Output, context: &str) {
    let output = String::from_utf8_lossy(&cut_short.stdout);
    let output: Vec<(&str, &str)> = output.lines().map(|line| line.split_once(' ').unwrap()).collect();
    let store = Store::open(home.home()).unwrap();
    let there = items(home, &store, context);
    for (what, rest) in &output {
        match (*what, what.parse::<u64>()) {
            (_, Ok(number)) => {
                assert_eq!(there.get(&number).map(String::as_str), Some(*rest), "{context}: {what} {rest}");
            }
            ("finished", _) => {
                let run = store.run(&rest.parse().unwrap()).unwrap().unwrap();
                assert_eq!(run.state, RunState::Finished, "{context}: {rest}");
            }
            _ => {}
        }
    }
    drop(store);

    let again = converse(home, writers, times).output().unwrap();
    assert!(again.status.success(), "{context}: {}", printed(&again));
    let store = Store::open(home.home()).unwrap();
    assert_eq!(store.recovery().unfinished, [], "{context}");
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
    let again = String::from_utf8_lossy(&again.stdout).into_owned();
    for question in questions {
        let run = question.strip_prefix("question ").unwrap();
        check_run(&store, run, &output, &again, &after, context);
    }
}

/// Checks that a run has ended with a correct result for each call, and that no action or text is missing.
fn check_run(
    store: &Store,
    run: &str,
    output: &[(&str, &str)],
    again: &str,
    after: &BTreeMap<u64, String>,
    context: &str,
) {
    let context = format!("{context}, run {run}");
    let ended = store.run(&run.parse().unwrap()).unwrap().unwrap();
    assert!(matches!(ended.state, RunState::Finished | RunState::Interrupted), "{context}: {ended:?}");
    for call in store.calls(&ended.id).unwrap() {
        let did = format!("{} {run}", call.id);
        let ran = [output.contains(&("ran", &did)), again.lines().any(|line| line == format!("ran {did}"))];
        assert_ne!(ran, [true, true], "{context}: {} ran twice", call.id);
        let ended = call.ended.unwrap_or_else(|| panic!("{context}: {} has no result", call.id));
        assert!(ended.failed || ran[0] || ran[1], "{context}: {} has a result and did not run", call.id);
        if ended.failed && ran[0] {
            assert!(call.begun_ms.is_some(), "{context}: {} ran, but is reported as not run", call.id);
        }
    }
    if output.contains(&("shown", &format!("answer {run}"))) {
        let answers = after.values().filter(|text| **text == format!("answer {run}")).count();
        assert_eq!(answers, 1, "{context}: what was shown is there once");
    }
}

/// A store with an unfinished run: an open call and a draft.
fn left_behind(home: &TestHome) {
    let store = Store::open(home.home()).unwrap();
    let message = serde_json::from_str(r#"{"role":"user","content":"question 1-1"}"#).unwrap();
    let (session, run): (SessionKey, RunId) =
        ("agent:main:writer-1".parse().unwrap(), "1-1".parse().unwrap());
    let new = NewMessage { session: session.clone(), run: run.clone(), message, at_ms: 1 };
    store.accept(new).wait().unwrap();
    let message = serde_json::from_str(r#"{"role":"assistant","content":"asks 1-1"}"#).unwrap();
    let calls = vec![NewCall { id: "reads".to_owned(), tool: "tool".to_owned(), begun: true }];
    let item = NewItem { session, run: Some(run.clone()), message, at_ms: 2 };
    store.append_answer(item, calls, None, Durability::PowerSafe).wait().unwrap();
    store.append_draft(run, "half an ans".to_owned(), 3).wait().unwrap();
}

/// A database without tables, which is migrated.
fn without_tables(home: &TestHome) {
    drop(Store::open(home.home()).unwrap());
    fs::remove_file(home.home().store_path()).unwrap();
    let db = rusqlite::Connection::open(home.home().store_path()).unwrap();
    db.execute_batch("CREATE TABLE gone (x); DROP TABLE gone").unwrap();
}

#[test]
fn crash_at_every_step_loses_no_acknowledged_write() {
    let mut passed = BTreeSet::new();
    let beginnings = [
        ("a new store", (|_| {}) as fn(&TestHome)),
        ("no tables", without_tables),
        ("a run was left", left_behind),
    ];
    for (name, before) in beginnings {
        let home = TestHome::in_memory();
        before(&home);
        let trace = home.path().join("trace");
        let output = converse(&home, 1, 1).env("TARSUS_CRASH_TRACE", &trace).output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
        let steps = fs::read_to_string(&trace).unwrap().lines().count();
        passed.extend(fs::read_to_string(&trace).unwrap().lines().map(str::to_owned));
        for step in 1..=steps {
            let context = format!("{name}, ended at step {step}");
            let home = TestHome::in_memory();
            before(&home);
            let output =
                converse(&home, 1, 1).env("TARSUS_CRASH_POINT", format!("#{step}")).output().unwrap();
            assert!(!output.status.success(), "{context}: the step was not reached");
            check(&home, 1, 1, &output, &context);
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
fn crash_under_load_loses_no_acknowledged_write() {
    let (writers, times) = (6, 6);
    let mut ended = 0;
    for round in 0..amount(20) {
        let home = TestHome::in_memory();
        // Spread over the whole run; the number of steps depends on the grouping of changes.
        let step = 12 + 7 * (round % 20) + round / 20;
        let output =
            converse(&home, writers, times).env("TARSUS_CRASH_POINT", format!("#{step}")).output().unwrap();
        ended += usize::from(!output.status.success());
        check(&home, writers, times, &output, &format!("ended at step {step}"));
    }
    assert!(ended >= amount(20) / 2, "only {ended} were cut short");
}

#[test]
fn second_process_is_refused_while_the_store_is_open() {
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
    let mut line = String::new();
    BufReader::new(first.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "store.group.made\n");

    let second = converse(&home, 1, 1).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&second.stderr), "busy: store.db is in use by another process\n");
    assert_eq!(second.status.code(), Some(1));

    first.kill().unwrap();
    first.wait().unwrap();
    let third = converse(&home, 1, 1).output().unwrap();
    let expected = "1 question 1-1\n2 asks 1-1\nran reads 1-1\nran writes 1-1\n3 reads done 1-1\n4 writes done 1-1\n\
                    shown answer 1-1\n5 answer 1-1\nfinished 1-1\n";
    assert_eq!(String::from_utf8_lossy(&third.stdout), expected, "only written changes are acknowledged");
}
