//! `tarsus logs` on logs in the gateway's format, without a gateway.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tarsus_home::files::Rotating;
use tarsus_tests::{Running, TestHome, printed};

struct Logs {
    home: TestHome,
    writer: Rotating,
    written: u64,
}

impl Logs {
    /// A log whose files hold about ten lines each.
    fn new() -> Self {
        let home = TestHome::new();
        let writer = Rotating::open(&home.home().logs_dir().join("tarsus.log"), 1_100, 9).unwrap();
        Self { home, writer, written: 0 }
    }

    fn write(&mut self, level: &str, lines: u64) {
        for _ in 0..lines {
            let line = stored(self.written, level).to_string();
            writeln!(self.writer, "{line}").unwrap();
            self.written += 1;
        }
    }

    fn print(&self, arguments: &[&str]) -> Vec<String> {
        let output = self.home.tarsus([&["logs"], arguments].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }
}

fn stored(number: u64, level: &str) -> Value {
    let fields = json!({ "message": format!("line {number}"), "path": "a b" });
    json!({ "timestamp": format!("2026-11-16T04:30:{:02}.{:06}Z", number / 60, number), "level": level, "fields": fields, "target": "t" })
}

/// The number at the end of a line's message.
fn number(line: &str) -> u64 {
    let after = line
        .split_once(" line ")
        .or_else(|| line.split_once("\"line "))
        .unwrap_or_else(|| panic!("{line}"))
        .1;
    after.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

fn numbers(lines: &[String]) -> Vec<u64> {
    lines.iter().map(|line| number(line)).collect()
}

#[test]
fn tail_spans_all_files_and_filters_by_number_and_level() {
    let mut logs = Logs::new();
    logs.write("INFO", 30);
    logs.write("WARN", 1);
    logs.write("DEBUG", 9);
    assert!(logs.home.home().logs_dir().join("tarsus.log.3").exists(), "the log was turned over");
    let table: &[(&[&str], Vec<u64>)] = &[
        (&[], (0..40).collect()),
        (&["--lines", "25"], (15..40).collect()),
        (&["-n", "0"], vec![]),
        (&["-n", "3", "--level", "info"], vec![28, 29, 30]),
        (&["--level", "warn"], vec![30]),
    ];
    for (arguments, expected) in table {
        let shown = logs.print(arguments);
        let shown: Vec<String> =
            shown.into_iter().filter(|line| !line.contains("has no matching line")).collect();
        assert_eq!(numbers(&shown), *expected, "{arguments:?}");
        let as_json = logs.print(&[*arguments, &["--json"]].concat());
        let values: Vec<Value> = as_json.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let level = |number: u64| match number {
            0..30 => "INFO",
            30 => "WARN",
            _ => "DEBUG",
        };
        let stored: Vec<Value> = expected.iter().map(|number| stored(*number, level(*number))).collect();
        assert_eq!(values, stored, "{arguments:?}");
    }
    // A file that was just created does not end the search.
    fs::write(logs.home.home().logs_dir().join("tarsus.log"), "").unwrap();
    assert_eq!(numbers(&logs.print(&["--level", "warn"])), [30]);
    assert!(logs.print(&["--level", "error"])[0].ends_with("tarsus.log has no matching line"));
}

#[test]
fn a_log_that_is_not_there_or_not_ours_is_no_error() {
    let home = TestHome::new();
    let output = home.tarsus(["logs"]).output().unwrap();
    assert_eq!(
        (output.status.code(), String::from_utf8(output.stdout).unwrap().as_str()),
        (Some(0), "~/.openclaw/logs/tarsus.log does not exist yet: the gateway creates it\n")
    );
    assert!(!home.state_dir().exists(), "looking makes nothing");

    fs::create_dir_all(home.home().logs_dir()).unwrap();
    fs::write(home.home().logs_dir().join("tarsus.log"), b"\x1b[31mred\xff\nhalf a li").unwrap();
    let output = home.tarsus(["logs"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "[31mred\u{fffd}\n");
    let output = home.tarsus(["logs", "--json"]).output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value, json!({ "unreadable": "\u{1b}[31mred\u{fffd}" }));
}

struct Followed {
    child: Child,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Followed {
    fn new(home: &TestHome, arguments: &[&str]) -> Self {
        let mut child =
            home.tarsus([&["logs", "--follow"], arguments].concat()).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().map(BufReader::new);
        Self { child, stdout }
    }

    fn next(&mut self) -> String {
        let mut line = String::new();
        assert_ne!(
            self.stdout.as_mut().unwrap().read_line(&mut line).unwrap(),
            0,
            "it goes on until it is stopped"
        );
        line
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &pid]).status().unwrap().success());
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        // Already ended is fine.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn a_log_is_followed_over_every_turn_of_its_files_until_ctrl_c() {
    let mut logs = Logs::new();
    logs.write("INFO", 12);
    let mut followed = Followed::new(&logs.home, &["-n", "2"]);
    assert_eq!([number(&followed.next()), number(&followed.next())], [10, 11]);
    for _ in 0..5 {
        let from = logs.written;
        logs.write("INFO", 23);
        for expected in from..logs.written {
            assert_eq!(number(&followed.next()), expected);
        }
    }
    followed.signal("INT");
    assert_eq!(followed.child.wait().unwrap().code(), Some(130));
}

#[test]
fn follow_starts_before_the_log_and_ends_with_its_reader() {
    let mut logs = Logs::new();
    fs::remove_dir_all(logs.home.state_dir()).unwrap();
    let mut followed = Followed::new(&logs.home, &["--json", "--level", "warn"]);
    logs.writer = Rotating::open(&logs.home.home().logs_dir().join("tarsus.log"), 1_100, 9).unwrap();
    logs.write("INFO", 1);
    logs.write("WARN", 1);
    assert_eq!(serde_json::from_str::<Value>(&followed.next()).unwrap(), stored(1, "WARN"));
    drop(followed.stdout.take());
    logs.write("WARN", 1);
    assert_eq!(followed.child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_log_of_a_gateway_tells_its_story() {
    let home = TestHome::new();
    let up = Running::up(&home);
    up.signal("TERM");
    assert_eq!(up.wait().0, Some(0));
    let output = home.tarsus(["logs"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for said in [" info  ready ", " info  stopping signal=", " info  stopped in order"] {
        assert!(text.contains(said), "{said}\n{text}");
    }
}
