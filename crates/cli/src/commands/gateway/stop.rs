//! `gateway stop`: asks the process that holds the state folder to end, and waits until the folder is free.

use std::time::Duration;

use serde::Serialize;
use tarsus_home::runtime_lock::Holder;
use tarsus_host::processes::{self, Asked, EndError, Identity, Process};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::commands::runtime;
use crate::context::Context;
use crate::gateway;
use crate::output::Output;

/// How long a gateway may take to end; its own time for running requests is shorter.
const GRACE: Duration = Duration::from_secs(20);
/// How long until the folder is looked at again.
const LOOK: Duration = Duration::from_millis(10);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    ok: bool,
    stopped: bool,
    pid: Option<u32>,
}

/// Stops it. That nothing runs is what was wanted.
pub fn run(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let stopped = stop(context)?;
    let pid = stopped.map(|holder| holder.pid);
    output.show(&Report { ok: true, stopped: pid.is_some(), pid }, |report| match report.pid {
        Some(pid) => format!("stopped: pid {pid}"),
        None => {
            format!("nothing to stop: no gateway runs for {}", context.home.display(context.home.state_dir()))
        }
    })?;
    Ok(ExitCode::Done)
}

/// Stops it, and says which one it was.
pub fn stop(context: &Context) -> Result<Option<Holder>, Problem> {
    let Some(holder) = gateway::holder(context)? else { return Ok(None) };
    let ended = find(&holder, context)?.map_or(Ok(()), end);
    match ended {
        // It ended by itself; then the folder is free in a moment.
        Ok(()) | Err(EndError::Gone { .. }) => {}
        Err(error) => return Err(not_ended(&error)),
    }
    runtime()?.block_on(async {
        let freed = async {
            let mut looks = tokio::time::interval(LOOK);
            loop {
                looks.tick().await;
                if is_free(&holder, context)? {
                    return Ok(());
                }
            }
        };
        tokio::time::timeout(GRACE, freed).await.unwrap_or_else(|_| {
            let message = format!("process {} was asked to end and has not done so", holder.pid);
            Err(Problem::new(ErrorCode::TimedOut, message)
                .hint("`tarsus logs` shows what it waits for; as a last resort end the process by hand"))
        })
    })?;
    Ok(Some(holder))
}

/// Whether another process or none has the folder by now.
fn is_free(of: &Holder, context: &Context) -> Result<bool, Problem> {
    Ok(gateway::holder(context)?.is_none_or(|now| now.pid != of.pid))
}

/// The process, if it is the very one that took the folder and belongs to this account. None when it has ended
/// meanwhile.
fn find(holder: &Holder, context: &Context) -> Result<Option<Identity>, Problem> {
    let processes = processes::list().map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?;
    let is_it = |process: &Process| {
        let Identity { pid, start } = process.identity;
        process.mine && pid == holder.pid && Some(start) == holder.start
    };
    if let Some(process) = processes.into_iter().find(is_it) {
        return Ok(Some(process.identity));
    }
    if is_free(holder, context)? {
        return Ok(None);
    }
    let message =
        format!("the state folder is held by process {}, which is not a Tarsus of yours here", holder.pid);
    Err(Problem::new(ErrorCode::Failed, message)
        .hint("it runs under another account or in another container; stop it there"))
}

/// Asks it, and where there is no way to ask, ends it: what was acknowledged is on disk either way.
fn end(process: Identity) -> Result<(), EndError> {
    match processes::terminate(process)? {
        Asked::Yes => Ok(()),
        Asked::NoWay => processes::kill(process),
    }
}

fn not_ended(error: &EndError) -> Problem {
    let problem = Problem::new(ErrorCode::Failed, error.to_string());
    match error {
        EndError::Refused { source, .. } => problem.note(source.to_string()),
        EndError::Ourselves { .. } => problem.hint("stop it from a terminal of its owner"),
        EndError::Gone { .. } => problem,
    }
}
