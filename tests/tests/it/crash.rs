//! A process that crashes at any step of a write leaves every file either old or new and complete. The audit chain stays
//! valid, and the next process succeeds and cleans up.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tarsus_apps::Registry;
use tarsus_audit::{AuditEntry, RecordFilter, RecordSeverity};
use tarsus_home::files::{Locked, Reserve, crash};
use tarsus_home::secrets::SecretStore;
use tarsus_home::{Secret, config};
use tarsus_tests::{TestHome, amount, open_audit, printed};

const DRIVER: &str = env!("CARGO_BIN_EXE_tarsus-test-driver");

/// One operation of the driver, its initial state, and the possible states after a crash.
struct Operation {
    name: &'static str,
    /// `STATE` is replaced by the state folder.
    arguments: &'static [&'static str],
    before: fn(&TestHome),
    /// The visible state of the files.
    seen: fn(&TestHome) -> String,
}

const OPERATIONS: &[Operation] = &[
    Operation {
        name: "a file is made, with its folders",
        arguments: &["atomic-write", "STATE/own/file", "new"],
        before: |_| {},
        seen: file,
    },
    Operation {
        name: "a file is replaced",
        arguments: &["atomic-write", "STATE/own/file", "new"],
        before: old_file,
        seen: file,
    },
    Operation {
        name: "a file is removed",
        arguments: &["remove", "STATE/own/file"],
        before: old_file,
        seen: file,
    },
    Operation {
        name: "a secret is changed",
        arguments: &["secret-set", "STATE", "id", "new"],
        before: old_secret,
        seen: secret,
    },
    Operation {
        name: "a secret is removed",
        arguments: &["secret-remove", "STATE", "id"],
        before: old_secret,
        seen: secret,
    },
    Operation {
        name: "a configuration is begun",
        arguments: &["config-set", "STATE", "gateway.port", "2"],
        before: |_| {},
        seen: configuration,
    },
    Operation {
        name: "a configuration is changed",
        arguments: &["config-set", "STATE", "gateway.port", "2"],
        before: |home| {
            fs::create_dir_all(home.state_dir()).unwrap();
            fs::write(home.home().config_path(), "{ gateway: { port: 1 } } // kept\n").unwrap();
        },
        seen: configuration,
    },
    Operation {
        name: "a registry is created",
        arguments: &["registry-create", "STATE"],
        before: |_| {},
        seen: registry,
    },
    Operation {
        name: "the policy of an app is changed",
        arguments: &["registry-off", "STATE", "Last Z"],
        before: |home| {
            let path = Registry::for_home(home.home()).path().to_path_buf();
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "{\n  \"Last Z\": { \"launch_path\": \"/z\", \"mode\": \"full\" }\n}\n").unwrap();
        },
        seen: registry,
    },
    Operation {
        name: "the reserve is made",
        arguments: &["reserve", "STATE"],
        before: |_| {},
        seen: |_| String::new(),
    },
    Operation {
        name: "the reserve is given back",
        arguments: &["reserve-give", "STATE"],
        before: |home| assert!(Reserve::at(home.home().reserve_path()).ensure().unwrap()),
        seen: |_| String::new(),
    },
    Operation {
        name: "a chain is begun",
        arguments: &["audit-append", "STATE", "event", "2"],
        before: |_| {},
        seen: |_| String::new(),
    },
    Operation {
        name: "a chain goes on",
        arguments: &["audit-append", "STATE", "event", "2"],
        before: |home| chain(home, "2026-11-15T12:00:00Z"),
        seen: |_| String::new(),
    },
    Operation {
        name: "a chain goes on in the next month",
        arguments: &["audit-append", "STATE", "event", "2"],
        before: |home| chain(home, "2026-10-15T12:00:00Z"),
        seen: |_| String::new(),
    },
    Operation {
        name: "a chain of an earlier version is adopted",
        arguments: &["audit-append", "STATE", "event", "1"],
        before: |home| {
            chain(home, "2026-11-15T12:00:00Z");
            fs::rename(home.home().audit_key_path(), home.home().audit_dir().join("key")).unwrap();
            fs::remove_file(home.home().store_path()).unwrap();
        },
        seen: |_| String::new(),
    },
    Operation {
        name: "a key of an earlier version without records is adopted",
        arguments: &["audit-append", "STATE", "event", "1"],
        before: |home| {
            fs::create_dir_all(home.home().audit_dir()).unwrap();
            fs::write(home.home().audit_dir().join("key"), [7; 32]).unwrap();
        },
        seen: |_| String::new(),
    },
    Operation {
        name: "a chain goes on after an unfinished line",
        arguments: &["audit-append", "STATE", "event", "1"],
        before: |home| {
            chain(home, "2026-11-15T12:00:00Z");
            let path = home.home().audit_dir().join("2026-11.jsonl");
            fs::OpenOptions::new().append(true).open(path).unwrap().write_all(b"{\"seq\":3,").unwrap();
        },
        seen: |_| String::new(),
    },
];

fn old_file(home: &TestHome) {
    Locked::take(&home.state_dir().join("own/file")).unwrap().replace(b"old").unwrap();
}

fn file(home: &TestHome) -> String {
    format!("{:?}", fs::read_to_string(home.state_dir().join("own/file")).ok())
}

fn configuration(home: &TestHome) -> String {
    format!("{:?}", fs::read_to_string(home.home().config_path()).ok())
}

fn registry(home: &TestHome) -> String {
    format!("{:?}", fs::read_to_string(Registry::for_home(home.home()).path()).ok())
}

fn old_secret(home: &TestHome) {
    let secrets = SecretStore::for_home(home.home());
    secrets.set("id", Secret::new("old")).unwrap();
    secrets.set("other", Secret::new("kept")).unwrap();
}

fn secret(home: &TestHome) -> String {
    let secrets = SecretStore::for_home(home.home());
    assert_eq!(secrets.get("other").unwrap(), Some(Secret::new("kept")));
    format!("{:?}", secrets.get("id").unwrap().map(|secret| secret.expose().to_owned()))
}

/// Two lines at a moment.
fn chain(home: &TestHome, moment: &str) {
    let audit = open_audit(home.home()).unwrap();
    for event in ["first", "second"] {
        audit.record(AuditEntry::security(event, RecordSeverity::Info), moment.parse().unwrap()).unwrap();
    }
}

fn driver(home: &TestHome, arguments: &[&str]) -> Command {
    let state = home.state_dir().to_str().unwrap();
    let mut command = home.command(DRIVER);
    command.args(arguments.iter().map(|argument| argument.replace("STATE", state)));
    command
}

impl Operation {
    fn home(&self) -> TestHome {
        let home = TestHome::in_memory();
        (self.before)(&home);
        home
    }

    fn command(&self, home: &TestHome) -> Command {
        driver(home, self.arguments)
    }

    /// Runs it completely and returns the steps that it passed.
    fn trace(&self) -> (Vec<String>, String) {
        let home = self.home();
        let trace = home.path().join("trace");
        let output = self.command(&home).env("TARSUS_CRASH_TRACE", &trace).output().unwrap();
        assert!(output.status.success(), "{}: {}", self.name, printed(&output));
        let steps = fs::read_to_string(&trace).unwrap().lines().map(str::to_owned).collect();
        (steps, (self.seen)(&home))
    }

    /// Checks the state after a crash, and after the next run.
    fn check(&self, home: &TestHome, old: &str, new: &str, where_: &str, cut_short: &Output) {
        let context = format!("{}, ended at {where_}", self.name);
        let seen = (self.seen)(home);
        assert!(seen == old || seen == new, "{context}: {seen} is neither {old} nor {new}");
        let acknowledged = last_number(cut_short);
        let chain_length = verified(home, &context);
        assert!(chain_length >= acknowledged, "{context}: number {acknowledged} was lost");

        let again = self.command(home).output().unwrap();
        assert!(again.status.success(), "{context}: {}", printed(&again));
        assert_eq!((self.seen)(home), new, "{context}");
        let added = last_number(&again).saturating_sub(chain_length);
        assert_eq!(verified(home, &context), chain_length + added, "{context}");
        assert_eq!(leftovers(home.path()), Vec::<String>::new(), "{context}");
    }
}

/// Steps of the store that a chain passes: it creates the store, and stores its anchor there.
const ANCHOR_POINTS: [&str; 3] = ["store.step.made", "store.file.made", "anchor.saved"];

/// Every named step.
/// The steps, except those of files that agents change, which have a test of their own.
fn points() -> impl Iterator<Item = &'static str> {
    let own = crash::POINTS.iter().filter(|point| !point.starts_with("rewrite."));
    own.chain(config::CRASH_POINTS).chain(&ANCHOR_POINTS).copied()
}

/// Number of the last acknowledged record.
fn last_number(output: &Output) -> u64 {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter_map(|line| line.parse().ok()).max().unwrap_or(0)
}

/// Length of the chain, if there is one; fails if it is invalid.
fn verified(home: &TestHome, context: &str) -> u64 {
    let verification = open_audit(home.home()).unwrap().verify().unwrap();
    assert_eq!((verification.first_bad, verification.torn), (None, 0), "{context}");
    assert_eq!(verification.head.unwrap().seq, verification.lines, "{context}");
    verification.lines
}

/// Temporary files anywhere below a folder.
fn leftovers(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(leftovers(&entry.path()));
        } else if entry.file_name().to_string_lossy().ends_with(".tmp") {
            found.push(entry.path().display().to_string());
        }
    }
    found
}

#[test]
fn crash_at_every_step_leaves_no_partial_file() {
    // Each waits for processes most of the time, so they run in parallel.
    let passed: BTreeSet<String> = std::thread::scope(|scope| {
        let reset = scope.spawn(end_a_reset_at_every_step);
        let running: Vec<_> =
            OPERATIONS.iter().map(|operation| scope.spawn(|| end_at_every_step(operation))).collect();
        running.into_iter().chain([reset]).flat_map(|thread| thread.join().unwrap()).collect()
    });
    let named: BTreeSet<_> = points().map(str::to_owned).collect();
    assert_eq!(passed, named, "every step is passed by some operation, and no step is unnamed");
}

fn end_at_every_step(operation: &Operation) -> Vec<String> {
    let old = (operation.seen)(&operation.home());
    let (steps, new) = operation.trace();
    for (at, step) in steps.iter().enumerate() {
        let passage = steps[..=at].iter().filter(|other| *other == step).count();
        let point = format!("{step}#{passage}");
        let home = operation.home();
        let output = operation.command(&home).env("TARSUS_CRASH_POINT", &point).output().unwrap();
        assert!(!output.status.success(), "{}: {point} was not reached", operation.name);
        operation.check(&home, &old, &new, &point, &output);
    }
    steps
}

/// A reset that was cut short leaves a chain that still counts as tampered, or a new one; nothing is lost.
fn end_a_reset_at_every_step() -> Vec<String> {
    let tampered = || {
        let home = TestHome::in_memory();
        chain(&home, "2026-11-15T12:00:00Z");
        fs::remove_file(home.home().audit_dir().join("head.json")).unwrap();
        home
    };
    let reset = |home: &TestHome| driver(home, &["audit-reset", "STATE", "a test"]);
    let home = tampered();
    let trace = home.path().join("trace");
    let output = reset(&home).env("TARSUS_CRASH_TRACE", &trace).output().unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    let steps: Vec<String> = fs::read_to_string(&trace).unwrap().lines().map(str::to_owned).collect();
    for (at, step) in steps.iter().enumerate() {
        let home = tampered();
        let output = reset(&home).env("TARSUS_CRASH_POINT", format!("#{}", at + 1)).output().unwrap();
        assert!(!output.status.success(), "{step} was not reached");
        let context = format!("a reset, ended at step {} ({step})", at + 1);
        let audit = open_audit(home.home()).unwrap();
        if audit.verify().unwrap().first_bad.is_some() {
            let entry = AuditEntry::security("event", RecordSeverity::Info);
            assert!(audit.record(entry, "2026-11-15T12:00:00Z".parse().unwrap()).is_err(), "{context}");
            let output = reset(&home).output().unwrap();
            assert!(output.status.success(), "{context}: {}", printed(&output));
        }
        assert_eq!(verified(&home, &context), 1, "{context}");
        let records = open_audit(home.home()).unwrap().tail(&RecordFilter::default()).unwrap().records;
        assert_eq!(records[0].entry.event, "audit.reset", "{context}");
        let kept: Vec<u8> = files_named(&home.home().audit_dir(), "2026-11.jsonl").concat();
        for event in ["first", "second"] {
            let wanted = format!("\"event\":\"{event}\"");
            assert!(String::from_utf8_lossy(&kept).contains(&wanted), "{context}: {event} was lost");
        }
    }
    steps
}

/// The contents of all files of this name below a folder.
fn files_named(folder: &Path, name: &str) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_named(&entry.path(), name));
        } else if entry.file_name() == name {
            found.push(fs::read(entry.path()).unwrap());
        }
    }
    found
}

#[test]
fn random_kills_leave_no_partial_file() {
    let traced: Vec<_> = OPERATIONS
        .iter()
        .map(|operation| (operation, (operation.seen)(&operation.home()), operation.trace()))
        .collect();
    let mut random = Random(0x7a12_5005);
    for _ in 0..amount(40) {
        let (operation, old, (steps, new)) = &traced[random.below(traced.len())];
        let passage = random.below(steps.len()) + 1;
        let home = operation.home();
        let output = kill_at(&mut operation.command(&home), passage);
        operation.check(&home, old, new, &format!("step {passage} by a kill"), &output);
    }
}

/// Starts a process, waits until it reaches a step for the `passage`th time, and kills it.
fn kill_at(command: &mut Command, passage: usize) -> Output {
    let mut child = command
        .env("TARSUS_CRASH_POINT", format!("#{passage}"))
        .env("TARSUS_CRASH_PAUSE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Held open: the child waits on it.
    let _input = child.stdin.take();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut before = Vec::new();
    loop {
        let line = lines.next().expect("the step is reached").unwrap();
        if points().any(|point| point == line) {
            break;
        }
        before.extend_from_slice(line.as_bytes());
        before.push(b'\n');
    }
    child.kill().unwrap();
    Output { status: child.wait().unwrap(), stdout: before, stderr: Vec::new() }
}

/// A small generator (xorshift), so that the kills are the same on every machine.
struct Random(u32);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % end
    }
}
