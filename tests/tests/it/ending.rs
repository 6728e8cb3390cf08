//! Ctrl-C and SIGTERM end every command, whatever it waits for.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use tarsus_home::credentials::ensure_token;
use tarsus_home::runtime_lock::{Holder, RuntimeLock};
use tarsus_models::Dialect;
use tarsus_test_models::{Chunk, Gate, Reply, Server};
use tarsus_tests::{Running, TestHome, printed};

use crate::commands;

const INTERRUPTED: i32 = 130;
const TERM: i32 = 15;

/// Arguments of the commands that need some.
const ARGUMENTS: &[(&str, &[&str])] = &[
    ("agent", &["-m", "-"]),
    ("apps add", &["--name", "New", "--launch-path", "/bin/true", "--mode", "off", "--yes"]),
    ("apps ask", &["open a"]),
    ("apps delete", &["A", "--yes"]),
    ("apps edit", &["A", "--process-name", "a", "--yes"]),
    ("apps launch", &["A"]),
    ("apps policy", &["A", "--mode", "off", "--yes"]),
    ("apps show", &["A"]),
    ("apps stop", &["A", "--yes"]),
    ("audit reset", &["--reason", "a test", "--yes"]),
    ("completion", &["bash"]),
    ("config set", &["gateway.port", "1"]),
    ("config unset", &["gateway.port"]),
    ("explain", &["1"]),
    ("gateway call", &["health"]),
    ("logs", &["--follow"]),
    ("models set", &["cellar/m"]),
    ("sessions delete", &["main", "--yes"]),
    ("sessions export", &["main"]),
    ("sessions show", &["main"]),
    ("skills accept", &["notes", "--rule", "r", "--reason", "why"]),
    ("skills disable", &["notes"]),
    ("skills enable", &["notes", "--yes"]),
    ("skills grant", &["notes", "shell"]),
    ("skills info", &["notes"]),
    ("skills install", &["notes", "--yes"]),
    ("skills remove", &["notes", "--yes"]),
    ("skills revoke", &["notes"]),
    ("skills scan", &["--install-policy"]),
    ("skills trust", &["notes", "community"]),
    ("skills validate", &["notes"]),
];

/// Commands that wait for something else than a gateway, a person or another program's input: each ends by the tests
/// below and those of `up` and `logs`.
const LONG: [&str; 3] = ["logs", "skills watch", "agent"];

fn signal(pid: u32, name: &str) {
    // It may have ended already.
    Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).stderr(Stdio::null()).status().ok();
}

/// A program that holds the state folder as a gateway does, accepts connections and never answers.
struct SilentGateway {
    /// The process that gets SIGTERM once it is connected.
    asking: Arc<AtomicU32>,
    _lock: RuntimeLock,
}

impl SilentGateway {
    fn start(home: &TestHome) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let holder = Holder {
            pid: std::process::id(),
            // Unknown, so that no command takes this process for one that it may stop.
            start: None,
            boot_id: "unknown".to_owned(),
            port: None,
            started_at: jiff::Timestamp::UNIX_EPOCH,
        };
        let mut lock = RuntimeLock::take(home.home(), holder).unwrap();
        lock.set_port(listener.local_addr().unwrap().port()).unwrap();
        let asking = Arc::new(AtomicU32::new(0));
        let connected = Arc::clone(&asking);
        thread::spawn(move || {
            let mut held = Vec::new();
            for connection in listener.incoming() {
                held.push(connection);
                signal(connected.load(Ordering::SeqCst), "TERM");
            }
        });
        Self { asking, _lock: lock }
    }

    /// Runs a command, and ends it when it waits for this gateway.
    fn run(&self, mut command: Command) -> Output {
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        self.asking.store(child.id(), Ordering::SeqCst);
        child.wait_with_output().unwrap()
    }
}

fn furnished() -> TestHome {
    let home = TestHome::in_memory();
    let registries = home.state_dir().join("registries");
    fs::create_dir_all(&registries).unwrap();
    let app = r#"{ "A": { "launch_path": "/nowhere/a", "process_name": "no-such-a", "mode": "full" } }"#;
    fs::write(registries.join("application_registry.json"), app).unwrap();
    let skill = home.state_dir().join("skills/notes");
    fs::create_dir_all(&skill).unwrap();
    fs::write(skill.join("SKILL.md"), "---\nname: notes\ndescription: Takes notes.\n---\nText.\n").unwrap();
    home
}

#[test]
fn every_command_ends_by_a_signal_while_the_gateway_is_silent() {
    let home = furnished();
    ensure_token(home.home()).unwrap();
    let gateway = SilentGateway::start(&home);
    let mut asked = 0;
    for name in commands::all(&home) {
        let name = name.strip_prefix("tarsus ").unwrap();
        if LONG.contains(&name) {
            continue;
        }
        let arguments = ARGUMENTS.iter().find(|(command, _)| *command == name);
        let arguments = arguments.map_or(&[][..], |(_, arguments)| arguments);
        let output = gateway.run(home.tarsus(name.split(' ').chain(arguments.iter().copied())));
        let usage = printed(&output);
        assert!(!usage.contains("\nUsage: "), "{name} needs other arguments: {usage}");
        asked += usize::from(output.status.signal() == Some(TERM));
    }
    assert!(asked > 20, "only {asked} commands have asked the gateway");
}

#[test]
fn command_that_waits_for_input_ends_by_a_signal() {
    for arguments in [&["agent", "-m", "-"][..], &["apps"], &["skills", "scan", "--install-policy"]] {
        for name in ["TERM", "INT"] {
            let home = furnished();
            let mut command = home.tarsus(arguments);
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
            let _input = child.stdin.take();
            signal(child.id(), name);
            assert!(!child.wait().unwrap().success(), "{arguments:?} {name}");
        }
    }
}

/// A home whose model never answers, and the gate that a request reaches.
fn with_a_silent_model() -> (TestHome, Gate, Server) {
    let (home, gate) = (furnished(), Gate::closed());
    let reply = Reply::answer([Chunk::text("Wait")]).held_before(0, &gate);
    let server = Server::with_handler(move |_| reply.clone());
    let provider = json!({
        "baseUrl": server.base_url(Dialect::OpenaiCompletions), "api": "openai-completions", "apiKey": "k",
        "models": [{ "id": "m", "contextWindow": 16_000 }],
    });
    let config = json!({
        "agents": { "defaults": { "model": "cellar/m" } },
        "models": { "providers": { "cellar": provider } },
    });
    fs::write(home.home().config_path(), config.to_string()).unwrap();
    (home, gate, server)
}

fn spawn(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn agent_ends_by_a_signal_while_the_model_is_silent() {
    for (has_gateway, name) in [(false, "TERM"), (false, "INT"), (true, "TERM"), (true, "INT")] {
        for stream in [&[][..], &["--stream"]] {
            let (home, gate, _server) = with_a_silent_model();
            let _gateway = has_gateway.then(|| Running::up(&home));
            let child = spawn(home.tarsus([&["agent", "-m", "hello"], stream].concat()));
            gate.wait_until_reached();
            signal(child.id(), name);
            let output = child.wait_with_output().unwrap();
            gate.open();
            assert_eq!(output.status.code(), Some(INTERRUPTED), "{has_gateway} {name}: {}", printed(&output));
        }
    }
}

#[test]
fn agent_ends_by_a_signal_while_the_gateway_hangs() {
    let (home, gate, _server) = with_a_silent_model();
    let gateway = Running::up(&home);
    let child = spawn(home.tarsus(["agent", "-m", "hello"]));
    gate.wait_until_reached();
    gateway.signal("STOP");
    signal(child.id(), "TERM");
    let output = child.wait_with_output().unwrap();
    gateway.signal("CONT");
    gate.open();
    assert!(!output.status.success(), "{}", printed(&output));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "), "{}", printed(&output));
}

#[test]
fn command_that_cannot_print_ends_by_a_second_signal() {
    let home = furnished();
    let logs = home.home().logs_dir();
    fs::create_dir_all(&logs).unwrap();
    let log = logs.join("tarsus.log");
    let line = format!("{{\"msg\":\"{}\"}}\n", "x".repeat(1000));
    fs::write(&log, &line).unwrap();
    let mut child = spawn(home.tarsus(["logs", "--follow", "--json"]));
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut append = fs::OpenOptions::new().append(true).open(&log).unwrap();
    stdout.read_line(&mut String::new()).unwrap();
    append.write_all(line.as_bytes()).unwrap();
    // It follows now.
    stdout.read_line(&mut String::new()).unwrap();
    // More than a pipe holds, and nobody reads on.
    append.write_all(line.repeat(1_000).as_bytes()).unwrap();
    let status = loop {
        // Signals that come at once count as one.
        signal(child.id(), "TERM");
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(INTERRUPTED));
}
