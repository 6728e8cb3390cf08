//! The questions of `tarsus apps` at a real terminal.
#![cfg(target_os = "linux")]

use std::os::unix::process::ExitStatusExt;

use serde_json::{Map, Value, json};
use tarsus_tests::apps::Apps;
use tarsus_tests::terminal::Terminal;

const INTERRUPT: &str = "\x03";
const END_OF_INPUT: &str = "\x04";

/// `tarsus apps …` with a terminal of its own.
fn at_a_terminal(apps: &Apps, arguments: &[&str]) -> Terminal {
    Terminal::start(&apps.home, &[&["apps"], arguments].concat())
}

#[test]
fn only_a_yes_deletes_an_app() {
    let table = [
        ("no\n", false, (Some(2), None)),
        ("\n", false, (Some(2), None)),
        ("maybe yes\n", false, (Some(2), None)),
        (END_OF_INPUT, false, (Some(2), None)),
        // A shell calls the end by this signal 130.
        (INTERRUPT, false, (None, Some(2))),
        ("yes\n", true, (Some(0), None)),
    ];
    let apps = Apps::with("full", &[]);
    let before = apps.text();
    for (keys, deleted, ends) in table {
        let mut terminal = at_a_terminal(&apps, &["delete", "Last Z"]);
        terminal.wait_for("Delete this entry? (yes/no) ");
        assert_eq!(apps.text(), before, "before the answer");
        terminal.press(keys);
        let (status, shown) = terminal.end();
        assert_eq!((status.code(), status.signal()), ends, "{keys:?}\n{shown}");
        assert_eq!(apps.text() == "{}\n", deleted, "{keys:?}");
        assert_eq!(apps.text() == before, !deleted, "{keys:?}");
    }
    assert_eq!(apps.audit(), ["app.delete main Last Z allowed"]);
}

#[test]
fn stale_confirmation_is_asked_again() {
    let apps = Apps::with("full", &[]);
    let mut terminal = at_a_terminal(&apps, &["policy", "Last Z", "--mode", "off"]);
    terminal.wait_for("Save this entry? (yes/no) ");
    let other = apps.text().replace("\"full\"", "\"allowlist\"").replace("[]", "[\"writer\"]");
    apps.write_bytes(other.as_bytes());
    terminal.press("yes\n");
    terminal.wait_for("nothing was saved");
    terminal.wait_for("writer");
    terminal.wait_for("Save this entry? (yes/no) ");
    assert_eq!(apps.text(), other);
    terminal.press("no\n");
    let (status, shown) = terminal.end();
    assert_eq!(status.code(), Some(2), "{shown}");
    assert_eq!(apps.text(), other);
}

#[test]
fn addition_offers_to_create_the_registry() {
    let add = ["add", "--name", "Last Z", "--launch-path", "/x", "--mode", "full"];
    let table = [
        (&["no\n"][..], 2, None),
        (&["yes\n", "no\n"], 2, Some(&[][..])),
        (&["yes\n", "yes\n"], 0, Some(&["Last Z"])),
    ];
    let questions = ["is not created yet. Create it? (yes/no) ", "Save this entry? (yes/no) "];
    for (answers, exit, expected) in table {
        let apps = Apps::new();
        let mut terminal = at_a_terminal(&apps, &add);
        for (question, answer) in questions.iter().zip(answers) {
            terminal.wait_for(question);
            terminal.press(answer);
        }
        let (status, shown) = terminal.end();
        let entries: Option<Map<String, Value>> =
            apps.registry().exists().then(|| serde_json::from_str(&apps.text()).unwrap());
        let names: Option<Vec<&str>> =
            entries.as_ref().map(|entries| entries.keys().map(String::as_str).collect());
        assert_eq!((status.code(), names.as_deref()), (Some(exit), expected), "{answers:?}\n{shown}");
    }
}

#[test]
fn only_a_yes_stops_an_app_that_is_off() {
    let apps = Apps::with("full", &[]);
    assert_eq!(apps.json(&["launch", "Last Z"], 0)["outcome"], "started");
    apps.write(&json!({ "Last Z": apps.entry("off", &[]) }));
    for (keys, exit, running) in [("no\n", 2, 1), ("\n", 2, 1), ("yes\n", 0, 0)] {
        let mut terminal = at_a_terminal(&apps, &["stop", "Last Z"]);
        terminal.wait_for("Last Z is off. Stop it? (yes/no) ");
        terminal.press(keys);
        let (status, shown) = terminal.end();
        assert_eq!((status.code(), apps.pids().len()), (Some(exit), running), "{keys:?}\n{shown}");
    }
}

#[test]
fn name_in_the_file_cannot_control_the_terminal() {
    let apps = Apps::new();
    let evil = "a\x1b]0;title\x07\nrefused: nothing\u{202e}z";
    let similar = format!("{evil} x");
    let entry =
        |mode: &str, path: &str| json!({ "launch_path": path, "mode": mode, "allowed_agents": [evil] });
    apps.write(&json!({ evil: entry("allowlist", evil), "Full": entry("full", evil) }));
    for arguments in [
        &["list"][..],
        &["show", evil],
        &["status", evil],
        &["validate"],
        &["launch", evil],
        &["launch", "Full"],
        &["stop", evil],
        &["launch", &similar],
        &["delete", &similar],
        &["policy", evil, "--mode", "full", "--yes"],
        &["policy", evil, "--mode", "off", "--yes"],
        &["stop", evil, "--yes"],
        &["ask", "open full"],
        &["delete", evil, "--yes"],
    ] {
        let (_, shown) = at_a_terminal(&apps, arguments).end();
        let acts =
            shown.contains('\x07') || shown.contains('\u{202e}') || shown.contains("\nrefused: nothing");
        assert!(!acts && shown.contains("0;title"), "{arguments:?}\n{}", shown.escape_debug());
    }
}

#[test]
fn menu_prompts_and_quits_at_the_end_of_input() {
    let apps = Apps::with("off", &[]);
    let mut terminal = at_a_terminal(&apps, &[]);
    terminal.wait_for("1. Last Z (off)");
    terminal.wait_for("\r\n> ");
    terminal.press("1\n");
    terminal.wait_for("Refused: main may not launch");
    terminal.wait_for("\r\n> ");
    terminal.press(END_OF_INPUT);
    let (status, shown) = terminal.end();
    assert_eq!(status.code(), Some(0), "{shown}");
    assert!(shown.contains("Application Manager closed."), "{shown}");
}
