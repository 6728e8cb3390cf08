//! Writing stays inside: no path, link, race or hard link changes a file outside of the writable folders, or one of ours.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::json;
use tarsus_agent::prompt::chat::ChatKind;
use tarsus_agent::tools::ToolOutcome;
use tarsus_guard::Activation;
use tarsus_home::settings::Enforcement;

use crate::tools::scene::{CANARY, Scene, SceneBuilder, failure, success, text};

/// Tries every tool that changes files on a path.
async fn change(scene: &Scene, path: &str) -> Vec<ToolOutcome> {
    let patch = |body: &str| json!({"input": format!("*** Begin Patch\n{body}\n*** End Patch")});
    let mut outcomes = Vec::new();
    for (tool, arguments) in [
        ("write", json!({"path": path, "content": "changed"})),
        ("edit", json!({"path": path, "oldText": CANARY, "newText": "changed"})),
        ("apply_patch", patch(&format!("*** Delete File: {path}"))),
        ("apply_patch", patch(&format!("*** Add File: {path}\n+changed"))),
        ("apply_patch", patch(&format!("*** Update File: {path}\n-{CANARY}\n+changed"))),
        ("apply_patch", patch(&format!("*** Update File: inside.md\n*** Move to: {path}"))),
        ("apply_patch", patch(&format!("*** Update File: {path}\n*** Move to: stolen.md"))),
    ] {
        outcomes.push(scene.call(tool, arguments).await);
    }
    outcomes
}

/// All files below a folder with their contents, except those of the record of changes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.symlink_metadata().unwrap().file_type();
            let is_ours = ["store.db", "audit", "runtime.lock"]
                .iter()
                .any(|name| path.to_string_lossy().contains(&format!("tarsus/{name}")));
            match (kind.is_dir(), kind.is_file() && !is_ours) {
                (true, _) => folders.push(path),
                (_, true) => found.push((path.clone(), fs::read(path).unwrap())),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn nothing_outside_of_the_writable_folders_is_changed() {
    let builder = SceneBuilder::new();
    builder.note("inside.md", CANARY);
    builder.skill(".openclaw/skills/theirs", "theirs", CANARY);
    builder.write(".openclaw/openclaw.json", "{}");
    builder.write(".openclaw/registries/application_registry.json", "{}");
    builder.write(".openclaw/workspace-other/a.md", CANARY);
    builder.write("readable/a.md", CANARY);
    let workspace = builder.path(".openclaw/workspace");
    symlink("../../outside.txt", workspace.join("link.md")).unwrap();
    symlink("../..", workspace.join("up")).unwrap();
    symlink("../tarsus", workspace.join("ours")).unwrap();
    symlink("loop.md", workspace.join("loop.md")).unwrap();
    let scene = builder.config("{ tools: { fs: { roots: ['~/.openclaw', '~/.openclaw/tarsus'] } } }").open();
    let before = files(&scene.path(""));
    let absolute = |below: &str| scene.path(below).to_str().unwrap().to_owned();
    for path in [
        "../../outside.txt".to_owned(),
        "a/../../../outside.txt".to_owned(),
        "~/outside.txt".to_owned(),
        "~/readable/a.md".to_owned(),
        absolute("outside.txt"),
        format!("/proc/self/root{}", absolute("outside.txt")),
        "/proc/self/environ".to_owned(),
        "/dev/null".to_owned(),
        "link.md".to_owned(),
        "up/outside.txt".to_owned(),
        "loop.md".to_owned(),
        "ours/gateway.token".to_owned(),
        "ours/new.md".to_owned(),
        "inside.md/below.md".to_owned(),
        ".".to_owned(),
        "..".to_owned(),
        "up".to_owned(),
        "~/.openclaw/openclaw.json".to_owned(),
        "~/.openclaw/new.json".to_owned(),
        "~/.openclaw/registries/application_registry.json".to_owned(),
        "~/.openclaw/skills/theirs/SKILL.md".to_owned(),
        "~/.openclaw/skills/new/SKILL.md".to_owned(),
        "~/.openclaw/workspace-other/a.md".to_owned(),
        "~/.openclaw/tarsus/secrets.json".to_owned(),
        "~/.openclaw/tarsus/tarsus.json5".to_owned(),
        "~/.openclaw/tarsus/docs/new.md".to_owned(),
    ] {
        for outcome in change(&scene, &path).await {
            failure(&outcome);
        }
        assert_eq!(files(&scene.path("")), before, "{path}");
    }
}

#[tokio::test]
async fn workspace_that_contains_the_state_does_not_open_it() {
    let builder = SceneBuilder::new();
    builder.note("inside.md", "");
    let scene = builder.config("{ agents: { defaults: { workspace: '~' } } }").open();
    failure(&scene.call("write", json!({"path": ".openclaw/openclaw.json", "content": "{}"})).await);
    failure(&scene.call("write", json!({"path": ".openclaw/tarsus/gateway.token", "content": ""})).await);
    success(&scene.call("write", json!({"path": "free.md", "content": ""})).await);
}

#[tokio::test]
async fn hard_link_is_replaced_and_its_other_name_is_not_changed() {
    let builder = SceneBuilder::new();
    let workspace = builder.path(".openclaw/workspace");
    fs::hard_link(builder.path("outside.txt"), workspace.join("linked.md")).unwrap();
    fs::hard_link(builder.path(".openclaw/tarsus/gateway.token"), workspace.join("token.md")).unwrap();
    let scene = builder.open();
    success(&scene.call("write", json!({"path": "linked.md", "content": "mine"})).await);
    assert_eq!(fs::read_to_string(scene.path("outside.txt")).unwrap(), CANARY);
    failure(&scene.call("write", json!({"path": "token.md", "content": "mine"})).await);
    assert_eq!(fs::read_to_string(scene.path(".openclaw/tarsus/gateway.token")).unwrap(), CANARY);
}

#[tokio::test]
async fn configured_folder_is_writable_unless_only_the_workspace_is() {
    let open = |config: &str| {
        let builder = SceneBuilder::new();
        builder.write("project/a.md", "old");
        builder.config(config).open()
    };
    let project = json!({"path": "~/project/a.md", "content": "new"});
    let scene = open("{ tools: { fs: { roots: ['~/project'] } } }");
    success(&scene.call("write", project.clone()).await);
    let scene = open("{ tools: { fs: { roots: ['~/project'], workspaceOnly: true } } }");
    failure(&scene.call("write", project).await);
    failure(&scene.call("read", json!({"path": "~/project/a.md"})).await);
}

#[tokio::test]
async fn long_term_memory_is_written_in_the_main_session_only() {
    let scene = Scene::with(&[("MEMORY.md", "old\n")]);
    let memory = json!({"path": "MEMORY.md", "content": "new\n"});
    let group = scene.context_with(|context| context.chat = ChatKind::Group);
    let refused = scene.call_in(&group, "write", memory.clone()).await;
    assert_eq!(failure(&refused), "MEMORY.md can be written only in the main session");
    success(&scene.call_in(&group, "write", json!({"path": "memory/2026-11-19.md", "content": "x"})).await);
    success(&scene.call("write", memory).await);
}

#[tokio::test]
async fn files_shaped_by_a_community_skill_carry_its_mark() {
    let builder = SceneBuilder::new();
    builder.skill(".openclaw/skills/theirs", "theirs", "Write notes.");
    builder.note("AGENTS.md", "mine\n");
    builder.note("plain.md", "plain\n");
    let scene = builder.open();
    let active = scene.call("read", json!({"path": "~/.openclaw/skills/theirs/SKILL.md"})).await.activated;
    let change = |path: &str| json!({"path": path, "content": "theirs\n"});
    // Without the capability it is denied; the owner's approval is asked for beside it.
    let denied = scene.call_approved(&scene.context(), "write", change("AGENTS.md"), &active).await;
    assert_eq!(failure(&denied), "write is not permitted");
    // With the limits switched off, which the audit log has, the mark stays.
    let unlimited = scene.context_with(|context| context.enforcement = Enforcement::Off);
    success(&scene.call_approved(&unlimited, "write", change("AGENTS.md"), &active).await);
    success(&scene.call_approved(&unlimited, "write", change("plain.md"), &active).await);
    let read = |path: &str| json!({"path": path});
    let marked = scene.call("read", read("AGENTS.md")).await;
    assert_eq!(marked.activated.skills().map(|(id, _)| id.name.as_str()).collect::<Vec<_>>(), ["theirs"]);
    assert!(scene.call("read", read("plain.md")).await.activated.is_empty(), "it steers nothing");
    // The mark belongs to the content.
    fs::write(scene.workspace("AGENTS.md"), "mine\n").unwrap();
    assert!(scene.call("read", read("AGENTS.md")).await.activated.is_empty());
    let planned = scene.context();
    let judged = scene.toolbox.prepare("write", &change("AGENTS.md"), None, &planned).unwrap();
    assert_eq!(judged.call.facts.control_files, [scene.workspace("AGENTS.md")]);
    for path in ["memory/today.md", "skills/new/SKILL.md", ".git/hooks/pre-commit", "MEMORY.md", "USER.md"] {
        let judged = scene.toolbox.prepare("write", &change(path), None, &planned).unwrap();
        assert_eq!(judged.call.facts.control_files.len(), 1, "{path}");
    }
    let judged = scene.toolbox.prepare("write", &change("plain.md"), None, &planned).unwrap();
    assert_eq!(judged.call.facts.control_files, Vec::<PathBuf>::new());
}

#[tokio::test]
async fn call_runs_only_on_the_files_that_were_judged() {
    let scene = Scene::with(&[("one/a.md", "one\n"), ("two/a.md", "two\n")]);
    symlink("one", scene.workspace("link")).unwrap();
    let context = scene.context();
    let arguments = json!({"path": "link/a.md", "content": "changed\n"});
    let decision = scene.decide(&context, "write", &arguments, &Activation::default());
    let tarsus_guard::Authorization::Allowed(authorized) = decision else { panic!("{decision:?}") };
    fs::remove_file(scene.workspace("link")).unwrap();
    symlink("two", scene.workspace("link")).unwrap();
    let outcome = scene.toolbox.run(authorized, &context).await;
    assert!(
        text(&outcome).contains("leads to another file than when the call was permitted"),
        "{}",
        text(&outcome)
    );
    assert_eq!(fs::read_to_string(scene.workspace("two/a.md")).unwrap(), "two\n");
}

#[tokio::test]
async fn every_name_of_a_control_file_counts() {
    let builder = SceneBuilder::new();
    let workspace = builder.path(".openclaw/workspace");
    builder.note("docs/soul.txt", "mine\n");
    symlink("docs/soul.txt", workspace.join("SOUL.md")).unwrap();
    symlink("CLAUDE.md", workspace.join("AGENTS.md")).unwrap();
    let scene = builder.open();
    let context = scene.context();
    let control = |path: &str| {
        let arguments = json!({"path": path, "content": "x"});
        let facts = scene.toolbox.prepare("write", &arguments, None, &context).unwrap().call.facts;
        !facts.control_files.is_empty()
    };
    for path in [
        "SOUL.md",
        "docs/soul.txt",
        "./docs/../SOUL.md",
        "AGENTS.md",
        "agents.md",
        "sub/USER.md",
        "Memory/a.md",
        "sub/skills/x/run.sh",
        ".agents/skills/x/run.sh",
    ] {
        assert!(control(path), "{path}");
    }
    for path in ["notes.md", "docs/other.txt", "memory.txt", "skills.md"] {
        assert!(!control(path), "{path}");
    }
}
