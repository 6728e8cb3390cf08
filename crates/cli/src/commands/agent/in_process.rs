//! Runs the agent in this process, while holding the runtime lock.

use tarsus_agent::{Inbound, RunEventKind};
use tarsus_host::signals::Signals;
use tarsus_protocol::rpc::chat::AgentResult;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::RunId;

use super::AgentRequest;
use super::stream::AnswerStream;
use crate::commands::up;
use crate::context::Context;
use crate::output::Output;

pub(super) fn run(
    request: AgentRequest,
    mut stream: AnswerStream,
    context: &Context,
    output: &mut Output,
) -> Result<AgentResult, Problem> {
    crate::commands::runtime()?.block_on(async {
        let mut signals =
            Signals::listen().map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?;
        let _lock = up::take_lock(context)?;
        let gateway = up::open_without_listening(context)?;
        let runtime = &gateway.runtime;
        let run: RunId = request.run.parse()?;
        let mut events = runtime.subscribe(run.clone());
        let inbound = Inbound {
            session: request.session.clone(),
            run: run.clone(),
            text: request.message,
            attachments: Vec::new(),
            may_change_apps: true,
            may_approve: true,
            model: request.model,
        };
        runtime.send(inbound).await?.start_turn();
        loop {
            tokio::select! {
                event = events.recv() => match event.map(|event| event.kind) {
                    Some(RunEventKind::TextDelta { new, .. }) => stream.print(&new, output)?,
                    Some(RunEventKind::ToolStarted(_) | RunEventKind::AttemptDiscarded { .. }) => stream.break_line(output)?,
                    Some(RunEventKind::Finished(_)) | None => break,
                    Some(_) => {}
                },
                _ = signals.next() => drop(runtime.abort(&request.session, Some(&run))),
            }
        }
        stream.break_line(output)?;
        let result = tarsus_agent::run_result(&gateway.store, &run)?;
        result.ok_or_else(|| Problem::new(ErrorCode::Failed, "the run is not in the store"))
    })
}
