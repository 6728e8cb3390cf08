//! Commands that take something away work while openclaw.json cannot be read, with a note.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tarsus_tests::apps::Apps;
use tarsus_tests::{Running, printed};

const CONFIG: &str = r#"{ "skills": { "allowBundled": ["none"] } }"#;
const SKILL: &str = "---\nname: clock\ndescription: Says the time\nmetadata: {\"openclaw\": {\"capabilities\": [\"app_launch\"]}}\n---\n\nSay the time.\n";

/// Contents that cannot be read as a configuration.
fn broken() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("truncated", b"{\"gateway\":".to_vec()),
        ("a list", b"[1, 2]".to_vec()),
        ("not UTF-8", b"{ \"a\": \"\xff\xfe\" }".to_vec()),
        ("huge", vec![b' '; 16 * 1024 * 1024]),
    ]
}

/// A home with a running app and a skill that has a grant.
fn furnished() -> Apps {
    let apps = Apps::with("full", &[]);
    let state = apps.home.state_dir();
    fs::create_dir_all(state.join("skills/clock")).unwrap();
    fs::write(state.join("skills/clock/SKILL.md"), SKILL).unwrap();
    fs::write(apps.home.home().config_path(), CONFIG).unwrap();
    for arguments in [
        &["apps", "launch", "Last Z"][..],
        &["skills", "enable", "clock", "--yes"],
        &["skills", "grant", "clock", "shell"],
    ] {
        let output = apps.home.tarsus(arguments).output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
    }
    apps
}

fn json_of(apps: &Apps, arguments: &[&str], context: &str) -> Value {
    let output = apps.home.tarsus(arguments).arg("--json").output().unwrap();
    assert!(output.status.success(), "{context} {arguments:?}: {}", printed(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Breaks the configuration; without a good version, the defaults are left.
fn break_config(apps: &Apps, bytes: &[u8], has_good_version: bool) {
    write_config(apps, bytes);
    if !has_good_version {
        fs::remove_dir_all(apps.home.home().backups_dir()).unwrap();
    }
}

fn write_config(apps: &Apps, bytes: &[u8]) {
    fs::write(apps.home.home().config_path(), bytes).unwrap();
}

/// What is taken away by each command, and where its answer says so.
const COMMANDS: &[(&[&str], &str, &str)] = &[
    (&["apps", "stop", "Last Z", "--yes"], "/outcome", "\"stopped\""),
    (&["apps", "policy", "Last Z", "--mode", "off", "--yes"], "/saved", "true"),
    (&["apps", "delete", "Last Z", "--yes"], "/saved", "true"),
    (&["skills", "accept", "clock", "--rule", "some.rule", "--undo"], "/ok", "true"),
    (&["skills", "trust", "clock", "community"], "/ok", "true"),
    (&["skills", "revoke", "clock"], "/capabilities/granted", "[]"),
    (&["skills", "disable", "clock"], "/status", "\"disabled\""),
    (&["skills", "remove", "clock", "--yes"], "/ok", "true"),
    (&["doctor", "--generate-gateway-token"], "/ok", "true"),
];

#[test]
fn taking_away_works_with_a_broken_configuration() {
    for (what, bytes) in broken() {
        for has_gateway in [false, true] {
            let context = format!("{what}, gateway: {has_gateway}");
            let apps = furnished();
            let gateway = has_gateway.then(|| Running::up(&apps.home));
            break_config(&apps, &bytes, has_gateway);
            for (arguments, pointer, expected) in COMMANDS {
                let answer = json_of(&apps, arguments, &context);
                let found = answer.pointer(pointer).map(ToString::to_string);
                assert_eq!(found.as_deref(), Some(*expected), "{context}: {arguments:?} {answer}");
                let note = answer["notes"][0].as_str().unwrap_or_default();
                let used =
                    if has_gateway { "the last good version is used" } else { "the defaults are used" };
                assert!(note.contains(used), "{context}: {arguments:?} {answer}");
            }
            assert_eq!(fs::read(apps.home.home().config_path()).unwrap(), bytes, "{context}");
            drop(gateway);
        }
    }
}

#[test]
fn note_about_a_broken_configuration_is_printed() {
    let apps = furnished();
    break_config(&apps, b"{\"gateway\":", false);
    let output = apps.run(&["stop", "Last Z", "--yes"]);
    assert!(output.status.success(), "{}", printed(&output));
    let note = String::from_utf8(output.stderr).unwrap();
    assert_eq!(note, "note: openclaw.json is not valid; the defaults are used: `tarsus config validate`\n");
    // Nothing else goes on with them.
    let launched = apps.run(&["launch", "Last Z"]);
    assert_eq!(launched.status.code(), Some(5), "{}", printed(&launched));
}

#[test]
fn skill_disabled_with_a_broken_configuration_stays_disabled() {
    let apps = furnished();
    let state = || json_of(&apps, &["skills", "info", "clock"], "")["status"].clone();
    let settings = apps.home.home().settings_path();
    let is_kept = |path: &Path| fs::read_to_string(path).unwrap().contains("disabled");
    assert_eq!(state(), "ready");
    write_config(&apps, b"{");
    assert_eq!(json_of(&apps, &["skills", "disable", "clock"], "")["changed"], true);
    assert_eq!(json_of(&apps, &["skills", "disable", "clock"], "")["changed"], false);
    write_config(&apps, CONFIG.as_bytes());
    assert_eq!((state(), is_kept(&settings)), (json!("disabled"), true));
    let gateway = Running::up(&apps.home);
    assert_eq!(state(), "disabled");
    assert_eq!(json_of(&apps, &["skills", "enable", "clock"], "")["changed"], true);
    assert_eq!(state(), "ready");
    drop(gateway);
    assert_eq!(state(), "ready");
}

#[test]
fn skill_is_disabled_where_the_file_has_no_table_of_skills() {
    for (config, has_gateway) in [
        (r#"{ "skills": 5 }"#, false),
        (r#"{ "skills": null }"#, true),
        (r#"{ "skills": { "entries": [] } }"#, false),
        (r#"{ "skills": { "entries": { "clock": true } } }"#, true),
    ] {
        let apps = furnished();
        let _up = has_gateway.then(|| Running::up(&apps.home));
        write_config(&apps, config.as_bytes());
        let disabled = json_of(&apps, &["skills", "disable", "clock"], config);
        assert_eq!(disabled["status"], "disabled", "{config}: {disabled}");
        assert_eq!(fs::read(apps.home.home().config_path()).unwrap(), config.as_bytes());
        assert_eq!(json_of(&apps, &["skills", "info", "clock"], config)["status"], "disabled", "{config}");
    }
}
