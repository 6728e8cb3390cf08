//! `read`: nothing outside of the folders is read, and nothing of our own, by whatever path.

use serde_json::json;

use crate::tools::scene::{CANARY, Scene, SceneBuilder, failure};

#[tokio::test]
async fn no_path_spelling_escapes_the_roots() {
    let scene = Scene::with(&[("a/b.md", "inside\n")]);
    let absolute = |below: &str| scene.path(below).to_str().unwrap().to_owned();
    let mut paths = vec![
        "../../outside.txt".to_owned(),
        "a/../../../outside.txt".to_owned(),
        "~/outside.txt".to_owned(),
        "~/.openclaw/workspace/../../outside.txt".to_owned(),
        absolute("outside.txt"),
        absolute(".openclaw/workspace/../../outside.txt"),
        absolute(".openclaw/workspace2/x"),
        "/etc/passwd".to_owned(),
        "/".to_owned(),
        "~".to_owned(),
        "../workspac".to_owned(),
        "../../../../../../../../../../../../../../../../../../../../outside.txt".to_owned(),
        format!("/proc/self/root{}", absolute("outside.txt")),
        format!("/proc/self/root{}", absolute(".openclaw/workspace/a/b.md")),
        "/proc/self/cwd/Cargo.toml".to_owned(),
        "/proc/self/environ".to_owned(),
        "/dev/zero".to_owned(),
    ];
    if cfg!(unix) {
        // Names differ in case, so these are others.
        paths.push(absolute(".openclaw/WORKSPACE/a/b.md"));
    }
    for path in paths {
        let error = failure(&scene.call("read", json!({"path": path})).await);
        let is_outside = error == format!("{path} is outside the folders that may be read");
        let is_no_path = error.starts_with("the path ");
        assert!(is_outside || is_no_path, "{error}");
    }
}

#[tokio::test]
async fn keys_and_audit_records_are_never_read() {
    let builder = SceneBuilder::new();
    builder.skill(".openclaw/tarsus/audit/skills/x", "x", CANARY);
    let config = "{ tools: { fs: { roots: ['~', '~/.openclaw', '~/.openclaw/tarsus', '~/.openclaw/tarsus/audit', '/'] } } }";
    #[cfg(unix)]
    {
        let workspace = builder.path(".openclaw/workspace");
        std::os::unix::fs::symlink("../tarsus", workspace.join("ours")).unwrap();
        for (name, file) in
            [("hard", "secrets.json"), ("token", "gateway.token"), ("chain", "audit/notes.jsonl")]
        {
            std::fs::hard_link(builder.path(".openclaw/tarsus").join(file), workspace.join(name)).unwrap();
        }
    }
    let scene = builder.config(config).open();
    let mut paths = vec![
        "~/.openclaw/tarsus/secrets.json",
        "~/.openclaw/tarsus/gateway.token",
        "~/.openclaw/tarsus/hash.txt",
        "~/.openclaw/tarsus/audit/notes.jsonl",
        "~/.openclaw/tarsus/audit/skills/x/SKILL.md",
        "~/.openclaw/tarsus/docs/../secrets.json",
        "../tarsus/secrets.json",
        "../tarsus/store.db",
    ];
    if cfg!(unix) {
        paths.extend(["hard", "token", "chain"]);
        // The nearest folder decides, and this link leaves it.
        let error = failure(&scene.call("read", json!({"path": "ours/secrets.json"})).await);
        assert_eq!(error, "ours/secrets.json leads out of its folder");
    }
    for path in paths {
        assert_eq!(
            failure(&scene.call("read", json!({"path": path})).await),
            "no tool may read this file",
            "{path}"
        );
    }
    // The system's own way around is a link like any other.
    #[cfg(target_os = "linux")]
    {
        let path = format!("/proc/self/root{}", scene.path(".openclaw/tarsus/secrets.json").display());
        assert_eq!(failure(&scene.call("read", json!({"path": path})).await), "no tool may read this file");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_followed_only_inside_the_roots() {
    use crate::tools::scene::success;
    use std::os::unix::fs::symlink;

    let builder = SceneBuilder::new();
    builder.note("a/b.md", "inside\n");
    let workspace = builder.path(".openclaw/workspace");
    let links = [
        ("up", "..".to_owned()),
        ("file", "../../outside.txt".to_owned()),
        ("absolute", builder.path("outside.txt").to_str().unwrap().to_owned()),
        ("a/climb", "../../../outside.txt".to_owned()),
        ("proc", "/proc/self/root".to_owned()),
        ("chain", "file".to_owned()),
        ("loop", "loop".to_owned()),
        ("inner", "a/b.md".to_owned()),
        ("inner-absolute", workspace.join("a/b.md").to_str().unwrap().to_owned()),
        ("a/folder", ".".to_owned()),
        ("a/round", "../../workspace/a/b.md".to_owned()),
    ];
    for (name, target) in links {
        symlink(target, workspace.join(name)).unwrap();
    }
    let scene = builder.open();
    let out = [
        "up/../outside.txt",
        "up/tarsus/secrets.json",
        "file",
        "absolute",
        "a/climb",
        "chain",
        "proc/etc/passwd",
    ];
    for path in out {
        let error = failure(&scene.call("read", json!({"path": path})).await);
        assert!(
            error.ends_with("leads out of its folder") || error.starts_with("there is no file"),
            "{path}: {error}"
        );
    }
    let round = scene.call("read", json!({"path": "loop"})).await;
    assert!(failure(&round).starts_with("cannot read"), "{round:?}");
    for path in ["inner", "inner-absolute", "a/folder/folder/b.md"] {
        assert_eq!(success(&scene.call("read", json!({"path": path})).await), "inside\n", "{path}");
    }
    // A link that leaves the folder on its way back in has left it.
    assert!(
        failure(&scene.call("read", json!({"path": "a/round"})).await).ends_with("leads out of its folder")
    );
}

#[cfg(unix)]
#[tokio::test]
async fn hard_linked_control_files_are_refused() {
    use crate::tools::scene::success;

    let builder = SceneBuilder::new();
    for file in ["AGENTS.md", "skills/own/SKILL.md", ".git/config", "plain.txt"] {
        builder.note(file, "words\n");
        let path = builder.path(".openclaw/workspace").join(file);
        std::fs::hard_link(&path, path.with_extension("second")).unwrap();
    }
    let scene = builder.open();
    for file in ["AGENTS.md", "skills/own/SKILL.md", ".git/config", ".git/config.second"] {
        let error = failure(&scene.call("read", json!({"path": file})).await);
        assert!(
            error.starts_with("this file controls the agent and has a hard link elsewhere"),
            "{file}: {error}"
        );
    }
    for file in ["plain.txt", "plain.second"] {
        assert_eq!(success(&scene.call("read", json!({"path": file})).await), "words\n");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn pipe_is_refused_without_blocking() {
    let scene = Scene::with(&[]);
    let pipe = scene.workspace("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let error = failure(&scene.call("read", json!({"path": "pipe"})).await);
    assert!(error.ends_with("it is a link, pipe, socket or device, not a file"), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn workspace_replaced_by_a_link_is_not_followed() {
    use crate::tools::scene::write;

    let scene = Scene::with(&[("a.md", "inside\n")]);
    let context = scene.context();
    write(&scene.path("elsewhere/a.md"), CANARY);
    std::fs::rename(scene.workspace(""), scene.path("moved")).unwrap();
    std::os::unix::fs::symlink(scene.path("elsewhere"), scene.path(".openclaw/workspace")).unwrap();
    let error = failure(&scene.call_in(&context, "read", json!({"path": "a.md"})).await);
    assert!(error.ends_with("leads out of its folder"), "{error}");
}
