//! A gateway on a state folder, as a process that a test can kill at a named step (see
//! `tarsus_home::files::crash`). Prints `ready PORT`, and serves until it is killed. With a run id and a message
//! it runs an agent instead, with the configured model, and prints its events.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;
use tarsus_agent::{Channel, Inbound, NoModelSource, RunEventKind, RunOutcome};
use tarsus_apps::conversation::Language;
use tarsus_gateway::access::Access;
use tarsus_gateway::gateway::{Gateway, GatewayContext};
use tarsus_gateway::limits::Limits;
use tarsus_gateway::listen::LoopbackListener;
use tarsus_gateway::running::RunningGateway;
use tarsus_gateway::serve::serve;
use tarsus_home::config::ConfigFile;
use tarsus_home::credentials::{Credentials, ensure_token};
use tarsus_home::{Home, HomeOptions};
use tarsus_host::path::SearchPath;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::RunId;
use tokio::sync::watch;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (state, turn) = match &arguments[..] {
        [state] => (state, None),
        [state, run, text] => (state, Some((run, text))),
        _ => {
            eprintln!("usage: tarsus-test-gateway STATE [RUN TEXT]");
            return ExitCode::from(2);
        }
    };
    match run(state, turn) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{}: {problem}", problem.code);
            ExitCode::FAILURE
        }
    }
}

fn run(state: &str, turn: Option<(&String, &String)>) -> Result<(), Problem> {
    let home = Home::locate(&HomeOptions { state_flag: Some(state.into()), ..HomeOptions::default() })?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?.block_on(async {
        ensure_token(&home)?;
        let config = ConfigFile::for_home(&home).load(&|_| None)?.view;
        let credentials = Credentials::resolve(&config.gateway, &home, &|_| None)?;
        let listening = LoopbackListener::bind(0).await?;
        let (port, clock) = (listening.port, tarsus_tests::faulty_clock());
        let running = RunningGateway {
            pid: std::process::id(),
            addresses: listening.addresses(),
            ready_at: clock.monotonic(),
        };
        let given = GatewayContext {
            audit: Arc::new(tarsus_tests::open_audit(&home)?),
            home,
            clock,
            variables: Box::new(|_| None),
            programs: Box::new(|| SearchPath::new("".as_ref(), None)),
            environment: Vec::new(),
            language: Language::English,
            agent: None,
            models: if turn.is_none() { Some(Arc::new(NoModelSource)) } else { None },
        };
        let access = Access::new(port, Vec::new(), credentials);
        let gateway = Arc::new(Gateway::new(given, running, access, Limits::DEFAULT)?);
        if let Some((run, text)) = turn {
            return answer(&gateway, run, text).await;
        }
        // Held to the end: nobody stops it.
        let (_stop, stopped) = watch::channel(false);
        println!("ready {port}");
        serve(listening, gateway, stopped).await;
        Ok(())
    })
}

/// Runs an agent in its main session and prints a line per event.
async fn answer(gateway: &Gateway, run: &str, text: &str) -> Result<(), Problem> {
    let run: RunId = run.parse()?;
    let mut told = gateway.runtime.subscribe(run.clone());
    let inbound = Inbound {
        session: "agent:main:main".parse()?,
        run,
        text: text.to_owned(),
        attachments: Vec::new(),
        channel: Channel::Webchat,
        may_change_apps: true,
        is_by_agent: false,
        may_approve: true,
        model: None,
    };
    let accepted = gateway.runtime.send(inbound).await?;
    println!("{}", json!({ "taken": true }));
    accepted.start_turn();
    while let Some(told) = told.recv().await {
        let line = match told.kind {
            RunEventKind::TextDelta { message, .. } => json!({ "says": message.text() }),
            RunEventKind::ToolFinished { call, result } => {
                json!({ "called": call.id, "failed": result.is_error })
            }
            RunEventKind::Finished(RunOutcome::Completed { message, .. }) => {
                json!({ "answer": message.text() })
            }
            RunEventKind::Finished(other) => json!({ "over": format!("{other:?}") }),
            _ => continue,
        };
        println!("{line}");
    }
    Ok(())
}
