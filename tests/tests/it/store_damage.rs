//! A store that cannot be used is shown by `status` and `doctor`, with and without a gateway.

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use serde_json::{Value, json};
use tarsus_protocol::{Block, Message, Role};
use tarsus_store::{NewMessage, Store};
use tarsus_tests::{Running, TestHome, printed};

const DAMAGED: &str = "store.db is damaged: ";
const HINT: &str = "restore it from a backup (`tarsus docs sessions`)";

/// A home with a store of several pages.
fn furnished() -> TestHome {
    let home = TestHome::in_memory();
    let store = Store::open(home.home()).unwrap();
    for number in 0..20 {
        let content = vec![Block::text("x".repeat(2_000))];
        let message = Message { role: Role::User, content, timestamp: None };
        let session = format!("agent:main:{number}").parse().unwrap();
        let run = format!("run-{number}").parse().unwrap();
        store.accept(NewMessage { session, run, message, at_ms: 1 }).wait().unwrap();
    }
    drop(store);
    home
}

/// The status of the store, and the check of `doctor` about it.
fn reports(home: &TestHome) -> (Value, Value) {
    let json = |command: &str| -> Value {
        let output = home.tarsus([command, "--json"]).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", printed(&output)))
    };
    let doctor = json("doctor");
    let check = doctor["checks"].as_array().unwrap().iter().find(|check| check["id"] == "store");
    (json("status")["store"].clone(), check.unwrap().clone())
}

fn assert_damaged(home: &TestHome) {
    let (status, check) = reports(home);
    let problem = status["problem"].as_str().unwrap();
    assert!(problem.starts_with(DAMAGED), "{status}");
    assert!(status["hint"].as_str().unwrap().contains(HINT), "{status}");
    assert_eq!((&check["level"], &check["message"]), (&json!("error"), &status["problem"]));
    assert_eq!(check["fix"], status["hint"]);
    let text = home.tarsus(["status"]).output().unwrap();
    assert!(String::from_utf8_lossy(&text.stdout).contains(DAMAGED), "{}", printed(&text));
}

/// Files beside the store: a report creates none.
fn beside(store: &Path) -> Vec<String> {
    let names = fs::read_dir(store.parent().unwrap()).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name.starts_with("store.db")).collect();
    names.sort();
    names
}

#[test]
fn usable_store_is_reported_as_such() {
    let home = TestHome::in_memory();
    fs::create_dir_all(home.home().own_dir()).unwrap();
    let (status, check) = reports(&home);
    assert_eq!(status, json!({ "exists": false, "problem": null, "hint": null }));
    assert_eq!((&check["level"], &check["message"]), (&json!("ok"), &json!("no session yet")));
    let home = furnished();
    let (status, check) = reports(&home);
    assert_eq!(status, json!({ "exists": true, "problem": null, "hint": null }));
    assert_eq!((&check["level"], &check["message"]), (&json!("ok"), &json!("the store is readable")));
    assert_eq!(beside(&home.home().store_path()), ["store.db"]);
}

#[test]
fn empty_store_file_is_damage_and_not_a_new_store() {
    let home = furnished();
    let path = home.home().store_path();
    fs::write(&path, "").unwrap();
    assert_damaged(&home);
    let listed = home.tarsus(["sessions"]).output().unwrap();
    assert!(!listed.status.success(), "{}", printed(&listed));
    assert_eq!(fs::read(&path).unwrap(), b"", "it is left as it is");
}

#[test]
fn damaged_pages_are_reported_with_what_to_do() {
    let home = furnished();
    let path = home.home().store_path();
    let mut file = OpenOptions::new().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(8_192)).unwrap();
    file.write_all(&[0xa5; 2_000]).unwrap();
    drop(file);
    let before = fs::read(&path).unwrap();
    assert_damaged(&home);
    assert_eq!((fs::read(&path).unwrap(), beside(&path)), (before, vec!["store.db".to_owned()]));
}

#[test]
fn damage_is_reported_by_a_running_gateway() {
    let home = furnished();
    let gateway = Running::up(&home);
    assert_eq!(reports(&home).0["problem"], Value::Null);
    let path = home.home().store_path();
    let mut file = OpenOptions::new().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(8_192)).unwrap();
    file.write_all(&[0xa5; 2_000]).unwrap();
    assert_damaged(&home);
    drop(gateway);
}
