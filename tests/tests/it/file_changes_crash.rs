//! A turn that changes files, and its undo, crash at any step. After the next start an undo gives exactly the files of
//! before, and nothing is left behind.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;
use tarsus_agent::CRASH_POINTS;
use tarsus_home::files::crash::POINTS as FILE_POINTS;
use tarsus_test_models::{Chunk, Reply, Server};
use tarsus_tests::TestHome;

use crate::agent_crash::{ABORTED, TurnOutput, check, configure, results_since, turn, turn_with};

const PATCH: &str = "*** Begin Patch\n*** Update File: notes.md\n*** Move to: moved/notes.md\n-Buy milk.\n+Buy tea.\n\
                     *** Delete File: old.md\n*** Add File: new/b.md\n+b\n*** End Patch";

/// A home with three files, and a model that creates, edits, moves and deletes.
fn scene() -> (TestHome, Server) {
    let home = TestHome::new();
    let server = Server::with_handler(|request| match results_since(&request.body) {
        0 => Reply::answer([
            Chunk::call("write", "write", &json!({ "path": "new/a.md", "content": "a\n" })),
            Chunk::call("edit", "edit", &json!({ "path": "todo.md", "oldText": "one", "newText": "two" })),
            Chunk::call("patch", "apply_patch", &json!({ "input": PATCH })),
        ]),
        _ => Reply::answer([Chunk::text("All done.")]),
    });
    configure(&home, &server);
    let workspace = home.state_dir().join("workspace");
    fs::write(workspace.join("todo.md"), "one\n").unwrap();
    fs::write(workspace.join("old.md"), "old\n").unwrap();
    (home, server)
}

/// Every entry of the workspace with its content, except those that a start creates.
fn files(home: &TestHome) -> BTreeMap<String, String> {
    let root = home.state_dir().join("workspace");
    let mut found = BTreeMap::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let shown = path.strip_prefix(&root).unwrap().display().to_string();
            if path.is_dir() {
                found.insert(format!("{shown}/"), String::new());
                folders.push(path);
            } else {
                found.insert(shown, read(&path));
            }
        }
    }
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// The steps of file changes that a run passes, each with its number.
fn steps(trace: &Path) -> Vec<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let steps = fs::read_to_string(trace).unwrap();
    let of_changes = |step: &&str| ["files.", "undo.", "rewrite."].iter().any(|kind| step.starts_with(kind));
    steps
        .lines()
        .filter(of_changes)
        .map(|step| {
            let time = times.entry(step.to_owned()).or_default();
            *time += 1;
            format!("{step}#{time}")
        })
        .collect()
}

fn undo(home: &TestHome, run: &str, variables: &[(&str, &str)]) -> TurnOutput {
    turn_with(home, run, "/undo", variables, None)
}

#[test]
fn crash_at_every_step_of_a_change_and_its_undo_is_recovered() {
    let (home, _server) = scene();
    let before = files(&home);
    let (change_trace, undo_trace) = (home.path().join("change"), home.path().join("undo"));
    let trace = |path: &Path| path.to_str().unwrap().to_owned();
    let whole = turn(&home, "whole", &[("TARSUS_CRASH_TRACE", &trace(&change_trace))], None);
    assert_eq!(whole.answer.as_deref(), Some("All done."));
    let changed = files(&home);
    assert_eq!(changed["moved/notes.md"], "Buy tea.\n");
    assert!(!changed.contains_key("notes.md") && !changed.contains_key("old.md"), "{changed:?}");
    let undone = undo(&home, "undo", &[("TARSUS_CRASH_TRACE", &trace(&undo_trace))]);
    assert!(undone.answer.is_some_and(|answer| answer.contains("- old.md: restored")));
    assert_eq!(files(&home), before);
    let (change_steps, undo_steps) = (steps(&change_trace), steps(&undo_trace));
    let known = CRASH_POINTS.iter().chain(FILE_POINTS).filter(|point| !point.starts_with("turn."));
    for point in
        known.filter(|point| ["files.", "undo.", "rewrite."].iter().any(|kind| point.starts_with(kind)))
    {
        let passed =
            change_steps.iter().chain(&undo_steps).any(|step| step.starts_with(&format!("{point}#")));
        assert!(passed, "{point} is not passed");
    }
    for step in change_steps {
        let (home, _server) = scene();
        let cut = turn(&home, "cut", &[("TARSUS_CRASH_POINT", &step)], None);
        assert_eq!(cut.signal, Some(ABORTED), "{step}");
        let undone = undo(&home, "undo", &[]);
        assert!(undone.answer.is_some(), "{step}");
        assert_eq!(files(&home), before, "{step}: {:?}", undone.answer);
        check(&home, &[("cut".to_owned(), cut)], &step);
    }
    for step in undo_steps {
        let (home, _server) = scene();
        turn(&home, "whole", &[], None);
        assert_eq!(undo(&home, "cut", &[("TARSUS_CRASH_POINT", &step)]).signal, Some(ABORTED), "{step}");
        let undone = undo(&home, "again", &[]);
        assert_eq!(files(&home), before, "{step}: {:?}", undone.answer);
    }
}
