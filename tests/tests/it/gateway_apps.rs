//! `tarsus apps …` while a gateway runs: the gateway acts, and the output is the same.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use tarsus_conformance::{Client, device};
use tarsus_tests::agent_process::{Disguise, run_as_agent};
use tarsus_tests::apps::Apps;
use tarsus_tests::{Running, printed, tarsus};

/// All commands, in an order in which each shows the effect of the one before.
const SCRIPT: &[&[&str]] = &[
    &["list"],
    &["validate"],
    &["delete", "Last Z", "--yes"],
    &["create"],
    &["create"],
    &[
        "add",
        "--name",
        "Last Z",
        "--launch-path",
        "LAUNCH",
        "--process-name",
        "PROCESS",
        "--mode",
        "off",
        "--yes",
    ],
    &["add", "--name", "Last Z", "--launch-path", "LAUNCH", "--mode", "off", "--yes"],
    &["add", "--name", "Half", "--launch-path", "/nowhere/at/all", "--mode", "full"],
    &[
        "add",
        "--name",
        "Half",
        "--launch-path",
        "/nowhere/at/all",
        "--runtime-exe",
        "/x",
        "--mode",
        "full",
        "--yes",
    ],
    &["launch", "Half"],
    &["edit", "Half", "--clear-runtime-exe", "--yes"],
    &["stop", "Half"],
    &["show", "Half"],
    &["launch", "last z"],
    &["stop", "last z"],
    &["policy", "Last Z", "--mode", "allowlist", "--allow", "work", "--yes"],
    &["policy", "Last Z", "--mode", "allowlist", "--allow", "work", "--yes"],
    &["launch", "last z"],
    &["launch", "last z", "--agent", "work"],
    &["status"],
    &["show", "Last Z"],
    &["stop", "last z", "--agent", "work"],
    &["stop", "last z", "--agent", "work"],
    &["policy", "no such app", "--mode", "full", "--yes"],
    &["delete", "Half", "--yes"],
    &["list"],
    &["validate"],
];

fn home() -> Apps {
    let apps = Apps::new();
    let config = apps.home.state_dir().join("openclaw.json");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(config, "{ agents: { list: [{ id: 'main' }, { id: 'work' }] } }\n").unwrap();
    apps
}

/// The output of every step without process ids, the final registry, and the audit records. Cleans up afterwards.
fn run_steps(apps: &Apps, form: &[&str]) -> (Vec<String>, String, Vec<String>) {
    let (before, launch) = (apps.audit().len(), apps.launch_path());
    let mut outputs = Vec::new();
    for step in SCRIPT {
        let word = |word: &&str| match *word {
            "LAUNCH" => launch.clone(),
            "PROCESS" => apps.process.clone(),
            word => word.to_owned(),
        };
        let step: Vec<String> = step.iter().chain(form).map(word).collect();
        let output = apps.run(&step.iter().map(String::as_str).collect::<Vec<_>>());
        let exit = output.status.code();
        outputs.push(format!("{step:?} {exit:?}\n{}", without_numbers(&printed(&output))));
    }
    let registry = apps.text();
    fs::remove_file(apps.registry()).unwrap();
    let recorded = apps.audit().into_iter().skip(before).filter(|line| line.starts_with("app."));
    (outputs, registry, recorded.collect())
}

/// Replaces every separate number with `N`.
fn without_numbers(text: &str) -> String {
    let words = text.split_inclusive(|letter: char| !letter.is_alphanumeric());
    let masked = words.map(|word| {
        let digits = word.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        match digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            true => word.to_owned(),
            false => format!("N{}", &word[digits.len()..]),
        }
    });
    masked.collect()
}

#[test]
fn menu_acts_the_same_with_and_without_a_gateway() {
    let apps = home();
    // The first start creates the files that a listing mentions.
    drop(Running::up(&apps.home));
    for form in [[].as_slice(), &["--json"]] {
        let without = run_steps(&apps, form);
        let up = Running::up(&apps.home);
        let with = run_steps(&apps, form);
        drop(up);
        for (with, without) in with.0.iter().zip(&without.0) {
            assert_eq!(with, without);
        }
        assert_eq!(with.1, without.1);
        assert_eq!(with.2, without.2);
        assert!(with.2.iter().any(|line| line.ends_with("allowed")), "{:?}", with.2);
    }
}

#[test]
fn gateway_launches_in_the_terminal_session_and_publishes() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(launch_and_listen());
}

async fn launch_and_listen() {
    let apps = home();
    let script = apps.home.path().join("show.sh");
    let text = "#!/bin/sh\necho \"$DISPLAY$KEY\" > \"$0.new\"; mv \"$0.new\" \"$0.out\"\n";
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    apps.write(&json!({ "Show": { "launch_path": script, "mode": "full", "allowed_agents": [] } }));
    let up = Running::up(&apps.home);
    let mut page = Client::expect(&format!("ws://127.0.0.1:{}", up.port), &[]).await;
    page.challenge().await;
    let token = fs::read_to_string(apps.home.home().token_path()).unwrap();
    assert_eq!(page.connect(&device::backend(token.trim())).await.frame()["ok"], true);

    let mut command = apps.home.tarsus(["apps", "launch", "Show"]);
    let launched = command.env("DISPLAY", ":77").env("KEY", "secret").output().unwrap();
    assert_eq!(launched.status.code(), Some(0), "{}", printed(&launched));
    assert_eq!(page.event("apps.changed").await["payload"]["action"], "launch");
    let out = script.with_extension("sh.out");
    while !out.exists() {
        tokio::task::yield_now().await;
    }
    let output = fs::read_to_string(out).unwrap();
    assert_eq!(output.trim(), ":77");

    let policy = ["apps", "policy", "Show", "--mode", "off", "--yes", "--json"];
    assert_eq!(apps.home.tarsus(policy).output().unwrap().status.code(), Some(0));
    let changed = page.event("apps.changed").await["payload"].take();
    assert_eq!((&changed["action"], &changed["name"]), (&json!("save"), &json!("Show")));
}

#[test]
fn agent_process_does_not_use_the_gateway() {
    let apps = Apps::with("off", &[]);
    let _up = Running::up(&apps.home);
    let inside =
        |arguments: &[&str]| apps.home.tarsus(arguments).env("TARSUS_AGENT", "main").output().unwrap();
    let stopped = inside(&["apps", "stop", "Last Z"]);
    assert_eq!(stopped.status.code(), Some(3), "{}", printed(&stopped));
    let changed = inside(&["apps", "policy", "Last Z", "--mode", "full", "--yes"]);
    assert_eq!(changed.status.code(), Some(3), "{}", printed(&changed));
}

#[test]
fn stop_never_ends_the_gateway_or_its_clients() {
    let apps = Apps::with("full", &[]);
    // A name of our own, so that nothing else is named by the entry.
    let link = apps.home.path().join(format!("own-{}", apps.process));
    std::os::unix::fs::symlink(tarsus(), &link).unwrap();
    let name = link.file_name().unwrap().to_str().unwrap();
    apps.write(&json!({
        "Self": { "launch_path": "/bin/true", "process_name": name, "mode": "full", "allowed_agents": [] },
    }));
    let command = |arguments: &[&str]| {
        let mut command = apps.home.command(&link);
        command.args(arguments);
        command
    };
    let mut up = Running::begun(command(&["up", "--port", "0"]));
    let stops: [(&[&str], bool); 3] = [
        (&["apps", "stop", "Self"], false),
        (&["apps", "stop", "Self"], true),
        (&["agent", "--message", "stop self"], false),
    ];
    for (arguments, inside_agent) in stops {
        let mut stop = command(arguments);
        let output =
            if inside_agent { run_as_agent("main", Disguise::None, &stop) } else { stop.output().unwrap() };
        let said = printed(&output);
        assert!(output.status.code().is_some(), "{arguments:?} was ended: {said}");
        let gateway = format!("process {} is Tarsus", up.child.id());
        assert!(said.contains(&gateway), "{arguments:?}: {said}");
        assert_eq!(up.child.try_wait().unwrap(), None, "the gateway was ended by {arguments:?}");
    }
}
