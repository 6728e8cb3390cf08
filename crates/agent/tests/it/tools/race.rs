//! `read` while another process swaps folders and links: what comes out was inside, or nothing comes out.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use crate::tools::scene::{CANARY, Scene, Start, text, write};

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
        let told = text(&outcome);
        assert!(!told.contains(CANARY), "{told}");
        assert!(outcome.is_error || told == "inside\n", "{told}");
    }
    stop.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
}

fn outside(start: &Start) -> PathBuf {
    write(&start.path("elsewhere/x"), CANARY);
    start.path("elsewhere")
}

#[tokio::test]
async fn a_folder_that_is_swapped_for_a_link_leads_nowhere_else() {
    let start = Start::new();
    start.note("folder/x", "inside\n");
    let elsewhere = outside(&start);
    let workspace = start.path(".openclaw/workspace");
    symlink(elsewhere, workspace.join("link")).unwrap();
    let scene = start.open();
    read_during_swaps(&scene, "folder/x", workspace.join("folder"), workspace.join("link")).await;
}

#[tokio::test]
async fn a_file_that_is_swapped_for_a_link_leads_nowhere_else() {
    let start = Start::new();
    start.note("file", "inside\n");
    let elsewhere = outside(&start);
    let workspace = start.path(".openclaw/workspace");
    symlink(elsewhere.join("x"), workspace.join("link")).unwrap();
    let scene = start.open();
    read_during_swaps(&scene, "file", workspace.join("file"), workspace.join("link")).await;
}

#[tokio::test]
async fn a_workspace_that_is_swapped_for_a_link_leads_nowhere_else() {
    let start = Start::new();
    start.note("x", "inside\n");
    let elsewhere = outside(&start);
    let scene = start.open();
    let link = scene.path("link");
    symlink(elsewhere, &link).unwrap();
    read_during_swaps(&scene, "x", scene.path(".openclaw/workspace"), link).await;
}
