//! The output of each `tarsus apps` command, as text and as JSON.
#![cfg(unix)]

use std::env;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::{Value, json};
use tarsus_tests::apps::Apps;
use tarsus_tests::{printed, tarsus};

/// The output of a command, without the folder of the test and process ids. Its `bin` is first on PATH.
fn shown(apps: &Apps, arguments: &[&str], exit: i32) -> String {
    let path = format!("{}:{}", apps.home.path().join("bin").display(), env::var("PATH").unwrap());
    let mut command = apps.home.tarsus([&["apps"], arguments].concat());
    let output = command.env("PATH", path).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{}", printed(&output));
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let text = text.replace(apps.home.path().to_str().unwrap(), "HERE").replace(&apps.process, "PROCESS");
    let mut words: Vec<&str> = text.split("pid ").collect();
    for word in words.iter_mut().skip(1) {
        *word = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    }
    words.join("pid N")
}

fn executable(apps: &Apps, name: &str, text: &str) -> String {
    let path = apps.home.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn missing_registry_is_reported_by_every_command() {
    let apps = Apps::new();
    let commands: &[&[&str]] = &[
        &["status"],
        &["status", "x"],
        &["validate"],
        &["show", "x"],
        &["launch", "x"],
        &["stop", "x", "--yes"],
        &["edit", "x", "--mode", "off", "--yes"],
        &["policy", "x", "--mode", "full", "--yes"],
        &["delete", "x", "--yes"],
    ];
    for arguments in commands {
        let error = apps.json(arguments, 4)["error"].clone();
        let told = (&error["message"], &error["hint"]);
        let expected =
            ("the application registry is not created yet", "`tarsus apps create` makes an empty one");
        assert_eq!(told, (&json!(expected.0), &json!(expected.1)), "{arguments:?}");
    }
    assert!(shown(&apps, &["ask", "open x"], 4).contains("Status: not created yet"));
    let registry = json!({ "path": apps.registry(), "exists": false, "hash": null });
    assert_eq!(apps.json(&["list"], 0), json!({ "registry": registry, "apps": [] }));
    assert!(!apps.registry().exists());
    assert_eq!(
        apps.json(&["create"], 0),
        json!({ "ok": true, "action": "create", "name": null, "before": null, "after": null, "saved": true })
    );
    assert_eq!(apps.text(), "{}\n");
    let none = "no applications registered yet: `tarsus apps add` registers one\n";
    assert_eq!([shown(&apps, &["list"], 0), shown(&apps, &["status"], 0)], [none, none]);
}

#[test]
fn invalid_addition_creates_no_registry() {
    let apps = Apps::new();
    let long = "x".repeat(201);
    for (name, rest) in [
        ("", &["--launch-path", "/x", "--mode", "full"][..]),
        (&long, &["--launch-path", "/x", "--mode", "full"]),
        ("a\nb", &["--launch-path", "/x", "--mode", "full"]),
        ("x", &["--mode", "full"]),
        ("x", &["--launch-path", "/x"]),
        ("x", &["--launch-path", "/x", "--mode", "allowlist"]),
        ("x", &["--launch-path", "/x", "--mode", "off", "--allow", "main"]),
    ] {
        let arguments = [&["add", "--yes", "--name", name], rest].concat();
        assert_eq!(apps.json(&arguments, 2)["error"]["code"], "usage", "{arguments:?}");
        assert!(!apps.registry().exists(), "{arguments:?}");
    }
    assert_eq!(apps.audit(), [""; 0]);
}

#[test]
fn status_shows_one_app_and_all_apps() {
    let apps = Apps::with("full", &[]);
    let quiet = json!({ "launch_path": "/x", "mode": "full", "allowed_agents": [] });
    apps.write(&json!({ "Last Z": apps.entry("full", &[]), "Quiet": quiet }));
    assert_eq!(apps.json(&["launch", "Last Z"], 0)["outcome"], "started");
    let last_z = json!({ "name": "Last Z", "running": true, "pids": apps.pids() });
    let quiet = json!({ "name": "Quiet", "running": null, "pids": [] });
    assert_eq!(apps.json(&["status", "last z"], 0), json!({ "apps": [last_z] }));
    assert_eq!(apps.json(&["status"], 0), json!({ "apps": [last_z, quiet] }));
    insta::assert_snapshot!(shown(&apps, &["status"], 0), @r"
    Last Z  running, pid N
    Quiet   not known
    ");
    insta::assert_snapshot!(shown(&apps, &["list"], 0), @r"
    Name    Mode  Agents  State
    Last Z  full          running, pid N
    Quiet   full          not known
    ");
    insta::assert_snapshot!(shown(&apps, &["show", "last z"], 0), @r#"
    Last Z
      launch_path     HERE/it's "a" & b $x %y 微信.sh
      runtime_exe     -
      process_name    PROCESS
      mode            full
      allowed_agents  -
      state           running, pid N
    "#);
}

#[test]
fn change_shows_the_entry_before_and_after_with_yes() {
    let apps = Apps::new();
    let add = ["add", "--name", "Last Z", "--launch-path", "/no/z", "--mode", "allowlist", "--yes"];
    insta::assert_snapshot!(shown(&apps, &[&add[..], &["--allow", "main,a b", "--allow", "c"]].concat(), 0), @r#"
    created ~/.openclaw/registries/application_registry.json
    new Last Z
      launch_path     /no/z
      runtime_exe     -
      process_name    -
      mode            allowlist
      allowed_agents  main, a b, c
    note: /no/z is not on this machine
    note: without process_name or runtime_exe it can be launched, but not stopped
    note: no agent can have the id "a b"; ids have small letters, digits, - and _
    added Last Z: `tarsus apps launch "Last Z"` starts it
    "#);
    insta::assert_snapshot!(shown(&apps, &["edit", "last z", "--process-name", "z", "--yes"], 0), @r#"
    now Last Z
      launch_path     /no/z
      runtime_exe     -
      process_name    -
      mode            allowlist
      allowed_agents  main, a b, c

    then Last Z
      launch_path     /no/z
      runtime_exe     -
      process_name    z
      mode            allowlist
      allowed_agents  main, a b, c
    note: /no/z is not on this machine
    note: no agent can have the id "a b"; ids have small letters, digits, - and _
    saved Last Z
    "#);
    insta::assert_snapshot!(shown(&apps, &["policy", "Last Z", "--mode", "off", "--yes"], 0), @r"
    now Last Z
      launch_path     /no/z
      runtime_exe     -
      process_name    z
      mode            allowlist
      allowed_agents  main, a b, c

    then Last Z
      launch_path     /no/z
      runtime_exe     -
      process_name    z
      mode            off
      allowed_agents  -
    note: /no/z is not on this machine
    saved Last Z
    ");
    insta::assert_snapshot!(shown(&apps, &["policy", "Last Z", "--mode", "off", "--yes"], 0), @r"
    now Last Z
      launch_path     /no/z
      runtime_exe     -
      process_name    z
      mode            off
      allowed_agents  -

    then Last Z
      launch_path     /no/z
      runtime_exe     -
      process_name    z
      mode            off
      allowed_agents  -
    note: /no/z is not on this machine
    Last Z already has these values; nothing was changed
    ");
    insta::assert_snapshot!(shown(&apps, &["delete", "Last Z", "--yes"], 0), @r"
    now Last Z
      launch_path     /no/z
      runtime_exe     -
      process_name    z
      mode            off
      allowed_agents  -
    deleted Last Z
    ");

    let entry = |process: &str, mode: &str, agents: &[&str]| {
        let path = "/no/z";
        json!({ "launch_path": path, "process_name": process, "mode": mode, "allowed_agents": agents })
    };
    apps.write(&json!({ "Last Z": entry("z", "full", &[]) }));
    let table = [
        (&["edit", "last z", "--process-name", "y"][..], "edit", entry("y", "full", &[])),
        (
            &["policy", "Last Z", "--mode", "allowlist", "--allow", "b,c"],
            "policy",
            entry("y", "allowlist", &["b", "c"]),
        ),
        (&["delete", "Last Z"], "delete", Value::Null),
    ];
    let mut before = entry("z", "full", &[]);
    for (arguments, action, after) in table {
        assert_eq!(
            apps.json(&[arguments, &["--yes"]].concat(), 0),
            json!({ "ok": true, "action": action, "name": "Last Z", "before": before, "after": after, "saved": true })
        );
        before = after;
    }
}

#[test]
fn missing_path_is_noted() {
    let apps = Apps::new();
    let here = apps.launch_path();
    for (path, exe, notes) in [
        (here.as_str(), here.as_str(), &[][..]),
        ("sh", "sh", &["sh is not on this machine"]),
        ("steam://run/1", "/no/exe", &["/no/exe is not on this machine"]),
        ("/no/path", &here, &["/no/path is not on this machine"]),
        (
            "~/z",
            "./z",
            &[
                "~/z is not a full path, so nothing can be launched there",
                "./z is not a full path, so nothing can be launched there",
            ],
        ),
    ] {
        let add =
            ["add", "--name", path, "--launch-path", path, "--runtime-exe", exe, "--mode", "full", "--yes"];
        let text = shown(&apps, &add, 0);
        let noted: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("note: ")).collect();
        assert_eq!(noted, notes, "{path} {exe}");
    }
}

#[test]
fn validate_names_every_fault_and_repairs_nothing() {
    let apps = Apps::new();
    let text = r#"{
        "Good": {"launch_path": "/x", "mode": "full", "allowed_agents": []},
        "Bad": {"launch_path": 5, "mode": "sometimes", "allowed_agents": ["a", null]},
        "Half": {"launch_path": ""},
        "Odd": {"launch_path": "/x", "mode": "allowlist", "allowed_agents": []},
        "Left": {"launch_path": "/x", "mode": "off", "allowed_agents": ["a"]}}"#;
    apps.write_bytes(text.as_bytes());
    insta::assert_snapshot!(shown(&apps, &["validate"], 5), @r#"
    ~/.openclaw/registries/application_registry.json

    valid: 1
      Good
    incomplete: 1
      Half: launch_path is missing or empty; mode is missing; allowed_agents is missing
    malformed: 1
      Bad: launch_path is a number, not a string; item 2 of allowed_agents is null, not a string; mode is "sometimes", not full, allowlist or off
    policy mismatch: 2
      Odd: mode is allowlist, but allowed_agents lists nobody
      Left: mode is off, but allowed_agents lists agents

    4 to fix: `tarsus apps edit --help` shows how to set wrong or missing values
    "#);
    assert_eq!(apps.text(), text);
    assert_eq!(apps.audit(), [""; 0]);
}

#[test]
fn suggested_command_repairs_the_entry() {
    let apps = Apps::new();
    let broken = json!({
        "Not An Object": [1],
        "Bad": { "launch_path": 5, "runtime_exe": {}, "process_name": 1, "mode": "x", "allowed_agents": 7 },
        "Half": {},
        "Odd": { "launch_path": "/x", "mode": "allowlist", "allowed_agents": [], "kept": 2 },
        "it's \"so\"": { "launch_path": "/x", "mode": "full", "allowed_agents": [1] },
    });
    apps.write(&broken);
    for name in broken.as_object().unwrap().keys() {
        let refused = apps.run(&["launch", name]);
        let text = String::from_utf8(refused.stderr).unwrap();
        let (_, command) =
            text.trim_end().rsplit_once("to repair tarsus ").unwrap_or_else(|| panic!("{text}"));
        let command = command.replace("PATH", "/x").replace("MODE", "off").replace("AGENT", "main");
        let mut shell = apps.home.command("sh");
        let line = format!("'{}' {command} --yes", tarsus().display());
        let output = shell.args(["-c", &line]).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}\n{}", printed(&output));
    }
    let valid: Vec<Value> = broken.as_object().unwrap().keys().map(|name| json!({ "name": name })).collect();
    assert_eq!(apps.json(&["validate"], 0)["groups"]["valid"], json!(valid));
    assert!(apps.text().contains("\"kept\": 2"));
}

#[test]
fn ambiguous_name_lists_the_commands() {
    let apps = Apps::new();
    let entry = apps.entry("full", &[]);
    apps.write(&json!({ "Last Z": entry, "Last Y": entry, "Other": entry }));
    insta::assert_snapshot!(shown(&apps, &["launch", "last"], 4), @r#"
    error: "last" may be several apps
      tarsus apps launch "Last Z"
      tarsus apps launch "Last Y"
      use the full name
    "#);
    for arguments in [&["launch", "last"][..], &["stop", "last"], &["show", "last"], &["status", "last"]] {
        assert_eq!(apps.json(arguments, 4)["error"]["code"], "ambiguous", "{arguments:?}");
    }
    insta::assert_snapshot!(shown(&apps, &["ask", "open last"], 4), @r"
    Which app should be launched?
    1. Last Z
    2. Last Y
    Reply with an app number.
    Type `back` to go back or `quit` to exit.
    ");
    insta::assert_snapshot!(shown(&apps, &["launch", "chrome"], 4), @r#"
    error: no app called "chrome" is registered
      `tarsus apps list` shows what is registered
    "#);
    assert_eq!(apps.audit(), [""; 0]);
}

#[test]
fn default_agent_acts_unless_another_is_named() {
    let apps = Apps::with("allowlist", &["writer"]);
    let refused =
        |arguments: &[&str]| apps.json(&[&["launch", "Last Z"], arguments].concat(), 3)["agent"].clone();
    assert_eq!(refused(&[]), "main");
    let agents = r#"{ "agents": { "list": [{ "id": "reader" }, { "id": "writer", "default": true }] } }"#;
    fs::write(apps.home.home().config_path(), agents).unwrap();
    assert_eq!(refused(&["--agent", "reader"]), "reader");
    let launched = apps.json(&["launch", "Last Z"], 0);
    assert_eq!((&launched["agent"], &launched["outcome"]), (&json!("writer"), &json!("started")));
}

#[test]
fn launch_and_stop_report_command_and_outcome() {
    let apps = Apps::new();
    executable(&apps, "bin/xdg-open", "#!/bin/sh\nexit 0\n");
    let script = executable(&apps, "no interpreter", "#!/no/such/interpreter\n");
    let picture = apps.home.path().join("a picture.png");
    fs::write(&picture, "").unwrap();
    let plain = |path: &str, agents: &[&str]| json!({ "launch_path": path, "mode": "full", "allowed_agents": agents });
    apps.write(&json!({
        "Last Z": apps.entry("full", &[]),
        "Picture": plain(picture.to_str().unwrap(), &["left over"]),
        "Script": plain(&script, &[]),
        "Gone": plain("/no/such/app", &[]),
    }));
    let run = |arguments: &[&str], exit| {
        let text = shown(&apps, &[arguments, &["--json"]].concat(), exit);
        let mut report: Value = serde_json::from_str(&text).unwrap();
        (report["outcome"].take(), report["launcher"].take(), report["error"].take())
    };
    insta::assert_snapshot!(shown(&apps, &["launch", "Last Z"], 0), @r#"
    started Last Z, pid N
      ran   'HERE/it'\''s "a" & b $x %y 微信.sh'
    "#);
    insta::assert_snapshot!(shown(&apps, &["launch", "Last Z"], 0), @r#"
    Last Z was already running, pid N
      another copy of it was started, pid N
      ran   'HERE/it'\''s "a" & b $x %y 微信.sh'
    "#);
    assert_eq!(run(&["launch", "Last Z"], 0).0, "already_running");
    // A script becomes the program a moment after it was started.
    while apps.pids().len() < 3 {}
    insta::assert_snapshot!(shown(&apps, &["stop", "Last Z"], 0), @r"
    stopped Last Z: pid N closed, pid N closed, pid N closed
    ");
    insta::assert_snapshot!(shown(&apps, &["stop", "Last Z"], 0), @r"
    Last Z is not running
    ");
    insta::assert_snapshot!(shown(&apps, &["launch", "Picture"], 0), @r#"
    start of Picture requested
      ran   HERE/bin/xdg-open "HERE/a picture.png"
      note  mode is full, but allowed_agents lists agents
    "#);
    insta::assert_snapshot!(shown(&apps, &["stop", "Picture"], 1), @r"
    error: Picture can be launched, but not stopped
      neither process_name nor runtime_exe is stored, so its processes cannot be recognised
      `tarsus apps edit Picture --process-name NAME` stores the name
    ");
    insta::assert_snapshot!(shown(&apps, &["launch", "Script"], 0), @r#"
    start of Script requested
      ran   HERE/bin/xdg-open "HERE/no interpreter"
      first cannot start HERE/no interpreter: No such file or directory (os error 2)
    "#);
    insta::assert_snapshot!(shown(&apps, &["launch", "Gone"], 1), @r#"
    error: Gone was not launched
      "/no/such/app" cannot be launched: there is no such file
      check launch_path, or install the application
    "#);
    executable(&apps, "bin/xdg-open", "#!/bin/sh\nexit 4\n");
    insta::assert_snapshot!(shown(&apps, &["launch", "Script"], 1), @r#"
    error: Script was not launched
      HERE/bin/xdg-open failed with exit code 4
      ran   HERE/bin/xdg-open "HERE/no interpreter"
      first cannot start HERE/no interpreter: No such file or directory (os error 2)
      start it manually to see its output
    "#);

    let opened = json!(["HERE/bin/xdg-open", "HERE/no interpreter"]);
    let error = json!("HERE/bin/xdg-open failed with exit code 4");
    assert_eq!(run(&["launch", "Script"], 1), (json!("failed"), opened.clone(), error));
    executable(&apps, "bin/xdg-open", "#!/bin/sh\nexit 0\n");
    assert_eq!(run(&["launch", "Script"], 0), (json!("requested"), opened, Value::Null));
    assert_eq!(run(&["stop", "Script"], 1), (json!("no_stop_data"), json!([]), Value::Null));
}

#[test]
fn stop_leaves_its_parent_processes_alone() {
    let apps = Apps::new();
    let shell = apps.home.path().join(&apps.process);
    fs::copy("/bin/sh", &shell).unwrap();
    apps.write(&json!({ "Last Z": apps.entry("full", &[]) }));
    let line = format!("'{}' apps stop 'Last Z' --json; echo $? $$", tarsus().display());
    let output = apps.home.command(&shell).args(["-c", &line]).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let (report, pid) = text.trim_end().rsplit_once("\n1 ").unwrap_or_else(|| panic!("{}", printed(&output)));
    let report: Value = serde_json::from_str(report).unwrap();
    let error = format!("process {pid} is this program or one of its parents and is not terminated");
    assert_eq!((&report["outcome"], &report["error"]), (&json!("failed"), &json!(error)));
    assert_eq!(report["pids"], json!([pid.parse::<u32>().unwrap()]));
}

#[test]
fn menu_ends_when_its_output_is_closed() {
    let apps = Apps::with("full", &[]);
    let mut command = apps.home.tarsus(["apps"]);
    let mut menu =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut typed = menu.stdin.take().unwrap();
    drop(menu.stdout.take());
    // It may have ended already. The input stays open: only the missing reader can end it.
    typed.write_all(b"show 1\n").ok();
    let output = menu.wait_with_output().unwrap();
    drop(typed);
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{}", printed(&output));
}
