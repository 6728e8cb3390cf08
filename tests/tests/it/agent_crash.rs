//! A turn that crashes at any step, with read-only calls and one that acts. After the next start all published text is
//! there, every call has one result, nothing was done twice, and the session continues.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tarsus_agent::CRASH_POINTS;
use tarsus_models::Dialect;
use tarsus_protocol::{Block, Role};
use tarsus_store::{HistoryQuery, Item, RunState, Store};
use tarsus_test_models::{Chunk, Reply, Server};
use tarsus_tests::apps::Apps;
use tarsus_tests::{TestHome, amount};

pub const GATEWAY: &str = env!("CARGO_BIN_EXE_tarsus-test-gateway");
/// The step of the next start.
const RECOVERED: &str = "turn.recovered";
/// The signal of a process that aborted itself at a crash point.
pub const ABORTED: i32 = 6;
/// Tool calls of the long conversation.
const CALLS: usize = 20;

/// The output of a process before it ended.
#[derive(Debug, Default)]
pub struct TurnOutput {
    pub accepted: bool,
    pub texts: Vec<String>,
    pub answer: Option<String>,
    pub signal: Option<i32>,
}

impl TurnOutput {
    /// Reads one line of output.
    pub fn read(&mut self, line: &str) {
        let Ok(line) = serde_json::from_str::<Value>(line) else { return };
        self.accepted |= line["taken"] == true;
        self.texts.extend(line["says"].as_str().map(str::to_owned));
        self.answer = self.answer.take().or_else(|| line["answer"].as_str().map(str::to_owned));
    }
}

/// Runs one turn in one process, which is killed after `kill_after` lines of output.
pub fn turn(home: &TestHome, run: &str, variables: &[(&str, &str)], kill_after: Option<usize>) -> TurnOutput {
    turn_with(home, run, "please", variables, kill_after)
}

/// Like [`turn`], with another message.
pub fn turn_with(
    home: &TestHome,
    run: &str,
    message: &str,
    variables: &[(&str, &str)],
    kill_after: Option<usize>,
) -> TurnOutput {
    let mut command: Command = home.command(GATEWAY);
    command.arg(home.state_dir()).args([run, message]).envs(variables.iter().copied());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut output = TurnOutput::default();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for (number, line) in lines.map_while(Result::ok).enumerate() {
        output.read(&line);
        if kill_after == Some(number) {
            child.kill().unwrap();
        }
    }
    let status = child.wait().unwrap();
    output.signal = status.signal();
    if output.signal.is_none() {
        let mut why = String::new();
        child.stderr.take().unwrap().read_to_string(&mut why).unwrap();
        assert!(status.success(), "{why}");
    }
    output
}

pub fn configure(home: &TestHome, server: &Server) {
    fs::create_dir_all(home.state_dir().join("workspace")).unwrap();
    fs::write(home.state_dir().join("workspace/notes.md"), "Buy milk.\n").unwrap();
    let provider = json!({
        "baseUrl": server.base_url(Dialect::OpenaiCompletions), "api": "openai-completions", "apiKey": "none-of-yours",
        "models": [{ "id": "m", "contextWindow": 64_000 }],
    });
    let config = json!({
        "agents": { "defaults": { "model": "cellar/m" } },
        "models": { "providers": { "cellar": provider } },
    });
    fs::write(home.home().config_path(), config.to_string()).unwrap();
}

/// Number of tool results since the last user message.
pub fn results_since(body: &Value) -> usize {
    let messages = body["messages"].as_array().unwrap();
    let spoke = messages.iter().rposition(|message| message["role"] == "user").unwrap();
    messages[spoke..].iter().filter(|message| message["role"] == "tool").count()
}

fn items(home: &TestHome) -> Vec<Item> {
    let store = Store::open(home.home()).unwrap();
    let session =
        HistoryQuery { limit: 1_000, ..HistoryQuery::for_session("agent:main:main".parse().unwrap()) };
    store.history(&session).unwrap().map(|page| page.items).unwrap_or_default()
}

/// Checks that every call has one result after it, and that all published text is stored.
pub fn check(home: &TestHome, runs: &[(String, TurnOutput)], context: &str) -> Vec<Item> {
    let items = items(home);
    let mut calls: BTreeMap<(String, String), usize> = BTreeMap::new();
    for item in &items {
        let run = item.run.as_ref().map(ToString::to_string).unwrap_or_default();
        for block in &item.message.content {
            if let Block::ToolCall(call) = block {
                assert_eq!(calls.insert((run.clone(), call.id.clone()), 0), None, "{context}: called twice");
            }
        }
        if let Role::ToolResult { tool_call_id, .. } = &item.message.role {
            *calls.get_mut(&(run, tool_call_id.clone())).expect("a result has its call") += 1;
        }
    }
    assert!(calls.values().all(|results| *results == 1), "{context}: {calls:?}");
    let store = Store::open(home.home()).unwrap();
    for (run, output) in runs {
        let of_run = items.iter().filter(|item| item.run.as_ref().is_some_and(|id| id.as_str() == run));
        let texts: Vec<String> = of_run.map(|item| item.message.text()).collect();
        assert!(!output.accepted || texts.iter().any(|text| text == "please"), "{context}: {run} is lost");
        for shown in &output.texts {
            assert!(
                texts.iter().any(|text| text.starts_with(shown.trim_end())),
                "{context}: {shown:?} in {texts:?}"
            );
        }
        if let Some(stored) = store.run(&run.parse().unwrap()).unwrap() {
            assert_ne!(stored.state, RunState::Started, "{context}: {run} was never closed");
        }
    }
    items
}

/// A home with an app and a model that reads a file, launches the app, writes a file and answers.
pub fn scene() -> (Apps, Server) {
    let apps = Apps::with("full", &[]);
    let server = Server::with_handler(|request| match results_since(&request.body) {
        0 => Reply::answer([
            Chunk::text("Working on it."),
            Chunk::call("look", "read", &json!({ "path": "notes.md" })),
            Chunk::call("act", "app_launch", &json!({ "name": "Last Z" })),
            Chunk::call("note", "write", &json!({ "path": "new/today.md", "content": "Launched it.\n" })),
        ]),
        _ => Reply::answer([Chunk::text("All "), Chunk::text("done.")]),
    });
    configure(&apps.home, &server);
    (apps, server)
}

#[test]
fn crash_at_every_step_of_a_turn_is_recovered() {
    let (apps, _server) = scene();
    let trace = apps.home.path().join("trace");
    let whole = turn(&apps.home, "whole", &[("TARSUS_CRASH_TRACE", trace.to_str().unwrap())], None);
    assert_eq!(whole.answer.as_deref(), Some("All done."));
    apps.run(&["stop", "Last Z", "--yes"]).status.success().then_some(()).unwrap();
    let mut steps: BTreeMap<String, usize> = BTreeMap::new();
    for step in fs::read_to_string(&trace).unwrap().lines().filter(|step| step.starts_with("turn.")) {
        *steps.entry(step.to_owned()).or_default() += 1;
    }
    let passed: Vec<&str> = CRASH_POINTS.iter().copied().filter(|step| steps.contains_key(*step)).collect();
    let of_turns: Vec<&str> =
        CRASH_POINTS.iter().copied().filter(|step| step.starts_with("turn.") && *step != RECOVERED).collect();
    assert_eq!(passed, of_turns, "a whole turn passes all but the recovery");
    for (step, times) in steps {
        for time in 1..=times {
            let context = format!("{step}#{time}");
            let (apps, _server) = scene();
            let mut runs = Vec::new();
            let cut = turn(&apps.home, "cut", &[("TARSUS_CRASH_POINT", &context)], None);
            assert_eq!(cut.signal, Some(ABORTED), "{context}");
            runs.push(("cut".to_owned(), cut));
            // The next start crashes too, after it closed the unfinished run.
            let again = turn(&apps.home, "again", &[("TARSUS_CRASH_POINT", "turn.recovered#1")], None);
            let left_nothing = step == "turn.concluded";
            assert_eq!(again.signal, (!left_nothing).then_some(ABORTED), "{context}");
            runs.push(("again".to_owned(), again));
            let ran_by_then = apps.pids().len();
            let next = turn(&apps.home, "next", &[], None);
            assert_eq!(next.answer.as_deref(), Some("All done."), "{context}: the session goes on");
            runs.push(("next".to_owned(), next));
            let items = check(&apps.home, &runs, &context);
            let results =
                items.iter().filter(|item| item.run.as_ref().is_some_and(|run| run.as_str() == "cut"));
            let act = results.filter(|item| {
                matches!(&item.message.role, Role::ToolResult { tool_call_id, .. } if tool_call_id == "act")
            });
            let results: Vec<String> = act.map(|item| item.message.text()).collect();
            // The model knows that the app runs, or that it may run.
            let knows =
                results.iter().any(|text| text.contains("may have run") || text.contains("is open now"));
            assert!(knows || ran_by_then == 0, "{context}: {results:?}");
            assert!(ran_by_then <= 1 || left_nothing, "{context}: the start did it again");
            let _ = apps.run(&["stop", "Last Z", "--yes"]);
        }
    }
}

#[test]
fn repeated_kills_lose_nothing_of_a_conversation() {
    let home = TestHome::new();
    let server = Server::with_handler(|request| {
        let done = results_since(&request.body);
        match done < CALLS {
            true => Reply::answer([
                Chunk::text(format!("Step {done}.")),
                Chunk::call(format!("c{done}"), "read", &json!({ "path": "notes.md", "offset": done + 1 })),
            ]),
            false => Reply::answer([Chunk::text("That was all.")]),
        }
    });
    configure(&home, &server);
    let mut runs = Vec::new();
    // Output lines of a whole turn: accepted, two for each call, and the end.
    let lines = 1 + 2 * CALLS + 2;
    for seed in 0..amount(40) {
        let after = (seed * 17 + 3) % lines;
        let run = format!("run-{seed}");
        let output = turn(&home, &run, &[], Some(after));
        assert!(output.accepted, "{seed}");
        runs.push((run, output));
    }
    let last = turn(&home, "last", &[], None);
    assert_eq!(last.answer.as_deref(), Some("That was all."));
    runs.push(("last".to_owned(), last));
    check(&home, &runs, "after all of it");
}
