//! Agent files: unreadable ones are reported, and concurrent writes lose nothing.

use crate::common;

use std::fs;

use common::Server;
use futures_util::future::join_all;
use tarsus_conformance::detail_code;
use tarsus_conformance::params::{agent, agent_file, agent_file_set};
use tarsus_protocol::error::RpcCode;
use tarsus_protocol::rpc::CallError;
use tarsus_protocol::rpc::agents::{self, AgentFileParams, AgentFileSetParams};

#[tokio::test]
async fn unreadable_agent_file_is_listed_with_its_error() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let workspace = server.home.state_dir().join("workspace");
    fs::create_dir_all(&workspace).unwrap();
    fs::write(workspace.join("SOUL.md"), b"caf\xe9").unwrap();
    fs::write(workspace.join("USER.md"), vec![b'x'; 3 * 1024 * 1024]).unwrap();
    fs::write(workspace.join("AGENTS.md"), "fine").unwrap();
    let listed = client.call_ok::<agents::FilesList>(&agent("main")).await.files;
    let file = |name: &str| listed.iter().find(|file| file.name == name).unwrap();
    assert_eq!(listed.len(), 8);
    assert_eq!((file("AGENTS.md").missing, file("AGENTS.md").size), (false, Some(4)));
    assert_eq!((file("TOOLS.md").missing, &file("TOOLS.md").problem), (true, &None));
    assert_eq!(file("SOUL.md").problem.as_deref(), Some("SOUL.md is no UTF-8 text (byte 3)"));
    assert!(file("USER.md").problem.is_some(), "{listed:?}");
    let error = client.call_err::<agents::FilesGet>(&agent_file("main", "SOUL.md")).await;
    assert_eq!(error.message, "SOUL.md is no UTF-8 text (byte 3)");
    let error = client.call_err::<agents::FilesGet>(&agent_file("main", "USER.md")).await;
    assert_eq!(detail_code(&error), "too-large");
    assert_eq!(fs::read(workspace.join("SOUL.md")).unwrap(), b"caf\xe9");
}

fn soul() -> AgentFileParams {
    agent_file("main", "SOUL.md")
}

fn new_soul(content: &str, base_hash: Option<&str>) -> AgentFileSetParams {
    AgentFileSetParams {
        base_hash: base_hash.map(str::to_owned),
        ..agent_file_set("main", "SOUL.md", content)
    }
}

#[tokio::test]
async fn agent_file_write_requires_the_current_hash() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let path = server.home.state_dir().join("workspace/SOUL.md");
    let missing = client.call_ok::<agents::FilesGet>(&soul()).await;
    assert!(missing.file.missing);

    let written = client.call_ok::<agents::FilesSet>(&new_soul("one", Some(&missing.hash))).await.answer;
    let read = client.call_ok::<agents::FilesGet>(&soul()).await;
    assert_eq!((read.file.content.as_deref(), &read.hash), (Some("one"), &written.hash));

    fs::write(&path, "two, by an editor").unwrap();
    for base_hash in [&written.hash, &missing.hash, "anything"] {
        let error = client.call_err::<agents::FilesSet>(&new_soul("mine", Some(base_hash))).await;
        assert_eq!(
            (&error.code, error.message.as_str(), detail_code(&error), error.retryable),
            (
                &RpcCode::InvalidRequest.into(),
                "SOUL.md changed since last load; re-run agents.files.get and retry",
                "stale",
                Some(true)
            )
        );
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "two, by an editor");
    fs::remove_file(&path).unwrap();
    let gone = client.call_err::<agents::FilesSet>(&new_soul("mine", Some(&written.hash))).await.message;
    assert!(gone.starts_with("SOUL.md changed since last load"), "{gone}");
    assert!(!path.exists(), "a removed file is not created again");

    // Without a hash the file is overwritten.
    client.call_ok::<agents::FilesSet>(&new_soul("three", None)).await;
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
        let base = clients[0].call_ok::<agents::FilesGet>(&soul()).await.hash;
        let writes = clients.iter_mut().enumerate().map(|(writer, client)| {
            let params = new_soul(&format!("{round} by {writer}"), Some(&base));
            async move { client.call::<agents::FilesSet>(&params).await }
        });
        let (written, failed): (Vec<_>, Vec<_>) =
            join_all(writes).await.into_iter().partition(|reply| reply.is_ok());
        let [Ok(written)] = written.as_slice() else { panic!("{written:?}") };
        let content = fs::read_to_string(&path).unwrap();
        assert_eq!(written.answer.file.content, Some(content));
        let stale = failed
            .iter()
            .filter(|reply| matches!(reply, Err(CallError::Refused(error)) if detail_code(error) == "stale"));
        assert_eq!(stale.count(), 7, "{failed:?}");
    }
}
