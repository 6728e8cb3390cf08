//! `gateway start`: the gateway in a process of its own, which outlives this one.
//!
//! Promises: says that it is ready when it answers, and else why not, with the end of its log.

use std::ffi::OsString;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use jiff::Timestamp;
use tarsus_home::files;
use tarsus_home::runtime_lock::{Holder, NotTaken};
use tarsus_host::loopback;
use tarsus_host::process::{self, Args, Env, Exit, Launch, ProcessError};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use super::status::Seen;
use super::stop;
use crate::args::Listen;
use crate::commands::logs::{self, Line};
use crate::commands::runtime;
use crate::context::Context;
use crate::gateway;
use crate::output::Output;

/// How long a start may take.
const READY: Duration = Duration::from_secs(30);
/// How long until it is looked at again.
const LOOK: Duration = Duration::from_millis(10);
/// How long a gateway that listens may take to say that it is ready.
const ANSWER: Duration = Duration::from_secs(1);
/// Lines of the log that are shown when it did not start.
const SHOWN: usize = 10;

/// Starts it; one that runs already is named.
pub fn run(listen: &Listen, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let holder = start(listen, context)?;
    said("started", &holder, context, output)
}

/// Stops it if it runs, and starts it.
pub fn again(listen: &Listen, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let before = stop::stop(context)?;
    let holder = start(listen, context)?;
    said(if before.is_some() { "restarted" } else { "started" }, &holder, context, output)
}

fn said(what: &str, holder: &Holder, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    output.show(&Seen::of(holder, context), |seen| {
        let home = &context.home;
        let url = seen.url.as_deref().unwrap_or_default();
        let log = home.display(&logs::path(home));
        format!(
            "{what}: pid {}, {url}\nlog in {log}: `tarsus logs --follow`; `tarsus gateway stop` stops it\n",
            holder.pid
        )
    })?;
    Ok(ExitCode::Done)
}

fn start(listen: &Listen, context: &Context) -> Result<Holder, Problem> {
    refuse_a_second(context)?;
    files::make_private_dir(context.home.state_dir())?;
    let begun = context.now();
    let launch = launch(listen, context)?;
    runtime()?.block_on(async {
        let mut launched = process::launch(&launch).map_err(|error| not_launched(&error))?;
        let pid = launched.pid();
        tokio::select! {
            exit = launched.exit() => Err(ended(exit, begun, context)),
            ready = tokio::time::timeout(READY, ready(pid, context)) => ready.unwrap_or_else(|_| {
                let message = format!("the gateway (process {pid}) was started and is not ready yet");
                Err(with_log(Problem::new(ErrorCode::TimedOut, message), begun, context)
                    .hint("`tarsus gateway status` shows whether it gets there, `tarsus gateway stop` ends it"))
            }),
        }
    })
}

fn refuse_a_second(context: &Context) -> Result<(), Problem> {
    match gateway::holder(context)? {
        None => Ok(()),
        holder => Err(NotTaken::Held { holder }.into()),
    }
}

/// The same program for the same state folder, whatever folder it starts in.
fn launch(listen: &Listen, context: &Context) -> Result<Launch, Problem> {
    let program = context.environment.program.clone().ok_or_else(|| {
        Problem::new(ErrorCode::Failed, "the system does not tell where this program is")
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
    // Windows keeps the working folder of each drive in variables that no other program needs.
    let named = |name: &OsString| !name.as_encoded_bytes().contains(&b'=');
    for (name, value) in context.environment.variables().into_iter().filter(|(name, _)| named(name)) {
        env.set(name, value);
    }
    Ok(Launch { program, args: Args::Each(arguments), env, cwd: home.state_dir().to_path_buf() })
}

/// Waits until the process holds the folder, listens and says that it is ready.
async fn ready(pid: u32, context: &Context) -> Result<Holder, Problem> {
    let mut looks = tokio::time::interval(LOOK);
    loop {
        looks.tick().await;
        let holder = gateway::holder(context)?.filter(|holder| holder.pid == pid);
        if let Some((holder, port)) = holder.and_then(|holder| holder.port.map(|port| (holder, port))) {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            if matches!(loopback::get(address, "/readyz", None, ANSWER), Ok((200, _))) {
                return Ok(holder);
            }
        }
    }
}

fn not_launched(error: &ProcessError) -> Problem {
    let problem = Problem::new(ErrorCode::Failed, error.to_string());
    match error {
        ProcessError::Start { source, .. } => problem.note(source.to_string()),
        _ => problem,
    }
}

/// Why it ended before it was ready: another one was faster, or what its log says.
fn ended(exit: io::Result<Exit>, begun: Timestamp, context: &Context) -> Problem {
    if let Err(problem) = refuse_a_second(context) {
        return problem;
    }
    let how = match exit {
        Ok(Exit::Code(code)) => format!("it ended with exit code {code}"),
        Ok(Exit::Signal(signal)) => format!("it was ended by signal {signal}"),
        Err(error) => format!("how it ended is not known: {error}"),
    };
    let problem = Problem::new(ErrorCode::Failed, format!("the gateway did not start: {how}"));
    with_log(problem, begun, context)
}

/// The problem with the end of the log; the last error there that says what it is takes its place.
fn with_log(problem: Problem, begun: Timestamp, context: &Context) -> Problem {
    let lines: Vec<Line> = match logs::newest(&context.home, SHOWN, None) {
        Ok(newest) => {
            let lines = newest.lines.iter().map(|line| Line::read(line));
            lines.filter(|line| line.at.is_some_and(|at| at >= begun)).collect()
        }
        Err(error) => return problem.note(format!("the log cannot be read: {error}")),
    };
    let said = lines.iter().rev().find_map(|line| Some((line.code()?, line)));
    let problem = match said {
        Some((code, line)) => {
            let problem = Problem::new(code, format!("the gateway did not start: {}", line.message));
            line.field("hint").into_iter().fold(problem, Problem::hint)
        }
        None => problem,
    };
    let file = context.home.display(&logs::path(&context.home));
    if lines.is_empty() {
        let problem = problem.note(format!("{file} has no word about it"));
        return problem.hint("`tarsus gateway run` shows in this terminal what happens");
    }
    lines.iter().fold(problem.note(format!("the end of {file}:")), |problem, line| problem.note(line.text()))
}
