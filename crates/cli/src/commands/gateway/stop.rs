//! `gateway stop`: terminates the process that holds the runtime lock and waits until the lock is free.

use std::time::Duration;

use serde::Serialize;
use tarsus_home::runtime_lock::Holder;
use tarsus_host::processes::{self, ProcessId, ProcessInfo, TerminateError, TerminateOutcome};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::commands::runtime;
use crate::context::Context;
use crate::gateway;
use crate::output::Output;

/// Time to shut down; longer than the gateway's own limit for running requests.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(10);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    ok: bool,
    stopped: bool,
    pid: Option<u32>,
}

/// Stops the gateway. It is not an error if none runs.
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

/// Stops the gateway and returns which process it was.
pub fn stop(context: &Context) -> Result<Option<Holder>, Problem> {
    let Some(holder) = gateway::holder(context)? else { return Ok(None) };
    let ended = find_process(&holder, context)?.map_or(Ok(()), end_process);
    match ended {
        // It ended by itself; the lock is released shortly after.
        Ok(()) | Err(TerminateError::Gone { .. }) => {}
        Err(error) => return Err(end_problem(&error)),
    }
    runtime()?.block_on(async {
        let freed = async {
            let mut ticks = tokio::time::interval(POLL_INTERVAL);
            loop {
                ticks.tick().await;
                if is_free(&holder, context)? {
                    return Ok(());
                }
            }
        };
        tokio::time::timeout(STOP_TIMEOUT, freed).await.unwrap_or_else(|_| {
            let message = format!("process {} did not stop in time", holder.pid);
            Err(Problem::new(ErrorCode::TimedOut, message)
                .hint("`tarsus logs` shows what it is waiting for; as a last resort, kill the process"))
        })
    })?;
    Ok(Some(holder))
}

/// Whether the process no longer holds the lock.
fn is_free(holder: &Holder, context: &Context) -> Result<bool, Problem> {
    Ok(gateway::holder(context)?.is_none_or(|now| now.pid != holder.pid))
}

/// Identifies the process that took the lock, if it belongs to this account. `None` if it has ended.
fn find_process(holder: &Holder, context: &Context) -> Result<Option<ProcessId>, Problem> {
    let processes = processes::list().map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?;
    let is_holder = |process: &ProcessInfo| {
        let ProcessId { pid, start } = process.identity;
        process.mine && pid == holder.pid && Some(start) == holder.start
    };
    if let Some(process) = processes.into_iter().find(is_holder) {
        return Ok(Some(process.identity));
    }
    if is_free(holder, context)? {
        return Ok(None);
    }
    let message = format!(
        "the state folder is in use by process {}, which is not a gateway of this account on this machine",
        holder.pid
    );
    Err(Problem::new(ErrorCode::Failed, message)
        .hint("it runs under another account or in another container; stop it there"))
}

/// Terminates the process gracefully, or kills it where that is impossible. Acknowledged data is already on disk.
fn end_process(process: ProcessId) -> Result<(), TerminateError> {
    match processes::terminate(process)? {
        TerminateOutcome::Requested => Ok(()),
        TerminateOutcome::Unsupported => processes::kill(process),
    }
}

fn end_problem(error: &TerminateError) -> Problem {
    let problem = Problem::new(ErrorCode::Failed, error.to_string());
    match error {
        TerminateError::Refused { source, .. } => problem.note(source.to_string()),
        TerminateError::Ourselves { .. } => problem.hint("stop it from a terminal of its owner"),
        TerminateError::Gone { .. } => problem,
    }
}
