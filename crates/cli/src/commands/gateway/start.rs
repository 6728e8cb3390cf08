//! `gateway start`: starts the gateway in the background.
//!
//! Returns when it is ready, else fails with the reason and the end of its log.

use std::ffi::OsString;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use jiff::Timestamp;
use tarsus_home::files;
use tarsus_home::runtime_lock::{Holder, NotTaken};
use tarsus_host::loopback;
use tarsus_host::process::{self, DetachedCommand, Env, LaunchArgs, ProcessError, ProcessExit};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use super::status::GatewayState;
use super::stop;
use crate::args::Listen;
use crate::commands::logs::{self, LogLine};
use crate::commands::runtime;
use crate::context::Context;
use crate::gateway;
use crate::output::Output;

const READY_TIMEOUT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Timeout of one `/readyz` request.
const READYZ_TIMEOUT: Duration = Duration::from_secs(1);
/// Log lines shown if it did not start.
const LOG_LINES_SHOWN: usize = 10;

/// Starts the gateway. Fails if one runs already.
pub fn run(listen: &Listen, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let holder = start(listen, context)?;
    print_started("started", &holder, context, output)
}

/// Stops the gateway if it runs, then starts it.
pub fn restart(listen: &Listen, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let before = stop::stop(context)?;
    let holder = start(listen, context)?;
    print_started(if before.is_some() { "restarted" } else { "started" }, &holder, context, output)
}

fn print_started(
    what: &str,
    holder: &Holder,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    output.show(&GatewayState::probe(holder, context), |state| {
        let home = &context.home;
        let url = state.url.as_deref().unwrap_or_default();
        let log = home.display(&logs::path(home));
        format!(
            "{what}: pid {}, {url}\nlog in {log}: `tarsus logs --follow`; `tarsus gateway stop` stops it\n",
            holder.pid
        )
    })?;
    Ok(ExitCode::Done)
}

fn start(listen: &Listen, context: &Context) -> Result<Holder, Problem> {
    ensure_not_running(context)?;
    files::make_private_dir(context.home.state_dir())?;
    let started_at = context.now();
    let launch = launch_spec(listen, context)?;
    runtime()?.block_on(async {
        let mut launched = process::launch(&launch).map_err(|error| launch_problem(&error))?;
        let pid = launched.pid();
        tokio::select! {
            exit = launched.exit() => Err(start_failure(exit, started_at, context)),
            ready = tokio::time::timeout(READY_TIMEOUT, wait_until_ready(pid, context)) => ready.unwrap_or_else(|_| {
                let message = format!("the gateway (process {pid}) was started but is not ready yet");
                Err(with_log(Problem::new(ErrorCode::TimedOut, message), started_at, context)
                    .hint("`tarsus gateway status` shows whether it becomes ready; `tarsus gateway stop` stops it"))
            }),
        }
    })
}

fn ensure_not_running(context: &Context) -> Result<(), Problem> {
    match gateway::holder(context)? {
        None => Ok(()),
        holder => Err(NotTaken::Held { holder }.into()),
    }
}

/// The command line of the background process. It does not depend on the working directory.
fn launch_spec(listen: &Listen, context: &Context) -> Result<DetachedCommand, Problem> {
    let program = context.environment.program.clone().ok_or_else(|| {
        Problem::new(ErrorCode::Failed, "the system does not report the path of this program")
            .hint("`tarsus gateway run` runs the gateway in this terminal")
    })?;
    let home = &context.home;
    let mut arguments: Vec<OsString> = vec!["gateway".into(), "run".into()];
    arguments.extend(["--state-dir".into(), home.state_dir().into()]);
    arguments.extend(["--config".into(), home.config_path().into()]);
    for (flag, value) in [
        ("--agent", context.named_agent().map(ToString::to_string)),
        ("--port", listen.port.map(|port| port.to_string())),
    ] {
        arguments.extend(value.into_iter().flat_map(|value| [OsString::from(flag), value.into()]));
    }
    let mut env = Env::empty();
    // Windows keeps the working directory of each drive in variables whose names contain `=`.
    let named = |name: &OsString| !name.as_encoded_bytes().contains(&b'=');
    for (name, value) in context.environment.variables().into_iter().filter(|(name, _)| named(name)) {
        env.set(name, value);
    }
    Ok(DetachedCommand {
        program,
        args: LaunchArgs::Each(arguments),
        env,
        cwd: home.state_dir().to_path_buf(),
        agent: None,
        drain: Vec::new(),
    })
}

/// Waits until the process holds the lock, listens and answers `/readyz`.
async fn wait_until_ready(pid: u32, context: &Context) -> Result<Holder, Problem> {
    let mut ticks = tokio::time::interval(POLL_INTERVAL);
    loop {
        ticks.tick().await;
        let holder = gateway::holder(context)?.filter(|holder| holder.pid == pid);
        if let Some((holder, port)) = holder.and_then(|holder| holder.port.map(|port| (holder, port))) {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            if matches!(loopback::get(address, "/readyz", None, READYZ_TIMEOUT), Ok((200, _))) {
                return Ok(holder);
            }
        }
    }
}

fn launch_problem(error: &ProcessError) -> Problem {
    let problem = Problem::new(ErrorCode::Failed, error.to_string());
    match error {
        ProcessError::Start { source, .. } => problem.note(source.to_string()),
        _ => problem,
    }
}

/// Why the process ended before it was ready: another gateway was faster, or an error in its log.
fn start_failure(exit: io::Result<ProcessExit>, started_at: Timestamp, context: &Context) -> Problem {
    if let Err(problem) = ensure_not_running(context) {
        return problem;
    }
    let how = match exit {
        Ok(ProcessExit::Code(code)) => format!("it ended with exit code {code}"),
        Ok(ProcessExit::Signal(signal)) => format!("it was ended by signal {signal}"),
        Err(error) => format!("its exit status is unknown: {error}"),
    };
    let problem = Problem::new(ErrorCode::Failed, format!("the gateway did not start: {how}"));
    with_log(problem, started_at, context)
}

/// Adds the end of the log. The last error in it that has a code replaces the problem.
fn with_log(problem: Problem, started_at: Timestamp, context: &Context) -> Problem {
    let lines: Vec<LogLine> = match logs::read_tail(&context.home, LOG_LINES_SHOWN, None) {
        Ok(newest) => {
            let lines = newest.lines.iter().map(|line| LogLine::parse(line));
            lines.filter(|line| line.at.is_some_and(|at| at >= started_at)).collect()
        }
        Err(error) => return problem.note(format!("the log cannot be read: {error}")),
    };
    let reported = lines.iter().rev().find_map(|line| Some((line.code()?, line)));
    let problem = match reported {
        Some((code, line)) => {
            let problem = Problem::new(code, format!("the gateway did not start: {}", line.message));
            line.field("hint").into_iter().fold(problem, Problem::hint)
        }
        None => problem,
    };
    let file = context.home.display(&logs::path(&context.home));
    if lines.is_empty() {
        let problem = problem.note(format!("{file} has no entry about it"));
        return problem.hint("`tarsus gateway run` shows the reason in this terminal");
    }
    lines.iter().fold(problem.note(format!("the end of {file}:")), |problem, line| problem.note(line.text()))
}
