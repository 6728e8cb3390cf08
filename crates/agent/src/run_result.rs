//! The result of a run, read from the store.

use tarsus_protocol::rpc::chat::{AgentCall, AgentResult, AgentStatus, AgentUsage};
use tarsus_store::{RecordedCall, Run, RunId, RunState, Store, StoreError};

/// The result of a run, or its progress; `None` when there is no such run.
///
/// # Errors
/// When the store cannot be read.
pub fn run_result(store: &Store, id: &RunId) -> Result<Option<AgentResult>, StoreError> {
    let Some(run) = store.run(id)? else { return Ok(None) };
    let spent = store.usage_in_run(id)?;
    let words = store.last_answer(id)?.filter(|_| !run.is_silent);
    Ok(Some(AgentResult {
        run_id: run.id.to_string(),
        session_key: run.session.to_string(),
        agent_id: run.session.agent().to_string(),
        model: run.model.as_ref().map(|model| model.as_str().to_owned()),
        status: status(&run),
        text: words.map(|message| message.text()).unwrap_or_default(),
        reply_to: run.reply_to.as_ref().map(|id| id.as_str().to_owned()),
        silent: run.is_silent,
        usage: AgentUsage {
            requests: spent.requests,
            input: spent.input,
            output: spent.output,
            cache_read: spent.cache_read,
            cache_write: spent.cache_write,
            cost: spent.cost_nano_usd as f64 / 1e9,
        },
        tool_calls: store.calls(id)?.into_iter().map(call).collect(),
        error: run.error,
    }))
}

fn status(run: &Run) -> AgentStatus {
    match run.state {
        RunState::Started => AgentStatus::Running,
        RunState::Finished => AgentStatus::Ok,
        RunState::Failed => AgentStatus::Error,
        RunState::Aborted => AgentStatus::Aborted,
        RunState::Interrupted => AgentStatus::Interrupted,
    }
}

fn call(call: RecordedCall) -> AgentCall {
    let took = call.begun_ms.zip(call.ended).map_or(0, |(begun_ms, end)| end.at_ms.saturating_sub(begun_ms));
    AgentCall {
        name: call.tool,
        ok: call.ended.is_some_and(|end| !end.failed),
        ms: u64::try_from(took).unwrap_or_default(),
    }
}
