//! The files that turns changed: lists them, shows their lines and undoes them.

use tarsus_protocol::event::Event;
use tarsus_protocol::rpc::files::{
    RunDiff, RunDiffParams, SessionChanges, SessionChangesParams, UndoParams, UndoReport,
};
use tarsus_store::RunId;

use super::failure::Failure;
use super::sessions::stored_key;
use crate::gateway::Gateway;

/// Default number of runs of `sessions.changes`.
const USUAL_RUNS: usize = 50;

pub(super) fn changes(gateway: &Gateway, params: SessionChangesParams) -> Result<SessionChanges, Failure> {
    let key = stored_key(gateway, &params.key)?;
    let run = parse_run(params.run_id.as_deref())?;
    let limit = params.limit.unwrap_or(USUAL_RUNS);
    Ok(gateway.runtime.file_changes().session_changes(&key, run.as_ref(), limit)?)
}

pub(super) fn diff(gateway: &Gateway, params: RunDiffParams) -> Result<RunDiff, Failure> {
    let key = stored_key(gateway, &params.key)?;
    let run: RunId = params.run_id.parse()?;
    Ok(gateway.runtime.file_changes().run_diff(&key, &run, params.path.as_deref())?)
}

pub(super) fn undo(gateway: &Gateway, params: UndoParams) -> Result<UndoReport, Failure> {
    let key = stored_key(gateway, &params.key)?;
    let run = parse_run(params.run_id.as_deref())?;
    let (changes, dry_run) = (gateway.runtime.file_changes(), params.dry_run.unwrap_or_default());
    let report = changes.undo(&key, run.as_ref(), dry_run)?;
    if let Some(run) = parse_run(report.run_id.as_deref())?.filter(|_| !dry_run)
        && let Some(changed) = changes.run_changes(&run)?
    {
        gateway.events.publish(Event::FilesChanged, &changed);
    }
    Ok(report)
}

fn parse_run(id: Option<&str>) -> Result<Option<RunId>, Failure> {
    Ok(id.map(str::parse).transpose()?)
}
