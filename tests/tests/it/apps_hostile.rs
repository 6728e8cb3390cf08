//! Invalid registries, and attempts to bypass the launch policy, through the real program.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use tarsus_tests::agent_process::{Disguise, run_as_agent};
use tarsus_tests::apps::Apps;
use tarsus_tests::{printed, tarsus};

const ADD: &[&str] = &["add", "--name", "x", "--launch-path", "/x", "--mode", "full", "--yes"];

/// Every command that reads the registry.
const COMMANDS: &[&[&str]] = &[
    &["list"],
    &["status"],
    &["validate"],
    &["show", "x"],
    &["launch", "x"],
    &["stop", "x", "--yes"],
    &["edit", "x", "--mode", "off", "--yes"],
    &["policy", "x", "--mode", "full", "--yes"],
    &["delete", "x", "--yes"],
    ADD,
];

fn place(failure: &Value) -> Option<(u64, u64)> {
    let location = &failure["error"]["location"];
    location["line"].as_u64().zip(location["column"].as_u64())
}

#[test]
fn broken_registry_is_reported_with_its_position() {
    let apps = Apps::new();
    let deep = format!("{{\n \"a\": {}", "[".repeat(5_000));
    let cases: &[(&[u8], (u64, u64))] = &[
        (b"{\n  \"Last Z\" {}\n}\n", (2, 12)),
        (b"{\n  \"Last Z\": {\n    \"mode\": \"fu", (3, 13)),
        (b"{", (1, 2)),
        (b"[]", (1, 1)),
        (b"{\"a\": 1, \"a\": 2}", (1, 10)),
        (b"{\n  \"a\": \"\xff\"}", (2, 9)),
        (deep.as_bytes(), (2, 134)),
    ];
    for (bytes, expected) in cases {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]);
        apps.write_bytes(bytes);
        for arguments in COMMANDS {
            let failure = apps.json(arguments, 5);
            assert_eq!(place(&failure), Some(*expected), "{shown} {arguments:?} {failure}");
        }
        let text = apps.run(&["list"]);
        let at = format!("application_registry.json:{}:{}", expected.0, expected.1);
        assert!(String::from_utf8_lossy(&text.stderr).contains(&at), "{shown}\n{}", printed(&text));
        assert_eq!(apps.run(&["ask", "open x"]).status.code(), Some(5), "{shown}");
        assert!(apps.menu("add\n1\nquit\n").contains("Nothing was changed."), "{shown}");
        assert_eq!(fs::read(apps.registry()).unwrap(), *bytes, "{shown}");
    }
    assert_eq!(apps.audit(), [""; 0]);
}

#[test]
fn too_large_registry_or_folder_is_refused() {
    let apps = Apps::new();
    let large = 100 * 1024 * 1024;
    fs::create_dir_all(apps.registry().parent().unwrap()).unwrap();
    fs::File::create(apps.registry()).unwrap().set_len(large).unwrap();
    for arguments in COMMANDS {
        assert_eq!(apps.json(arguments, 5)["error"]["code"], "too-large", "{arguments:?}");
    }
    assert_eq!(fs::metadata(apps.registry()).unwrap().len(), large);

    fs::remove_file(apps.registry()).unwrap();
    fs::create_dir(apps.registry()).unwrap();
    for arguments in COMMANDS {
        assert_eq!(apps.json(arguments, 5)["error"]["code"], "malformed", "{arguments:?}");
    }
    assert_eq!(fs::read_dir(apps.registry()).unwrap().count(), 0);
    assert_eq!(apps.audit(), [""; 0]);
}

#[test]
fn unreadable_registry_is_refused_by_every_command() {
    let apps = Apps::with("full", &[]);
    let before = apps.text();
    fs::set_permissions(apps.registry(), fs::Permissions::from_mode(0o000)).unwrap();
    // Nothing is forbidden to root, so that root acts as somebody else.
    let nobody = 65534;
    let is_root = fs::metadata(apps.home.path()).unwrap().uid() == 0;
    if is_root {
        for path in [apps.home.path(), apps.home.state_dir(), apps.registry().parent().unwrap()] {
            chown(path, Some(nobody), Some(nobody)).unwrap();
        }
        fs::copy(tarsus(), apps.home.path().join("tarsus")).unwrap();
    }
    for arguments in COMMANDS {
        let mut command = if is_root {
            let mut command = apps.home.command("setpriv");
            command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
            command.arg(apps.home.path().join("tarsus"));
            command
        } else {
            apps.home.command(tarsus())
        };
        let output = command.arg("apps").args(*arguments).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(5), "{arguments:?}\n{}", printed(&output));
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("Permission denied"), "{arguments:?}\n{text}");
    }
    fs::set_permissions(apps.registry(), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(apps.text(), before);
}

/// Runs `tarsus apps …` in a process that an agent started.
fn inside_agent(apps: &Apps, agent: &str, arguments: &[&str]) -> Output {
    run_as_agent(agent, Disguise::None, &apps.home.tarsus([&["apps"], arguments].concat()))
}

#[test]
fn app_that_is_off_is_never_launched() {
    let apps = Apps::with("off", &["main"]);
    let before = apps.text();
    let doors: &[&[&str]] = &[
        &["launch", "Last Z"],
        &["launch", "LAST  z"],
        &["launch", "last"],
        &["launch", "Last Z", "--json"],
        &["launch", "Last Z", "--agent", "main"],
        &["launch", "Last Z", "--agent", "system_engineer"],
        &["ask", "open last z"],
        &["ask", "please start the app last z now"],
        &["ask", "打开 Last Z"],
        &["ask", "运行 last z 吧", "--agent", "system_engineer"],
    ];
    for inside in [None, Some("main"), Some("writer")] {
        for arguments in doors {
            let output = match inside {
                Some(agent) => inside_agent(&apps, agent, arguments),
                None => apps.run(arguments),
            };
            assert_eq!(output.status.code(), Some(3), "{inside:?} {arguments:?}\n{}", printed(&output));
        }
    }
    let menu = apps.menu("1\n#1\nopen last z\nlaunch 1\n启动 last z\n");
    assert_eq!(menu.matches("Refused: main may not launch").count(), 4, "{menu}");
    assert_eq!(menu.matches("已拒绝: main 不可以启动").count(), 1, "answered in its language: {menu}");
    let chain = apps.audit();
    assert!(
        chain.iter().all(|line| line.starts_with("app.launch ") && line.ends_with(" denied")),
        "{chain:?}"
    );
    // Inside an agent two of the doors fall to `--agent` alone, which is no request for an app.
    assert_eq!(chain.len(), doors.len() + 2 * (doors.len() - 3) + 5);
    assert_eq!(apps.pids(), [0; 0]);
    assert_eq!(apps.text(), before);
}

#[test]
fn agent_process_cannot_act_for_others_or_change_apps() {
    let apps = Apps::with("full", &[]);
    let before = apps.text();
    // What is refused, and what the chain says about it: acting for another agent is no request for an app.
    let refused: &[(&[&str], Option<&str>)] = &[
        (&[], None),
        (&["create"], Some("apps.create writer - denied")),
        (ADD, Some("app.add writer x denied")),
        (&["add", "--name", "x", "--launch-path", "/x", "--mode", "full"], Some("app.add writer x denied")),
        (&["edit", "Last Z", "--mode", "off", "--yes"], Some("app.edit writer Last Z denied")),
        (&["edit", "Last Z", "--mode", "off"], Some("app.edit writer Last Z denied")),
        (&["policy", "Last Z", "--mode", "off", "--yes"], Some("app.edit writer Last Z denied")),
        (&["policy", "Last Z", "--mode", "off"], Some("app.edit writer Last Z denied")),
        (&["delete", "Last Z", "--yes"], Some("app.delete writer Last Z denied")),
        (&["delete", "Last Z"], Some("app.delete writer Last Z denied")),
        (&["stop", "Last Z", "--yes"], Some("app.stop writer Last Z denied")),
        (&["launch", "Last Z", "--agent", "main"], None),
        (&["launch", "Last Z", "--agent", "writer"], None),
        (&["stop", "Last Z", "--agent", "main"], None),
        (&["list", "--agent", "main"], None),
        (&["ask", "open last z", "--agent", "main"], None),
    ];
    let inside = |arguments: &[&str]| inside_agent(&apps, "writer", arguments);
    for (arguments, _) in refused {
        let output = inside(arguments);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}\n{}", printed(&output));
    }
    let mut chain: Vec<&str> = refused.iter().filter_map(|(_, line)| *line).collect();
    assert_eq!(apps.audit(), chain);
    // One request in plain words opens no wizard that could be answered.
    for request in ["add application", "delete application", "更改应用程序策略"] {
        let output = inside(&["ask", request]);
        assert_eq!(output.status.code(), Some(0), "{request}\n{}", printed(&output));
    }
    assert_eq!(apps.text(), before);
    assert_eq!(apps.audit(), chain);
    assert_eq!(apps.pids(), [0; 0]);

    apps.write(&json!({ "Last Z": apps.entry("off", &[]) }));
    let stop = inside(&["stop", "Last Z"]);
    assert_eq!(stop.status.code(), Some(3), "{}", printed(&stop));
    chain.push("app.stop writer Last Z denied");
    assert_eq!(apps.audit(), chain);
}
