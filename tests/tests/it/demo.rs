//! `tarsus up --demo`: works without a key, and leaves nothing behind.
#![cfg(unix)]

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tarsus_tests::{Running, TestHome, printed};

#[test]
fn demo_runs_without_a_key_and_removes_its_folder() {
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
        ("What about the free credits?", "I could not read it", &["read"]),
        // An active community skill without capabilities blocks further actions.
        ("Show me the clock", "That did not work: app_launch is not permitted", &["app_launch"]),
    ];
    for (message, answer, tools) in table {
        let result = tarsus(&["agent", "-m", message, "--json"]);
        assert!(result["text"].as_str().unwrap().starts_with(answer), "{message}: {result}");
        let called: Vec<&str> = result["toolCalls"]
            .as_array()
            .unwrap()
            .iter()
            .map(|call| call["name"].as_str().unwrap())
            .collect();
        assert_eq!(called, tools, "{message}");
        assert_eq!(result["model"], "demo/guide");
    }
    let agents = tarsus(&["gateway", "call", "agents.list"]);
    assert_eq!(agents["agents"][0]["identity"]["name"], "Guide", "{agents}");
    let models = tarsus(&["models", "list", "--json"]);
    assert_eq!(models["models"][0]["name"], "Guide of the demo", "{models}");
    let info = tarsus(&["skills", "info", "free-credits", "--json"]);
    assert_eq!(info["blockedBy"], "security", "{info}");
    let info = tarsus(&["skills", "info", "bus-times", "--json"]);
    assert_eq!(info["missing"]["env"], serde_json::json!(["BUS_TIMES_KEY"]), "{info}");
    demo.signal("TERM");
    assert_eq!(demo.wait().0, Some(0));
    assert_eq!(folders(), [""; 0].map(PathBuf::from), "the folder is removed");
}
