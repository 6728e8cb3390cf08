//! The Application Manager end to end: the real program, real processes, the real audit log.
#![cfg(unix)]

use std::fs;
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use tarsus_tests::apps::Apps;
use tarsus_tests::printed;

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn denial_names_the_policy_and_the_remedy() {
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
fn app_is_launched_confirmed_and_stopped() {
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
fn unrecorded_actions_do_not_happen_except_stops() {
    let apps = Apps::with("full", &[]);
    assert_eq!(apps.json(&["launch", "Last Z"], 0)["outcome"], "started");
    fs::remove_file(apps.home.home().audit_key_path()).unwrap();
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
fn change_is_shown_and_needs_confirmation() {
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
fn person_may_stop_an_app_that_is_off() {
    let apps = Apps::with("full", &[]);
    assert_eq!(apps.json(&["launch", "Last Z"], 0)["outcome"], "started");
    apps.write(&json!({ "Last Z": apps.entry("off", &[]) }));
    assert_eq!(apps.json(&["stop", "Last Z"], 2)["error"]["code"], "not-confirmed");
    assert_eq!(apps.pids().len(), 1);
    assert_eq!(apps.json(&["stop", "Last Z", "--yes"], 0)["outcome"], "stopped");
}

#[test]
fn failed_launch_names_the_reason() {
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
      to repair tarsus apps edit Half --mode MODE
    "#);
}

#[test]
fn validate_groups_every_entry() {
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
                "incomplete": [{
                    "name": "Half",
                    "reasons": ["launch_path is missing or empty"],
                    "faults": [{ "code": "missing", "field": "launch_path" }],
                }],
                "malformed": [{
                    "name": "Odd",
                    "reasons": ["the entry is a number, not an object"],
                    "faults": [{ "code": "not-an-object", "found": "number" }],
                }],
                "policy_mismatch": [{
                    "name": "Torn",
                    "reasons": ["mode is allowlist, but allowed_agents lists nobody"],
                    "faults": [{ "code": "nobody-listed" }],
                }],
            },
        })
    );
    apps.write(&json!({ "Good": { "launch_path": "/x", "mode": "full", "allowed_agents": [] } }));
    assert_eq!(apps.json(&["validate"], 0)["ok"], json!(true));
}

#[test]
fn menu_works_through_a_pipe() {
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
fn menu_uses_the_locale_and_ends_with_the_input() {
    let apps = Apps::with("full", &[]);
    let mut command = apps.home.tarsus(["apps"]);
    let output = command.env("LANG", "zh_CN.UTF-8").stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("1. Last Z") && text.contains('应'), "{text}");
}

#[test]
fn what_is_no_request_is_refused_in_the_locale() {
    let apps = Apps::with("full", &[]);
    for (locale, said) in [
        ("en_US.UTF-8", "this is not a request for the Application Manager"),
        ("zh_CN.UTF-8", "这不是应用程序管理器能处理的请求"),
    ] {
        let output = apps.home.tarsus(["apps", "ask", "随便"]).env("LANG", locale).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(4) && text.contains(said), "{}", printed(&output));
    }
}

#[test]
fn request_launches_only_the_named_app() {
    let apps = Apps::with("full", &[]);
    let entry = apps.entry("full", &[]);
    apps.write(&json!({ "Last Z": entry, "Editor": entry, "Test": entry, "Notes": entry }));
    for request in [
        "run a",
        "start it",
        "run the test suite",
        "open the file notes.txt",
        "open notes.txt",
        "run the tests in last z",
        "运行 test 套件",
        "hello",
    ] {
        let output = apps.run(&["ask", request]);
        assert_eq!(output.status.code(), Some(4), "{request}\n{}", printed(&output));
        let menu = apps.menu(&format!("{request}\nquit\n"));
        assert!(!menu.contains("Ran: "), "{request}\n{menu}");
    }
    assert_eq!(apps.audit(), [""; 0], "nothing was launched or refused");
    assert_eq!(apps.pids(), [0; 0]);
    let answer = apps.json(&["ask", "could you open last z, please"], 0);
    assert_eq!(answer["run"]["outcome"], "started", "{answer}");
    assert_eq!(apps.json(&["ask", "close last z"], 0)["run"]["outcome"], "stopped");
}

/// A minimal Windows shortcut to a path.
fn shortcut(target: &str) -> Vec<u8> {
    let id = [0x01, 0x14, 0x02, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46];
    let has_link_info = 2_u32;
    let mut bytes = [&0x4c_u32.to_le_bytes()[..], &id, &has_link_info.to_le_bytes()].concat();
    bytes.resize(0x4c, 0);
    let (header, text) = (0x1c, [target.as_bytes(), &[0, 0]].concat());
    let suffix = header + target.len() + 1;
    let info = [header + text.len(), header, 1, 0, header, 0, suffix];
    bytes.extend(info.iter().flat_map(|value| u32::try_from(*value).unwrap().to_le_bytes()));
    bytes.extend(text);
    bytes
}

#[test]
fn shortcut_target_is_only_offered() {
    let apps = Apps::new();
    let target = r"C:\Games\Last Z\Survival.exe";
    let path = apps.home.path().join("Last Z.lnk");
    fs::write(&path, shortcut(target)).unwrap();
    let path = path.to_str().unwrap();
    let entry = |runtime_exe: Option<&str>| {
        let mut entry = json!({ "launch_path": path, "mode": "full", "allowed_agents": [] });
        if let Some(exe) = runtime_exe {
            entry = json!({ "launch_path": path, "runtime_exe": exe, "mode": "full", "allowed_agents": [] });
        }
        entry
    };
    let answers = |name: &str, exe: &str| format!("add\n{name}\n{path}\n{exe}\n\nfull\nyes\n");
    apps.write(&json!({}));
    let shown = apps.menu(&format!("{}{}", answers("Taken", "1"), answers("Left", "")));
    assert_eq!(shown.matches(&format!("1. {target}\n")).count(), 2, "{shown}");
    assert_eq!(apps.text(), format!("{:#}\n", json!({ "Taken": entry(Some(target)), "Left": entry(None) })));

    let added = apps.run(&["add", "--name", "Third", "--launch-path", path, "--mode", "full", "--yes"]);
    let text = String::from_utf8_lossy(&added.stdout);
    assert!(text.contains(&format!("the shortcut points to {target}\n")), "{}", printed(&added));
    assert_eq!(apps.json(&["show", "Third"], 0)["runtime_exe"], Value::Null);
}

#[test]
fn script_and_desktop_file_offer_no_target() {
    let apps = Apps::new();
    let desktop = apps.home.path().join("game.desktop");
    fs::write(&desktop, "[Desktop Entry]\nType=Application\nExec=/bin/true\n").unwrap();
    apps.write(&json!({}));
    for path in [apps.launch_path().as_str(), desktop.to_str().unwrap()] {
        let shown = apps.menu(&format!("add\nX\n{path}\nback\nquit\n"));
        assert!(!shown.contains("\n1. "), "{path}\n{shown}");
    }
}

#[test]
fn status_counts_the_apps() {
    let apps = Apps::new();
    let status = |line: &str| {
        let report = apps.home.tarsus(["status", "--json"]).output().unwrap();
        let report: Value = serde_json::from_slice(&report.stdout).unwrap();
        let text = apps.home.tarsus(["status"]).output().unwrap();
        let text = String::from_utf8(text.stdout).unwrap();
        let shown = text.lines().find_map(|line| line.strip_prefix("apps ")).unwrap_or_default().to_owned();
        let shown: Vec<&str> = shown.split_whitespace().collect();
        assert_eq!(shown.join(" "), line, "{text}");
        report["apps"].clone()
    };
    let counts = |exists: bool, counts: [u64; 4], problem: Option<&str>| {
        let [registered, running, off, doubtful] = counts;
        json!({
            "exists": exists,
            "registered": registered,
            "running": running,
            "off": off,
            "doubtful": doubtful,
            "problem": problem,
        })
    };
    assert_eq!(status("no registry yet tarsus apps create"), counts(false, [0; 4], None));
    apps.write(&json!({ "Last Z": apps.entry("full", &[]) }));
    assert_eq!(apps.json(&["launch", "Last Z"], 0)["outcome"], "started");
    let gone = json!({ "launch_path": "/x", "mode": "off", "allowed_agents": [] });
    apps.write(&json!({ "Last Z": apps.entry("full", &[]), "Gone": gone }));
    assert_eq!(status("2 registered, 1 running, 1 off tarsus apps"), counts(true, [2, 1, 1, 0], None));
    assert_eq!(apps.json(&["stop", "Last Z"], 0)["outcome"], "stopped");
    apps.write(&json!({ "Odd": 7 }));
    assert_eq!(status("1 registered, 1 to check tarsus apps validate"), counts(true, [1, 0, 0, 1], None));
    apps.write_bytes(b"{");
    let problem = "the application registry is not valid JSON";
    assert_eq!(status(&format!("{problem} tarsus apps validate")), counts(true, [0; 4], Some(problem)));
}
