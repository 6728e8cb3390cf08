//! Agent files: unreadable ones are reported, and concurrent writes lose nothing.

use crate::common;

use std::fs;

use common::Server;
use futures_util::future::join_all;
use serde_json::{Value, json};

#[tokio::test]
async fn unreadable_agent_file_is_listed_with_its_error() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let workspace = server.home.state_dir().join("workspace");
    fs::create_dir_all(&workspace).unwrap();
    fs::write(workspace.join("SOUL.md"), b"caf\xe9").unwrap();
    fs::write(workspace.join("USER.md"), vec![b'x'; 3 * 1024 * 1024]).unwrap();
    fs::write(workspace.join("AGENTS.md"), "fine").unwrap();
    let listed = client.call_ok::<agents::FilesList>(&agent("main")).await["files"].take();
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
        client.raw_error("agents.files.get", &get("SOUL.md")).await,
        "SOUL.md is no UTF-8 text (byte 3)"
    );
    assert_eq!(
        client.raw_call("agents.files.get", &get("USER.md")).await["error"]["details"]["code"],
        "too-large"
    );
    assert_eq!(fs::read(workspace.join("SOUL.md")).unwrap(), b"caf\xe9");
}

fn soul(content: &str, base: Option<&Value>) -> Value {
    let mut params = json!({ "agentId": "main", "name": "SOUL.md", "content": content });
    if let Some(base) = base {
        params["baseHash"] = base.clone();
    }
    params
}

#[tokio::test]
async fn agent_file_write_requires_the_current_hash() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let path = server.home.state_dir().join("workspace/SOUL.md");
    let get = json!({ "agentId": "main", "name": "SOUL.md" });
    let missing = client.raw_result("agents.files.get", &get).await;
    assert_eq!(missing["file"]["missing"], true);

    let written = client.raw_result("agents.files.set", &soul("one", Some(&missing["hash"]))).await;
    let read = client.raw_result("agents.files.get", &get).await;
    assert_eq!((&read["file"]["content"], &read["hash"]), (&json!("one"), &written["hash"]));

    fs::write(&path, "two, by an editor").unwrap();
    for base in [&written["hash"], &missing["hash"], &json!("anything")] {
        let stale = client.raw_call("agents.files.set", &soul("mine", Some(base))).await;
        let error = &stale["error"];
        assert_eq!(
            (&error["code"], &error["message"], &error["details"]["code"], &error["retryable"]),
            (
                &json!("INVALID_REQUEST"),
                &json!("SOUL.md changed since last load; re-run agents.files.get and retry"),
                &json!("stale"),
                &json!(true)
            )
        );
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "two, by an editor");
    fs::remove_file(&path).unwrap();
    let gone = client.raw_error("agents.files.set", &soul("mine", Some(&written["hash"]))).await;
    assert!(gone.starts_with("SOUL.md changed since last load"), "{gone}");
    assert!(!path.exists(), "a file that somebody removed does not come back");

    // Front ends that name nothing write as ever.
    client.raw_result("agents.files.set", &soul("three", None)).await;
    assert_eq!(fs::read_to_string(&path).unwrap(), "three");
    let beside = fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(
        beside.into_iter().all(|name| !name.to_string_lossy().contains("lock")),
        "no lock in a workspace"
    );
}

#[tokio::test]
async fn one_of_many_concurrent_writers_wins() {
    let server = Server::start().await;
    let mut clients = Vec::new();
    for _ in 0..8 {
        clients.push(server.admin().await);
    }
    let path = server.home.state_dir().join("workspace/SOUL.md");
    for round in 0..10 {
        let get = json!({ "agentId": "main", "name": "SOUL.md" });
        let base = clients[0].raw_result("agents.files.get", &get).await.hash;
        let asked = clients.iter_mut().enumerate().map(|(who, client)| {
            let params = soul(&format!("{round} by {who}"), Some(&base));
            async move { client.raw_call("agents.files.set", &params).await }
        });
        let answers = join_all(asked).await;
        let written: Vec<&Value> = answers.iter().filter(|answer| answer["ok"] == true).collect();
        assert_eq!(written.len(), 1, "{answers:?}");
        let is = fs::read_to_string(&path).unwrap();
        assert_eq!(written[0]["payload"]["file"]["content"], is.as_str());
        let stale = answers.iter().filter(|answer| answer["error"]["details"]["code"] == "stale").count();
        assert_eq!(stale, 7, "{answers:?}");
    }
}
