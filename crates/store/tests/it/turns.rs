//! Writes of a turn, their syncs, and unfinished runs after a crash.

use crate::fixture::{Fixture, answer_of, key, lines, new_message, result_of, run};
use rusqlite::Connection;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{
    CallChangeError, CallEnd, Draft, Durability, NewCall, OpenCall, RecordedCall, RequestUsage, RunEnd,
    RunNote, RunState, Store, StoreError, TriedModel, UnfinishedRun, UsageTotals,
};

const MAIN: &str = "agent:main:main";

fn started_run(fixture: &Fixture) -> Store {
    let store = fixture.open();
    store.accept(new_message(MAIN, "r", "go", 1)).wait().unwrap();
    store
}

fn call(id: &str, begun: bool) -> NewCall {
    NewCall { id: id.to_owned(), tool: "read".to_owned(), begun }
}

fn append_answer(store: &Store, text: &str, calls: Vec<NewCall>) -> Result<u64, StoreError> {
    store.append_answer(answer_of(MAIN, Some("r"), text, 2), calls, None, Durability::KillSafe).wait()
}

fn record_result(store: &Store, id: &str, text: &str) -> Result<u64, StoreError> {
    store.record_result(run("r"), id.to_owned(), result_of(MAIN, "r", id, text, 3)).wait()
}

fn call_error(error: StoreError) -> CallChangeError {
    match error {
        StoreError::Call { why, .. } => why,
        other => panic!("{other}"),
    }
}

#[test]
fn read_only_call_needs_two_syncs_and_a_draft_none() {
    let fixture = Fixture::new();
    let store = started_run(&fixture);
    let before = store.writer_stats();
    for piece in 0..20 {
        store.append_draft(run("r"), format!("word {piece} "), 2).wait().unwrap();
    }
    assert_eq!(store.writer_stats().syncs, before.syncs, "drafts are written, not synced");
    append_answer(&store, "I look.", vec![call("a", true)]).unwrap();
    record_result(&store, "a", "found").unwrap();
    assert_eq!(store.writer_stats().syncs - before.syncs, 2);

    // A call that acts is marked as started before it runs.
    let before = store.writer_stats();
    append_answer(&store, "I write.", vec![call("b", false)]).unwrap();
    store.begin_call(run("r"), "b".to_owned(), 3).wait().unwrap();
    record_result(&store, "b", "done").unwrap();
    assert_eq!(store.writer_stats().syncs - before.syncs, 2, "the answer alone is not synced");
}

#[test]
fn results_of_parallel_calls_share_one_sync() {
    let fixture = Fixture::new();
    let store = started_run(&fixture);
    let ids: Vec<String> = (0..8).map(|number| format!("call-{number}")).collect();
    append_answer(&store, "I look.", ids.iter().map(|id| call(id, true)).collect()).unwrap();
    // The writer is blocked by the first one; those that arrive meanwhile form one group.
    let holder = Connection::open(store.path()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let before = store.writer_stats();
    let give = |id: &String| store.record_result(run("r"), id.clone(), result_of(MAIN, "r", id, "found", 3));
    let answers: Vec<_> = ids.iter().map(give).collect();
    holder.execute_batch("COMMIT").unwrap();
    for answer in answers {
        answer.wait().unwrap();
    }
    let written = store.writer_stats();
    let (changes, syncs) = (written.changes - before.changes, written.syncs - before.syncs);
    assert!(changes == 8 && syncs <= 2, "{changes} results and {syncs} syncs");
}

#[test]
fn call_starts_once_and_has_one_result() {
    let fixture = Fixture::new();
    let store = started_run(&fixture);
    let begin = |id: &str| store.begin_call(run("r"), id.to_owned(), 3).wait();
    assert_eq!(call_error(begin("a").unwrap_err()), CallChangeError::Unknown);
    assert_eq!(call_error(record_result(&store, "a", "early").unwrap_err()), CallChangeError::Unknown);
    append_answer(&store, "I write.", vec![call("a", false), call("b", true), call("c", false)]).unwrap();
    begin("a").unwrap();
    assert_eq!(call_error(begin("a").unwrap_err()), CallChangeError::AlreadyStarted);
    assert_eq!(
        call_error(begin("b").unwrap_err()),
        CallChangeError::AlreadyStarted,
        "it started with the answer"
    );
    assert_eq!(record_result(&store, "a", "done").unwrap(), 3);
    assert_eq!(
        call_error(record_result(&store, "a", "again").unwrap_err()),
        CallChangeError::AlreadyFinished
    );
    assert_eq!(call_error(begin("a").unwrap_err()), CallChangeError::AlreadyFinished);
    let of_another =
        store.record_result(run("r"), "b".to_owned(), result_of(MAIN, "r", "c", "other", 3)).wait();
    assert_eq!(call_error(of_another.unwrap_err()), CallChangeError::ResultMismatch);
    let no_result =
        store.record_result(run("r"), "b".to_owned(), answer_of(MAIN, Some("r"), "words", 3)).wait();
    assert_eq!(call_error(no_result.unwrap_err()), CallChangeError::ResultMismatch);
    // A refused call has a result and never started.
    assert_eq!(record_result(&store, "c", "refused").unwrap(), 4);

    let twice = append_answer(&store, "Once more.", vec![call("d", false), call("a", true)]).unwrap_err();
    let problem = Problem::from(twice);
    assert_eq!(
        (problem.code, problem.message.as_str()),
        (ErrorCode::Usage, "the call a of the run r exists already")
    );
    assert_eq!(lines(&store, MAIN).len(), 4, "nothing of a refused change is kept");
    let ended = Some(CallEnd { at_ms: 3, failed: false });
    let known = |id: &str, begun_ms, ended| RecordedCall {
        id: id.to_owned(),
        tool: "read".to_owned(),
        begun_ms,
        ended,
    };
    assert_eq!(
        store.calls(&run("r")).unwrap(),
        [known("a", Some(3), ended), known("b", Some(2), None), known("c", None, ended)]
    );
}

#[test]
fn ended_run_accepts_results_but_no_new_calls() {
    let fixture = Fixture::new();
    let store = started_run(&fixture);
    append_answer(&store, "I write.", vec![call("a", true), call("b", false)]).unwrap();
    store.finish(run("r"), RunEnd::Aborted, 3, Durability::KillSafe).wait().unwrap();
    let assert_ended = |answer: Result<(), StoreError>| match answer {
        Err(StoreError::RunEnded(id)) => assert_eq!(id, run("r")),
        other => panic!("{other:?}"),
    };
    assert_ended(store.begin_call(run("r"), "b".to_owned(), 4).wait());
    assert_ended(store.append_draft(run("r"), "late".to_owned(), 4).wait());
    assert_ended(append_answer(&store, "late", Vec::new()).map(drop));
    assert_ended(store.close_run(run("r"), Vec::new(), RunEnd::Interrupted, 4).wait().map(drop));
    assert_eq!(record_result(&store, "a", "done all the same").unwrap(), 3);
    let of_no_run =
        store.append_answer(answer_of(MAIN, None, "words", 4), Vec::new(), None, Durability::KillSafe);
    assert!(matches!(of_no_run.wait(), Err(StoreError::MissingRun)));
}

/// The draft that the next process finds.
fn recovered_draft(fixture: &Fixture, store: Store) -> Option<Draft> {
    drop(store);
    fixture.open().recovery().unfinished.first().and_then(|run| run.draft.clone())
}

#[test]
fn draft_survives_a_crash_and_ends_with_its_answer() {
    type Clear = fn(&Store);
    let clearings: [(&str, Clear); 4] = [
        ("said", |store| assert!(append_answer(store, "whole", Vec::new()).is_ok())),
        ("result", |store| assert!(record_result(store, "a", "found").is_ok())),
        ("discarded", |store| store.clear_draft(run("r")).wait().unwrap()),
        ("over", |store| {
            store.finish(run("r"), RunEnd::Finished, 3, Durability::KillSafe).wait().unwrap();
            // Only runs in progress are recovered.
            assert_eq!(store.run(&run("r")).unwrap().unwrap().state, RunState::Finished);
        }),
    ];
    for (name, clear) in clearings {
        let fixture = Fixture::new();
        let store = started_run(&fixture);
        append_answer(&store, "I look.", vec![call("a", true)]).unwrap();
        for (piece, at_ms) in [("The ", 5), ("天气", 6), (" is", 7)] {
            store.append_draft(run("r"), piece.to_owned(), at_ms).wait().unwrap();
        }
        let shown = Draft { text: "The 天气 is".to_owned(), at_ms: 7 };
        assert_eq!(recovered_draft(&fixture, store), Some(shown), "{name}");
        let store = fixture.open();
        clear(&store);
        assert_eq!(recovered_draft(&fixture, store), None, "{name}");
    }
}

#[test]
fn long_draft_is_truncated_on_reading() {
    let fixture = Fixture::new();
    let store = started_run(&fixture);
    for _ in 0..5 {
        store.append_draft(run("r"), "天".repeat(500_000), 2).wait().unwrap();
    }
    let draft = recovered_draft(&fixture, store).unwrap().text;
    assert!(draft.ends_with("天 … (3305697 more bytes were cut)"), "{}", &draft[draft.len() - 60..]);
    assert!(draft.len() < 4 * 1024 * 1024 + 50);
}

#[test]
fn unfinished_run_is_found_until_it_is_closed() {
    let fixture = Fixture::new();
    let store = started_run(&fixture);
    store.accept(new_message(MAIN, "ended", "go", 10)).wait().unwrap();
    store.finish(run("ended"), RunEnd::Finished, 11, Durability::KillSafe).wait().unwrap();
    append_answer(&store, "I look.", vec![call("a", true), call("b", true), call("c", false)]).unwrap();
    record_result(&store, "a", "found").unwrap();
    let running = store.run(&run("r")).unwrap().unwrap();
    let open = |id: &str, begun| OpenCall { id: id.to_owned(), tool: "read".to_owned(), begun };
    let unfinished =
        UnfinishedRun { run: running, draft: None, calls: vec![open("b", true), open("c", false)] };
    drop(store);
    for _ in 0..2 {
        assert_eq!(fixture.open().recovery().unfinished, std::slice::from_ref(&unfinished));
    }
    let store = fixture.open();
    let results = ["b", "c"].map(|id| result_of(MAIN, "r", id, "cut", 20));
    // The clock was set back: a run does not end before it started.
    let numbers = store.close_run(run("r"), results.to_vec(), RunEnd::Interrupted, 0).wait().unwrap();
    assert_eq!(numbers, [5, 6]);
    let closed = store.run(&run("r")).unwrap().unwrap();
    assert_eq!((closed.state, closed.ended_ms), (RunState::Interrupted, Some(1)));
    drop(store);
    assert_eq!(fixture.open().recovery().unfinished, []);
}

#[test]
fn run_records_tried_models_and_the_one_that_answered() {
    let fixture = Fixture::new();
    let store = started_run(&fixture);
    let tried =
        |model: &str, reason: &str| TriedModel { model: model.parse().unwrap(), reason: reason.to_owned() };
    let first = RunNote { skills_version: Some("7".parse().unwrap()), ..RunNote::default() };
    store.note_run(run("r"), RunNote { tried: vec![tried("far/a", "overloaded")], ..first }).wait().unwrap();
    let second = RunNote {
        model: Some("local/b".parse().unwrap()),
        tried: vec![tried("far/c", &"x".repeat(10_000))],
        skills_version: None,
        ..RunNote::default()
    };
    store.note_run(run("r"), second).wait().unwrap();
    let stored = store.run(&run("r")).unwrap().unwrap();
    let as_text = |line: Option<tarsus_store::SingleLine>| line.map(|line| line.as_str().to_owned());
    assert_eq!(
        (as_text(stored.model).as_deref(), as_text(stored.skills_version).as_deref(), stored.tool_calls),
        (Some("local/b"), Some("7"), 0)
    );
    assert_eq!(stored.tried[0], tried("far/a", "overloaded"));
    assert!(stored.tried[1].reason.ends_with("x … (1808 more bytes were cut)"));
    let missing = store.note_run(run("nobody"), RunNote::default()).wait().unwrap_err();
    assert!(matches!(missing, StoreError::NoRun(_)));
}

#[test]
fn usage_is_reported_by_agent_session_and_run() {
    let fixture = Fixture::new();
    let store = started_run(&fixture);
    let usage = |id: &str, input, at_ms| RequestUsage {
        run: run(id),
        model: "local/small".parse().unwrap(),
        input,
        output: 1,
        cache_read: 0,
        cache_write: 0,
        cost_nano_usd: None,
        at_ms,
    };
    let answer = |session: &str, id: &str, input, at_ms| {
        let item = answer_of(session, Some(id), "words", at_ms);
        let usage = Some(usage(id, input, at_ms));
        store.append_answer(item, Vec::new(), usage, Durability::KillSafe).wait().unwrap()
    };
    assert_eq!(store.last_usage(&key(MAIN)).unwrap(), None);
    answer(MAIN, "r", 10, 5);
    let number = answer(MAIN, "r", 20, 6);
    // A request without an answer says nothing about the length of the transcript.
    store.add_usage(usage("r", 999, 7), Durability::KillSafe).wait().unwrap();
    let last = store.last_usage(&key(MAIN)).unwrap().unwrap();
    assert_eq!((last.item, last.usage), (number, usage("r", 20, 6)));
    store.reset(key(MAIN), 8).wait().unwrap();
    assert_eq!(store.last_usage(&key(MAIN)).unwrap(), None, "the new transcript is empty");
    store.accept(new_message(MAIN, "after", "go", 8)).wait().unwrap();
    answer(MAIN, "after", 40, 9);
    store.accept(new_message("agent:ops:main", "other", "go", 9)).wait().unwrap();
    answer("agent:ops:main", "other", 80, 10);

    let totals = |requests, input| UsageTotals {
        requests,
        input,
        output: requests,
        unpriced: requests,
        ..UsageTotals::default()
    };
    let ops = "ops".parse().unwrap();
    assert_eq!(store.usage_since(0, None).unwrap(), totals(5, 1_149));
    assert_eq!(store.usage_since(9, None).unwrap(), totals(2, 120));
    assert_eq!(store.usage_since(0, Some(&ops)).unwrap(), totals(1, 80));
    assert_eq!(store.usage_since(11, None).unwrap(), totals(0, 0));
    assert_eq!(store.usage_in_session(&key(MAIN)).unwrap(), totals(4, 1_069));
    assert_eq!(store.usage_in_run(&run("r")).unwrap(), totals(3, 1_029));
    assert_eq!(store.usage_in_run(&run("nobody")).unwrap(), totals(0, 0));
    assert_eq!(store.last_usage(&key("agent:nobody:main")).unwrap(), None);
}
