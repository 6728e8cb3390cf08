//! Runs the agent in this process, while holding the runtime lock.

use tarsus_agent::{Channel, Inbound, RunEventKind};
use tarsus_protocol::rpc::chat::AgentResult;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::RunId;

use super::AgentRequest;
use super::stream::AnswerStream;
use crate::commands::up;
use crate::context::Context;
use crate::output::Output;
use crate::stop_requests::{StopRequests, USUAL_GRACE};

pub(super) fn run(
    request: AgentRequest,
    stream: &mut AnswerStream,
    context: &Context,
    output: &mut Output,
) -> Result<AgentResult, Problem> {
    // Released last, when nothing runs any more.
    let mut lock = None;
    let tokio = crate::commands::runtime()?;
    let result = tokio.block_on(async {
        let mut stop_requests = StopRequests::listen(USUAL_GRACE)?;
        lock = Some(up::take_lock(context)?);
        let gateway = up::open_without_listening(context)?;
        let runtime = &gateway.runtime;
        let run: RunId = request.run.parse()?;
        let mut events = runtime.subscribe(run.clone());
        let inbound = Inbound {
            session: request.session.clone(),
            run: run.clone(),
            text: request.message,
            attachments: Vec::new(),
            channel: Channel::Terminal,
            may_change_apps: true,
            is_by_agent: false,
            may_approve: true,
            model: request.model,
        };
        runtime.send(inbound).await?.start_turn();
        let mut is_aborted = false;
        loop {
            tokio::select! {
                event = events.recv() => match event.map(|event| event.kind) {
                    Some(RunEventKind::TextDelta { new, .. }) => stream.print(&new, output)?,
                    Some(RunEventKind::ReasoningDelta { new, .. }) => stream.print_reasoning(&new, output)?,
                    Some(RunEventKind::AttemptDiscarded { .. } | RunEventKind::TextWithdrawn) => stream.discard(output)?,
                    // Tool calls, which the session may hide, follow a message of the model.
                    Some(RunEventKind::ItemAppended { .. }) => stream.break_line(output)?,
                    Some(RunEventKind::Finished(_)) | None => break,
                    Some(_) => {}
                },
                _ = stop_requests.next() => {
                    if std::mem::replace(&mut is_aborted, true) {
                        return Err(Problem::new(ErrorCode::Interrupted, "ended before the run was aborted")
                            .hint("the next start closes the run"));
                    }
                    runtime.abort(&request.session, Some(&run));
                }
            }
        }
        stream.break_line(output)?;
        let result = runtime.run_result(&run)?;
        result.ok_or_else(|| Problem::new(ErrorCode::Failed, "the run is not in the store"))
    });
    // A tool that is still running ends with the process, and the lock with it.
    tokio.shutdown_background();
    if result.as_ref().is_err_and(|problem| problem.code == ErrorCode::Interrupted) {
        std::mem::forget(lock);
    }
    result
}
