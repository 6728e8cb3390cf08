//! `tarsus agent` changes files, and `tarsus sessions changes` and `undo` show them and put them back: with a gateway and
//! without one.
#![cfg(unix)]

use std::fs;
use std::process::Output;

use serde_json::{Value, json};
use tarsus_test_models::{Chunk, Reply, Server};
use tarsus_tests::{Running, TestHome, printed};

use crate::agent_crash::{configure, results_since};

/// A home with a note, and a model that changes it and adds a file.
fn scene() -> (TestHome, Server) {
    let home = TestHome::new();
    let server = Server::with_handler(|request| match results_since(&request.body) {
        0 => Reply::answer([
            Chunk::call("one", "edit", &json!({ "path": "notes.md", "oldText": "milk", "newText": "tea" })),
            Chunk::call("two", "write", &json!({ "path": "plans/week.md", "content": "Mon\nTue\n" })),
        ]),
        _ => Reply::answer([Chunk::text("Done.")]),
    });
    configure(&home, &server);
    (home, server)
}

fn run(home: &TestHome, arguments: &[&str]) -> Output {
    home.tarsus(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", printed(output)))
}

/// Text without run ids and times.
fn settled(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let id = word.trim_end_matches('\n');
        let is_id = id.len() == 36 && id.matches('-').count() == 4;
        let is_time = id.len() == 8 && id.matches(':').count() == 2;
        let is_day = id.len() == 10 && id.starts_with("20") && id.matches('-').count() == 2;
        if is_id || is_time || is_day { word.replace(id, "…") } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ").replace('\n', "\n|")
}

fn check_changes_and_undo(home: &TestHome) {
    let workspace = home.state_dir().join("workspace");
    let answer = run(home, &["agent", "-m", "change my notes"]);
    assert_eq!(
        stdout(&answer),
        "Done.\n\nChanged files (`tarsus sessions undo` puts them back):\n  modified  notes.md  +1 -1\n  added     plans/week.md  +2 -0\n"
    );
    let shown = settled(&stdout(&run(home, &["sessions", "changes", "--diff"])));
    assert_eq!(
        shown,
        "… …  2 files  turn …\n|  modified  notes.md  +1 -1\n|  added     plans/week.md  +2 -0\n|\n|  notes.md\n|  @@ -1 +1 @@\n|  -Buy milk.\n|  +Buy tea.\n|\n|  plans/week.md\n|  @@ -1 +1 @@\n|  +Mon\n|  +Tue\n|"
    );
    let listed = json_of(&run(home, &["sessions", "changes", "--json"]));
    let undo_states: Vec<&Value> =
        listed["runs"][0]["files"].as_array().unwrap().iter().map(|file| &file["undo"]).collect();
    assert_eq!(undo_states, ["possible", "possible"]);
    // Nobody confirms.
    let unconfirmed = run(home, &["sessions", "undo"]);
    assert_eq!(unconfirmed.status.code(), Some(2), "{}", printed(&unconfirmed));
    fs::write(workspace.join("plans/week.md"), "mine\n").unwrap();
    let planned = settled(&stdout(&run(home, &["sessions", "undo", "--dry-run"])));
    assert_eq!(
        planned,
        "turn …\n|  notes.md  would be restored\n|  plans/week.md  would be left as it is: it changed since\n|"
    );
    assert_eq!(fs::read_to_string(workspace.join("notes.md")).unwrap(), "Buy tea.\n");
    let done = run(home, &["sessions", "undo", "--yes"]);
    assert_eq!(
        (done.status.code(), settled(&stdout(&done))),
        (
            Some(1),
            "turn …\n|  notes.md  restored\n|  plans/week.md  left as it is: it changed since\n|".to_owned()
        )
    );
    assert_eq!(fs::read_to_string(workspace.join("notes.md")).unwrap(), "Buy milk.\n");
    assert_eq!(fs::read_to_string(workspace.join("plans/week.md")).unwrap(), "mine\n");
    let unknown = run(home, &["sessions", "undo", "--run", "nothing", "--yes"]);
    assert_eq!(unknown.status.code(), Some(4), "{}", printed(&unknown));
    assert!(
        printed(&unknown).contains("nothing did not change files in this session"),
        "{}",
        printed(&unknown)
    );
}

#[test]
fn changes_are_shown_and_undone_without_a_gateway() {
    let (home, _server) = scene();
    check_changes_and_undo(&home);
}

#[test]
fn changes_are_shown_and_undone_through_a_gateway() {
    let (home, _server) = scene();
    let _gateway = Running::up(&home);
    check_changes_and_undo(&home);
}

#[test]
fn result_of_a_run_names_the_changed_files() {
    let (home, _server) = scene();
    let result = json_of(&run(&home, &["agent", "-m", "change my notes", "--json"]));
    let changed = json!([
        { "path": "notes.md", "kind": "modified", "added": 1, "removed": 1, "undo": "possible" },
        { "path": "plans/week.md", "kind": "added", "added": 2, "removed": 0, "undo": "possible" },
    ]);
    assert_eq!(result["changes"], changed);
    let reply = stdout(&run(&home, &["agent", "-m", "/undo"]));
    assert_eq!(
        reply,
        "The files of the last turn that changed any:\n- notes.md: restored\n- plans/week.md: removed\n"
    );
    assert!(!home.state_dir().join("workspace/plans").exists(), "its folder is gone, too");
}

#[test]
fn known_secret_is_in_no_file_and_no_kept_content() {
    const KEY: &str = "none-of-yours";
    let home = TestHome::new();
    let content = format!("the key is {KEY}\n");
    let server = Server::with_handler(move |request| match results_since(&request.body) {
        0 => Reply::answer([Chunk::call("one", "write", &json!({ "path": "notes.md", "content": content }))]),
        _ => Reply::answer([Chunk::text("Done.")]),
    });
    configure(&home, &server);
    run(&home, &["agent", "-m", "note the key"]);
    let written = fs::read_to_string(home.state_dir().join("workspace/notes.md")).unwrap();
    assert!(written.starts_with("the key is ") && !written.contains(KEY), "{written}");
    let kept: Vec<String> = fs::read_dir(home.home().checkpoints_dir())
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert_eq!(kept.len(), 2, "before and after: {kept:?}");
    assert!(!kept.iter().any(|content| content.contains(KEY)), "{kept:?}");
    let shown = printed(&run(&home, &["sessions", "changes", "--diff", "--json"]));
    assert!(!shown.contains(KEY), "{shown}");
}

#[test]
fn unknown_turn_is_an_error_before_the_first_session_too() {
    let home = TestHome::new();
    let unknown = run(&home, &["sessions", "undo", "--run", "nothing", "--yes"]);
    assert_eq!(unknown.status.code(), Some(4), "{}", printed(&unknown));
    assert!(printed(&unknown).contains("`tarsus sessions changes` lists the turns"), "{}", printed(&unknown));
    assert_eq!(run(&home, &["sessions", "undo"]).status.code(), Some(0));
}
