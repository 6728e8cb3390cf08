//! `tarsus up --demo`: the whole product without a key, and nothing left of it.
#![cfg(unix)]

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tarsus_tests::{Running, TestHome, printed};

#[test]
fn the_demo_shows_a_tool_an_app_and_skills_that_are_not_ready_and_leaves_nothing_behind() {
    let home = TestHome::new();
    let rooms = home.path().join("rooms");
    fs::create_dir(&rooms).unwrap();
    let mut command = home.tarsus(["up", "--demo", "--port", "0"]);
    command.env("TMPDIR", &rooms);
    let demo = Running::begun(command);
    let folders =
        || -> Vec<PathBuf> { fs::read_dir(&rooms).unwrap().map(|entry| entry.unwrap().path()).collect() };
    let [folder] = &folders()[..] else { panic!("one folder, not {:?}", folders()) };
    assert!(!home.state_dir().exists(), "the user's own folder is not touched");
    let tarsus = |arguments: &[&str]| {
        let output = home.tarsus(["--state-dir", folder.to_str().unwrap()]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let table = [
        ("hello", "Hello! I am a scripted guide", &[][..]),
        ("What is in my notes?", "Your notes say:\n\n> - Water the plants on Thursday.", &["read"]),
        ("Show me the clock", "Done. Demo Clock is open now", &["app_launch"]),
        ("Hide the clock", "Done. Demo Clock", &["app_stop"]),
        ("What about the free credits?", "I was not let near it", &["read"]),
        // What a skill that nobody vouches for has a say in does nothing any more.
        ("Show me the clock", "That did not work: app_launch is not permitted", &["app_launch"]),
    ];
    for (said, answered, tools) in table {
        let result = tarsus(&["agent", "-m", said, "--json"]);
        assert!(result["text"].as_str().unwrap().starts_with(answered), "{said}: {result}");
        let called: Vec<&str> = result["toolCalls"]
            .as_array()
            .unwrap()
            .iter()
            .map(|call| call["name"].as_str().unwrap())
            .collect();
        assert_eq!(called, tools, "{said}");
        assert_eq!(result["model"], "demo/guide");
    }
    let info = tarsus(&["skills", "info", "free-credits", "--json"]);
    assert_eq!(info["blockedBy"], "security", "{info}");
    let info = tarsus(&["skills", "info", "bus-times", "--json"]);
    assert_eq!(info["missing"]["env"], serde_json::json!(["BUS_TIMES_KEY"]), "{info}");
    demo.signal("TERM");
    assert_eq!(demo.wait().0, Some(0));
    assert_eq!(folders(), [""; 0].map(PathBuf::from), "the folder is removed");
}
