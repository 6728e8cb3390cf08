//! The command of a skill that leads straight to a tool: the call is judged, stored and run like any other, and its
//! result is the reply. No model takes part in the turn. A tool that does not exist, or takes no text, is judged as well.

use std::sync::Arc;

use serde_json::{Map, Value};
use tarsus_guard::{ActivationCause, Call, CallContext, CallFacts, PolicyVerdict, SkillId};
use tarsus_protocol::message::ToolCall;
use tarsus_protocol::{Block, ErrorCode, Message, Problem, Role};

use super::calls::{self, CallsOutcome, PlannedCall, ToolSession};
use super::note;
use super::stream::redact_arguments;
use crate::route::DirectReply;
use crate::run_event::RunOutcome;
use crate::skill_commands::SkillDispatch;
use crate::tools::check::Kind;
use crate::tools::{PreparedCall, Tool};
use crate::turn::{Turn, run_blocking};
use crate::turn_context::{TurnContext, TurnError};

/// The arguments of a dispatched call: the text after the command, the command, and the skill.
const COMMAND: &str = "command";
const COMMAND_NAME: &str = "commandName";
const SKILL_NAME: &str = "skillName";

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
    let sent = [(COMMAND, arguments), (COMMAND_NAME, command), (SKILL_NAME, skill)];
    let sent: Map<String, Value> =
        sent.into_iter().map(|(name, text)| (name.to_owned(), text.clone().into())).collect();
    let sent = redact_arguments(&sent, &context.secrets);
    let hash = context.skills.get(skill).and_then(|guarded| guarded.hash.clone());
    let call = Call {
        tool: tool.clone(),
        arguments: Value::Object(sent.clone()),
        facts: CallFacts::default(),
        dispatched_by: Some(SkillId { name: skill.clone(), hash }),
    };
    // The guard comes first: a call that cannot be made is judged and recorded, too.
    let prepared = prepare(turn, tools, &call, &sent).map_err(|problem| refuse(turn, tools, &call, problem));
    let id = call_id(turn.accepted.number);
    PlannedCall { call: ToolCall { id, name: tool.clone(), arguments: sent }, prepared }
}

fn prepare(
    turn: &Turn<'_>,
    tools: &ToolSession,
    call: &Call,
    sent: &Map<String, Value>,
) -> Result<PreparedCall, Problem> {
    let toolbox = &turn.runtime.toolbox;
    let arguments = match toolbox.get(&call.tool) {
        Some(tool) => fitting_arguments(tool, sent)?,
        None => Map::new(),
    };
    toolbox.prepare(&call.tool, &Value::Object(arguments), call.dispatched_by.clone(), &tools.context)
}

/// The guard's refusal of a call that cannot be made; the reason why it cannot, if the guard does not refuse it.
fn refuse(turn: &Turn<'_>, tools: &ToolSession, call: &Call, problem: Problem) -> Problem {
    let run = turn.id().to_string();
    // Without arguments there is no app that a policy could be about.
    let app_policy = Some(PolicyVerdict::allow("the call names no app"));
    let context = calls::guard_context(&run, tools, &call.tool, app_policy);
    let tool_policy = turn.runtime.toolbox.policy_verdict(&call.tool, &tools.context.tool_policy);
    let context = CallContext { tool_policy, ..context };
    let now = tools.context.services.clock.now();
    turn.runtime.guard.refuse_impossible(call, &context, now).map_or(problem, Problem::from)
}

/// The arguments that a tool takes of those sent. The text after the command becomes its `command`, else its one
/// required text; text that a person typed is never dropped.
///
/// # Errors
/// When the tool takes no text, and there is some.
fn fitting_arguments(tool: &dyn Tool, sent: &Map<String, Value>) -> Result<Map<String, Value>, Problem> {
    let has_field =
        |name: &str| tool.fields().iter().any(|field| field.name == name || field.alias == Some(name));
    let names = [COMMAND_NAME, SKILL_NAME].into_iter().filter(|name| has_field(name));
    let mut arguments: Map<String, Value> =
        names.filter_map(|name| Some((name.to_owned(), sent.get(name)?.clone()))).collect();
    let text = sent.get(COMMAND).filter(|text| text.as_str() != Some(""));
    let mut required = tool.fields().iter().filter(|field| field.required);
    let field = match (has_field(COMMAND), required.next(), required.next()) {
        (true, ..) => Some(COMMAND),
        (false, Some(only), None) if matches!(only.kind, Kind::Text(_)) => Some(only.name),
        _ => None,
    };
    match (field, text) {
        (Some(field), Some(text)) => drop(arguments.insert(field.to_owned(), text.clone())),
        (None, Some(_)) => {
            let name = tool.id().name();
            let message = format!("{name} takes no text: it has neither `command` nor one required text");
            return Err(Problem::new(ErrorCode::Usage, message)
                .hint("nothing was done; call the command without text, or name another tool in the skill"));
        }
        (_, None) => {}
    }
    Ok(arguments)
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
    use serde_json::json;
    use tarsus_protocol::Role;

    use super::*;
    use crate::tools::check::{Arguments, Field};
    use crate::tools::{PermittedCall, ToolFuture, ToolOutcome};

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
    fn text_becomes_the_command_or_the_one_required_text() {
        let sent = |text: &str| {
            let sent = json!({ "command": text, "commandName": "go", "skillName": "s" });
            sent.as_object().unwrap().clone()
        };
        let text = |name| Field::required(name, Kind::Text(9), "");
        let about = |name| Field::optional(name, Kind::Text(9), "");
        let table: [(&[Field], &str, Option<Value>); 9] = [
            (&[text("command"), text("other")], "a b", Some(json!({ "command": "a b" }))),
            (&[about("command"), text("path")], "a b", Some(json!({ "command": "a b" }))),
            (&[text("x").with_alias("command")], "a b", Some(json!({ "command": "a b" }))),
            (&[text("path"), about("more")], "a b", Some(json!({ "path": "a b" }))),
            (&[text("path"), about("commandName")], "", Some(json!({ "commandName": "go" }))),
            (&[], "", Some(json!({}))),
            (&[], "a", None),
            (&[about("path")], "a", None),
            (&[text("path"), text("content")], "a", None),
        ];
        for (fields, line, expected) in table {
            let tool = Sample(fields.to_vec().leak());
            let fitting = fitting_arguments(&tool, &sent(line));
            assert_eq!(fitting.as_ref().ok().map(|fit| json!(fit)), expected, "{fields:?} {line:?}");
        }
        let count = Sample(vec![Field::required("n", Kind::Count, "")].leak());
        let refused = fitting_arguments(&count, &sent("5")).unwrap_err();
        assert_eq!(refused.message, "read takes no text: it has neither `command` nor one required text");
    }

    struct Sample(&'static [Field]);

    impl Tool for Sample {
        fn id(&self) -> tarsus_guard::ToolId {
            tarsus_guard::ToolId::Read
        }

        fn line(&self) -> &'static str {
            ""
        }

        fn description(&self) -> &'static str {
            ""
        }

        fn fields(&self) -> &'static [Field] {
            self.0
        }

        fn is_read_only(&self, _: &Arguments) -> bool {
            true
        }

        fn run(&self, _: PermittedCall, _: Arc<TurnContext>) -> ToolFuture {
            Box::pin(async { ToolOutcome::text("") })
        }
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
