//! The agent in this process, because no other one runs the state folder.

use tarsus_agent::{Inbound, What};
use tarsus_host::signals::Signals;
use tarsus_protocol::rpc::chat::AgentResult;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::RunId;

use super::Asked;
use super::piece::Pieces;
use crate::commands::up;
use crate::context::Context;
use crate::output::Output;

pub(super) fn run(
    asked: Asked,
    mut pieces: Pieces,
    context: &Context,
    output: &mut Output,
) -> Result<AgentResult, Problem> {
    crate::commands::runtime()?.block_on(async {
        let mut signals =
            Signals::listen().map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?;
        let _lock = up::take_lock(context)?;
        let gateway = up::alone(context)?;
        let runtime = &gateway.runtime;
        let run: RunId = asked.run.parse()?;
        let mut told = runtime.listen(run.clone());
        let inbound = Inbound {
            session: asked.session.clone(),
            run: run.clone(),
            text: asked.message,
            attachments: Vec::new(),
            may_change_apps: true,
            may_approve: true,
            model: asked.model,
        };
        drop(runtime.send(inbound).await?.begin);
        loop {
            tokio::select! {
                heard = told.recv() => match heard.map(|told| told.what) {
                    Some(What::Says { new, .. }) => pieces.print(&new, output)?,
                    Some(What::Calls(_) | What::TakenBack { .. }) => pieces.break_line(output)?,
                    Some(What::Over(_)) | None => break,
                    Some(_) => {}
                },
                _ = signals.next() => drop(runtime.abort(&asked.session, Some(&run))),
            }
        }
        pieces.break_line(output)?;
        let result = tarsus_agent::result(&gateway.store, &run)?;
        result.ok_or_else(|| Problem::new(ErrorCode::Failed, "the run is not in the store"))
    })
}
