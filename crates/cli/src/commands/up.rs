//! `up` and `gateway run`: the gateway in this process. Takes the runtime lock, creates missing files, serves until
//! a signal arrives and shuts down in order. Errors also go to the log, for those who do not see the terminal.

mod demo;
mod prepare;
mod welcome;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tarsus_agent::ModelSource;
use tarsus_agent::prompt::workspace::init_repository;
use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_gateway::access::Access;
use tarsus_gateway::gateway::{Gateway, GatewayContext};
use tarsus_gateway::limits::Limits;
use tarsus_gateway::listen::LoopbackListener;
use tarsus_gateway::running::RunningGateway;
use tarsus_gateway::serve::{ShutdownOutcome, serve};
use tarsus_health::status::file_issue;
use tarsus_home::config::view::Mode;
use tarsus_home::config::{Config, ConfigFile, check};
use tarsus_home::credentials::Credentials;
use tarsus_home::files::Rotating;
use tarsus_home::runtime_lock::{Holder, RuntimeLock};
use tarsus_home::settings::{self, Logs};
use tarsus_host::platform::BootId;
use tarsus_host::processes;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use self::demo::Demo;
use self::welcome::Welcome;
use crate::args::Listen;
use crate::context::Context;
use crate::gateway;
use crate::logging;
use crate::output::Output;
use crate::stop_requests::StopRequests;
use crate::text::count;

/// How long a shutdown in order may take; more than the time that requests have to end.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(30);

/// The text printed when the gateway is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Greeting {
    /// The full welcome text.
    Welcome,
    Line,
}

pub fn run(
    listen: &Listen,
    greeting: Greeting,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    run_with(listen, greeting, None, context, output)
}

/// Runs the demo: a scripted model in a temporary folder.
pub fn demo(listen: &Listen, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let demo = Demo::create(context)?;
    run_with(listen, Greeting::Welcome, Some(demo.models()), demo.context(), output)
}

fn run_with(
    listen: &Listen,
    greeting: Greeting,
    models: Option<Arc<dyn ModelSource>>,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let started_at = context.clock.monotonic();
    // Released last, when nothing runs any more.
    let mut lock = None;
    let runtime = super::runtime()?;
    let ended = runtime.block_on(async {
        // Installed first, so that a signal during the start shuts down in order too.
        let mut stop_requests = StopRequests::listen(SHUTDOWN_GRACE)?;
        let lock = lock.insert(take_lock(context)?);
        let settings = settings::load(&context.home);
        // Log even if the settings cannot be read.
        start_logs(context, settings.as_ref().map(|settings| settings.logs).unwrap_or_default())?;
        let ended = match settings {
            Ok(_) => {
                run_locked(listen, greeting, models, lock, &mut stop_requests, context, output, started_at)
                    .await
            }
            Err(error) => Err(error.into()),
        };
        ended.inspect_err(log_failure)
    });
    let exit = match ended {
        Ok(Stopped::Graceful) => return Ok(ExitCode::Done),
        Ok(Stopped::CutOff(exit)) => Ok(exit),
        Err(problem) => Err(problem),
    };
    // Remaining tasks are not awaited. They and the lock end with the process, so no other gateway can start beside
    // them.
    runtime.shutdown_background();
    std::mem::forget(lock);
    exit
}

enum Stopped {
    /// All tasks have ended.
    Graceful,
    /// Some tasks may still run.
    CutOff(ExitCode),
}

#[expect(clippy::too_many_arguments, reason = "what a start has to know")]
async fn run_locked(
    listen: &Listen,
    greeting: Greeting,
    models: Option<Arc<dyn ModelSource>>,
    lock: &mut RuntimeLock,
    stop_requests: &mut StopRequests,
    context: &Context,
    output: &mut Output,
    started_at: Instant,
) -> Result<Stopped, Problem> {
    let (config, config_note) = usable_config(context)?;
    require_local(&config)?;
    let workspace = context.home.workspace(&config.agents, context.agent(&config)?);
    let (audit, created) = prepare::prepare(context, &workspace)?;
    let workspace_is_new = created.iter().any(|thing| thing.path == workspace);

    let listening = LoopbackListener::bind(listen.port.unwrap_or(config.gateway.port)).await?;
    lock.set_port(listening.port)?;
    let gateway = open_gateway(context, &config, audit, &listening, models)?;
    let skills = gateway.skills.counts(&context.agent(&config)?.id);
    let welcome = Welcome::new(context, &config, &listening, created, config_note, skills)?;
    let (stop, stopped) = watch::channel(false);
    let serving = tokio::spawn(serve(listening, Arc::new(gateway), stopped));
    tracing::info!(port = welcome.port, version = env!("CARGO_PKG_VERSION"), "ready");
    welcome.show(greeting, output, context.clock.monotonic() - started_at)?;
    if workspace_is_new {
        // In the background: git may be slow.
        let (programs, ours) = (context.environment.search_path(), context.environment.variables());
        tokio::spawn(init_repository(workspace, programs, ours));
    }

    wait_for_end(stop_requests, stop, serving, output).await
}

/// Logs why the gateway ended, with the fields that `gateway start` shows.
fn log_failure(problem: &Problem) {
    let place = problem.location.as_ref().map(|place| place.path.display().to_string());
    tracing::error!(code = problem.code.as_str(), hint = problem.next_step(), place, "{problem}");
}

/// Loads the configuration, or the last good one while the file is broken, with a note about it.
fn usable_config(context: &Context) -> Result<(Config, Option<String>), Problem> {
    let file = ConfigFile::for_home(&context.home);
    let variables = |name: &str| context.variable(name);
    match context.config() {
        Ok(loaded) if loaded.issues.is_empty() => {
            file.remember(loaded)?;
            Ok((loaded.view.clone(), None))
        }
        Ok(loaded) => {
            let mistakes = count(loaded.issues.len(), "value");
            let note = format!(
                "{mistakes} of the configuration cannot be used: `tarsus config validate` shows them"
            );
            Ok((loaded.view.clone(), Some(note)))
        }
        Err(problem) => match file.last_good()? {
            None => Err(problem),
            Some(good) => {
                let fault = file_issue(problem).message;
                let note = format!("{fault}; the last good version is in effect: `tarsus config validate`");
                Ok((check(&good, Some(&variables)).view, Some(note)))
            }
        },
    }
}

/// Refuses to start a gateway where the configuration names another machine's.
fn require_local(config: &Config) -> Result<(), Problem> {
    match config.gateway.mode {
        Mode::Local => Ok(()),
        Mode::Remote => Err(Problem::new(
            ErrorCode::Denied,
            "gateway.mode is remote: the gateway is to run on another machine, and this version cannot connect to one",
        )
        .hint("`tarsus config set gateway.mode local` runs it here")),
    }
}

/// Opens the gateway without listening, for commands that run an agent themselves. The caller holds the runtime
/// lock.
pub fn open_without_listening(context: &Context) -> Result<Gateway, Problem> {
    let (config, _) = usable_config(context)?;
    let workspace = context.home.workspace(&config.agents, context.agent(&config)?);
    let (audit, _) = prepare::prepare(context, &workspace)?;
    open_gateway(
        context,
        &config,
        audit,
        &LoopbackListener { sockets: Vec::new(), port: 0, without_ipv6: None },
        None,
    )
}

/// Takes the runtime lock, after waiting for the lock of a dead process to be released.
pub fn take_lock(context: &Context) -> Result<RuntimeLock, Problem> {
    gateway::holder(context)?;
    Ok(RuntimeLock::take(&context.home, this_process(context)?)?)
}

fn this_process(context: &Context) -> Result<Holder, Problem> {
    let boot_id = BootId::current(&context.clock)
        .map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?;
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

fn open_gateway(
    context: &Context,
    config: &Config,
    audit: Audit,
    listening: &LoopbackListener,
    models: Option<Arc<dyn ModelSource>>,
) -> Result<Gateway, Problem> {
    let credentials = Credentials::resolve(&config.gateway, &context.home, &|name| context.variable(name))?;
    let access = Access::new(listening.port, config.gateway.control_ui.allowed_origins.clone(), credentials);
    let running = RunningGateway {
        pid: std::process::id(),
        addresses: listening.addresses(),
        ready_at: context.clock.monotonic(),
    };
    let environment = context.environment.clone();
    let surroundings = GatewayContext {
        home: context.home.clone(),
        clock: context.clock.clone(),
        audit: Arc::new(audit),
        programs: Box::new({
            let environment = environment.clone();
            move || environment.search_path()
        }),
        environment: environment.variables(),
        variables: Box::new(move |name| environment.variable(name)),
        language: Language::from_locale(&context.environment.locale()),
        agent: Some(context.agent(config)?.id.clone()),
        models,
    };
    Gateway::new(surroundings, running, access, Limits::DEFAULT)
}

/// Waits for a signal. The first one shuts down in order, the second one at once.
async fn wait_for_end(
    stop_requests: &mut StopRequests,
    stop: watch::Sender<bool>,
    mut serving: JoinHandle<ShutdownOutcome>,
    output: &mut Output,
) -> Result<Stopped, Problem> {
    let signal = tokio::select! {
        signal = stop_requests.next() => signal,
        ended = &mut serving => return Err(ended_early(ended.err())),
    };
    tracing::info!(?signal, "stopping");
    stop.send_replace(true);
    tokio::select! {
        ended = &mut serving => match ended {
            Ok(ShutdownOutcome::Graceful) => {
                tracing::info!("stopped in order");
                print_line(output, "stopped")?;
                Ok(Stopped::Graceful)
            }
            Ok(ShutdownOutcome::TimedOut) => {
                tracing::warn!("stopped with requests cut off");
                print_line(output, "stopped; some requests took too long and were cut off")?;
                Ok(Stopped::CutOff(ExitCode::Done))
            }
            Err(error) => Err(ended_early(Some(error))),
        },
        again = stop_requests.next() => {
            tracing::warn!(signal = ?again, "stopped at once");
            print_line(output, "stopped at once")?;
            Ok(Stopped::CutOff(ExitCode::Interrupted))
        }
    }
}

fn ended_early(error: Option<tokio::task::JoinError>) -> Problem {
    let why = error.map_or_else(|| "it stopped accepting".to_owned(), |error| error.to_string());
    Problem::new(ErrorCode::Failed, format!("the gateway ended by itself: {why}"))
}

fn print_line(output: &mut Output, line: &str) -> Result<(), Problem> {
    if output.is_json() { Ok(()) } else { output.text(line) }
}
