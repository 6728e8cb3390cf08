//! `read`: what is inside is read, in parts, with the reason where it is not.

use serde_json::json;
use tarsus_agent::tools::Origin;
use tarsus_protocol::Block;

use crate::tools::scene::{Scene, Start, done, failed, text};

#[tokio::test]
async fn a_file_is_read_by_every_way_to_write_its_path() {
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
        assert_eq!(done(&outcome), "one\ntwo\n", "{arguments}");
        assert_eq!(outcome.origin, Some(Origin::Workspace));
        let details = json!({ "path": absolute, "bytes": 8, "from": "workspace" });
        assert_eq!(outcome.details, Some(details));
    }
}

#[tokio::test]
async fn a_long_file_comes_in_parts_that_say_how_to_go_on() {
    let long: String = (1..=4_500).map(|line| format!("line {line}\n")).collect();
    let scene = Scene::with(&[("long.txt", &long), ("empty.txt", "")]);
    let part = async |arguments| done(&scene.call("read", arguments).await);
    let first = part(json!({"path": "long.txt"})).await;
    assert!(first.starts_with("line 1\n"));
    assert!(first.ends_with("line 2000\n\n[lines 1 to 2000 of 4500; offset=2001 goes on]"));
    let last = part(json!({"path": "long.txt", "offset": 4_500})).await;
    assert_eq!(last, "line 4500\n");
    let some = part(json!({"path": "long.txt", "offset": 7, "limit": 2})).await;
    assert_eq!(some, "line 7\nline 8\n\n[lines 7 to 8 of 4500; offset=9 goes on]");
    assert_eq!(part(json!({"path": "empty.txt"})).await, "[the file is empty]");
    let past = scene.call("read", json!({"path": "long.txt", "offset": 4_501})).await;
    assert_eq!(failed(&past), "long.txt has 4500 lines, so none at 4501");
}

#[tokio::test]
async fn what_cannot_be_read_says_why() {
    let start = Start::new();
    start.note("data.bin", b"a\0b");
    start.note("paper.txt", b"%PDF-1.4 text");
    start.note("latin.txt", b"caf\xe9\n");
    let scene = start.open();
    let table = [
        (json!({"path": "none.md"}), "there is no file none.md"),
        (json!({"path": "data.bin/below"}), "there is no file data.bin/below"),
        (json!({"path": "data.bin"}), "data.bin is binary data (3 bytes), not text"),
        (json!({"path": "paper.txt"}), "paper.txt is a PDF document (13 bytes), not text"),
        (json!({"path": ""}), "the path is empty"),
        (json!({"path": "a\u{0}b"}), "the path has a character that no path has (U+0000)"),
        (
            json!({"path": "~other/x"}),
            "`~` is known for this account alone, and only where it has a home folder",
        ),
        (json!({}), "the arguments of read do not fit"),
        (json!({"path": "x", "offset": 0}), "the arguments of read do not fit"),
    ];
    for (arguments, told) in table {
        assert_eq!(failed(&scene.call("read", arguments.clone()).await), told, "{arguments}");
    }
    let folder = scene.call("read", json!({"path": "."})).await;
    assert!(failed(&folder).ends_with("it is a folder, not a file"), "{}", text(&folder));
    assert_eq!(done(&scene.call("read", json!({"path": "latin.txt"})).await), "caf\u{fffd}\n");
}

#[tokio::test]
async fn the_guide_and_folders_of_the_owner_are_read_too_and_told_apart() {
    let start = Start::new();
    start.write(".openclaw/tarsus/docs/start.md", "how to start\n");
    start.write("projects/one/a.txt", "mine\n");
    let scene = start.config("{ tools: { fs: { roots: ['~/projects', '~/missing'] } } }").open();
    let table = [
        ("~/.openclaw/tarsus/docs/start.md", "how to start\n", Origin::Docs),
        ("~/projects/one/a.txt", "mine\n", Origin::Root),
    ];
    for (path, contents, origin) in table {
        let outcome = scene.call("read", json!({"path": path})).await;
        assert_eq!((done(&outcome).as_str(), outcome.origin), (contents, Some(origin)), "{path}");
    }
    let missing = scene.call("read", json!({"path": "~/missing/x"})).await;
    assert_eq!(failed(&missing), "there is no file ~/missing/x");
    let shown: Vec<String> = scene.context().roots.shown().map(|root| root.replace('\\', "/")).collect();
    assert_eq!(shown, ["~/.openclaw/workspace", "~/.openclaw/tarsus/docs", "~/projects", "~/missing"]);
}

#[tokio::test]
async fn the_content_is_one_block_of_text() {
    let scene = Scene::with(&[("a", "x")]);
    let outcome = scene.call("read", json!({"path": "a"})).await;
    assert_eq!(outcome.content, [Block::text("x")]);
    assert!(outcome.activated.is_empty() && outcome.apps.is_empty() && outcome.page.is_none());
}
