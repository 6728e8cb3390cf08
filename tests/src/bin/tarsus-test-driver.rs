//! Performs one file operation as a separate process, so that tests can kill it at a named step (see
//! `tarsus_home::files::crash`), run several at once, or fill the disk.
//!
//! Prints what it did; a failure is one line `CODE: message` on standard error and exit code 1.
#![forbid(unsafe_code)]

use std::env;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Map;
use tarsus_apps::manager::{AppManager, Requester};
use tarsus_apps::{AppEntry, AppMode, BaseVersion, Registry, RegistryChange, RegistryError};
use tarsus_audit::{AuditEntry, RecordSeverity};
use tarsus_home::config::json5::Edit;
use tarsus_home::config::{self, ConfigError, ConfigFile};
use tarsus_home::files::{Locked, Reserve};
use tarsus_home::secrets::SecretStore;
use tarsus_home::{Home, HomeOptions, Secret};
use tarsus_protocol::message::ToolCall;
use tarsus_protocol::{Block, ErrorCode, Message, Problem, Role};
use tarsus_store::{Accepted, Durability, NewCall, NewItem, NewMessage, RunEnd, RunId, SessionKey, Store};
use tarsus_tests::open_audit;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{}: {problem}", problem.code);
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<(), Problem> {
    match *arguments {
        ["atomic-write", path, text] => Ok(Locked::take(Path::new(path))?.replace(text.as_bytes())?),
        ["remove", path] => Ok(Locked::take(Path::new(path))?.remove()?),
        ["config-set", state, key, value] => {
            let value = serde_json::from_str(value).map_err(|error| usage(error.to_string()))?;
            ConfigFile::for_home(&home(state)?).edit(None, &[Edit::Set { path: path(key)?, value }])?;
            Ok(())
        }
        ["config-increment", state, key, own_key, times] => {
            let config = ConfigFile::for_home(&home(state)?);
            for time in 1..=number(times)? {
                increment(&config, &path(key)?)?;
                config.edit(None, &[Edit::set(path(own_key)?, time)])?;
            }
            Ok(())
        }
        ["registry-create", state] => {
            match Registry::for_home(&home(state)?).save(&RegistryChange::Create, BaseVersion::Any) {
                // Created by a run that was cut short.
                Err(RegistryError::AlreadyThere { .. }) => Ok(()),
                done => Ok(done.map(drop)?),
            }
        }
        ["registry-off", state, name] => {
            Registry::for_home(&home(state)?)
                .save(&RegistryChange::policy(name, AppMode::Off, [""; 0]), BaseVersion::Any)?;
            Ok(())
        }
        ["app-off", state, name] => {
            let home = home(state)?;
            let requester = Requester { agent: "main".to_owned(), session: None };
            let audit = open_audit(&home).map(Arc::new).map_err(Problem::from);
            let manager = AppManager::new(&home, audit, tarsus_tests::faulty_clock(), requester, Vec::new());
            let change = RegistryChange::policy(name, AppMode::Off, [""; 0]);
            println!("saved {}", manager.save(&change, BaseVersion::Any)?.changed);
            Ok(())
        }
        ["registry-add", state, name, times] => {
            let registry = Registry::for_home(&home(state)?);
            for time in 1..=number(times)? {
                add_app(&registry, format!("{name} {time}"))?;
            }
            Ok(())
        }
        ["reserve", state] => {
            println!("{}", Reserve::at(home(state)?.reserve_path()).ensure()?);
            Ok(())
        }
        ["reserve-give", state] => {
            println!("{}", Reserve::at(home(state)?.reserve_path()).give_back()?);
            Ok(())
        }
        ["secret-set", state, id, value] => {
            Ok(SecretStore::for_home(&home(state)?).set(id, Secret::new(value))?)
        }
        ["secret-remove", state, id] => {
            println!("{}", SecretStore::for_home(&home(state)?).remove(id)?);
            Ok(())
        }
        ["audit-append", state, event, times] => {
            let audit = open_audit(&home(state)?)?;
            for _ in 0..number(times)? {
                println!("{}", audit.record(entry(event), moment()?)?.seq);
            }
            Ok(())
        }
        ["audit-best-effort", state, event] => {
            let audit = open_audit(&home(state)?)?;
            let recorded = audit.record_best_effort(entry(event), moment()?);
            println!("{:?} lost {}", recorded.map(|recorded| recorded.seq), audit.lost());
            Ok(())
        }
        ["audit-reset", state, reason] => {
            println!("{}", open_audit(&home(state)?)?.reset(reason, "a test", moment()?)?.old_height);
            Ok(())
        }
        ["store-converse", state, writers, times] => {
            let store = Store::open(&home(state)?)?;
            tarsus_agent::close_interrupted_runs(&store, 9);
            let (writers, times) = (number(writers)?, number(times)?);
            let store = &store;
            std::thread::scope(|scope| {
                let talks: Vec<_> =
                    (1..=writers).map(|writer| scope.spawn(move || converse(store, writer, times))).collect();
                talks.into_iter().try_for_each(|talk| {
                    talk.join().unwrap_or_else(|_| Err(Problem::new(ErrorCode::Failed, "a writer panicked")))
                })
            })
        }
        _ => Err(usage(format!("unknown operation {arguments:?}"))),
    }
}

fn home(state: &str) -> Result<Home, Problem> {
    Home::locate(&HomeOptions { state_flag: Some(state.into()), ..HomeOptions::default() })
}

fn entry(event: &str) -> AuditEntry {
    AuditEntry::security(event, RecordSeverity::Info)
}

/// Constant: nothing here may depend on the clock.
fn moment() -> Result<Timestamp, Problem> {
    Timestamp::from_second(1_794_744_000).map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))
}

fn number(text: &str) -> Result<u32, Problem> {
    text.parse().map_err(|_| usage(format!("{text} is not a number")))
}

fn path(key: &str) -> Result<config::json5::Path, Problem> {
    key.parse().map_err(|error: config::json5::ConfigPathError| usage(error.to_string()))
}

fn usage(message: String) -> Problem {
    Problem::new(ErrorCode::Usage, message)
}

/// Adds one to a number by compare-and-swap; retries if another process was faster.
fn increment(config: &ConfigFile, key: &config::json5::Path) -> Result<(), Problem> {
    loop {
        let loaded = config.load(&|_| None)?;
        let count = loaded.document.get(key).and_then(|node| node.to_value().as_u64()).unwrap_or(0);
        match config.edit(Some(&config.hash(&loaded)?), &[Edit::set(key.clone(), count + 1)]) {
            Err(ConfigError::Stale) => {}
            done => return Ok(done.map(drop)?),
        }
    }
}

/// Sends messages that are answered with two tool calls each. Prints the number of each item once it is
/// durable, and each tool effect.
fn converse(store: &Store, writer: u32, times: u32) -> Result<(), Problem> {
    let session: SessionKey = format!("agent:main:writer-{writer}").parse()?;
    for time in 1..=times {
        let run: RunId = format!("{writer}-{time}").parse()?;
        let say = |role, text: String| Message { role, content: vec![Block::text(text)], timestamp: None };
        let item =
            |message, at_ms| NewItem { session: session.clone(), run: Some(run.clone()), message, at_ms };
        let message = say(Role::User, format!("question {run}"));
        let asked = NewMessage { session: session.clone(), run: run.clone(), message, at_ms: 2 };
        // Accepted by a run of this program that was cut short.
        let Accepted::New { number, .. } = store.accept(asked).wait()? else { continue };
        println!("{number} question {run}");

        let mut asks = say(Role::Assistant, format!("asks {run}"));
        let call = |id: &str| ToolCall { id: id.to_owned(), name: "tool".to_owned(), arguments: Map::new() };
        asks.content.extend(["reads", "writes"].map(|id| Block::ToolCall(call(id))));
        let new = |id: &str, begun| NewCall { id: id.to_owned(), tool: "tool".to_owned(), begun };
        let calls = vec![new("reads", true), new("writes", false)];
        let number = store.append_answer(item(asks, 3), calls, None, Durability::KillSafe).wait()?;
        println!("{number} asks {run}");
        println!("ran reads {run}");
        store.begin_call(run.clone(), "writes".to_owned(), 4).wait()?;
        println!("ran writes {run}");
        let result = |id: &str| {
            let role = Role::ToolResult {
                tool_call_id: id.to_owned(),
                tool_name: "tool".to_owned(),
                is_error: false,
                details: None,
            };
            store.record_result(run.clone(), id.to_owned(), item(say(role, format!("{id} done {run}")), 5))
        };
        // One after the other: concurrent writes may be grouped.
        for id in ["reads", "writes"] {
            println!("{} {id} done {run}", result(id).wait()?);
        }

        store.append_draft(run.clone(), format!("answer {run}"), 6).wait()?;
        println!("shown answer {run}");
        let answer = item(say(Role::Assistant, format!("answer {run}")), 7);
        let number =
            store.conclude(answer, run.clone(), RunEnd::Finished, None, Durability::KillSafe).wait()?;
        println!("{number} answer {run}");
        println!("finished {run}");
    }
    Ok(())
}

/// Adds an app by compare-and-swap, like [`increment`].
fn add_app(registry: &Registry, name: String) -> Result<(), Problem> {
    let entry = AppEntry::new(format!("/opt/{name}"), AppMode::Off, [""; 0]);
    let change = RegistryChange::Add { name, entry };
    loop {
        let loaded = registry.load()?;
        match registry.save(&change, loaded.version()) {
            Err(RegistryError::Stale { .. }) => {}
            done => return Ok(done.map(drop)?),
        }
    }
}
