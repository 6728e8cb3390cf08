//! The command line for people and scripts: help, exit codes, errors in both forms, hostile files.

use std::fs::{self, File};
use std::process::Output;

use serde_json::{Value, json};
use tarsus_tests::{TestHome, printed};

fn run(home: &TestHome, arguments: &[&str]) -> Output {
    home.tarsus(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn help_names_every_command_and_every_command_has_examples() {
    let home = TestHome::new();
    insta::assert_snapshot!(stdout(&run(&home, &["--help"])));
    let commands: &[&[&str]] = &[
        &["up"],
        &["gateway"],
        &["gateway", "run"],
        &["gateway", "start"],
        &["gateway", "stop"],
        &["gateway", "restart"],
        &["gateway", "status"],
        &["gateway", "call"],
        &["logs"],
        &["status"],
        &["doctor"],
        &["apps"],
        &["apps", "list"],
        &["apps", "show"],
        &["apps", "status"],
        &["apps", "validate"],
        &["apps", "create"],
        &["apps", "add"],
        &["apps", "edit"],
        &["apps", "delete"],
        &["apps", "policy"],
        &["apps", "launch"],
        &["apps", "stop"],
        &["apps", "ask"],
        &["skills"],
        &["skills", "list"],
        &["skills", "info"],
        &["skills", "check"],
        &["skills", "validate"],
        &["skills", "enable"],
        &["skills", "disable"],
        &["skills", "refresh"],
        &["skills", "prompt"],
        &["skills", "watch"],
        &["prompt"],
        &["prompt", "show"],
        &["config"],
        &["config", "path"],
        &["config", "get"],
        &["config", "set"],
        &["config", "unset"],
        &["config", "validate"],
        &["config", "schema"],
        &["audit"],
        &["audit", "tail"],
        &["audit", "verify"],
        &["audit", "export"],
        &["audit", "reset"],
        &["docs"],
        &["licenses"],
        &["completion"],
        &["man"],
    ];
    for command in commands {
        let help = run(&home, &[&["help"], *command].concat());
        assert_eq!(help.status.code(), Some(0), "{}", printed(&help));
        assert!(stdout(&help).contains("Examples:\n  tarsus "), "{command:?}\n{}", stdout(&help));
        let same = run(&home, &[*command, &["--help"]].concat());
        assert_eq!(stdout(&same), stdout(&help), "{command:?}");
    }
    assert!(!home.state_dir().exists(), "help makes nothing");
}

#[test]
fn exit_codes_mean_what_the_table_says() {
    let home = TestHome::new();
    fs::create_dir_all(home.state_dir()).unwrap();
    let config = home.home().config_path().to_path_buf();
    let table: &[(&str, &[&str], i32)] = &[
        ("{}", &["config", "validate"], 0),
        ("{}", &["config", "get", "gateway.port"], 4),
        ("{}", &["config", "unset", "gateway.port"], 4),
        ("{}", &["config", "set", "gateway.port", "fast"], 2),
        ("{}", &["config", "set", "a..b", "1"], 2),
        ("{}", &["config", "nonsense"], 2),
        ("{}", &["status", "--agent", "nobody"], 4),
        ("{}", &["status", "--agent", "no body"], 2),
        ("{}", &["docs", "nonsense"], 4),
        ("{}", &["man", "nonsense"], 4),
        ("{}", &["audit", "tail", "--since", "yesterday"], 2),
        ("{ gateway: { port: 'x' } }", &["config", "validate"], 5),
        ("{ gateway: { port: 'x' } }", &["doctor"], 1),
        ("{ gateway: { prot: 1 } }", &["config", "validate"], 0),
        ("{ gateway: { prot: 1 } }", &["config", "validate", "--strict"], 6),
        ("{ gateway: { prot: 1 } }", &["doctor", "--strict"], 6),
        ("{", &["config", "validate"], 5),
        ("{", &["config", "set", "gateway.port", "1"], 5),
        ("{", &["status"], 0),
    ];
    for (text, arguments, expected) in table {
        fs::write(&config, text).unwrap();
        let output = run(&home, arguments);
        assert_eq!(output.status.code(), Some(*expected), "{text} {arguments:?}\n{}", printed(&output));
        let as_json = run(&home, &[*arguments, &["--json"]].concat());
        assert_eq!(as_json.status.code(), Some(*expected), "{text} {arguments:?}\n{}", printed(&as_json));
        serde_json::from_slice::<Value>(&as_json.stdout)
            .unwrap_or_else(|error| panic!("{arguments:?} --json: {error}\n{}", printed(&as_json)));
        assert_eq!(fs::read_to_string(&config).unwrap(), *text, "{arguments:?} changed the file");
    }
}

#[test]
fn an_error_says_what_where_why_and_what_next_in_both_forms() {
    let home = TestHome::new();
    fs::create_dir_all(home.state_dir()).unwrap();
    fs::write(home.home().config_path(), "{\n  // 天气\n  \"mode\" \"allowlist\"\n}\n").unwrap();
    insta::assert_snapshot!(stderr(&run(&home, &["config", "validate"])), @r#"
    error: openclaw.json is not valid
     --> ~/.openclaw/openclaw.json:3:10
      |
    3 |   "mode" "allowlist"
      |          ^ expected `:` after the key "mode"
      = fix the file; `tarsus config validate` checks it again
    "#);
    let failure: Value =
        serde_json::from_slice(&run(&home, &["config", "validate", "--json"]).stdout).unwrap();
    assert_eq!(
        failure,
        json!({
            "ok": false,
            "error": {
                "code": "malformed",
                "type": "cli_error",
                "message": "openclaw.json is not valid: expected `:` after the key \"mode\"",
                "hint": "fix the file; `tarsus config validate` checks it again",
                "location": { "path": home.home().config_path(), "line": 3, "column": 10 },
            },
        })
    );
}

#[test]
fn mistakes_in_values_are_all_shown() {
    let home = TestHome::new();
    fs::create_dir_all(home.state_dir()).unwrap();
    fs::write(
        home.home().config_path(),
        "{\n  gateway: { port: 'x',\n    bind: 7 },\n  agents: { list: 3 } }",
    )
    .unwrap();
    insta::assert_snapshot!(stderr(&run(&home, &["config", "validate"])));
}

#[test]
fn the_same_program_called_openclaw_does_the_same() {
    let home = TestHome::new();
    let other_name = home.path().join("openclaw");
    fs::copy(tarsus_tests::tarsus(), &other_name).unwrap();
    for arguments in [&["status"][..], &["config", "path"], &["--version"]] {
        let ours = run(&home, arguments);
        let theirs = home.command(&other_name).args(arguments).output().unwrap();
        assert_eq!(printed(&theirs), printed(&ours));
    }
}

#[test]
fn looking_makes_nothing() {
    let home = TestHome::new();
    for arguments in [
        &["status"][..],
        &["doctor"],
        &["config", "path"],
        &["config", "get"],
        &["config", "validate"],
        &["audit", "tail"],
        &["audit", "verify"],
        &["audit", "export"],
    ] {
        let output = run(&home, arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}\n{}", printed(&output));
        assert!(!home.state_dir().exists(), "{arguments:?} made a state folder");
    }
}

#[test]
fn hostile_config_is_refused_with_its_place_and_unchanged() {
    let home = TestHome::new();
    fs::create_dir_all(home.state_dir()).unwrap();
    let config = home.home().config_path().to_path_buf();
    let table: &[(Vec<u8>, &str)] = &[
        ("[".repeat(5_000).into_bytes(), "openclaw.json:1:"),
        (format!("{{ a: {} }}", "{ a: ".repeat(5_000)).into_bytes(), "openclaw.json:1:"),
        (b"{ \"a\": \"b\0c\" }".to_vec(), "openclaw.json:1:10"),
        (b"{\n \"a\": \"\xff\" }".to_vec(), "openclaw.json:2:8"),
        (b"{ a: 1, a: 2 }".to_vec(), "openclaw.json:1:9"),
        (b"[]".to_vec(), "openclaw.json:1:1"),
        (b"".to_vec(), "openclaw.json:1:1"),
    ];
    for (bytes, place) in table {
        fs::write(&config, bytes).unwrap();
        for arguments in
            [&["config", "validate"][..], &["config", "get"], &["config", "set", "gateway.port", "1"]]
        {
            let output = run(&home, arguments);
            let shown = String::from_utf8_lossy(bytes).chars().take(40).collect::<String>();
            assert_eq!(output.status.code(), Some(5), "{shown} {arguments:?}\n{}", printed(&output));
            assert!(stderr(&output).contains(place), "{shown} {arguments:?}\n{}", printed(&output));
            assert!(!stderr(&output).contains('\0'));
        }
        assert_eq!(fs::read(&config).unwrap(), *bytes);
    }
}

#[test]
fn huge_config_and_folder_are_refused_without_reading() {
    let home = TestHome::new();
    fs::create_dir_all(home.state_dir()).unwrap();
    let config = home.home().config_path().to_path_buf();
    File::create(&config).unwrap().set_len(100 << 20).unwrap();
    let output = run(&home, &["config", "set", "gateway.port", "1"]);
    assert_eq!(output.status.code(), Some(5), "{}", printed(&output));
    assert!(stderr(&output).contains("larger than"), "{}", printed(&output));
    assert_eq!(fs::metadata(&config).unwrap().len(), 100 << 20);

    fs::remove_file(&config).unwrap();
    fs::create_dir(&config).unwrap();
    let output = run(&home, &["config", "set", "gateway.port", "1"]);
    assert_eq!(output.status.code(), Some(5), "{}", printed(&output));
    assert!(stderr(&output).contains("it is a folder, not a file"), "{}", printed(&output));
    assert!(config.is_dir());
}

#[cfg(unix)]
#[test]
fn a_file_of_somebody_else_is_named_and_left_alone() {
    use std::os::unix::fs::{PermissionsExt, chown};

    let home = TestHome::new();
    fs::create_dir_all(home.state_dir()).unwrap();
    let config = home.home().config_path().to_path_buf();
    fs::write(&config, "{}").unwrap();
    fs::set_permissions(&config, fs::Permissions::from_mode(0o000)).unwrap();
    let arguments = ["config", "set", "gateway.port", "1"];
    // Root may do everything, so root switches to another user; if that fails, we are not root.
    let nobody = 65534;
    let is_root = chown(home.path(), Some(nobody), Some(nobody)).is_ok();
    let output = if is_root {
        chown(home.state_dir(), Some(nobody), Some(nobody)).unwrap();
        let binary = home.path().join("tarsus");
        fs::copy(tarsus_tests::tarsus(), &binary).unwrap();
        let become_nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
        home.command("setpriv").args(become_nobody).arg(&binary).args(arguments).output().unwrap()
    } else {
        run(&home, &arguments)
    };
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    let text = stderr(&output);
    assert!(text.starts_with("error: cannot read openclaw.json\n --> ~/.openclaw/openclaw.json\n"), "{text}");
    assert!(text.contains("Permission denied"), "{text}");
    fs::set_permissions(&config, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(fs::read_to_string(&config).unwrap(), "{}");
}

#[test]
fn audit_verify_names_edited_line_and_cut_chain_is_closed() {
    let home = TestHome::new();
    for token in ["one", "two", "three"] {
        assert!(run(&home, &["config", "set", "gateway.auth.token", token]).status.success());
    }
    let months: Vec<_> = fs::read_dir(home.home().audit_dir())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    let [month] = &months[..] else { panic!("{months:?}") };
    let text = fs::read_to_string(month).unwrap();
    fs::write(month, text.replacen("\"seq\":2,", "\"seq\":3,", 1)).unwrap();

    let verify = run(&home, &["audit", "verify"]);
    assert_eq!(verify.status.code(), Some(1));
    assert!(stderr(&verify).starts_with("error: the audit chain is broken\n"), "{}", printed(&verify));
    assert!(stderr(&verify).contains(".jsonl:2\n"), "{}", printed(&verify));

    let cut: String = text.split_inclusive('\n').take(2).collect();
    fs::write(month, cut).unwrap();
    let refused = run(&home, &["config", "set", "gateway.auth.token", "four"]);
    assert_eq!(refused.status.code(), Some(1), "what cannot be recorded is not done\n{}", printed(&refused));
    assert!(fs::read_to_string(home.home().config_path()).unwrap().contains("three"));
}

#[test]
fn our_own_settings_never_enter_openclaw_json() {
    let home = TestHome::new();
    let refused = run(&home, &["config", "set", "tarsus.logs.level", "debug"]);
    assert_eq!(refused.status.code(), Some(2), "{}", printed(&refused));
    assert!(!home.home().config_path().exists());
}

#[test]
fn agent_process_reads_config_but_cannot_change_it() {
    let home = TestHome::new();
    assert!(run(&home, &["config", "set", "gateway.port", "19000"]).status.success());
    for (arguments, expected) in [
        (&["config", "get", "gateway.port"][..], 0),
        (&["config", "set", "gateway.port", "1"], 3),
        (&["config", "unset", "gateway.port"], 3),
    ] {
        let output = home.tarsus(arguments).env("TARSUS_AGENT", "writer").output().unwrap();
        assert_eq!(output.status.code(), Some(expected), "{arguments:?}\n{}", printed(&output));
    }
    assert_eq!(stdout(&run(&home, &["config", "get", "gateway.port"])), "19000\n");
}
