//! The result of a run, read from the store.

use tarsus_protocol::exec::Verbose;
use tarsus_protocol::message::{ToolCall, Visibility};
use tarsus_protocol::rpc::chat::{AgentCall, AgentResult, AgentStatus, AgentUsage};
use tarsus_protocol::rpc::files::FileChange;
use tarsus_protocol::{Block, Message, Role};
use tarsus_store::{RecordedCall, Run, RunId, RunState, Store, StoreError};

use crate::runtime::Runtime;

impl Runtime {
    /// A run, if it exists; one whose end could not be stored yet has ended too.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn run(&self, id: &RunId) -> Result<Option<Run>, StoreError> {
        Ok(self.services.store.run(id)?.map(|run| self.unrecorded.apply(run)))
    }

    /// The result of a run as its session shows it, or its progress; `None` when there is no such run.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn run_result(&self, id: &RunId) -> Result<Option<AgentResult>, StoreError> {
        let changes = self.file_changes.run_changes(id)?.map(|changes| changes.files).unwrap_or_default();
        self.run(id)?.map(|run| result(&self.services.store, run, changes)).transpose()
    }
}

fn result(store: &Store, run: Run, changes: Vec<FileChange>) -> Result<AgentResult, StoreError> {
    let id = &run.id;
    let spent = store.usage_in_run(id)?;
    let settings = store.session(&run.session)?.map(|session| session.settings).unwrap_or_default();
    let visibility = settings.visibility();
    let answers = store.answers(id, visibility.verbose == Some(Verbose::Full))?;
    let is_answer = |message: &&Message| message.role == Role::Assistant;
    let last = answers.iter().rfind(is_answer).filter(|_| !run.is_silent);
    let reasoning = visibility.shows_reasoning().then(|| {
        let thoughts = answers.iter().map(Message::reasoning).filter(|text| !text.is_empty());
        thoughts.collect::<Vec<_>>().join("\n\n")
    });
    let calls = store.calls(id)?.into_iter();
    Ok(AgentResult {
        run_id: run.id.to_string(),
        session_key: run.session.to_string(),
        agent_id: run.session.agent().to_string(),
        model: run.model.as_ref().map(|model| model.as_str().to_owned()),
        status: status(&run),
        text: last.map(|message| message.text()).unwrap_or_default(),
        reasoning: reasoning.filter(|text| !text.is_empty()),
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
        tool_calls: calls.map(|one| call(one, visibility, &answers)).collect(),
        changes,
        error: run.error,
    })
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

/// A call with what the session shows of it; `messages` are those of its run.
fn call(call: RecordedCall, visibility: Visibility, messages: &[Message]) -> AgentCall {
    let took = call.begun_ms.zip(call.ended).map_or(0, |(begun_ms, end)| end.at_ms.saturating_sub(begun_ms));
    let is_result = |message: &&Message| matches!(&message.role, Role::ToolResult { tool_call_id, .. } if *tool_call_id == call.id);
    let result = messages.iter().find(is_result).map(Message::text);
    let made = messages.iter().flat_map(|message| &message.content).find_map(|block| match block {
        Block::ToolCall(made) if made.id == call.id => Some(made),
        _ => None,
    });
    // Where the session does not say, programs get the name alone.
    let title =
        made.filter(|_| visibility.verbose.is_some() && visibility.shows_calls()).map(ToolCall::title);
    AgentCall {
        name: call.tool,
        ok: call.ended.is_some_and(|end| !end.failed),
        ms: u64::try_from(took).unwrap_or_default(),
        title,
        result,
    }
}
