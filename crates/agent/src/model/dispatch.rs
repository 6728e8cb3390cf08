//! The command of a skill that leads straight to a tool: the call is judged, written down and run like any other, and
//! what comes of it is the reply. No model is asked, and none is shown the turn.
//!
//! Promises: the skill that brought the call is part of the judgement. Leaves to others: which command means which skill.

use std::sync::Arc;

use serde_json::{Map, Value};
use tarsus_guard::{How, SkillId};
use tarsus_protocol::message::ToolCall;
use tarsus_protocol::{Block, Message, Role};
use tarsus_store::StoreError;

use super::bench::Bench;
use super::calls::{self, Called, Planned};
use super::stream::without_secrets;
use super::{no_bench, note};
use crate::skill_commands::Dispatched;
use crate::told::Ending;
use crate::tools::Tool;
use crate::turn::{Said, Turn};

/// What was typed after the command.
const COMMAND: &str = "command";

/// Calls the tool, and says what came of it.
///
/// # Errors
/// When the store cannot be read or written.
pub(crate) async fn dispatch(
    turn: &mut Turn<'_>,
    said: &Said,
    dispatched: &Dispatched,
) -> Result<Ending, StoreError> {
    let (runtime, heard) = (Arc::clone(turn.runtime), said.clone());
    let finding = tokio::task::spawn_blocking(move || {
        let config = Arc::new((runtime.given.config)());
        Bench::of(&runtime, &heard, &config)
    });
    let found = match finding.await {
        Ok(found) => found?,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    };
    let mut bench = match found {
        Ok((bench, _)) => bench,
        Err(why) => return Ok(turn.failed(no_bench(said, why)).await),
    };
    let Bench { ctx, activation, .. } = &mut bench;
    ctx.watch.named(&dispatched.skill, How::Dispatched, activation);
    note(turn, bench.note()).await?;
    let planned = planned(turn, &bench, said.number, dispatched);
    let content = vec![Block::ToolCall(planned.call.clone())];
    let timestamp = u64::try_from(turn.now_ms()).ok();
    let asks = Message { role: Role::Assistant, content, timestamp };
    match calls::carry_out(turn, &mut bench, vec![planned], asks, None).await? {
        Called::GoOn { results, .. } => {
            let mut reply = reply(&dispatched.command, results.first());
            bench.shows.iter().for_each(|text| reply.push_str(&format!("\n{text}")));
            turn.say(&reply).await
        }
        Called::Off => turn.cut_short(String::new()).await,
    }
}

/// Whether the messages of a turn, which this item opened, are those of a command that led to a tool.
pub(super) fn is_dispatched<'m>(opening: u64, mut messages: impl Iterator<Item = &'m Message>) -> bool {
    let id = id(opening);
    let is_it = |block: &Block| matches!(block, Block::ToolCall(call) if call.id == id);
    messages.any(|message| message.role == Role::Assistant && message.content.iter().any(is_it))
}

/// The id of the call that the message of this number leads to.
fn id(number: u64) -> String {
    format!("command-{number}")
}

fn planned(turn: &Turn<'_>, bench: &Bench, number: u64, dispatched: &Dispatched) -> Planned {
    let Dispatched { skill, command, tool, rest } = dispatched;
    let arguments = [(COMMAND, rest), ("commandName", command), ("skillName", skill)];
    let arguments: Map<String, Value> =
        arguments.into_iter().map(|(name, text)| (name.to_owned(), text.clone().into())).collect();
    let arguments = without_secrets(&arguments, &bench.secrets);
    let standing = bench.ctx.skills.get(skill);
    let dispatched_by =
        SkillId { name: skill.clone(), hash: standing.and_then(|standing| standing.hash.clone()) };
    let toolbox = &turn.runtime.toolbox;
    let taken = match toolbox.get(tool) {
        Some(tool) => taken(tool, arguments.clone()),
        None => arguments.clone(),
    };
    let plan = toolbox.prepare(tool, &Value::Object(taken), Some(dispatched_by), &bench.ctx);
    Planned { call: ToolCall { id: id(number), name: tool.clone(), arguments }, plan }
}

/// What of the arguments the tool takes. A tool that has no use for the names is not bothered with them; what somebody
/// typed is never left out.
fn taken(tool: &dyn Tool, mut arguments: Map<String, Value>) -> Map<String, Value> {
    let takes =
        |name: &str| tool.fields().iter().any(|field| field.name == name || field.alias == Some(name));
    arguments.retain(|name, value| takes(name) || (name == COMMAND && value.as_str() != Some("")));
    arguments
}

/// What the person is answered.
fn reply(command: &str, result: Option<&Message>) -> String {
    let text = result.map(Message::text).unwrap_or_default();
    match result.map(|result| &result.role) {
        Some(Role::ToolResult { is_error: true, .. }) => format!("/{command} came to nothing: {text}"),
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
    fn the_reply_is_what_the_tool_says_or_that_it_failed() {
        assert_eq!(reply("go", Some(&result(false, "all well"))), "all well");
        assert_eq!(reply("go", Some(&result(false, " \n"))), "Done.");
        assert_eq!(reply("go", Some(&result(true, "no"))), "/go came to nothing: no");
    }

    #[test]
    fn a_turn_is_known_by_the_call_that_its_opening_led_to() {
        let call = |id: &str| {
            let call = ToolCall { id: id.to_owned(), name: "exec".to_owned(), arguments: Map::new() };
            Message { role: Role::Assistant, content: vec![Block::ToolCall(call)], timestamp: None }
        };
        assert!(is_dispatched(7, [call("command-7"), result(false, "")].iter()));
        assert!(!is_dispatched(7, [call("command-8")].iter()));
        assert!(!is_dispatched(7, [result(false, "")].iter()));
    }
}
