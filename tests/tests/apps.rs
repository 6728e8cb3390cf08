//! The Application Manager as people and scripts meet it: the real program, real processes, the real audit chain.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tarsus_tests::{TestHome, printed};

/// A home with a program that runs until it is stopped, under a name of its own that Linux would cut.
struct Apps {
    home: TestHome,
    process: String,
}

impl Apps {
    fn new() -> Self {
        let home = TestHome::new();
        let number = home.path().file_name().unwrap().to_str().unwrap().replace('.', "");
        let process = format!("an-app-with-a-long-name-{number}");
        let program = home.path().join(&process);
        fs::copy("/bin/sleep", &program).unwrap();
        let script = home.path().join("it's \"a\" & b $x %y 微信.sh");
        fs::write(&script, format!("#!/bin/sh\nexec '{}' 300\n", program.display())).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        Self { home, process }
    }

    fn launch_path(&self) -> String {
        self.home.path().join("it's \"a\" & b $x %y 微信.sh").to_str().unwrap().to_owned()
    }

    fn registry(&self) -> PathBuf {
        self.home.state_dir().join("registries/application_registry.json")
    }

    /// One entry called Last Z.
    fn with(mode: &str, agents: &[&str]) -> Self {
        let apps = Self::new();
        apps.write(&json!({ "Last Z": apps.entry(mode, agents) }));
        apps
    }

    fn entry(&self, mode: &str, agents: &[&str]) -> Value {
        json!({
            "launch_path": self.launch_path(),
            "process_name": self.process,
            "mode": mode,
            "allowed_agents": agents,
        })
    }

    fn write(&self, registry: &Value) {
        self.write_text(&format!("{registry:#}\n"));
    }

    fn write_text(&self, text: &str) {
        fs::create_dir_all(self.registry().parent().unwrap()).unwrap();
        fs::write(self.registry(), text).unwrap();
    }

    fn text(&self) -> String {
        fs::read_to_string(self.registry()).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.home.tarsus([&["apps"], arguments].concat()).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs it, checks the exit code, and gives back the JSON.
    fn json(&self, arguments: &[&str], exit: i32) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{}", printed(&output));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{}", printed(&output)))
    }

    fn menu(&self, lines: &str) -> String {
        let mut command = self.home.tarsus(["apps"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn pids(&self) -> Vec<Value> {
        self.json(&["status", "Last Z"], 0)["apps"][0]["pids"].as_array().unwrap().clone()
    }

    /// Event, agent, app and decision of every line of the chain.
    fn audit(&self) -> Vec<String> {
        let output = self.home.tarsus(["audit", "tail", "-n", "1000", "--json"]).output().unwrap();
        let tail: Value = serde_json::from_slice(&output.stdout).unwrap();
        let word = |record: &Value, key: &str| record[key].as_str().unwrap_or("-").to_owned();
        let line =
            |record: &Value| ["event", "agentId", "app", "decision"].map(|key| word(record, key)).join(" ");
        tail["records"].as_array().unwrap().iter().map(line).collect()
    }
}

impl Drop for Apps {
    /// Ends what a failed test left running: it alone has this name.
    fn drop(&mut self) {
        let program = self.home.path().join(&self.process);
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let is_ours = fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == program);
            if let (true, Some(pid)) = (is_ours, entry.file_name().to_str()) {
                Command::new("kill").args(["-9", pid]).status().ok();
            }
        }
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_refusal_names_the_policy_and_what_would_change_it() {
    let apps = Apps::with("allowlist", &["system_engineer"]);
    let refused = apps.run(&["launch", "Last Z"]);
    assert_eq!(refused.status.code(), Some(3), "{}", printed(&refused));
    insta::assert_snapshot!(stderr(&refused), @r#"
    refused: main may not launch "Last Z"
      policy    allowlist: system_engineer
      to allow  tarsus apps policy "Last Z" --mode allowlist --allow system_engineer --allow main
    "#);
    assert_eq!(
        apps.json(&["launch", "last z"], 3),
        json!({
            "app": "Last Z",
            "agent": "main",
            "decision": "denied",
            "outcome": "denied",
            "launcher": [],
            "pids": [],
            "error": "the agent main is not on the allowlist of Last Z",
        })
    );
    let mistyped = apps.run(&["launch", "lasst z"]);
    assert_eq!(mistyped.status.code(), Some(4), "{}", printed(&mistyped));
    insta::assert_snapshot!(stderr(&mistyped), @r#"
    error: no app called "lasst z" is registered
      did you mean "Last Z"?   tarsus apps launch "Last Z"
    "#);
    assert_eq!(apps.audit(), ["app.launch main Last Z denied"; 2]);
    assert_eq!(apps.pids(), [0; 0]);
}

#[test]
fn an_app_that_is_off_is_launched_by_nothing() {
    let apps = Apps::with("off", &[]);
    let before = apps.text();
    for (arguments, exit) in [
        (&["launch", "Last Z"][..], 3),
        (&["launch", "Last Z", "--agent", "system_engineer"], 3),
        (&["ask", "open last z"], 3),
        (&["ask", "打开 Last Z"], 3),
    ] {
        let output = apps.run(arguments);
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{}", printed(&output));
    }
    let menu = apps.menu("1\nopen last z\nlaunch Last Z\n");
    assert_eq!(menu.matches("Refused: main may not launch").count(), 3, "{menu}");
    assert_eq!(
        apps.audit(),
        ["app.launch main Last Z denied", "app.launch system_engineer Last Z denied"]
            .into_iter()
            .chain(["app.launch main Last Z denied"; 5])
            .collect::<Vec<_>>()
    );
    assert_eq!(apps.pids(), [0; 0]);
    assert_eq!(apps.text(), before);
}

#[test]
fn inside_an_agents_process_nobody_acts_for_another_and_the_registry_stays() {
    let apps = Apps::with("off", &[]);
    let before = apps.text();
    for arguments in [
        &["launch", "Last Z"][..],
        &["launch", "Last Z", "--agent", "main"],
        &["policy", "Last Z", "--mode", "full", "--yes"],
        &["edit", "Last Z", "--mode", "full", "--yes"],
        &["delete", "Last Z", "--yes"],
        &["add", "--name", "X", "--launch-path", "/bin/true", "--mode", "full", "--yes"],
        &["create"],
        &["stop", "Last Z", "--yes"],
        &["stop", "Last Z"],
        &[],
    ] {
        let mut command = apps.home.tarsus([&["apps"], arguments].concat());
        let output = command.env("TARSUS_AGENT", "writer").stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}\n{}", printed(&output));
    }
    assert_eq!(apps.text(), before);
    assert_eq!(apps.audit(), ["app.launch writer Last Z denied", "app.stop writer Last Z denied"]);
}

#[test]
fn an_app_starts_is_seen_and_stops() {
    let apps = Apps::with("allowlist", &["system_engineer"]);
    let as_agent = ["--agent", "system_engineer"];
    let started = apps.json(&[&["launch", "Last Z"], &as_agent[..]].concat(), 0);
    let pids = apps.pids();
    assert_eq!(pids.len(), 1);
    assert_eq!(
        started,
        json!({
            "app": "Last Z",
            "agent": "system_engineer",
            "decision": "allowed",
            "outcome": "started",
            "launcher": [apps.launch_path()],
            "pids": pids,
            "error": null,
        })
    );
    let list = apps.json(&["list"], 0);
    let entry = json!({
        "name": "Last Z",
        "launch_path": apps.launch_path(),
        "runtime_exe": null,
        "process_name": apps.process,
        "mode": "allowlist",
        "allowed_agents": ["system_engineer"],
        "group": "valid",
        "reasons": [],
        "running": true,
        "pids": pids,
    });
    let registry = json!({ "path": apps.registry(), "exists": true, "hash": list["registry"]["hash"] });
    assert_eq!(list, json!({ "registry": registry, "apps": [entry] }));
    assert!(list["registry"]["hash"].is_string());
    assert_eq!(apps.json(&[], 0), list, "without a word more, JSON is the list");
    assert_eq!(apps.json(&["show", "last"], 0), entry);
    assert_eq!(apps.json(&["stop", "Last Z"], 3)["outcome"], "denied");
    let stopped = apps.json(&[&["stop", "Last Z"], &as_agent[..]].concat(), 0);
    assert_eq!((&stopped["outcome"], &stopped["pids"]), (&json!("stopped"), &json!(pids)));
    assert_eq!(apps.json(&[&["stop", "Last Z"], &as_agent[..]].concat(), 0)["outcome"], "not_running");
    assert_eq!(apps.pids(), [0; 0]);
    assert_eq!(
        apps.audit(),
        [
            "app.launch system_engineer Last Z allowed",
            "app.launched system_engineer Last Z started",
            "app.stop main Last Z denied",
            "app.stop system_engineer Last Z allowed",
            "app.stopped system_engineer Last Z stopped",
            "app.stop system_engineer Last Z allowed",
            "app.stopped system_engineer Last Z not_running",
        ]
    );
}

#[test]
fn what_cannot_be_recorded_is_not_launched_and_not_saved_but_refused_and_stopped() {
    let apps = Apps::with("full", &[]);
    assert_eq!(apps.json(&["launch", "Last Z"], 0)["outcome"], "started");
    let audit = apps.home.home().audit_dir();
    fs::remove_file(audit.join("key")).unwrap();
    let before = apps.text();
    for arguments in [
        &["launch", "Last Z"][..],
        &["policy", "Last Z", "--mode", "off", "--yes"],
        &["delete", "Last Z", "--yes"],
    ] {
        let failure = apps.json(arguments, 1);
        assert_eq!(failure["error"]["code"], "tampered", "{failure}");
    }
    assert_eq!(apps.text(), before);
    assert_eq!(apps.pids().len(), 1);
    assert_eq!(apps.json(&["stop", "Last Z"], 0)["outcome"], "stopped");
}

#[test]
fn a_change_needs_a_yes_and_shows_what_it_does() {
    let apps = Apps::new();
    let path = apps.launch_path();
    let add = [
        "add",
        "--name",
        "Last Z",
        "--launch-path",
        &path,
        "--process-name",
        &apps.process,
        "--mode",
        "full",
    ];
    for arguments in [&add[..], &["list", "nonsense"]] {
        let output = apps.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{}", printed(&output));
        assert!(!apps.registry().exists());
    }
    let added = apps.json(&[&add[..], &["--yes"]].concat(), 0);
    let entry = apps.entry("full", &[]);
    assert_eq!(
        added,
        json!({ "ok": true, "action": "add", "name": "Last Z", "before": null, "after": entry, "saved": true })
    );
    assert_eq!(apps.text(), format!("{:#}\n", json!({ "Last Z": entry })));

    let before = apps.text();
    let refusals: &[(&[&str], i32)] = &[
        (&["policy", "Last Z", "--mode", "off"], 2),
        (&["delete", "Last Z"], 2),
        (&["edit", "Last Z", "--clear-process-name"], 2),
        (&["edit", "Last Z", "--yes"], 2),
        (&["policy", "Last Z", "--mode", "allowlist", "--yes"], 2),
        (&["policy", "Last Z", "--mode", "full", "--allow", "main", "--yes"], 2),
        (&["add", "--name", "LAST  z", "--launch-path", "/x", "--mode", "full", "--yes"], 2),
        (&["add", "--name", "Other", "--mode", "full", "--yes"], 2),
        (&["add", "--name", "Other", "--launch-path", " ", "--mode", "full", "--yes"], 2),
        (&["delete", "Last", "--yes"], 4),
        (&["create"], 2),
    ];
    for (arguments, exit) in refusals {
        assert_eq!(apps.json(arguments, *exit)["ok"], json!(false), "{arguments:?}");
        assert_eq!(apps.text(), before, "{arguments:?}");
    }

    let off = apps.json(&["policy", "last z", "--mode", "off", "--yes"], 0);
    assert_eq!((&off["before"], &off["after"]), (&entry, &apps.entry("off", &[])));
    assert_eq!(apps.json(&["policy", "Last Z", "--mode", "off", "--yes"], 0)["saved"], json!(false));
    let shown = apps.run(&["edit", "Last Z", "--clear-process-name", "--yes"]);
    let text = String::from_utf8(shown.stdout.clone()).unwrap();
    assert!(text.contains("now Last Z\n") && text.contains("then Last Z\n"), "{}", printed(&shown));
    assert!(text.contains("can be launched, but not stopped"), "{text}");
    assert_eq!(apps.json(&["stop", "Last Z", "--yes"], 1)["outcome"], "no_stop_data");
    assert_eq!(apps.json(&["delete", "Last Z", "--yes"], 0)["after"], Value::Null);
    assert_eq!(apps.text(), "{}\n");
    assert_eq!(
        apps.audit(),
        [
            "apps.create main - allowed",
            "app.add main Last Z allowed",
            "app.edit main Last Z allowed",
            "app.edit main Last Z allowed",
            "app.stop main Last Z allowed",
            "app.stopped main Last Z no_stop_data",
            "app.delete main Last Z allowed",
        ]
    );
}

#[test]
fn a_person_may_stop_what_is_off_after_a_yes() {
    let apps = Apps::with("full", &[]);
    assert_eq!(apps.json(&["launch", "Last Z"], 0)["outcome"], "started");
    apps.write(&json!({ "Last Z": apps.entry("off", &[]) }));
    assert_eq!(apps.json(&["stop", "Last Z"], 2)["error"]["code"], "not-confirmed");
    assert_eq!(apps.pids().len(), 1);
    assert_eq!(apps.json(&["stop", "Last Z", "--yes"], 0)["outcome"], "stopped");
}

#[test]
fn a_launch_that_fails_says_why() {
    let apps = Apps::new();
    apps.write(&json!({
        "Gone": { "launch_path": "/nowhere/at/all", "mode": "full", "allowed_agents": [] },
        "Half": { "launch_path": "/bin/true", "mode": "full" },
    }));
    let failed = apps.json(&["launch", "Gone"], 1);
    let error = "\"/nowhere/at/all\" cannot be launched: there is no such file";
    assert_eq!((&failed["outcome"], &failed["error"]), (&json!("failed"), &json!(error)));
    assert_eq!(apps.run(&["launch", "Gone"]).status.code(), Some(1));
    let half = apps.run(&["launch", "Half"]);
    assert_eq!(half.status.code(), Some(3));
    insta::assert_snapshot!(stderr(&half), @r#"
    refused: main may not launch "Half"
      entry     allowed_agents is missing
      to repair tarsus apps edit Half
    "#);
}

#[test]
fn validate_shows_every_entry_in_its_group() {
    let apps = Apps::new();
    assert_eq!(apps.json(&["validate"], 4)["error"]["code"], "not-found");
    apps.write(&json!({
        "Good": { "launch_path": "/x", "mode": "full", "allowed_agents": [] },
        "Half": { "mode": "full", "allowed_agents": [] },
        "Odd": 7,
        "Torn": { "launch_path": "/x", "mode": "allowlist", "allowed_agents": [] },
    }));
    assert_eq!(
        apps.json(&["validate"], 5),
        json!({
            "path": apps.registry(),
            "ok": false,
            "groups": {
                "valid": [{ "name": "Good" }],
                "incomplete": [{ "name": "Half", "reasons": ["launch_path is missing or empty"] }],
                "malformed": [{ "name": "Odd", "reasons": ["the entry is a number, not an object"] }],
                "policy_mismatch": [{
                    "name": "Torn",
                    "reasons": ["mode is allowlist, but allowed_agents lists nobody"],
                }],
            },
        })
    );
    apps.write(&json!({ "Good": { "launch_path": "/x", "mode": "full", "allowed_agents": [] } }));
    assert_eq!(apps.json(&["validate"], 0)["ok"], json!(true));
}

#[test]
fn a_broken_registry_is_reported_at_its_place_by_every_command_and_left_alone() {
    let apps = Apps::new();
    let cases: &[(&str, Option<(u32, u32)>)] = &[
        ("{\n  \"Last Z\" {}\n}\n", Some((2, 12))),
        ("[]", Some((1, 1))),
        ("{\"a\": 1, \"a\": 2}", Some((1, 10))),
        ("{", Some((1, 2))),
    ];
    for (text, place) in cases {
        apps.write_text(text);
        for arguments in [
            &["list"][..],
            &["status"],
            &["validate"],
            &["show", "x"],
            &["launch", "x"],
            &["stop", "x", "--yes"],
            &["delete", "x", "--yes"],
            &["add", "--name", "x", "--launch-path", "/x", "--mode", "full", "--yes"],
        ] {
            let failure = apps.json(arguments, 5);
            let location = &failure["error"]["location"];
            let found = location["line"].as_u64().zip(location["column"].as_u64());
            let expected = place.map(|(line, column)| (u64::from(line), u64::from(column)));
            assert_eq!(found, expected, "{text:?} {arguments:?} {failure}");
        }
        assert_eq!(apps.run(&["ask", "open x"]).status.code(), Some(5), "{text:?}");
        assert!(apps.menu("quit\n").contains("not valid JSON"), "{text:?}");
        assert_eq!(apps.text(), *text);
    }
    assert_eq!(apps.audit(), [""; 0]);
}

#[test]
fn what_is_no_text_too_deep_too_large_or_a_folder_is_refused_and_left_alone() {
    let apps = Apps::new();
    let deep = "[".repeat(5_000);
    for bytes in [b"{\"a\": \"\xff\"}".as_slice(), deep.as_bytes()] {
        fs::create_dir_all(apps.registry().parent().unwrap()).unwrap();
        fs::write(apps.registry(), bytes).unwrap();
        let failure = apps.json(&["list"], 5);
        assert_eq!(failure["error"]["location"]["line"], json!(1), "{failure}");
        assert_eq!(fs::read(apps.registry()).unwrap(), bytes);
    }
    fs::File::create(apps.registry()).unwrap().set_len(100 * 1024 * 1024).unwrap();
    assert_eq!(apps.json(&["list"], 5)["ok"], json!(false));
    fs::remove_file(apps.registry()).unwrap();
    fs::create_dir(apps.registry()).unwrap();
    assert_eq!(
        apps.json(&["add", "--name", "x", "--launch-path", "/x", "--mode", "full", "--yes"], 5)["ok"],
        json!(false)
    );
    assert!(apps.registry().is_dir());
}

#[test]
fn the_menu_works_through_a_pipe_from_nothing_to_a_running_app() {
    let apps = Apps::new();
    let path = apps.launch_path();
    let answers =
        format!("create\nadd\nLast Z\n{path}\n\n{}\nfull\nyes\n1\nstop last z\nquit\n", apps.process);
    let shown = apps.menu(&answers);
    let mut rest = shown.as_str();
    for expected in [
        "Status: not created yet",
        "Status: no applications registered yet",
        "Proposed values:",
        "1. Last Z\n",
        "\"Last Z\" started, pid ",
        "1. Last Z (running)",
        "\"Last Z\" closed, pid ",
    ] {
        let at = rest.find(expected).unwrap_or_else(|| panic!("no {expected:?} in\n{rest}\nof\n{shown}"));
        rest = &rest[at + expected.len()..];
    }
    assert_eq!(apps.text(), format!("{:#}\n", json!({ "Last Z": apps.entry("full", &[]) })));
    assert_eq!(
        apps.audit(),
        [
            "apps.create main - allowed",
            "app.add main Last Z allowed",
            "app.launch main Last Z allowed",
            "app.launched main Last Z started",
            "app.stop main Last Z allowed",
            "app.stopped main Last Z stopped",
        ]
    );
}

#[test]
fn the_menu_speaks_the_language_of_the_locale_and_ends_with_the_input() {
    let apps = Apps::with("full", &[]);
    let mut command = apps.home.tarsus(["apps"]);
    let output = command.env("LANG", "zh_CN.UTF-8").stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("1. Last Z") && text.contains('应'), "{text}");
}

#[test]
fn plain_words_launch_only_what_they_name() {
    let apps = Apps::with("full", &[]);
    let table = [
        ("run a", 4),
        ("start it", 4),
        ("run the test suite", 4),
        ("open the file notes.txt", 4),
        ("hello", 4),
    ];
    for (request, exit) in table {
        let output = apps.run(&["ask", request]);
        assert_eq!(output.status.code(), Some(exit), "{request}\n{}", printed(&output));
    }
    assert_eq!(apps.pids(), [0; 0]);
    let answer = apps.json(&["ask", "could you open last z, please"], 0);
    assert_eq!(answer["run"]["outcome"], "started", "{answer}");
    assert_eq!(apps.json(&["ask", "close last z"], 0)["run"]["outcome"], "stopped");
}
