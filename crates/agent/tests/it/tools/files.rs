//! `read`: what is inside is read, in parts, with the reason where it is not.

use serde_json::json;
use tarsus_agent::tools::FileOrigin;
use tarsus_protocol::Block;

use crate::tools::scene::{Scene, SceneBuilder, failure, success, text};

#[tokio::test]
async fn file_is_read_by_every_path_spelling() {
    let scene = Scene::with(&[("notes/a.md", "one\ntwo\n")]);
    let absolute = scene.workspace("notes/a.md").to_str().unwrap().to_owned();
    let spellings = [
        json!({"path": "notes/a.md"}),
        json!({"file_path": "notes/a.md"}),
        json!({"path": "./notes//../notes/a.md"}),
        json!({"path": "../workspace/notes/a.md"}),
        json!({"path": "~/.openclaw/workspace/notes/a.md"}),
        json!({"path": absolute}),
    ];
    for arguments in spellings {
        let outcome = scene.call("read", arguments.clone()).await;
        assert_eq!(success(&outcome), "one\ntwo\n", "{arguments}");
        assert_eq!(outcome.origin, Some(FileOrigin::Workspace));
        let details = json!({ "path": absolute, "bytes": 8, "from": "workspace" });
        assert_eq!(outcome.details, Some(details));
    }
}

#[tokio::test]
async fn long_file_is_read_in_parts_with_notes() {
    let long: String = (1..=4_500).map(|line| format!("line {line}\n")).collect();
    let scene = Scene::with(&[("long.txt", &long), ("empty.txt", "")]);
    let part = async |arguments| success(&scene.call("read", arguments).await);
    let first = part(json!({"path": "long.txt"})).await;
    assert!(first.starts_with("line 1\n"));
    assert!(first.ends_with("line 2000\n\n[lines 1 to 2000 of 4500; continue with offset=2001]"));
    let last = part(json!({"path": "long.txt", "offset": 4_500})).await;
    assert_eq!(last, "line 4500\n");
    let some = part(json!({"path": "long.txt", "offset": 7, "limit": 2})).await;
    assert_eq!(some, "line 7\nline 8\n\n[lines 7 to 8 of 4500; continue with offset=9]");
    assert_eq!(part(json!({"path": "empty.txt"})).await, "[the file is empty]");
    let past = scene.call("read", json!({"path": "long.txt", "offset": 4_501})).await;
    assert_eq!(failure(&past), "long.txt has 4500 lines; line 4501 does not exist");
}

#[tokio::test]
async fn read_errors_name_the_reason() {
    let builder = SceneBuilder::new();
    builder.note("data.bin", b"a\0b");
    builder.note("paper.txt", b"%PDF-1.4 text");
    builder.note("latin.txt", b"caf\xe9\n");
    let scene = builder.open();
    let table = [
        (json!({"path": "none.md"}), "there is no file none.md"),
        (json!({"path": "data.bin/below"}), "there is no file data.bin/below"),
        (json!({"path": "data.bin"}), "data.bin is binary data (3 bytes), not text"),
        (json!({"path": "paper.txt"}), "paper.txt is a PDF document (13 bytes), not text"),
        (json!({"path": ""}), "the path is empty"),
        (json!({"path": "a\u{0}b"}), "the path has an invalid character (U+0000)"),
        (json!({"path": "~other/x"}), "`~` works only for the account's own home folder"),
        (json!({}), "the arguments of read do not fit"),
        (json!({"path": "x", "offset": 0}), "the arguments of read do not fit"),
    ];
    for (arguments, error) in table {
        assert_eq!(failure(&scene.call("read", arguments.clone()).await), error, "{arguments}");
    }
    let folder = scene.call("read", json!({"path": "."})).await;
    assert!(failure(&folder).ends_with("it is a folder, not a file"), "{}", text(&folder));
    assert_eq!(success(&scene.call("read", json!({"path": "latin.txt"})).await), "caf\u{fffd}\n");
}

#[tokio::test]
async fn guide_and_configured_roots_are_readable() {
    let builder = SceneBuilder::new();
    builder.write(".openclaw/tarsus/docs/builder.md", "how to builder\n");
    builder.write("projects/one/a.txt", "mine\n");
    let scene = builder.config("{ tools: { fs: { roots: ['~/projects', '~/missing'] } } }").open();
    let table = [
        ("~/.openclaw/tarsus/docs/builder.md", "how to builder\n", FileOrigin::Docs),
        ("~/projects/one/a.txt", "mine\n", FileOrigin::Root),
    ];
    for (path, contents, origin) in table {
        let outcome = scene.call("read", json!({"path": path})).await;
        assert_eq!((success(&outcome).as_str(), outcome.origin), (contents, Some(origin)), "{path}");
    }
    let missing = scene.call("read", json!({"path": "~/missing/x"})).await;
    assert_eq!(failure(&missing), "there is no file ~/missing/x");
    let shown: Vec<String> = scene.context().roots.display().map(|root| root.replace('\\', "/")).collect();
    assert_eq!(shown, ["~/.openclaw/workspace", "~/.openclaw/tarsus/docs", "~/projects", "~/missing"]);
}

#[tokio::test]
async fn read_returns_one_text_block() {
    let scene = Scene::with(&[("a", "x")]);
    let outcome = scene.call("read", json!({"path": "a"})).await;
    assert_eq!(outcome.content, [Block::text("x")]);
    assert!(outcome.activated.is_empty() && outcome.apps.is_empty() && outcome.page.is_none());
}
