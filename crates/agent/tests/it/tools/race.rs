//! `read` while another process swaps folders and links: what comes out was inside, or nothing comes out.

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
