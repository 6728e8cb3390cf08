//! `up` and `gateway run`: the runtime in this process. Takes the runtime lock, makes what is missing, serves until it
//! is asked to stop, and ends in order. What goes wrong meanwhile is in the log too, for those who do not see the
//! terminal.

mod demo;
mod prepare;
mod welcome;

use std::sync::Arc;
use std::time::Instant;

use tarsus_agent::Models;
use tarsus_agent::prompt::workspace::keep_history;
use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_gateway::access::Access;
use tarsus_gateway::credentials::Credentials;
use tarsus_gateway::gateway::{Gateway, Surroundings};
use tarsus_gateway::limits::Limits;
use tarsus_gateway::listen::Listening;
use tarsus_gateway::overview::Running;
use tarsus_gateway::serve::{Ended, serve};
use tarsus_home::config::{Config, ConfigFile, check};
use tarsus_home::files::Rotating;
use tarsus_home::runtime_lock::{Holder, RuntimeLock};
use tarsus_home::settings::{self, Logs};
use tarsus_host::platform::BootId;
use tarsus_host::processes;
use tarsus_host::signals::Signals;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use self::demo::Demo;
use self::welcome::Welcome;
use crate::args::Listen;
use crate::context::Context;
use crate::gateway as running;
use crate::logging;
use crate::output::Output;
use crate::text::count;

/// What is said when the gateway is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Greeting {
    /// Everything that helps at a start, for people.
    Welcome,
    /// One line.
    Line,
}

/// Starts, serves, stops.
pub fn run(
    listen: &Listen,
    greeting: Greeting,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    run_with(listen, greeting, None, context, output)
}

/// The same with a scripted model, in a folder of its own.
pub fn demo(listen: &Listen, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let demo = Demo::furnish(context)?;
    run_with(listen, Greeting::Welcome, Some(demo.models()), demo.context(), output)
}

fn run_with(
    listen: &Listen,
    greeting: Greeting,
    models: Option<Arc<dyn Models>>,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let begun = context.clock.monotonic();
    // Freed last, when nothing runs any more.
    let mut lock = None;
    let runtime = super::runtime()?;
    let ended = runtime.block_on(async {
        // Listened for from the first moment, so that a stop during the start is a stop in order too.
        let mut signals =
            Signals::listen().map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?;
        let lock = lock.insert(take_lock(context)?);
        let settings = settings::load(&context.home);
        // Settings that cannot be read are a reason to log.
        start_logs(context, settings.as_ref().map(|settings| settings.logs).unwrap_or_default())?;
        let ended = match settings {
            Ok(_) => run_locked(listen, greeting, models, lock, &mut signals, context, output, begun).await,
            Err(error) => Err(error.into()),
        };
        ended.inspect_err(log)
    });
    let exit = match ended {
        Ok(Stopped::InOrder) => return Ok(ExitCode::Done),
        Ok(Stopped::CutOff(exit)) => Ok(exit),
        Err(problem) => Err(problem),
    };
    // What still runs is not waited for. It ends with the process, and so does the lock: nobody starts beside it.
    runtime.shutdown_background();
    std::mem::forget(lock);
    exit
}

/// How the runtime stopped.
enum Stopped {
    /// Nothing runs any more.
    InOrder,
    /// Something may still run.
    CutOff(ExitCode),
}

#[expect(clippy::too_many_arguments, reason = "what a start has to know")]
async fn run_locked(
    listen: &Listen,
    greeting: Greeting,
    models: Option<Arc<dyn Models>>,
    lock: &mut RuntimeLock,
    signals: &mut Signals,
    context: &Context,
    output: &mut Output,
    begun: Instant,
) -> Result<Stopped, Problem> {
    let (config, config_note) = usable_config(context)?;
    let workspace = context.home.workspace(&config.agents, context.agent(&config)?);
    let (audit, created) = prepare::prepare(context, &workspace)?;
    let workspace_is_new = created.iter().any(|thing| thing.path == workspace);

    let listening = Listening::bind(listen.port.unwrap_or(config.gateway.port)).await?;
    lock.set_port(listening.port)?;
    let gateway = gateway(context, &config, audit, &listening, models)?;
    let skills = gateway.skills.counted(&context.agent(&config)?.id);
    let welcome = Welcome::new(context, &config, &listening, created, config_note, skills)?;
    let (stop, stopped) = watch::channel(false);
    let serving = tokio::spawn(serve(listening, Arc::new(gateway), stopped));
    tracing::info!(port = welcome.port, version = env!("CARGO_PKG_VERSION"), "ready");
    welcome.show(greeting, output, context.clock.monotonic() - begun)?;
    if workspace_is_new {
        // Nobody waits for git.
        let (programs, ours) = (context.environment.programs(), context.environment.variables());
        tokio::spawn(keep_history(workspace, programs, ours));
    }

    wait_for_end(signals, stop, serving, output).await
}

/// Writes down why the runtime ended, with everything that `gateway start` has to say about it.
fn log(problem: &Problem) {
    let place = problem.place.as_ref().map(|place| place.path.display().to_string());
    tracing::error!(code = problem.code.as_str(), hint = problem.next_step(), place, "{problem}");
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

/// Everything of the runtime but the doors, for a command that does all by itself. The caller holds the runtime lock.
pub fn alone(context: &Context) -> Result<Gateway, Problem> {
    let (config, _) = usable_config(context)?;
    let workspace = context.home.workspace(&config.agents, context.agent(&config)?);
    let (audit, _) = prepare::prepare(context, &workspace)?;
    gateway(context, &config, audit, &Listening { sockets: Vec::new(), port: 0, without_ipv6: None }, None)
}

/// Takes the runtime lock, once what a killed process left behind is gone.
pub fn take_lock(context: &Context) -> Result<RuntimeLock, Problem> {
    running::holder(context)?;
    Ok(RuntimeLock::take(&context.home, this_process(context)?)?)
}

fn this_process(context: &Context) -> Result<Holder, Problem> {
    let boot_id =
        BootId::here(&context.clock).map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?;
    let pid = std::process::id();
    Ok(Holder {
        pid,
        start: processes::identity(pid).map(|identity| identity.start),
        boot_id: boot_id.as_str().to_owned(),
        port: None,
        started_at: context.now(),
    })
}

fn start_logs(context: &Context, logs: Logs) -> Result<(), Problem> {
    let file = Rotating::open(&super::logs::path(&context.home), logs.max_bytes, logs.keep)?;
    logging::start(context.verbose, Some((file, logging::filter(logs.level))))
}

fn gateway(
    context: &Context,
    config: &Config,
    audit: Audit,
    listening: &Listening,
    models: Option<Arc<dyn Models>>,
) -> Result<Gateway, Problem> {
    let credentials = Credentials::choose(&config.gateway, &context.home, &|name| context.variable(name))?;
    let access = Access::new(listening.port, config.gateway.control_ui.allowed_origins.clone(), credentials);
    let running = Running {
        pid: std::process::id(),
        addresses: listening.addresses(),
        ready_at: context.clock.monotonic(),
    };
    let environment = context.environment.clone();
    let given = Surroundings {
        home: context.home.clone(),
        clock: context.clock.clone(),
        audit: Arc::new(audit),
        programs: Box::new({
            let environment = environment.clone();
            move || environment.programs()
        }),
        environment: environment.variables(),
        variables: Box::new(move |name| environment.variable(name)),
        language: Language::of_locale(&context.environment.locale()),
        agent: Some(context.agent(config)?.id.clone()),
        models,
    };
    Gateway::new(given, running, access, Limits::DEFAULT)
}

/// The first request to end stops in order; the second ends at once.
async fn wait_for_end(
    signals: &mut Signals,
    stop: watch::Sender<bool>,
    mut serving: JoinHandle<Ended>,
    output: &mut Output,
) -> Result<Stopped, Problem> {
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
                Ok(Stopped::InOrder)
            }
            Ok(Ended::OutOfTime) => {
                tracing::warn!("stopped with requests cut off");
                say(output, "stopped; some requests took too long and were cut off")?;
                Ok(Stopped::CutOff(ExitCode::Done))
            }
            Err(error) => Err(ended_early(Some(error))),
        },
        again = signals.next() => {
            tracing::warn!(signal = ?again, "stopped at once");
            say(output, "stopped at once")?;
            Ok(Stopped::CutOff(ExitCode::Interrupted))
        }
    }
}

fn ended_early(error: Option<tokio::task::JoinError>) -> Problem {
    let why = error.map_or_else(|| "it stopped accepting".to_owned(), |error| error.to_string());
    Problem::new(ErrorCode::Failed, format!("the gateway ended by itself: {why}"))
}

fn say(output: &mut Output, line: &str) -> Result<(), Problem> {
    if output.is_json() { Ok(()) } else { output.text(line) }
}
