//! `memory_get`, and who may read the long-term memory.

use crate::tools::scene::{CANARY, Scene, Start, done, failed};
use serde_json::json;
use tarsus_agent::prompt::chat::ChatKind;

#[tokio::test]
async fn notes_are_read_by_lines_and_nothing_else_is() {
    let scene = Scene::with(&[
        ("MEMORY.md", "m1\nm2\n"),
        ("memory/2026-11-16.md", "a\nb\nc\n"),
        ("memory/deep/x.md", "deep\n"),
        ("AGENTS.md", "rules\n"),
        ("memory/x.txt", "x\n"),
    ]);
    let table = [
        (json!({"path": "MEMORY.md"}), "m1\nm2\n"),
        (
            json!({"path": "memory/2026-11-16.md", "from": 2, "lines": 1}),
            "b\n\n[lines 2 to 2 of 3; from=3 goes on]",
        ),
        (json!({"path": "./memory/deep/x.md"}), "deep\n"),
    ];
    for (arguments, contents) in table {
        assert_eq!(done(&scene.call("memory_get", arguments.clone()).await), contents, "{arguments}");
    }
    for path in ["AGENTS.md", "memory/x.txt", "memory/../AGENTS.md", "~/.openclaw/workspace/MEMORY.md"] {
        let told = format!("{path} is not a note of the agent");
        assert_eq!(failed(&scene.call("memory_get", json!({"path": path})).await), told);
    }
    let none = scene.call("memory_get", json!({"path": "memory/none.md"})).await;
    assert_eq!(failed(&none), "there is no file memory/none.md");
}

#[tokio::test]
async fn the_long_term_memory_is_for_the_main_session_with_its_owner_alone() {
    let start = Start::new();
    start.note("MEMORY.md", CANARY);
    start.note("memory/day.md", "day\n");
    start.write("other/workspace/MEMORY.md", CANARY);
    start.note("sub/memory.md", CANARY);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("MEMORY.md", start.path(".openclaw/workspace/link.md")).unwrap();
        let (from, to) =
            (start.path(".openclaw/workspace/MEMORY.md"), start.path(".openclaw/workspace/hard.md"));
        std::fs::hard_link(from, to).unwrap();
        std::os::unix::fs::symlink("../MEMORY.md", start.path(".openclaw/workspace/memory/link.md")).unwrap();
    }
    let scene = start.config("{ tools: { fs: { roots: ['~/other'] } } }").open();
    let elsewhere = scene.context_with(|context| context.chat = ChatKind::Direct);
    let mut paths = vec!["MEMORY.md", "./MEMORY.md", "sub/memory.md", "~/other/workspace/MEMORY.md"];
    if cfg!(unix) {
        paths.extend(["link.md", "hard.md", "memory/link.md"]);
    }
    let told = "MEMORY.md is read in the main session with its owner alone, and this is another one";
    for path in paths {
        assert_eq!(failed(&scene.call_in(&elsewhere, "read", json!({"path": path})).await), told, "{path}");
        assert_eq!(done(&scene.call("read", json!({"path": path})).await), CANARY, "{path}");
    }
    for path in ["MEMORY.md", if cfg!(unix) { "memory/link.md" } else { "MEMORY.md" }] {
        assert_eq!(
            failed(&scene.call_in(&elsewhere, "memory_get", json!({"path": path})).await),
            told,
            "{path}"
        );
    }
    for tool in ["read", "memory_get"] {
        assert_eq!(done(&scene.call_in(&elsewhere, tool, json!({"path": "memory/day.md"})).await), "day\n");
    }
}
