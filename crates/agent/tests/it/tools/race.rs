//! Tools while another process swaps folders and links: what comes out was inside, or nothing comes out; and nothing
//! outside is changed.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use crate::tools::scene::{CANARY, Scene, SceneBuilder, text, write};

/// Reads of each race.
const READS: usize = 300;

/// Swaps two entries in a thread of its own, each time in one step.
struct Swaps {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Swaps {
    fn start(one: PathBuf, other: PathBuf) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stop);
        let swap = move || {
            while !is_stopped.load(Ordering::Relaxed) {
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
            }
        };
        Self { stop, thread: std::thread::spawn(swap) }
    }

    fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
    }
}

async fn read_during_swaps(scene: &Scene, path: &str, one: PathBuf, other: PathBuf) {
    // Known as it is before the swaps begin.
    let context = scene.context();
    let swaps = Swaps::start(one, other);
    for _ in 0..READS {
        let outcome = scene.call_in(&context, "read", json!({"path": path})).await;
        let output = text(&outcome);
        assert!(!output.contains(CANARY), "{output}");
        assert!(outcome.is_error || output == "inside\n", "{output}");
    }
    swaps.stop();
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
    let swaps = Swaps::start(one, other);
    for number in 0..READS {
        let write = json!({"path": path, "content": format!("inside {number}\n")});
        scene.call_in(&context, "write", write).await;
        let edit = json!({"path": path, "oldText": CANARY, "newText": "stolen"});
        assert!(scene.call_in(&context, "edit", edit).await.is_error);
    }
    swaps.stop();
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
