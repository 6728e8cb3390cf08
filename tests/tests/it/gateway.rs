//! Operating the gateway: run, start, stop, restart, status, call.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tarsus_home::runtime_lock::{self, Holder, RuntimeLock};
use tarsus_tests::{Running, TestHome, printed};

/// A home whose gateway, if started, ends with the test.
struct Gateway(TestHome);

impl Gateway {
    fn none() -> Self {
        Self(TestHome::new())
    }

    fn started() -> Self {
        let gateway = Self::none();
        let output = gateway.run(&["gateway", "start", "--port", "0"]);
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        gateway
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.0.tarsus(arguments).output().unwrap()
    }

    /// The output of a command, with its exit code.
    fn answer(&self, arguments: &[&str]) -> (i32, String) {
        let Output { status, stdout, stderr } = self.run(arguments);
        (status.code().unwrap(), String::from_utf8([stdout, stderr].concat()).unwrap())
    }

    fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.run(&[arguments, &["--json"]].concat());
        let value = serde_json::from_slice(&output.stdout);
        (output.status.code().unwrap(), value.unwrap_or_else(|error| panic!("{error}: {}", printed(&output))))
    }

    fn pid(&self) -> u32 {
        runtime_lock::holder(self.0.home()).unwrap().expect("a gateway runs").pid
    }

    fn config(&self, text: &str) {
        fs::create_dir_all(self.0.state_dir()).unwrap();
        fs::write(self.0.home().config_path(), text).unwrap();
    }

    fn token(&self) -> String {
        fs::read_to_string(self.0.home().token_path()).unwrap().trim().to_owned()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        if let Ok(Some(holder)) = runtime_lock::holder(self.0.home())
            && holder.pid != std::process::id()
        {
            // Already ended is fine.
            Command::new("kill").args(["-KILL", &holder.pid.to_string()]).status().ok();
        }
    }
}

#[test]
fn a_gateway_is_started_seen_restarted_and_stopped() {
    let gateway = Gateway::none();
    assert_eq!(
        gateway.json(&["gateway", "status"]),
        (
            7,
            json!({
                "running": false, "pid": null, "startedAt": null, "uptimeMs": null, "port": null, "url": null,
                "addresses": [], "reachable": false, "version": null, "problem": null,
            })
        )
    );
    let (code, started) = gateway.json(&["gateway", "start", "--port", "0"]);
    assert_eq!((code, &started["reachable"]), (0, &json!(true)), "{started}");
    let first = gateway.pid();
    assert_eq!(started["pid"], first);

    let (code, seen) = gateway.json(&["gateway", "status"]);
    assert_eq!(code, 0);
    for key in ["running", "pid", "startedAt", "port", "url", "addresses", "reachable", "version", "problem"]
    {
        assert_eq!(seen[key], started[key], "{key}");
    }
    assert_eq!(seen["url"], format!("http://127.0.0.1:{}/", seen["port"]));
    assert_eq!(seen["addresses"][0], format!("127.0.0.1:{}", seen["port"]));
    assert_eq!(seen["version"], env!("CARGO_PKG_VERSION"));
    let (code, text) = gateway.answer(&["gateway", "status"]);
    assert!(
        code == 0 && text.contains(&format!("pid      {first}\n")) && text.contains("answers  yes\n"),
        "{text}"
    );

    let (code, text) = gateway.answer(&["gateway", "restart", "--port", "0"]);
    let second = gateway.pid();
    assert!(code == 0 && text.starts_with(&format!("restarted: pid {second}, http://127.0.0.1:")), "{text}");
    assert_ne!(first, second);

    assert_eq!(gateway.answer(&["gateway", "stop"]), (0, format!("stopped: pid {second}\n")));
    assert_eq!(
        gateway.answer(&["gateway", "stop"]),
        (0, "nothing to stop: no gateway runs for ~/.openclaw\n".to_owned())
    );
    assert_eq!(gateway.json(&["gateway", "stop"]), (0, json!({ "ok": true, "stopped": false, "pid": null })));
    let (code, text) = gateway.answer(&["gateway", "restart", "--port", "0"]);
    assert!(code == 0 && text.starts_with("started: pid "), "{text}");
}

#[test]
fn a_second_start_names_the_first_and_leaves_it_alone() {
    let gateway = Gateway::started();
    let (pid, (_, seen)) = (gateway.pid(), gateway.json(&["gateway", "status"]));
    let expected = format!(
        "error: this state folder is in use by process {pid}, on port {}\n  use that one (`tarsus status` shows \
         it), or stop it first\n",
        seen["port"]
    );
    for command in [["gateway", "start"].as_slice(), &["gateway", "run"], &["up"]] {
        assert_eq!(gateway.answer(command), (1, expected.clone()), "{command:?}");
    }
    assert_eq!(gateway.pid(), pid);
}

#[test]
fn one_of_many_simultaneous_starts_wins_and_others_name_it() {
    let gateway = Gateway::none();
    let start = |_| {
        let mut command = gateway.0.tarsus(["gateway", "start", "--port", "0"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let starts: Vec<_> = (0..4).map(start).collect();
    let outputs: Vec<Output> = starts.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let named = format!("process {}", gateway.pid());
    let (won, lost): (Vec<_>, Vec<_>) = outputs.iter().partition(|output| output.status.success());
    assert_eq!(won.len(), 1, "{:?}", outputs.iter().map(printed).collect::<Vec<_>>());
    for output in lost {
        assert_eq!(output.status.code(), Some(1), "{}", printed(output));
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("already run by another process") || text.contains(&named), "{text}");
    }
}

#[test]
fn a_start_that_fails_says_why_with_the_end_of_the_log() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let gateway = Gateway::none();
    let (code, text) = gateway.answer(&["gateway", "start", "--port", &port]);
    let first = format!("error: the gateway did not start: 127.0.0.1:{port} is in use by another program\n");
    assert!(code == 1 && text.starts_with(&first), "{code} {text}");
    assert!(
        text.contains("  the end of ~/.openclaw/logs/tarsus.log:\n") && text.contains("--port 0"),
        "{text}"
    );

    gateway.config("{");
    let (code, value) = gateway.json(&["gateway", "start", "--port", "0"]);
    assert_eq!((code, &value["error"]["code"]), (5, &json!("malformed")), "{value}");
    assert_eq!(value["error"]["message"], "the gateway did not start: openclaw.json is not valid");

    fs::remove_file(gateway.0.home().config_path()).unwrap();
    fs::write(gateway.0.home().settings_path(), "{ logs: { level: 'loud' } }").unwrap();
    let (code, text) = gateway.answer(&["gateway", "start", "--port", "0"]);
    assert!(code == 5 && text.contains("the setting logs.level has a wrong value"), "{text}");
    assert_eq!(gateway.json(&["gateway", "status"]).1["running"], false);
}

#[test]
fn gateway_prints_one_line_and_stops_from_another_terminal() {
    let gateway = Gateway::none();
    let mut command = gateway.0.tarsus(["gateway", "run", "--port", "0"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    while !said.contains("ready on") {
        assert_ne!(stdout.read_line(&mut said).unwrap(), 0, "{said}");
    }
    assert!(said.trim_end().ends_with(&format!(", pid {}", child.id())), "{said}");
    assert_eq!(gateway.answer(&["gateway", "stop"]), (0, format!("stopped: pid {}\n", child.id())));
    assert_eq!(child.wait().unwrap().code(), Some(0));

    let up = Running::up(&gateway.0);
    assert_eq!(gateway.answer(&["gateway", "stop"]), (0, format!("stopped: pid {}\n", up.child.id())));
    assert_eq!(up.wait(), (Some(0), "stopped\n".to_owned()));
}

#[test]
fn call_prints_json_or_an_error_with_code_message_and_hint() {
    let gateway = Gateway::started();
    let (code, health) = gateway.json(&["gateway", "call", "health"]);
    assert_eq!((code, &health["ok"], &health["defaultAgentId"]), (0, &json!(true), &json!("main")));
    let plain = gateway.run(&["gateway", "call", "skills.bins", "--params", "{}"]);
    assert!(
        serde_json::from_slice::<Value>(&plain.stdout).unwrap()["bins"].is_array(),
        "{}",
        printed(&plain)
    );

    let table: &[(&[&str], i32, &str, &str, &str)] = &[
        (
            &["no.such.method"],
            4,
            "not-found",
            "unknown method: no.such.method",
            "this gateway has agent, agent.",
        ),
        (
            &["config.gte"],
            4,
            "not-found",
            "unknown method: config.gte",
            "this gateway has config.get, config.",
        ),
        (
            &["skills.status", "--params", r#"{"bogus":1}"#],
            2,
            "usage",
            "invalid skills.status params: at root: unexpected property 'bogus'",
            "`tarsus docs gateway` lists the methods",
        ),
        (
            &["skills.status", "--params", r#"{"agentId":"nobody"}"#],
            4,
            "not-found",
            "unknown agent id \"nobody\"",
            "check the spelling",
        ),
        (
            &["config.set", "--params", r#"{"raw":"{","baseHash":"x"}"#],
            2,
            "usage",
            "SyntaxError: JSON5: ",
            "`tarsus docs gateway` lists the methods",
        ),
        (&["health", "--params", "{"], 2, "usage", "invalid value '{' for '--params <JSON>'", ""),
        (&[""], 2, "usage", "", ""),
        (&["health", "--timeout", "0"], 2, "usage", "invalid value '0' for '--timeout <SECONDS>'", ""),
    ];
    for (arguments, exit, code, message, hint) in table {
        let (found, value) = gateway.json(&[&["gateway", "call"], *arguments].concat());
        let error = &value["error"];
        assert_eq!((found, &error["code"]), (*exit, &json!(code)), "{arguments:?} {value}");
        assert!(error["message"].as_str().unwrap().starts_with(message), "{arguments:?} {value}");
        assert!(error["hint"].as_str().unwrap().starts_with(hint), "{arguments:?} {value}");
    }
}

#[test]
fn what_cannot_be_reached_ends_with_exit_code_7() {
    let gateway = Gateway::none();
    let (code, value) = gateway.json(&["gateway", "call", "health"]);
    assert_eq!((code, &value["error"]["code"]), (7, &json!("gateway-unreachable")), "{value}");
    assert_eq!(value["error"]["message"], "no gateway runs for ~/.openclaw");
    assert!(!gateway.0.state_dir().exists(), "asking makes nothing");

    // A process that holds the folder and does not answer; a local process has its id, but another start time.
    let started_at = "2026-11-16T04:30:00Z".parse().unwrap();
    let pid = std::process::id();
    let holder = Holder { pid, start: Some(1), boot_id: "b".to_owned(), port: None, started_at };
    let mut lock = RuntimeLock::take(gateway.0.home(), holder).unwrap();
    let (code, text) = gateway.answer(&["gateway", "call", "health"]);
    assert!(code == 7 && text.contains("is not listening yet"), "{text}");
    fs::write(gateway.0.home().token_path(), "t0ken\n").unwrap();
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    lock.set_port(free).unwrap();
    let (code, text) = gateway.answer(&["gateway", "call", "health"]);
    assert!(code == 7 && text.starts_with(&format!("error: cannot connect to 127.0.0.1:{free}\n")), "{text}");

    let (code, seen) = gateway.json(&["gateway", "status"]);
    assert_eq!((code, &seen["running"], &seen["reachable"]), (7, &json!(true), &json!(false)));
    assert_eq!(seen["problem"], format!("cannot connect to 127.0.0.1:{free}"));
    let (code, text) = gateway.answer(&["gateway", "stop"]);
    assert!(code == 1 && text.contains("which is not a gateway of this account on this machine"), "{text}");

    // Commands that work without it say so, and work.
    let output = gateway.run(&["skills", "list", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["skills"].is_array());
    let note = format!("note: the running gateway could not be used: cannot connect to 127.0.0.1:{free}\n");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), note);
    let (code, text) = gateway.answer(&["status"]);
    assert!(code == 0 && text.contains("holds the state folder but does not answer"), "{text}");
}

#[test]
fn an_agent_may_look_at_its_gateway_and_no_more() {
    let gateway = Gateway::started();
    let inside = |arguments: &[&str]| {
        gateway.0.tarsus(arguments).env("TARSUS_AGENT", "main").output().unwrap().status.code()
    };
    for command in [
        ["gateway", "run"].as_slice(),
        &["gateway", "start"],
        &["gateway", "stop"],
        &["gateway", "restart"],
        &["gateway", "call", "health"],
        &["doctor", "--generate-gateway-token"],
    ] {
        assert_eq!(inside(command), Some(3), "{command:?}");
    }
    assert_eq!(inside(&["gateway", "status"]), Some(0));
}

#[test]
fn new_token_replaces_the_old_one_and_is_never_shown() {
    let gateway = Gateway::started();
    let old = gateway.token();
    let pid = gateway.pid();
    let (code, text) = gateway.answer(&["doctor", "--generate-gateway-token"]);
    assert_eq!(
        (code, text.as_str()),
        (0, "a new token is in ~/.openclaw/tarsus/gateway.token; the old one is no longer accepted\n")
    );
    let new = gateway.token();
    assert_ne!(old, new);
    assert_eq!(
        (gateway.answer(&["gateway", "call", "health"]).0, gateway.pid()),
        (0, pid),
        "the new one is taken"
    );

    assert_eq!(gateway.answer(&["gateway", "stop"]).0, 0);
    let (code, value) = gateway.json(&["doctor", "--generate-gateway-token"]);
    let path = gateway.0.home().token_path();
    assert_eq!((code, value), (0, json!({ "ok": true, "path": path, "gateway": "not-running" })));
    let (_, audit) = gateway.json(&["audit", "tail", "--category", "security"]);
    let reasons: Vec<&str> =
        audit["records"].as_array().unwrap().iter().filter_map(|record| record["reason"].as_str()).collect();
    let told = "a new gateway token, on the command line";
    assert_eq!(reasons.iter().filter(|reason| **reason == told).count(), 2, "{reasons:?}");

    gateway.config("{ gateway: { auth: { token: 'mine' } } }");
    let before = gateway.token();
    let (code, text) = gateway.answer(&["doctor", "--generate-gateway-token"]);
    assert!(code == 1 && text.contains("the token file is not used"), "{text}");
    assert_eq!(gateway.token(), before);
}

#[test]
fn a_wrong_token_is_told_from_a_gateway_that_is_not_there() {
    // A gateway that does not watch its files keeps the token of its start.
    let gateway = Gateway::none();
    gateway.config("{ gateway: { reload: { mode: 'off' }, auth: { token: 'first' } } }");
    let output = gateway.run(&["gateway", "start", "--port", "0"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    gateway.config("{ gateway: { reload: { mode: 'off' }, auth: { token: 'second' } } }");
    let (code, value) = gateway.json(&["gateway", "call", "health"]);
    assert_eq!((code, &value["error"]["code"]), (3, &json!("denied")), "{value}");
    assert!(
        value["error"]["message"].as_str().unwrap().contains("rejected the connection: unauthorized"),
        "{value}"
    );
    assert!(!value.to_string().contains("second"), "{value}");
    let (code, seen) = gateway.json(&["gateway", "status"]);
    assert_eq!((code, &seen["reachable"]), (7, &json!(false)), "{seen}");
    let (code, _) = gateway.answer(&["gateway", "restart", "--port", "0"]);
    assert_eq!((code, gateway.answer(&["gateway", "call", "health"]).0), (0, 0));
}

#[test]
fn insecure_settings_are_named_at_start_and_by_doctor() {
    for (config, said) in [
        ("{ gateway: { auth: { mode: 'none' } } }", "gateway.auth.mode is none: "),
        ("{ gateway: { remote: { token: 'far' } } }", "gateway.remote.token is used to authenticate clients"),
    ] {
        let gateway = Gateway::none();
        gateway.config(config);
        let up = Running::up(&gateway.0);
        assert!(up.welcome.contains(&format!("note: {said}")), "{}", up.welcome);
        let (code, report) = gateway.json(&["doctor", "--strict"]);
        let checks = report["checks"].as_array().unwrap();
        let access = checks.iter().find(|check| check["id"] == "access").unwrap();
        assert_eq!((code, &access["level"]), (6, &json!("warning")));
        assert!(access["message"].as_str().unwrap().starts_with(said), "{access}");
    }
}

#[test]
fn a_new_token_is_no_failed_attempt() {
    let gateway = Gateway::started();
    assert_eq!(gateway.answer(&["doctor", "--generate-gateway-token"]).0, 0);
    let (_, audit) = gateway.json(&["audit", "tail", "--level", "warning"]);
    assert_eq!(audit["records"], json!([]));
}

#[test]
fn config_set_takes_effect_before_it_returns_or_says_why_not() {
    let gateway = Gateway::started();
    let agents = || {
        let (_, health) = gateway.json(&["gateway", "call", "health"]);
        health["agents"].as_array().unwrap().len()
    };
    assert_eq!(agents(), 1);
    let two = "[{ id: 'main' }, { id: 'ada' }]";
    let (code, text) = gateway.answer(&["config", "set", "agents.list", two]);
    assert_eq!((code, text.contains("note:"), agents()), (0, false, 2), "{text}");
    let (code, text) = gateway.answer(&["config", "set", "gateway.port", "fast"]);
    let schema = "  `tarsus config schema` shows the type of each key\n";
    assert!(text.ends_with(&format!("found a string\n  nothing was changed\n{schema}")), "{code} {text}");
    let (_, text) = gateway.answer(&["config", "set", "gateway.port", "19000"]);
    assert_eq!(text, "set gateway.port to 19000\nnote: it takes effect after `tarsus gateway restart`\n");
    let (_, text) = gateway.answer(&["config", "set", "gateway.auth.token", "another"]);
    assert_eq!(text, "set gateway.auth.token (hidden)\n");
    assert_eq!(agents(), 2, "the new token is in effect");
    let (code, _) = gateway.answer(&["config", "set", "gateway.reload.mode", "off"]);
    assert_eq!(code, 0);
    // That setting is for changes by others; a change through the gateway takes effect.
    let (_, text) = gateway.answer(&["config", "unset", "agents.list"]);
    assert_eq!(text, "removed agents.list (was [{\"id\":\"main\"},{\"id\":\"ada\"}])\n");
    assert_eq!(agents(), 1);
}
