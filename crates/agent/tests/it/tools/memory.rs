//! `memory_get`, and who may read the long-term memory.

use crate::tools::scene::{CANARY, Scene, SceneBuilder, failure, success};
use serde_json::json;
use tarsus_agent::prompt::chat::ChatKind;

#[tokio::test]
async fn memory_get_reads_only_notes() {
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
            "b\n\n[lines 2 to 2 of 3; continue with from=3]",
        ),
        (json!({"path": "./memory/deep/x.md"}), "deep\n"),
    ];
    for (arguments, contents) in table {
        assert_eq!(success(&scene.call("memory_get", arguments.clone()).await), contents, "{arguments}");
    }
    for path in ["AGENTS.md", "memory/x.txt", "memory/../AGENTS.md", "~/.openclaw/workspace/MEMORY.md"] {
        let error = format!("{path} is not a note of the agent");
        assert_eq!(failure(&scene.call("memory_get", json!({"path": path})).await), error);
    }
    let none = scene.call("memory_get", json!({"path": "memory/none.md"})).await;
    assert_eq!(failure(&none), "there is no file memory/none.md");
}

#[tokio::test]
async fn memory_md_is_read_only_in_the_main_session() {
    let builder = SceneBuilder::new();
    builder.note("MEMORY.md", CANARY);
    builder.note("memory/day.md", "day\n");
    builder.write("other/workspace/MEMORY.md", CANARY);
    builder.note("sub/memory.md", CANARY);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("MEMORY.md", builder.path(".openclaw/workspace/link.md")).unwrap();
        let (from, to) =
            (builder.path(".openclaw/workspace/MEMORY.md"), builder.path(".openclaw/workspace/hard.md"));
        std::fs::hard_link(from, to).unwrap();
        std::os::unix::fs::symlink("../MEMORY.md", builder.path(".openclaw/workspace/memory/link.md"))
            .unwrap();
    }
    let scene = builder.config("{ tools: { fs: { roots: ['~/other'] } } }").open();
    let other_session = scene.context_with(|context| context.chat = ChatKind::Direct);
    let mut paths = vec!["MEMORY.md", "./MEMORY.md", "sub/memory.md", "~/other/workspace/MEMORY.md"];
    if cfg!(unix) {
        paths.extend(["link.md", "hard.md", "memory/link.md"]);
    }
    let error = "MEMORY.md can be read only in the main session";
    for path in paths {
        assert_eq!(
            failure(&scene.call_in(&other_session, "read", json!({"path": path})).await),
            error,
            "{path}"
        );
        assert_eq!(success(&scene.call("read", json!({"path": path})).await), CANARY, "{path}");
    }
    for path in ["MEMORY.md", if cfg!(unix) { "memory/link.md" } else { "MEMORY.md" }] {
        assert_eq!(
            failure(&scene.call_in(&other_session, "memory_get", json!({"path": path})).await),
            error,
            "{path}"
        );
    }
    for tool in ["read", "memory_get"] {
        assert_eq!(
            success(&scene.call_in(&other_session, tool, json!({"path": "memory/day.md"})).await),
            "day\n"
        );
    }
}
