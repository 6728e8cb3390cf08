//! The Application Manager as a program on Windows. The app is a copy of this test, which waits until it is ended.
#![cfg(windows)]

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use tarsus_tests::{TestHome, printed, run_with_input};

/// A file with this name beside a copy makes it an app.
const MARK: &str = "application";

struct Apps {
    home: TestHome,
    exe: PathBuf,
}

impl Apps {
    fn new() -> Self {
        let home = TestHome::new();
        let folder = home.path().join("游戏 & more");
        let exe = folder.join("Last Z.exe");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(MARK), "").unwrap();
        fs::copy(env::current_exe().unwrap(), &exe).unwrap();
        Self { home, exe }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.home.tarsus([&["apps"], arguments].concat()).stdin(Stdio::null()).output().unwrap()
    }

    fn json(&self, arguments: &[&str], exit: i32) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{}", printed(&output));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{}", printed(&output)))
    }

    fn menu(&self, lines: &str) -> String {
        let output = run_with_input(&mut self.home.tarsus(["apps"]), lines.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Apps {
    /// Kills processes that a failed test left running.
    fn drop(&mut self) {
        self.run(&["stop", "Last Z", "--yes"]);
    }
}

/// Checks that the texts occur in this order.
fn assert_shows(shown: &str, expected: &[&str]) {
    let mut rest = shown;
    for text in expected {
        let at = rest.find(text).unwrap_or_else(|| panic!("no {text:?} in\n{rest}\nof\n{shown}"));
        rest = &rest[at + text.len()..];
    }
}

#[test]
fn app_is_registered_launched_and_stopped() {
    if env::current_exe().unwrap().with_file_name(MARK).exists() {
        loop {
            std::thread::park();
        }
    }
    let apps = Apps::new();
    let exe = apps.exe.to_str().unwrap();
    assert_eq!(apps.json(&["list"], 0)["registry"]["exists"], json!(false));
    assert_eq!(apps.json(&["create"], 0)["saved"], json!(true));
    let add = ["add", "--name", "Last Z", "--launch-path", exe, "--runtime-exe", exe, "--mode", "full"];
    assert_eq!(apps.json(&add, 2)["error"]["code"], "not-confirmed");
    let entry = json!({ "launch_path": exe, "runtime_exe": exe, "mode": "full", "allowed_agents": [] });
    assert_eq!(apps.json(&[&add[..], &["--yes"]].concat(), 0)["after"], entry);
    let registry = apps.home.state_dir().join("registries").join("application_registry.json");
    assert_eq!(fs::read_to_string(&registry).unwrap(), format!("{:#}\n", json!({ "Last Z": entry })));
    assert_eq!(apps.json(&["validate"], 0)["ok"], json!(true));

    let launched = apps.json(&["launch", "last z"], 0);
    assert_eq!((&launched["outcome"], &launched["error"]), (&json!("started"), &Value::Null), "{launched}");
    assert_eq!(
        launched["launcher"].as_array().unwrap()[1..],
        [json!("/c"), json!("start"), json!(""), json!(exe)]
    );
    let listed = apps.json(&["list"], 0)["apps"][0].clone();
    assert_eq!((&listed["running"], &listed["pids"]), (&json!(true), &launched["pids"]), "{listed}");
    let stopped = apps.json(&["stop", "Last Z"], 0);
    assert_eq!((&stopped["outcome"], &stopped["pids"]), (&json!("stopped"), &launched["pids"]), "{stopped}");
    assert_eq!(apps.json(&["stop", "Last Z"], 0)["outcome"], "not_running");

    let shown = apps.menu("1\nstop last z\npolicy\n1\n3\nyes\n1\nvalidate\nquit\n");
    assert_shows(
        &shown,
        &[
            "1. Last Z\n",
            "\"Last Z\" started, pid ",
            "1. Last Z (running)\n",
            "\"Last Z\" did not close and was killed, pid ",
            "Change Launch Policy\n",
            "\"Last Z\" was saved.\n",
            "1. Last Z (off)\n",
            "Refused: main may not launch \"Last Z\".\n",
            "valid: 1\n",
            "Application Manager closed.\n",
        ],
    );
    assert_eq!(apps.json(&["launch", "Last Z"], 3)["decision"], "denied");
}
