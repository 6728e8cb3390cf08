//! The files that a turn changed, over the wire: the event, the list, the lines and the undo.

use crate::common;

use common::Server;
use serde_json::json;
use tarsus_conformance::params::{agent_wait, chat_message};
use tarsus_models::Dialect;
use tarsus_protocol::rpc::files::{
    Changes, Diff, DiffLineKind, FileChangeKind, RunChanges, RunDiffParams, SessionChangesParams, Undo,
    UndoOutcome, UndoParams, UndoState,
};
use tarsus_protocol::rpc::{chat, files};
use tarsus_test_models::{Chunk, Reply, Server as Model};

const MAIN: &str = "agent:main:main";

fn undo(run: Option<&str>, dry_run: bool) -> UndoParams {
    let run_id = run.map(str::to_owned);
    UndoParams { key: MAIN.to_owned(), run_id, dry_run: dry_run.then_some(true) }
}

#[tokio::test]
async fn changed_files_are_listed_compared_and_undone() {
    let write = Chunk::call("c1", "write", &json!({ "path": "notes.md", "content": "one\ntwo\n" }));
    let model = Model::with_replies([Reply::answer([write]), Reply::answer([Chunk::text("Done.")])]);
    let server = Server::with_model(&model.base_url(Dialect::OpenaiCompletions)).await;
    let workspace = server.home.state_dir().join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    let mut owner = server.client(&["operator.read", "operator.write"]).await;
    let mut reader = server.client(&["operator.read"]).await;
    owner.call_ok::<chat::Send>(&chat_message(MAIN, "note this", "a")).await;
    owner.call_ok::<chat::Wait>(&agent_wait("a")).await;
    let event = reader.event("files.changed").await["payload"].clone();
    let changed: RunChanges = serde_json::from_value(event).unwrap();
    let file = &changed.files[0];
    assert_eq!(
        (changed.run_id.as_str(), file.path.as_str(), file.kind, file.added, file.removed, file.undo),
        ("a", "notes.md", FileChangeKind::Added, Some(2), Some(0), UndoState::Possible)
    );
    let params = SessionChangesParams { key: MAIN.to_owned(), run_id: None, limit: None };
    assert_eq!(reader.call_ok::<Changes>(&params).await.runs, [changed]);
    let params = RunDiffParams { key: MAIN.to_owned(), run_id: "a".to_owned(), path: None };
    let diff = reader.call_ok::<Diff>(&params).await;
    let lines: Vec<_> =
        diff.files[0].hunks[0].lines.iter().map(|line| (line.kind, line.text.as_str())).collect();
    assert_eq!(lines, [(DiffLineKind::Added, "one"), (DiffLineKind::Added, "two")]);
    let other = RunDiffParams { key: "agent:main:other".to_owned(), ..params };
    let unknown = reader.call::<Diff>(&other).await.unwrap_err().to_string();
    assert_eq!(unknown, "a did not change files in this session");
    let refused = reader.call::<Undo>(&undo(None, true)).await.unwrap_err().to_string();
    assert_eq!(refused, "missing scope: operator.write");
    let planned = owner.call_ok::<Undo>(&undo(None, true)).await;
    assert_eq!(planned.files[0].outcome, UndoOutcome::Removed);
    assert!(workspace.join("notes.md").exists(), "only looked");
    assert_eq!(owner.call_ok::<Undo>(&undo(Some("a"), false)).await, planned);
    assert!(!workspace.join("notes.md").exists());
    let event = reader.event("files.changed").await["payload"].clone();
    let undone: RunChanges = serde_json::from_value(event).unwrap();
    assert_eq!(undone.files[0].undo, UndoState::Undone);
    let nothing = files::UndoReport { run_id: None, files: Vec::new() };
    assert_eq!(owner.call_ok::<Undo>(&undo(None, false)).await, nothing);
}
