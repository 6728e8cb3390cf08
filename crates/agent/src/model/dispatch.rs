//! The command of a skill that leads straight to a tool: the call is judged, stored and run like any other, and its
//! result is the reply. No model takes part in the turn.

use std::sync::Arc;

use serde_json::{Map, Value};
use tarsus_guard::{ActivationCause, SkillId};
use tarsus_protocol::message::ToolCall;
use tarsus_protocol::{Block, Message, Role};

use super::calls::{self, CallsOutcome, PlannedCall, ToolSession};
use super::note;
use super::stream::redact_arguments;
use crate::route::DirectReply;
use crate::run_event::RunOutcome;
use crate::skill_commands::SkillDispatch;
use crate::tools::Tool;
use crate::turn::{Turn, run_blocking};
use crate::turn_context::{TurnContext, TurnError};

/// The argument with the text after the command.
const COMMAND: &str = "command";

/// Calls the tool and replies with its result.
///
/// # Errors
/// When the turn cannot be set up, or the store cannot be read or written.
pub(crate) async fn dispatch(turn: &mut Turn<'_>, dispatch: &SkillDispatch) -> Result<RunOutcome, TurnError> {
    let (runtime, accepted) = (Arc::clone(turn.runtime), turn.accepted.clone());
    let mut tools = run_blocking(move || {
        let config = runtime.services.host.config();
        let context = TurnContext::load(&runtime, &accepted, config)?;
        ToolSession::open(Arc::new(context), &accepted, None)
    })
    .await?;
    let ToolSession { context, activation, .. } = &mut tools;
    context.watch.activate_by_name(&dispatch.skill, ActivationCause::Dispatched, activation);
    note(turn, tools.run_note()).await?;
    let planned = plan(turn, &tools, dispatch);
    let content = vec![Block::ToolCall(planned.call.clone())];
    let timestamp = u64::try_from(turn.now_ms()).ok();
    let message = Message { role: Role::Assistant, content, timestamp };
    match calls::execute(turn, &mut tools, vec![planned], message, None).await? {
        CallsOutcome::Continue { results, .. } => {
            let text = reply_text(&dispatch.command, results.first());
            let mut reply = DirectReply::text(&text);
            for page in &tools.pages {
                reply.text.push_str(&format!("\n{}", page.to_string().trim_end()));
                // A menu replaces the text block before it, so it carries the reply as well.
                reply.menu = page.menu();
                reply.menu.iter_mut().for_each(|menu| menu.notices.insert(0, text.clone()));
            }
            Ok(turn.reply(reply).await?)
        }
        CallsOutcome::Aborted => Ok(turn.abort().await),
    }
}

/// Whether the messages of a turn, which this item opened, are those of a command that led to a tool.
pub(super) fn is_dispatched<'m>(opening: u64, mut messages: impl Iterator<Item = &'m Message>) -> bool {
    let id = call_id(opening);
    let is_call = |block: &Block| matches!(block, Block::ToolCall(call) if call.id == id);
    messages.any(|message| message.role == Role::Assistant && message.content.iter().any(is_call))
}

/// The id of the call for the message with this number.
fn call_id(number: u64) -> String {
    format!("command-{number}")
}

fn plan(turn: &Turn<'_>, tools: &ToolSession, dispatch: &SkillDispatch) -> PlannedCall {
    let SkillDispatch { skill, command, tool, arguments } = dispatch;
    let context = &tools.context;
    let arguments = [(COMMAND, arguments), ("commandName", command), ("skillName", skill)];
    let arguments: Map<String, Value> =
        arguments.into_iter().map(|(name, text)| (name.to_owned(), text.clone().into())).collect();
    let arguments = redact_arguments(&arguments, &context.secrets);
    let hash = context.skills.get(skill).and_then(|guarded| guarded.hash.clone());
    let dispatched_by = SkillId { name: skill.clone(), hash };
    let toolbox = &turn.runtime.toolbox;
    let accepted = match toolbox.get(tool) {
        Some(tool) => accepted_arguments(tool, arguments.clone()),
        None => arguments.clone(),
    };
    let prepared = toolbox.prepare(tool, &Value::Object(accepted), Some(dispatched_by), context);
    let id = call_id(turn.accepted.number);
    PlannedCall { call: ToolCall { id, name: tool.clone(), arguments }, prepared }
}

/// Leaves out the arguments that the tool does not have, but never text that a person typed.
fn accepted_arguments(tool: &dyn Tool, mut arguments: Map<String, Value>) -> Map<String, Value> {
    let has_field =
        |name: &str| tool.fields().iter().any(|field| field.name == name || field.alias == Some(name));
    arguments.retain(|name, value| has_field(name) || (name == COMMAND && value.as_str() != Some("")));
    arguments
}

fn reply_text(command: &str, result: Option<&Message>) -> String {
    let text = result.map(Message::text).unwrap_or_default();
    match result.map(|result| &result.role) {
        Some(Role::ToolResult { is_error: true, .. }) => format!("/{command} failed: {text}"),
        _ if text.trim().is_empty() => "Done.".to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use tarsus_protocol::Role;

    use super::*;

    fn result(is_error: bool, text: &str) -> Message {
        let role = Role::ToolResult {
            tool_call_id: "command-1".to_owned(),
            tool_name: "exec".to_owned(),
            is_error,
            details: None,
        };
        Message { role, content: vec![Block::text(text)], timestamp: None }
    }

    #[test]
    fn reply_is_the_tools_text_or_its_failure() {
        assert_eq!(reply_text("go", Some(&result(false, "all well"))), "all well");
        assert_eq!(reply_text("go", Some(&result(false, " \n"))), "Done.");
        assert_eq!(reply_text("go", Some(&result(true, "no"))), "/go failed: no");
    }

    #[test]
    fn dispatched_turn_is_recognised_by_its_call_id() {
        let call = |id: &str| {
            let call = ToolCall { id: id.to_owned(), name: "exec".to_owned(), arguments: Map::new() };
            Message { role: Role::Assistant, content: vec![Block::ToolCall(call)], timestamp: None }
        };
        assert!(is_dispatched(7, [call("command-7"), result(false, "")].iter()));
        assert!(!is_dispatched(7, [call("command-8")].iter()));
        assert!(!is_dispatched(7, [result(false, "")].iter()));
    }
}
