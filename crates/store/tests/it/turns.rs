//! What a turn writes as it goes on, what it costs, and what is found of a run that was cut.

use crate::scene::{Scene, answer_of, key, lines, new_message, result_of, run};
use rusqlite::Connection;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{
    Call, CallEnd, CallError, Draft, Durability, Left, NewCall, OpenCall, Outcome, RunNote, RunState, Spent,
    Store, StoreError, TriedModel, Usage,
};

const MAIN: &str = "agent:main:main";

fn begun(scene: &Scene) -> Store {
    let store = scene.open();
    store.accept(new_message(MAIN, "r", "go", 1)).wait().unwrap();
    store
}

fn call(id: &str, begun: bool) -> NewCall {
    NewCall { id: id.to_owned(), tool: "read".to_owned(), begun }
}

fn says(store: &Store, text: &str, calls: Vec<NewCall>) -> Result<u64, StoreError> {
    store.said(answer_of(MAIN, Some("r"), text, 2), calls, None, Durability::KillSafe).wait()
}

fn result(store: &Store, id: &str, text: &str) -> Result<u64, StoreError> {
    store.result(run("r"), id.to_owned(), result_of(MAIN, "r", id, text, 3)).wait()
}

fn why(error: StoreError) -> CallError {
    match error {
        StoreError::Call { why, .. } => why,
        other => panic!("{other}"),
    }
}

#[test]
fn a_read_only_call_costs_two_syncs_and_a_draft_none() {
    let scene = Scene::new();
    let store = begun(&scene);
    let before = store.written();
    for piece in 0..20 {
        store.draft(run("r"), format!("word {piece} "), 2).wait().unwrap();
    }
    assert_eq!(store.written().syncs, before.syncs, "what is shown is written, not synced");
    says(&store, "I look.", vec![call("a", true)]).unwrap();
    result(&store, "a", "found").unwrap();
    assert_eq!(store.written().syncs - before.syncs, 2);

    // A call that changes something says so before it runs.
    let before = store.written();
    says(&store, "I write.", vec![call("b", false)]).unwrap();
    store.begin_call(run("r"), "b".to_owned(), 3).wait().unwrap();
    result(&store, "b", "done").unwrap();
    assert_eq!(store.written().syncs - before.syncs, 2, "the words alone are not synced");
}

#[test]
fn results_of_parallel_calls_that_come_together_share_one_sync() {
    let scene = Scene::new();
    let store = begun(&scene);
    let ids: Vec<String> = (0..8).map(|number| format!("call-{number}")).collect();
    says(&store, "I look.", ids.iter().map(|id| call(id, true)).collect()).unwrap();
    // The writer is held up by the first of them; those that come meanwhile are one group.
    let holder = Connection::open(store.path()).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let before = store.written();
    let give = |id: &String| store.result(run("r"), id.clone(), result_of(MAIN, "r", id, "found", 3));
    let answers: Vec<_> = ids.iter().map(give).collect();
    holder.execute_batch("COMMIT").unwrap();
    for answer in answers {
        answer.wait().unwrap();
    }
    let written = store.written();
    let (changes, syncs) = (written.changes - before.changes, written.syncs - before.syncs);
    assert!(changes == 8 && syncs <= 2, "{changes} results and {syncs} syncs");
}

#[test]
fn a_call_begins_once_and_has_one_result() {
    let scene = Scene::new();
    let store = begun(&scene);
    let begin = |id: &str| store.begin_call(run("r"), id.to_owned(), 3).wait();
    assert_eq!(why(begin("a").unwrap_err()), CallError::Unknown);
    assert_eq!(why(result(&store, "a", "early").unwrap_err()), CallError::Unknown);
    says(&store, "I write.", vec![call("a", false), call("b", true), call("c", false)]).unwrap();
    begin("a").unwrap();
    assert_eq!(why(begin("a").unwrap_err()), CallError::AlreadyStarted);
    assert_eq!(why(begin("b").unwrap_err()), CallError::AlreadyStarted, "it began with the words");
    assert_eq!(result(&store, "a", "done").unwrap(), 3);
    assert_eq!(why(result(&store, "a", "again").unwrap_err()), CallError::AlreadyFinished);
    assert_eq!(why(begin("a").unwrap_err()), CallError::AlreadyFinished);
    let of_another = store.result(run("r"), "b".to_owned(), result_of(MAIN, "r", "c", "other", 3)).wait();
    assert_eq!(why(of_another.unwrap_err()), CallError::ResultMismatch);
    let no_result = store.result(run("r"), "b".to_owned(), answer_of(MAIN, Some("r"), "words", 3)).wait();
    assert_eq!(why(no_result.unwrap_err()), CallError::ResultMismatch);
    // A call that was refused has a result and never began.
    assert_eq!(result(&store, "c", "refused").unwrap(), 4);

    let twice = says(&store, "Once more.", vec![call("d", false), call("a", true)]).unwrap_err();
    let problem = Problem::from(twice);
    assert_eq!(
        (problem.code, problem.message.as_str()),
        (ErrorCode::Usage, "the call a of the run r was asked for already")
    );
    assert_eq!(lines(&store, MAIN).len(), 4, "nothing of what is refused is kept");
    let ended = Some(CallEnd { at_ms: 3, failed: false });
    let known =
        |id: &str, begun_ms, ended| Call { id: id.to_owned(), tool: "read".to_owned(), begun_ms, ended };
    assert_eq!(
        store.calls(&run("r")).unwrap(),
        [known("a", Some(3), ended), known("b", Some(2), None), known("c", None, ended)]
    );
}

#[test]
fn a_run_that_is_over_begins_nothing_and_takes_the_results_of_what_it_began() {
    let scene = Scene::new();
    let store = begun(&scene);
    says(&store, "I write.", vec![call("a", true), call("b", false)]).unwrap();
    store.finish(run("r"), Outcome::Aborted, 3, Durability::KillSafe).wait().unwrap();
    let over = |answer: Result<(), StoreError>| match answer {
        Err(StoreError::RunOver(id)) => assert_eq!(id, run("r")),
        other => panic!("{other:?}"),
    };
    over(store.begin_call(run("r"), "b".to_owned(), 4).wait());
    over(store.draft(run("r"), "late".to_owned(), 4).wait());
    over(says(&store, "late", Vec::new()).map(drop));
    over(store.interrupt(run("r"), Vec::new(), 4).wait().map(drop));
    assert_eq!(result(&store, "a", "done all the same").unwrap(), 3);
    let of_no_run = store.said(answer_of(MAIN, None, "words", 4), Vec::new(), None, Durability::KillSafe);
    assert!(matches!(of_no_run.wait(), Err(StoreError::OfNoRun)));
}

/// The draft that the next process finds.
fn draft_of(scene: &Scene, store: Store) -> Option<Draft> {
    drop(store);
    scene.open().recovered().left.first().and_then(|left| left.draft.clone())
}

#[test]
fn a_draft_outlives_its_process_and_not_its_answer() {
    type Clear = fn(&Store);
    let clearings: [(&str, Clear); 4] = [
        ("said", |store| assert!(says(store, "whole", Vec::new()).is_ok())),
        ("result", |store| assert!(result(store, "a", "found").is_ok())),
        ("discarded", |store| store.drop_draft(run("r")).wait().unwrap()),
        ("over", |store| {
            store.finish(run("r"), Outcome::Finished, 3, Durability::KillSafe).wait().unwrap();
            // Only a run that goes on is found.
            assert_eq!(store.run(&run("r")).unwrap().unwrap().state, RunState::Finished);
        }),
    ];
    for (name, clear) in clearings {
        let scene = Scene::new();
        let store = begun(&scene);
        says(&store, "I look.", vec![call("a", true)]).unwrap();
        for (piece, at_ms) in [("The ", 5), ("天气", 6), (" is", 7)] {
            store.draft(run("r"), piece.to_owned(), at_ms).wait().unwrap();
        }
        let shown = Draft { text: "The 天气 is".to_owned(), at_ms: 7 };
        assert_eq!(draft_of(&scene, store), Some(shown), "{name}");
        let store = scene.open();
        clear(&store);
        assert_eq!(draft_of(&scene, store), None, "{name}");
    }
}

#[test]
fn a_draft_without_end_is_cut_where_it_is_read_back() {
    let scene = Scene::new();
    let store = begun(&scene);
    for _ in 0..5 {
        store.draft(run("r"), "天".repeat(500_000), 2).wait().unwrap();
    }
    let draft = draft_of(&scene, store).unwrap().text;
    assert!(draft.ends_with("天 … (3305697 more bytes were cut)"), "{}", &draft[draft.len() - 60..]);
    assert!(draft.len() < 4 * 1024 * 1024 + 50);
}

#[test]
fn a_run_that_was_left_is_found_again_until_it_is_closed() {
    let scene = Scene::new();
    let store = begun(&scene);
    store.accept(new_message(MAIN, "ended", "go", 10)).wait().unwrap();
    store.finish(run("ended"), Outcome::Finished, 11, Durability::KillSafe).wait().unwrap();
    says(&store, "I look.", vec![call("a", true), call("b", true), call("c", false)]).unwrap();
    result(&store, "a", "found").unwrap();
    let gone_on = store.run(&run("r")).unwrap().unwrap();
    let open = |id: &str, begun| OpenCall { id: id.to_owned(), tool: "read".to_owned(), begun };
    let left = Left { run: gone_on, draft: None, calls: vec![open("b", true), open("c", false)] };
    drop(store);
    for _ in 0..2 {
        assert_eq!(scene.open().recovered().left, std::slice::from_ref(&left));
    }
    let store = scene.open();
    let results = ["b", "c"].map(|id| result_of(MAIN, "r", id, "cut", 20));
    // The clock was set back in between: a run does not end before it began.
    let numbers = store.interrupt(run("r"), results.to_vec(), 0).wait().unwrap();
    assert_eq!(numbers, [5, 6]);
    let closed = store.run(&run("r")).unwrap().unwrap();
    assert_eq!((closed.state, closed.ended_ms), (RunState::Interrupted, Some(1)));
    drop(store);
    assert_eq!(scene.open().recovered().left, []);
}

#[test]
fn a_record_says_which_models_were_asked_and_which_answered() {
    let scene = Scene::new();
    let store = begun(&scene);
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
    let noted = store.run(&run("r")).unwrap().unwrap();
    let told = |line: Option<tarsus_store::Line>| line.map(|line| line.as_str().to_owned());
    assert_eq!(
        (told(noted.model).as_deref(), told(noted.skills_version).as_deref(), noted.tool_calls),
        (Some("local/b"), Some("7"), 0)
    );
    assert_eq!(noted.tried[0], tried("far/a", "overloaded"));
    assert!(noted.tried[1].reason.ends_with("x … (1808 more bytes were cut)"));
    let nobody = store.note_run(run("nobody"), RunNote::default()).wait().unwrap_err();
    assert!(matches!(nobody, StoreError::NoRun(_)));
}

#[test]
fn what_was_spent_is_told_by_agent_session_and_run() {
    let scene = Scene::new();
    let store = begun(&scene);
    let usage = |id: &str, input, at_ms| Usage {
        run: run(id),
        model: "local/small".parse().unwrap(),
        input,
        output: 1,
        cache_read: 0,
        cache_write: 0,
        cost_nano_usd: None,
        at_ms,
    };
    let say = |session: &str, id: &str, input, at_ms| {
        let item = answer_of(session, Some(id), "words", at_ms);
        let usage = Some(usage(id, input, at_ms));
        store.said(item, Vec::new(), usage, Durability::KillSafe).wait().unwrap()
    };
    assert_eq!(store.last_usage(&key(MAIN)).unwrap(), None);
    say(MAIN, "r", 10, 5);
    let number = say(MAIN, "r", 20, 6);
    // A request that brought no answer says nothing of how long the transcript is.
    store.add_usage(usage("r", 999, 7), Durability::KillSafe).wait().unwrap();
    let last = store.last_usage(&key(MAIN)).unwrap().unwrap();
    assert_eq!((last.item, last.usage), (number, usage("r", 20, 6)));
    store.reset(key(MAIN), 8).wait().unwrap();
    assert_eq!(store.last_usage(&key(MAIN)).unwrap(), None, "the new transcript is empty");
    store.accept(new_message(MAIN, "after", "go", 8)).wait().unwrap();
    say(MAIN, "after", 40, 9);
    store.accept(new_message("agent:ops:main", "other", "go", 9)).wait().unwrap();
    say("agent:ops:main", "other", 80, 10);

    let of =
        |requests, input| Spent { requests, input, output: requests, unpriced: requests, ..Spent::default() };
    let ops = "ops".parse().unwrap();
    assert_eq!(store.spent(0, None).unwrap(), of(5, 1_149));
    assert_eq!(store.spent(9, None).unwrap(), of(2, 120));
    assert_eq!(store.spent(0, Some(&ops)).unwrap(), of(1, 80));
    assert_eq!(store.spent(11, None).unwrap(), of(0, 0));
    assert_eq!(store.spent_in_session(&key(MAIN)).unwrap(), of(4, 1_069));
    assert_eq!(store.spent_in_run(&run("r")).unwrap(), of(3, 1_029));
    assert_eq!(store.spent_in_run(&run("nobody")).unwrap(), of(0, 0));
    assert_eq!(store.last_usage(&key("agent:nobody:main")).unwrap(), None);
}
