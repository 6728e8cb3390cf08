//! `up`: the runtime in this terminal. Takes the runtime lock, makes what is missing, serves until it is asked to
//! stop, and ends in order.

mod prepare;
mod welcome;

use std::sync::Arc;
use std::time::Instant;

use tarsus_audit::Audit;
use tarsus_gateway::access::Access;
use tarsus_gateway::credentials::Credentials;
use tarsus_gateway::failures::Failures;
use tarsus_gateway::http::{self, Gateway};
use tarsus_gateway::limits::Limits;
use tarsus_gateway::listen::Listening;
use tarsus_gateway::overview::{self, Running};
use tarsus_gateway::serve::{Ended, serve};
use tarsus_home::config::{Config, ConfigFile, check};
use tarsus_home::files::Rotating;
use tarsus_home::runtime_lock::{Holder, RuntimeLock};
use tarsus_home::settings;
use tarsus_host::platform::BootId;
use tarsus_host::signals::Signals;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use self::welcome::Welcome;
use crate::args::Up;
use crate::context::Context;
use crate::logging;
use crate::output::Output;
use crate::text::count;

/// Starts, serves, stops.
pub fn run(up: &Up, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let begun = context.clock.monotonic();
    super::runtime()?.block_on(run_inside(up, context, output, begun))
}

async fn run_inside(
    up: &Up,
    context: &Context,
    output: &mut Output,
    begun: Instant,
) -> Result<ExitCode, Problem> {
    // Listened for from the first moment, so that a stop during the start is a stop in order too.
    let mut signals =
        Signals::listen().map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?;
    let home = &context.home;
    let mut lock = RuntimeLock::take(home, this_process(context)?)?;
    let (config, config_note) = usable_config(context)?;
    let workspace = home.workspace(&config.agents, context.agent(&config)?);
    let (audit, created) = prepare::prepare(context, &workspace)?;
    start_logs(context)?;

    let listening = Listening::bind(up.port.unwrap_or(config.gateway.port)).await?;
    lock.set_port(listening.port)?;
    let welcome = Welcome::new(context, &config, &listening, created, config_note)?;
    let (stop, stopped) = watch::channel(false);
    let serving = start_serving(context, &config, Arc::new(audit), listening, stopped)?;
    tracing::info!(port = welcome.port, version = env!("CARGO_PKG_VERSION"), "ready");
    welcome.show(output, context.clock.monotonic() - begun)?;

    wait_for_end(&mut signals, stop, serving, output).await
    // Dropped last, when nothing runs any more: `lock`.
}

/// The configuration, or the last good one while the file is broken; and what there is to say about it.
fn usable_config(context: &Context) -> Result<(Config, Option<String>), Problem> {
    let file = ConfigFile::of(&context.home);
    let variables = |name: &str| context.variable(name);
    match file.load(&variables) {
        Ok(loaded) if loaded.issues.is_empty() => {
            file.remember(&loaded)?;
            Ok((loaded.view, None))
        }
        Ok(loaded) => {
            let mistakes = count(loaded.issues.len(), "value");
            let note = format!(
                "{mistakes} of the configuration cannot be used: `tarsus config validate` shows them"
            );
            Ok((loaded.view, Some(note)))
        }
        Err(error) => match file.last_good()? {
            None => Err(error.into()),
            Some(good) => {
                let note = format!("{error}; the last good version is in force: `tarsus config validate`");
                Ok((check(&good, Some(&variables)).view, Some(note)))
            }
        },
    }
}

fn this_process(context: &Context) -> Result<Holder, Problem> {
    let boot_id =
        BootId::here(&context.clock).map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?;
    Ok(Holder {
        pid: std::process::id(),
        boot_id: boot_id.as_str().to_owned(),
        port: None,
        started_at: context.now(),
    })
}

fn start_logs(context: &Context) -> Result<(), Problem> {
    let logs = settings::load(&context.home)?.logs;
    let file = Rotating::open(&context.home.logs_dir().join("tarsus.log"), logs.max_bytes, logs.keep)?;
    logging::start(context.verbose, Some((file, logging::filter(logs.level))))
}

fn start_serving(
    context: &Context,
    config: &Config,
    audit: Arc<Audit>,
    listening: Listening,
    stopped: watch::Receiver<bool>,
) -> Result<JoinHandle<Ended>, Problem> {
    let limits = Limits::DEFAULT;
    let credentials = Credentials::choose(&config.gateway, &context.home, &|name| context.variable(name))?;
    let origins = config.gateway.control_ui.allowed_origins.clone();
    let running = Running {
        pid: std::process::id(),
        addresses: listening.addresses(),
        ready_at: context.clock.monotonic(),
    };
    let agent = Some(context.agent(config)?.id.clone());
    let (home, clock, environment) =
        (context.home.clone(), context.clock.clone(), context.environment.clone());
    let uptime = {
        let (clock, ready_at) = (context.clock.clone(), running.ready_at);
        move || clock.monotonic() - ready_at
    };
    let gateway = Gateway {
        access: Access::new(listening.port, origins, credentials),
        failures: Failures::new(Arc::clone(&audit), context.clock.clone(), limits.failing_addresses),
        status: Box::new(move || {
            let gateway = running.status(clock.monotonic());
            overview::gather(
                &home,
                &|name| environment.variable(name),
                environment.programs(),
                agent.as_ref(),
                Some(&audit),
                gateway,
            )
        }),
        uptime: Box::new(uptime),
    };
    let router = http::router(Arc::new(gateway), limits);
    Ok(tokio::spawn(serve(listening, router, limits, stopped)))
}

/// The first request to end stops in order; the second ends at once.
async fn wait_for_end(
    signals: &mut Signals,
    stop: watch::Sender<bool>,
    mut serving: JoinHandle<Ended>,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let signal = tokio::select! {
        signal = signals.next() => signal,
        ended = &mut serving => return Err(ended_early(ended.err())),
    };
    tracing::info!(?signal, "stopping");
    stop.send_replace(true);
    tokio::select! {
        ended = &mut serving => match ended {
            Ok(Ended::InOrder) => {
                tracing::info!("stopped in order");
                say(output, "stopped")?;
            }
            Ok(Ended::OutOfTime) => {
                tracing::warn!("stopped with requests cut off");
                say(output, "stopped; some requests took too long and were cut off")?;
            }
            Err(error) => return Err(ended_early(Some(error))),
        },
        again = signals.next() => {
            tracing::warn!(signal = ?again, "stopped at once");
            say(output, "stopped at once")?;
            return Ok(ExitCode::Interrupted);
        }
    }
    Ok(ExitCode::Done)
}

fn ended_early(error: Option<tokio::task::JoinError>) -> Problem {
    let why = error.map_or_else(|| "it stopped accepting".to_owned(), |error| error.to_string());
    Problem::new(ErrorCode::Failed, format!("the gateway ended by itself: {why}"))
}

fn say(output: &mut Output, line: &str) -> Result<(), Problem> {
    if output.is_json() { Ok(()) } else { output.text(line) }
}
