//! A gateway on a state folder, as a process of its own that a test can end at a named step (see
//! `tarsus_home::files::crash`). Prints `ready PORT`, and serves until it is killed.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::Arc;

use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_gateway::access::Access;
use tarsus_gateway::credentials::{Credentials, ensure_token};
use tarsus_gateway::gateway::{Gateway, Surroundings};
use tarsus_gateway::limits::Limits;
use tarsus_gateway::listen::Listening;
use tarsus_gateway::overview::Running;
use tarsus_gateway::serve::serve;
use tarsus_home::config::ConfigFile;
use tarsus_home::{Choice, Home};
use tarsus_host::Clock;
use tarsus_host::path::SearchPath;
use tarsus_protocol::{ErrorCode, Problem};
use tokio::sync::watch;

fn main() -> ExitCode {
    let Some(state) = std::env::args().nth(1) else {
        eprintln!("usage: tarsus-test-gateway STATE");
        return ExitCode::from(2);
    };
    match run(state) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{}: {problem}", problem.code);
            ExitCode::FAILURE
        }
    }
}

fn run(state: String) -> Result<(), Problem> {
    let home = Home::locate(&Choice { state_flag: Some(state.into()), ..Choice::default() })?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?.block_on(async {
        ensure_token(&home)?;
        let config = ConfigFile::of(&home).load(&|_| None)?.view;
        let credentials = Credentials::choose(&config.gateway, &home, &|_| None)?;
        let listening = Listening::bind(0).await?;
        let (port, clock) = (listening.port, Clock::system());
        let running = Running {
            pid: std::process::id(),
            addresses: listening.addresses(),
            ready_at: clock.monotonic(),
        };
        let given = Surroundings {
            audit: Arc::new(Audit::open(&home)?),
            home,
            clock,
            variables: Box::new(|_| None),
            programs: Box::new(|| SearchPath::new("".as_ref(), None)),
            environment: Vec::new(),
            language: Language::English,
            agent: None,
        };
        let access = Access::new(port, Vec::new(), credentials);
        let gateway = Arc::new(Gateway::new(given, running, access, Limits::DEFAULT)?);
        // Held to the end: nobody asks it to stop.
        let (_stop, stopped) = watch::channel(false);
        println!("ready {port}");
        serve(listening, gateway, stopped).await;
        Ok(())
    })
}
