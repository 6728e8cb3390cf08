//! Undo: what a turn changed is put back exactly, or refused.

use std::fs;

use serde_json::json;
use tarsus_agent::file_changes::FileChangesError;
use tarsus_protocol::rpc::files::{DiffOmission, UndoOutcome, UndoReport};
use tarsus_store::RunEnd;

use crate::tools::scene::{Scene, run_id, success};

/// Ends the scene's run, as its turn does.
fn end_run(scene: &Scene) {
    scene.store.close_run(run_id(&scene.session), Vec::new(), RunEnd::Finished, 1).wait().unwrap();
}

fn undo(scene: &Scene, dry_run: bool) -> Vec<(String, UndoOutcome)> {
    let UndoReport { files, .. } = scene.file_changes().undo(&scene.session, None, dry_run).unwrap();
    files.into_iter().map(|file| (file.path, file.outcome)).collect()
}

fn outcome(path: &str, outcome: UndoOutcome) -> (String, UndoOutcome) {
    (path.to_owned(), outcome)
}

fn refused(path: &str, reason: &str) -> (String, UndoOutcome) {
    outcome(path, UndoOutcome::Refused { reason: reason.to_owned() })
}

const PATCH: &str = "*** Begin Patch\n*** Add File: new/deep/file.md\n+new\n*** Update File: a.md\n-one\n+1\n\
                     *** Update File: b.md\n*** Move to: moved.md\n-b\n+B\n*** Delete File: c.md\n*** End Patch";

async fn changed_scene() -> Scene {
    let scene = Scene::with(&[("a.md", "one\n"), ("b.md", "b\n"), ("c.md", "c\n")]);
    success(&scene.call("apply_patch", json!({"input": PATCH})).await);
    scene
}

#[tokio::test]
async fn turn_is_undone_exactly() {
    let scene = changed_scene().await;
    let running = scene.file_changes().undo(&scene.session, None, false);
    assert!(matches!(running, Err(FileChangesError::StillRunning)), "{running:?}");
    end_run(&scene);
    let all = [
        outcome("a.md", UndoOutcome::Restored),
        outcome("b.md", UndoOutcome::Restored),
        outcome("c.md", UndoOutcome::Restored),
        outcome("moved.md", UndoOutcome::Removed),
        outcome("new/deep/file.md", UndoOutcome::Removed),
    ];
    assert_eq!(undo(&scene, true), all);
    assert_eq!(fs::read_to_string(scene.workspace("a.md")).unwrap(), "1\n", "only looked");
    assert_eq!(undo(&scene, false), all);
    for (path, content) in [("a.md", "one\n"), ("b.md", "b\n"), ("c.md", "c\n")] {
        assert_eq!(fs::read_to_string(scene.workspace(path)).unwrap(), content);
    }
    let left: Vec<_> =
        fs::read_dir(scene.workspace("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "no file and no folder is left: {left:?}");
    assert_eq!(undo(&scene, false), [], "there is nothing else");
}

#[tokio::test]
async fn file_that_changed_since_is_left_alone() {
    let scene = changed_scene().await;
    end_run(&scene);
    fs::write(scene.workspace("a.md"), "mine\n").unwrap();
    fs::remove_file(scene.workspace("moved.md")).unwrap();
    fs::write(scene.workspace("b.md"), "again\n").unwrap();
    fs::write(scene.workspace("new/deep/other.md"), "mine\n").unwrap();
    assert_eq!(
        undo(&scene, false),
        [
            refused("a.md", "it changed since"),
            refused("b.md", "it changed since"),
            outcome("c.md", UndoOutcome::Restored),
            outcome("moved.md", UndoOutcome::Unchanged),
            outcome("new/deep/file.md", UndoOutcome::Removed),
        ]
    );
    assert_eq!(fs::read_to_string(scene.workspace("a.md")).unwrap(), "mine\n");
    assert!(scene.workspace("new/deep/other.md").exists(), "a folder with other files stays");
    // Put back by hand, the rest can be undone.
    fs::write(scene.workspace("a.md"), "1\n").unwrap();
    assert_eq!(undo(&scene, false)[0], outcome("a.md", UndoOutcome::Restored));
}

#[tokio::test]
async fn change_that_was_recorded_and_not_made_needs_no_undo() {
    let scene = changed_scene().await;
    end_run(&scene);
    // As after a crash between the record and the change.
    fs::write(scene.workspace("a.md"), "one\n").unwrap();
    assert_eq!(undo(&scene, false)[0], outcome("a.md", UndoOutcome::Unchanged));
}

#[cfg(unix)]
#[tokio::test]
async fn undo_follows_no_link_and_restores_permissions() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let scene = Scene::with(&[("folder/a.md", "one\n"), ("run.sh", "x\n")]);
    fs::set_permissions(scene.workspace("run.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    success(&scene.call("write", json!({"path": "folder/a.md", "content": "two\n"})).await);
    let delete = "*** Begin Patch\n*** Delete File: run.sh\n*** End Patch";
    success(&scene.call("apply_patch", json!({"input": delete})).await);
    end_run(&scene);
    fs::rename(scene.workspace("folder"), scene.workspace("other")).unwrap();
    symlink("other", scene.workspace("folder")).unwrap();
    assert_eq!(
        undo(&scene, false),
        [refused("folder/a.md", "a link leads somewhere else now"), outcome("run.sh", UndoOutcome::Restored)]
    );
    assert_eq!(fs::read_to_string(scene.workspace("other/a.md")).unwrap(), "two\n");
    let mode = fs::metadata(scene.workspace("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o751);
}

#[tokio::test]
async fn old_contents_are_given_up_and_said_so() {
    let scene = changed_scene().await;
    end_run(&scene);
    let month = 31 * 24 * 60 * 60 * 1_000;
    let changes = scene.file_changes();
    changes.clean_up(month / 2).unwrap();
    assert_eq!(undo(&scene, true)[0], outcome("a.md", UndoOutcome::Restored));
    changes.clean_up(1_000_000 + month).unwrap();
    assert_eq!(fs::read_dir(scene.home.checkpoints_dir()).unwrap().count(), 0);
    let run = run_id(&scene.session);
    let report = changes.undo(&scene.session, Some(&run), false).unwrap();
    let outcomes: Vec<_> = report.files.into_iter().map(|file| file.outcome).collect();
    let reason = "its earlier content is no longer kept".to_owned();
    assert_eq!(outcomes, vec![UndoOutcome::Refused { reason }; 5]);
    let diff = changes.run_diff(&scene.session, &run, Some("a.md")).unwrap();
    assert_eq!(diff.files[0].omitted, Some(DiffOmission::Expired));
}

#[tokio::test]
async fn diff_shows_the_lines_of_the_turn() {
    let scene = changed_scene().await;
    let run = run_id(&scene.session);
    let diff = scene.file_changes().run_diff(&scene.session, &run, None).unwrap();
    let shown: Vec<String> = diff
        .files
        .iter()
        .map(|file| {
            let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
            let lines: Vec<String> = lines.map(|line| format!("{:?} {}", line.kind, line.text)).collect();
            format!("{}: {}", file.path, lines.join(", "))
        })
        .collect();
    assert_eq!(
        shown,
        ["a.md: Removed one, Added 1", "c.md: Removed c", "moved.md: Added B", "new/deep/file.md: Added new"]
    );
    let unknown = scene.file_changes().run_diff(&"agent:main:other".parse().unwrap(), &run, None);
    assert!(matches!(unknown, Err(FileChangesError::UnknownRun { .. })), "{unknown:?}");
}

#[tokio::test]
async fn empty_file_is_put_back() {
    let scene = Scene::with(&[("empty", "")]);
    let delete = "*** Begin Patch\n*** Delete File: empty\n*** End Patch";
    success(&scene.call("apply_patch", json!({"input": delete})).await);
    end_run(&scene);
    scene.file_changes().clean_up(1_000_000).unwrap();
    assert_eq!(undo(&scene, false), [outcome("empty", UndoOutcome::Restored)]);
    assert_eq!(fs::read(scene.workspace("empty")).unwrap(), b"");
}

#[tokio::test]
async fn calls_at_the_same_time_change_one_file_one_after_the_other() {
    let scene = Scene::with(&[("a.md", "0\n")]);
    let context = scene.context();
    let write = |number: usize| {
        let arguments = json!({"path": "a.md", "content": format!("{number}\n")});
        let context = &context;
        let scene = &scene;
        async move { success(&scene.call_in(context, "write", arguments).await) }
    };
    futures_util::future::join_all((1..=20).map(write)).await;
    let last = fs::read_to_string(scene.workspace("a.md")).unwrap();
    assert!(last != "0\n" && last.trim().parse::<usize>().is_ok(), "{last}");
    end_run(&scene);
    assert_eq!(undo(&scene, false), [outcome("a.md", UndoOutcome::Restored)]);
    assert_eq!(fs::read_to_string(scene.workspace("a.md")).unwrap(), "0\n");
}
