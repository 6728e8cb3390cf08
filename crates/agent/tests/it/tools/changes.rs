//! `write`, `edit` and `apply_patch` on real files, and what is recorded of them.

use std::fs;

use serde_json::json;
use tarsus_protocol::rpc::files::{FileChange, FileChangeKind, UndoState};

use crate::tools::scene::{Scene, SceneBuilder, failure, run_id, success};

/// The files that the scene's run has changed, without their undo state.
fn changes(scene: &Scene) -> Vec<(String, FileChangeKind, Option<u64>, Option<u64>)> {
    let changes = scene.file_changes().run_changes(&run_id(&scene.session)).unwrap();
    let row = |file: FileChange| (file.path, file.kind, file.added, file.removed);
    changes.into_iter().flat_map(|changes| changes.files).map(row).collect()
}

fn row(
    path: &str,
    kind: FileChangeKind,
    added: u64,
    removed: u64,
) -> (String, FileChangeKind, Option<u64>, Option<u64>) {
    (path.to_owned(), kind, Some(added), Some(removed))
}

#[tokio::test]
async fn write_creates_and_replaces_files() {
    let scene = Scene::with(&[("old.md", "one\ntwo\n")]);
    let new = scene.call("write", json!({"path": "a/b/new.md", "content": "x\ny\n"})).await;
    assert_eq!(success(&new), "Created a/b/new.md (2 lines).");
    let old = scene.call("write", json!({"file_path": "./old.md", "content": "one\n"})).await;
    assert_eq!(success(&old), "Replaced ./old.md (1 line).");
    assert_eq!(fs::read_to_string(scene.workspace("a/b/new.md")).unwrap(), "x\ny\n");
    assert_eq!(fs::read_to_string(scene.workspace("old.md")).unwrap(), "one\n");
    let (added, modified) = (FileChangeKind::Added, FileChangeKind::Modified);
    assert_eq!(changes(&scene), [row("a/b/new.md", added, 2, 0), row("old.md", modified, 0, 1)]);
}

#[tokio::test]
async fn changes_of_one_turn_are_counted_against_its_beginning() {
    let scene = Scene::with(&[("a.md", "one\ntwo\nthree\n")]);
    for (old, new) in [("two", "2"), ("three", "3"), ("2", "two")] {
        success(&scene.call("edit", json!({"path": "a.md", "old_string": old, "new_string": new})).await);
    }
    assert_eq!(changes(&scene), [row("a.md", FileChangeKind::Modified, 1, 1)]);
    success(&scene.call("edit", json!({"path": "a.md", "oldText": "3", "newText": "three"})).await);
    assert_eq!(changes(&scene), [], "it is as before the turn");
    success(&scene.call("write", json!({"path": "b.md", "content": "new\n"})).await);
    let delete = "*** Begin Patch\n*** Delete File: b.md\n*** End Patch";
    success(&scene.call("apply_patch", json!({"input": delete})).await);
    assert_eq!(changes(&scene), [], "it was never there");
}

#[tokio::test]
async fn apply_patch_changes_several_files() {
    let scene = Scene::with(&[("a.md", "one\ntwo\n"), ("b.md", "b\n"), ("c.md", "c\n")]);
    let patch = "*** Begin Patch\n*** Add File: d/new.md\n+new\n*** Update File: a.md\n@@\n one\n-two\n+2\n\
                 *** Update File: b.md\n*** Move to: e/b.md\n-b\n+B\n*** Delete File: c.md\n*** End Patch";
    let done = success(&scene.call("apply_patch", json!({"input": patch})).await);
    assert_eq!(done, "Added d/new.md\nUpdated a.md\nMoved b.md to e/b.md\nDeleted c.md");
    let content = |path: &str| fs::read_to_string(scene.workspace(path)).ok();
    assert_eq!(content("d/new.md").as_deref(), Some("new\n"));
    assert_eq!(content("a.md").as_deref(), Some("one\n2\n"));
    assert_eq!(content("e/b.md").as_deref(), Some("B\n"));
    assert_eq!((content("b.md"), content("c.md")), (None, None));
    let moved = FileChange {
        path: "e/b.md".to_owned(),
        kind: FileChangeKind::Moved,
        moved_from: Some("b.md".to_owned()),
        added: Some(1),
        removed: Some(0),
        undo: UndoState::Possible,
    };
    let run = scene.file_changes().run_changes(&run_id(&scene.session)).unwrap().unwrap();
    assert_eq!(
        run.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
        ["a.md", "c.md", "d/new.md", "e/b.md"]
    );
    assert_eq!(run.files[3], moved);
}

#[tokio::test]
async fn nothing_of_a_patch_is_applied_unless_all_of_it_fits() {
    let scene = Scene::with(&[("a.md", "one\n"), ("b.md", "b\n")]);
    let patch =
        |rest: &str| format!("*** Begin Patch\n*** Update File: a.md\n-one\n+1\n{rest}\n*** End Patch");
    for (rest, error) in [
        (
            "*** Update File: b.md\n-x",
            "line 6 of the patch: b.md does not contain these lines, beginning with \"x\"",
        ),
        ("*** Add File: b.md\n+x", "b.md exists already"),
        ("*** Delete File: none.md", "there is no file none.md"),
        (
            "*** Delete File: ../../outside.txt",
            "../../outside.txt is outside the folders that may be written",
        ),
        ("*** Update File: none.md\n*** Move to: new.md", "there is no file none.md"),
        ("*** Update File: b.md\n*** Move to: a.md", "the patch changes a.md twice"),
        ("*** Update File: b.md\n*** Move to: ./a.md", "./a.md exists already"),
        ("*** Update File: ./a.md\n-one\n+2", "the patch changes a.md twice"),
        ("*** Add File: new\n+x\n*** Add File: ./new\n+y", "the patch changes new twice"),
        ("*** Add File: new\n+x\n*** Add File: new/below\n+y", "the patch changes new/below twice"),
    ] {
        let outcome = scene.call("apply_patch", json!({"input": patch(rest)})).await;
        assert_eq!(failure(&outcome), error, "{rest}");
        assert_eq!(fs::read_to_string(scene.workspace("a.md")).unwrap(), "one\n", "{rest}");
    }
    assert_eq!(changes(&scene), []);
}

#[tokio::test]
async fn edits_that_do_not_fit_are_refused() {
    let builder = SceneBuilder::new();
    builder.note("a.md", "one one\n");
    builder.note("data.bin", [0xff, 0xfe, 0x00]);
    let scene = builder.open();
    let edit = |path: &str, old: &str| json!({"path": path, "oldText": old, "newText": "x"});
    for (arguments, error) in [
        (edit("a.md", "two"), "\"oldText\" was not found in a.md"),
        (edit("a.md", "one"), "\"oldText\" occurs 2 times in a.md"),
        (edit("a.md", ""), "\"oldText\" is empty"),
        (edit("a.md", "x"), "\"oldText\" and \"newText\" are equal"),
        (edit("none.md", "x"), "there is no file none.md"),
        (edit("data.bin", "y"), "data.bin is not UTF-8 text"),
        (json!({"path": "a.md", "oldText": "one"}), "the arguments of edit do not fit"),
    ] {
        assert_eq!(failure(&scene.call("edit", arguments.clone()).await), error, "{arguments}");
    }
    assert_eq!(fs::read_to_string(scene.workspace("a.md")).unwrap(), "one one\n");
}

#[cfg(unix)]
#[tokio::test]
async fn permissions_and_inner_links_are_kept() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let scene = Scene::with(&[("run.sh", "#!/bin/sh\n"), ("real/notes.md", "old\n")]);
    fs::set_permissions(scene.workspace("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    symlink("real/notes.md", scene.workspace("link.md")).unwrap();
    success(&scene.call("write", json!({"path": "run.sh", "content": "#!/bin/sh\ntrue\n"})).await);
    success(&scene.call("edit", json!({"path": "link.md", "oldText": "old", "newText": "new"})).await);
    let mode = fs::metadata(scene.workspace("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o750);
    assert!(fs::symlink_metadata(scene.workspace("link.md")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(scene.workspace("real/notes.md")).unwrap(), "new\n");
    let kept = |path: &str, kind| row(path, kind, 1, 1);
    assert_eq!(changes(&scene)[0], kept("real/notes.md", FileChangeKind::Modified));
}
