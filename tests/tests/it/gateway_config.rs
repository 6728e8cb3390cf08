//! Settings of openclaw.json that the gateway refuses, or does not follow yet.
#![cfg(unix)]

use std::fs;
use std::process::Output;

use serde_json::{Value, json};
use tarsus_tests::{Running, TestHome, printed};

fn home(config: &str) -> TestHome {
    let home = TestHome::new();
    fs::create_dir_all(home.state_dir()).unwrap();
    fs::write(home.home().config_path(), config).unwrap();
    home
}

fn run(home: &TestHome, arguments: &[&str]) -> Output {
    home.tarsus(arguments).output().unwrap()
}

/// A command's exit code and everything that it printed.
fn answer(home: &TestHome, arguments: &[&str]) -> (i32, String) {
    let Output { status, stdout, stderr } = run(home, arguments);
    (status.code().unwrap(), String::from_utf8([stdout, stderr].concat()).unwrap())
}

/// One check of a report.
fn check(home: &TestHome, command: &[&str], id: &str) -> Value {
    let output = run(home, &[command, &["--json"]].concat());
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", printed(&output)));
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|check| check["id"] == id).unwrap_or(&Value::Null).clone()
}

#[test]
fn origins_that_name_no_page_are_refused() {
    let config = "{ gateway: { controlUi: { allowedOrigins: ['null', 'https://studio.example', '*'] } } }";
    let home = home(config);
    let (code, text) = answer(&home, &["config", "validate"]);
    assert_eq!(code, 5, "{text}");
    for part in [
        "allowedOrigins[0]: \"null\" is the origin of",
        "allowedOrigins[2]: `*` would admit",
        "name each page",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let audited = check(&home, &["security", "audit"], "origins");
    assert_eq!(audited["level"], "warning", "{audited}");
    for part in ["\"null\" is the origin of", "`*` would admit"] {
        assert!(audited["message"].as_str().unwrap().contains(part), "{audited}");
    }
    let up = Running::up(&home);
    for (origin, status) in [("null", "403"), ("*", "403"), ("https://studio.example", "200")] {
        let response = up.get("/healthz", &[&format!("Origin: {origin}")]);
        assert_eq!(response.split(' ').nth(1), Some(status), "{origin}: {response}");
    }
    drop(up);

    let home = self::home("{}");
    let (code, text) = answer(&home, &["config", "set", "gateway.controlUi.allowedOrigins", "['null']"]);
    assert!(code != 0 && text.contains("is the origin of every sandboxed frame"), "{code} {text}");
    assert_eq!(fs::read_to_string(home.home().config_path()).unwrap(), "{}");
}

#[test]
fn remote_mode_starts_no_gateway_and_says_what_to_do() {
    let home = home("{ gateway: { mode: 'remote', remote: { url: 'wss://far.example' } } }");
    for start in
        [&["up", "--port", "0"][..], &["gateway", "run", "--port", "0"], &["gateway", "start", "--port", "0"]]
    {
        let (code, text) = answer(&home, start);
        assert_eq!(code, 3, "{start:?}: {text}");
        for part in ["gateway.mode is remote", "`tarsus config set gateway.mode local`"] {
            assert!(text.contains(part), "{start:?}: {text}");
        }
    }
    assert!(!home.home().token_path().exists(), "nothing was created");
    let (code, text) = answer(&home, &["config", "validate", "--strict"]);
    assert!(code == 6 && text.contains("gateway.mode"), "{code} {text}");
    assert_eq!(check(&home, &["doctor"], "remote")["level"], "warning");

    assert_eq!(answer(&home, &["config", "set", "gateway.mode", "local"]).0, 0);
    let up = Running::up(&home);
    assert!(up.get("/healthz", &[]).starts_with("HTTP/1.1 200 "));
}

#[test]
fn credentials_of_a_remote_gateway_open_the_local_one() {
    for remote in [json!({ "token": "far" }), json!({ "password": "far" })] {
        let home = home(&json!({ "gateway": { "remote": remote } }).to_string());
        let up = Running::up(&home);
        let (code, text) = answer(&home, &["gateway", "call", "health"]);
        assert_eq!(code, 0, "{text}");
        let bearer = |secret: &str| up.get("/v1/models", &[&format!("Authorization: Bearer {secret}")]);
        assert!(bearer("far").starts_with("HTTP/1.1 200 "));
        assert!(bearer("near").starts_with("HTTP/1.1 401 "));
    }
}

#[test]
fn unused_tls_fingerprint_is_reported() {
    let home = home("{ gateway: { remote: { tlsFingerprint: 'AA:BB' } } }");
    let told = "gateway.remote.tlsFingerprint is not used yet";
    let up = Running::up(&home);
    assert!(up.welcome.contains(told), "{}", up.welcome);
    assert!(check(&home, &["doctor"], "remote")["message"].as_str().unwrap().starts_with(told));
    let (code, text) = answer(&home, &["config", "validate"]);
    assert!(code == 0 && text.contains("is not used yet"), "{code} {text}");
}

#[test]
fn agent_id_in_upper_case_is_named_as_it_is_taken() {
    let home = home("{ agents: { list: [{ id: 'main' }, { id: 'system_engineer' }] } }");
    let output = run(&home, &["status", "--agent", "SYSTEM_ENGINEER", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    serde_json::from_slice::<Value>(&output.stdout).unwrap();
    let notes = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        notes,
        "note: SYSTEM_ENGINEER is taken as the agent system_engineer: agent ids are in lower case\n"
    );
    let session = ["agent", "--message", "/help", "--session-key", "agent:SYSTEM_ENGINEER:main"];
    let output = run(&home, &session);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), notes);
    let exact = run(&home, &["status", "--agent", "system_engineer"]);
    assert_eq!(String::from_utf8(exact.stderr).unwrap(), "");
}
