//! The files of an agent that cannot be shown: named, and never changed by being looked at.

mod common;

use std::fs;

use common::Server;
use serde_json::{Value, json};

#[tokio::test]
async fn a_file_that_is_no_text_or_too_large_is_named_and_the_others_are_listed() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let workspace = server.home.state_dir().join("workspace");
    fs::create_dir_all(&workspace).unwrap();
    fs::write(workspace.join("SOUL.md"), b"caf\xe9").unwrap();
    fs::write(workspace.join("USER.md"), vec![b'x'; 3 * 1024 * 1024]).unwrap();
    fs::write(workspace.join("AGENTS.md"), "fine").unwrap();
    let listed = client.get("agents.files.list", &json!({ "agentId": "main" })).await["files"].take();
    let row = |name: &str| -> Value {
        let files = listed.as_array().unwrap();
        files.iter().find(|file| file["name"] == name).unwrap().clone()
    };
    assert_eq!(listed.as_array().unwrap().len(), 8);
    assert_eq!((&row("AGENTS.md")["missing"], &row("AGENTS.md")["size"]), (&json!(false), &json!(4)));
    assert_eq!((&row("TOOLS.md")["missing"], &row("TOOLS.md")["problem"]), (&json!(true), &Value::Null));
    assert_eq!(row("SOUL.md")["problem"], "SOUL.md is no UTF-8 text (byte 3)");
    assert!(row("USER.md")["problem"].is_string(), "{listed}");
    let get = |name: &str| json!({ "agentId": "main", "name": name });
    assert_eq!(
        client.refusal("agents.files.get", &get("SOUL.md")).await,
        "SOUL.md is no UTF-8 text (byte 3)"
    );
    assert_eq!(
        client.ask("agents.files.get", &get("USER.md")).await["error"]["details"]["code"],
        "too-large"
    );
    assert_eq!(fs::read(workspace.join("SOUL.md")).unwrap(), b"caf\xe9");
}
