//! A state folder with an app that really runs.
#![cfg(unix)]
#![allow(clippy::missing_panics_doc, reason = "a test stops at the first surprise")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::{TestHome, printed, run_with_input};

/// A home with a program that runs until it is stopped, under a unique name that Linux would truncate.
#[derive(Debug)]
pub struct Apps {
    /// The test home.
    pub home: TestHome,
    /// The process name of the program.
    pub process: String,
}

impl Apps {
    /// A home without a registry.
    #[must_use]
    pub fn new() -> Self {
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

    /// A script that becomes the program, under a name that is hard for shells.
    #[must_use]
    pub fn launch_path(&self) -> String {
        self.home.path().join("it's \"a\" & b $x %y 微信.sh").to_str().unwrap().to_owned()
    }

    /// The registry file.
    #[must_use]
    pub fn registry(&self) -> PathBuf {
        self.home.state_dir().join("registries/application_registry.json")
    }

    /// One entry called Last Z.
    #[must_use]
    pub fn with(mode: &str, agents: &[&str]) -> Self {
        let apps = Self::new();
        apps.write(&json!({ "Last Z": apps.entry(mode, agents) }));
        apps
    }

    /// An entry for the program.
    #[must_use]
    pub fn entry(&self, mode: &str, agents: &[&str]) -> Value {
        json!({
            "launch_path": self.launch_path(),
            "process_name": self.process,
            "mode": mode,
            "allowed_agents": agents,
        })
    }

    /// Writes the registry.
    pub fn write(&self, registry: &Value) {
        self.write_bytes(format!("{registry:#}\n").as_bytes());
    }

    /// Writes the registry from text, valid or not.
    pub fn write_bytes(&self, bytes: &[u8]) {
        fs::create_dir_all(self.registry().parent().unwrap()).unwrap();
        fs::write(self.registry(), bytes).unwrap();
    }

    /// Reads the registry.
    #[must_use]
    pub fn text(&self) -> String {
        fs::read_to_string(self.registry()).unwrap()
    }

    /// Runs `tarsus apps …` without a terminal.
    #[must_use]
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.home.tarsus([&["apps"], arguments].concat()).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs it, checks the exit code, and returns the JSON.
    #[must_use]
    pub fn json(&self, arguments: &[&str], exit: i32) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{}", printed(&output));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{}", printed(&output)))
    }

    /// The output of the menu for these lines.
    #[must_use]
    pub fn menu(&self, lines: &str) -> String {
        let output = run_with_input(&mut self.home.tarsus(["apps"]), lines.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The processes of Last Z.
    #[must_use]
    pub fn pids(&self) -> Vec<Value> {
        self.json(&["status", "Last Z"], 0)["apps"][0]["pids"].as_array().unwrap().clone()
    }

    /// Event, agent, app and decision of every audit record.
    #[must_use]
    pub fn audit(&self) -> Vec<String> {
        let output = self.home.tarsus(["audit", "tail", "-n", "1000", "--json"]).output().unwrap();
        let tail: Value = serde_json::from_slice(&output.stdout).unwrap();
        let word = |record: &Value, key: &str| record[key].as_str().unwrap_or("-").to_owned();
        let line =
            |record: &Value| ["event", "agentId", "app", "decision"].map(|key| word(record, key)).join(" ");
        tail["records"].as_array().unwrap().iter().map(line).collect()
    }
}

impl Drop for Apps {
    /// Kills processes that a failed test left running; the name is unique.
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

impl Default for Apps {
    fn default() -> Self {
        Self::new()
    }
}
