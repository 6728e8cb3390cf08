//! Listings print the same with and without a running gateway.
#![cfg(unix)]

use std::fs;

use serde_json::{Value, json};
use tarsus_tests::apps::Apps;
use tarsus_tests::{Running, TestHome, printed};

const LISTINGS: &[&[&str]] = &[
    &["skills", "list"],
    &["skills", "list", "--eligible"],
    &["skills", "list", "-v"],
    &["skills", "list", "--agent", "work"],
    &["skills", "info", "keyed"],
    &["skills", "info", "no-such-skill"],
    &["skills", "check"],
    &["skills", "check", "--agent", "work"],
    &["skills", "prompt"],
    &["apps", "list"],
    &["apps", "show", "last z"],
    &["apps", "status"],
    &["apps", "validate"],
    &["config", "path"],
    &["config", "get"],
    &["config", "get", "agents.list[1].id"],
    &["config", "get", "nothing.here"],
    &["config", "validate"],
    &["config", "schema"],
    &["status", "--agent", "work"],
    &["status"],
    &["doctor"],
];

fn home() -> Apps {
    let apps = Apps::with("full", &[]);
    let state = apps.home.state_dir();
    let write = |path: &str, text: &str| {
        let path = state.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "openclaw.json",
        "{\n  // two\n  agents: { list: [{ id: 'main' }, { id: 'work', workspace: '~/work' }] },\n  gateway: { auth: { token: 'k' }, prot: 1 },\n}\n",
    );
    write(
        "skills/keyed/SKILL.md",
        "---\nname: keyed\ndescription: Needs a key\nmetadata: {\"openclaw\": {\"requires\": {\"env\": [\"RENT_KEY\"], \"bins\": [\"frobnicate\"]}}}\n---\n",
    );
    write("skills/broken/SKILL.md", "# No fields\n");
    write("workspace/skills/own/SKILL.md", "---\nname: own\ndescription: Of main alone\n---\n");
    fs::create_dir_all(apps.home.path().join("work/skills/of-work")).unwrap();
    let of_work = apps.home.path().join("work/skills/of-work/SKILL.md");
    fs::write(of_work, "---\nname: of-work\ndescription: Of work alone\n---\n").unwrap();
    apps
}

/// Exit code, output and errors of a command in both forms, without facts about the gateway itself.
fn all(home: &TestHome) -> Vec<(String, Option<i32>, String)> {
    let mut found = Vec::new();
    for arguments in LISTINGS {
        for form in [[].as_slice(), &["--json"]] {
            let arguments = [*arguments, form].concat();
            let output = home.tarsus(&arguments).output().unwrap();
            let about_the_gateway = |line: &&str| !line.contains("gateway") || arguments[0] == "config";
            let text = match serde_json::from_slice::<Value>(&output.stdout) {
                Ok(mut value) if arguments[0] == "status" => {
                    value["gateway"] = json!("left out");
                    value.to_string()
                }
                Ok(mut value) if arguments[0] == "doctor" => {
                    value["checks"].as_array_mut().unwrap().retain(|check| check["id"] != "gateway");
                    value.to_string()
                }
                Ok(mut value) if arguments[..2] == ["skills", "list"] => {
                    // The gateway scans personal skills in the background, and a listing does not wait for that.
                    for skill in value["skills"].as_array_mut().unwrap() {
                        if skill["trust"] == "local" {
                            skill["scan"] = json!("left out");
                            skill["capabilities"].as_object_mut().unwrap().shift_remove("used");
                        }
                    }
                    value.to_string()
                }
                _ => {
                    let text = printed(&output);
                    // Columns are as wide as their content.
                    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
                    text.lines().filter(about_the_gateway).map(words).collect::<Vec<_>>().join("\n")
                }
            };
            found.push((arguments.join(" "), output.status.code(), text));
        }
    }
    found
}

#[test]
fn every_listing_is_the_same_with_a_gateway_and_without_one() {
    let apps = home();
    // The first start creates folders and files that appear in listings.
    drop(Running::up(&apps.home));
    let without = all(&apps.home);
    let up = Running::up(&apps.home);
    let with = all(&apps.home);
    for (without, with) in without.iter().zip(&with) {
        assert_eq!(with, without);
    }
    drop(up);
}

#[test]
fn listings_ask_only_a_gateway_with_the_same_configuration() {
    let apps = home();
    let up = Running::up(&apps.home);
    let ready = |command: &mut std::process::Command| {
        let output = command.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{}", printed(&output));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["missing"]["env"].clone()
    };
    let info = ["skills", "info", "keyed", "--json"];
    // The key is in this terminal and not in the gateway: its agents do not have it.
    assert_eq!(ready(apps.home.tarsus(info).env("RENT_KEY", "k")), json!(["RENT_KEY"]));
    let other = apps.home.path().join("other.json");
    fs::write(&other, "{ gateway: { auth: { token: 'k' } } }").unwrap();
    assert_eq!(ready(apps.home.tarsus(info).env("RENT_KEY", "k").arg("--config").arg(&other)), json!([]));
    drop(up);
    assert_eq!(ready(apps.home.tarsus(info).env("RENT_KEY", "k")), json!([]));
}

#[test]
fn what_a_command_changes_is_what_the_gateway_answers_next() {
    let apps = home();
    let up = Running::up(&apps.home);
    let run = |arguments: &[&str]| {
        let output = apps.home.tarsus(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let status = || {
        let report = run(&["gateway", "call", "skills.status", "--params", r#"{"agentId":"main"}"#]);
        let skills = report["skills"].as_array().unwrap().clone();
        skills.into_iter().find(|skill| skill["name"] == "own").unwrap()["status"].clone()
    };
    let switched = |changed: bool, enabled: bool, status: &str| {
        json!({
            "ok": true, "name": "own", "skillKey": "own", "enabled": enabled, "changed": changed, "status": status,
        })
    };
    assert_eq!(run(&["skills", "disable", "own", "--json"]), switched(true, false, "disabled"));
    assert_eq!(status(), "disabled");
    assert_eq!(run(&["skills", "disable", "own", "--json"]), switched(false, false, "disabled"));
    assert_eq!(run(&["skills", "enable", "own", "--json"]), switched(true, true, "ready"));
    assert_eq!(status(), "ready");
    let text = fs::read_to_string(apps.home.home().config_path()).unwrap();
    assert!(text.contains("// two") && text.contains("token: 'k'"), "{text}");

    // Without a refresh the gateway would notice this later.
    let new = apps.home.state_dir().join("skills/new/SKILL.md");
    fs::create_dir_all(new.parent().unwrap()).unwrap();
    fs::write(new, "---\nname: new\ndescription: Just written\n---\n").unwrap();
    run(&["skills", "refresh", "--json"]);
    let report = run(&["skills", "list", "--json"]);
    assert!(report["skills"].as_array().unwrap().iter().any(|skill| skill["name"] == "new"), "{report}");
    drop(up);
}
