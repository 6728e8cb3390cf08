//! Tools while another process swaps folders and links: what comes out was inside, or nothing comes out; and nothing
//! outside is changed.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use crate::tools::scene::{CANARY, Scene, SceneBuilder, text, write};

/// Reads of each race.
const READS: usize = 300;

/// Swaps two things, each time in one step, until it is told to stop.
fn swap(one: &Path, other: &Path, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
    }
}

async fn read_during_swaps(scene: &Scene, path: &str, one: PathBuf, other: PathBuf) {
    // Known as it is before the swaps begin.
    let context = scene.context();
    let stop = Arc::new(AtomicBool::new(false));
    let swapping = std::thread::spawn({
        let stop = Arc::clone(&stop);
        move || swap(&one, &other, &stop)
    });
    for _ in 0..READS {
        let outcome = scene.call_in(&context, "read", json!({"path": path})).await;
        let output = text(&outcome);
        assert!(!output.contains(CANARY), "{output}");
        assert!(outcome.is_error || output == "inside\n", "{output}");
    }
    stop.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
}

fn outside(builder: &SceneBuilder) -> PathBuf {
    write(&builder.path("elsewhere/x"), CANARY);
    builder.path("elsewhere")
}

#[tokio::test]
async fn swapped_folder_does_not_escape_the_root() {
    let builder = SceneBuilder::new();
    builder.note("folder/x", "inside\n");
    let elsewhere = outside(&builder);
    let workspace = builder.path(".openclaw/workspace");
    symlink(elsewhere, workspace.join("link")).unwrap();
    let scene = builder.open();
    read_during_swaps(&scene, "folder/x", workspace.join("folder"), workspace.join("link")).await;
}

#[tokio::test]
async fn swapped_file_does_not_escape_the_root() {
    let builder = SceneBuilder::new();
    builder.note("file", "inside\n");
    let elsewhere = outside(&builder);
    let workspace = builder.path(".openclaw/workspace");
    symlink(elsewhere.join("x"), workspace.join("link")).unwrap();
    let scene = builder.open();
    read_during_swaps(&scene, "file", workspace.join("file"), workspace.join("link")).await;
}

#[tokio::test]
async fn swapped_workspace_does_not_escape() {
    let builder = SceneBuilder::new();
    builder.note("x", "inside\n");
    let elsewhere = outside(&builder);
    let scene = builder.open();
    let link = scene.path("link");
    symlink(elsewhere, &link).unwrap();
    read_during_swaps(&scene, "x", scene.path(".openclaw/workspace"), link).await;
}

/// Writes and edits a file while its folder, or it, is swapped with a link that leads out.
async fn write_during_swaps(scene: &Scene, path: &str, one: PathBuf, other: PathBuf) {
    let context = scene.context();
    let stop = Arc::new(AtomicBool::new(false));
    let swapping = std::thread::spawn({
        let stop = Arc::clone(&stop);
        move || swap(&one, &other, &stop)
    });
    for number in 0..READS {
        let write = json!({"path": path, "content": format!("inside {number}\n")});
        scene.call_in(&context, "write", write).await;
        let edit = json!({"path": path, "oldText": CANARY, "newText": "stolen"});
        assert!(scene.call_in(&context, "edit", edit).await.is_error);
    }
    stop.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    let entries: Vec<_> = std::fs::read_dir(scene.path("elsewhere")).unwrap().collect();
    assert_eq!(entries.len(), 1, "nothing was created outside: {entries:?}");
    assert_eq!(std::fs::read_to_string(scene.path("elsewhere/x")).unwrap(), CANARY);
}

#[tokio::test]
async fn write_into_a_swapped_folder_does_not_escape() {
    let builder = SceneBuilder::new();
    builder.note("folder/x", "inside\n");
    let elsewhere = outside(&builder);
    let workspace = builder.path(".openclaw/workspace");
    symlink(elsewhere, workspace.join("link")).unwrap();
    let scene = builder.open();
    write_during_swaps(&scene, "folder/x", workspace.join("folder"), workspace.join("link")).await;
}

#[tokio::test]
async fn write_to_a_swapped_file_does_not_escape() {
    let builder = SceneBuilder::new();
    builder.note("file", "inside\n");
    let elsewhere = outside(&builder);
    let workspace = builder.path(".openclaw/workspace");
    symlink(elsewhere.join("x"), workspace.join("link")).unwrap();
    let scene = builder.open();
    write_during_swaps(&scene, "file", workspace.join("file"), workspace.join("link")).await;
}
