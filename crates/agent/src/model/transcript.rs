//! The messages of a session as the model gets them: transcript items turn by turn, with untrusted text quoted.
//!
//! The items of a turn stay together even if they are interleaved in the transcript. The messages of one turn are a prefix
//! of those of the next, until some are summarised: providers cache them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tarsus_protocol::message::{Text, TextFile};
use tarsus_protocol::{Block, Message, Role};
use tarsus_store::{Context, ContextItem, RunId, Summary};

use super::dispatch;
use crate::commands;
use crate::prompt::quote::Marker;

/// The remark with the text that the model gets in place of a message that invokes a skill.
pub(super) const SKILL_COMMAND: &str = "skill-command";

/// The key of a text's source in the details of a tool result.
const SOURCE: &str = "source";

/// A message of the transcript, for the model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ContextMessage {
    /// The number of its item.
    pub(super) number: u64,
    /// The number of the message that opens its turn.
    pub(super) opening: u64,
    pub(super) message: Message,
}

/// The messages of a request: the summary of old turns, then the messages as they are.
pub(super) fn request_messages(context: Context, until: &RunId, marker: &Marker) -> Vec<Message> {
    let summary = context.summary.as_ref().map(|Summary { text, .. }| {
        let text = marker.quote("summary of earlier messages", text);
        Message { role: Role::User, content: vec![Block::text(text)], timestamp: None }
    });
    let messages = context_messages(context, until).into_iter();
    summary.into_iter().chain(messages.map(|context| quoted(context.message, marker))).collect()
}

/// The messages of a session up to and including a run, oldest turn first, without summarised ones. Turns that a slash
/// command answered are left out, and so are messages that wait for their own turn.
pub(super) fn context_messages(context: Context, until: &RunId) -> Vec<ContextMessage> {
    let Context { summary, items, .. } = context;
    let mut turns = turns(items, until);
    turns.retain(|turn| !is_command(turn));
    turns.iter_mut().for_each(|turn| apply_skill_text(turn));
    let mut messages = Vec::new();
    for turn in turns {
        let Some(opening) = turn.first().map(|item| item.number) else { continue };
        // A turn that is summarised in part keeps its opening message.
        let skipped = summary.as_ref().filter(|summary| summary.opening == opening);
        let from = skipped.and_then(|summary| turn.iter().position(|item| item.number == summary.first));
        let from = from.unwrap_or_default();
        let kept = turn.into_iter().enumerate().filter(|(at, _)| *at == 0 || *at >= from);
        let spoken = kept.filter(|(_, item)| !matches!(item.message.role, Role::Custom { .. }));
        messages.extend(spoken.map(|(_, ContextItem { number, message, .. })| ContextMessage {
            number,
            opening,
            message,
        }));
    }
    messages
}

/// The items of each turn up to that of a run, in order.
fn turns(items: Vec<ContextItem>, until: &RunId) -> Vec<Vec<ContextItem>> {
    let mut turns: Vec<Vec<ContextItem>> = Vec::new();
    let mut turn_of_run: BTreeMap<RunId, usize> = BTreeMap::new();
    let mut last = None;
    for item in items {
        let run = item.joined.as_ref().map(|joined| &joined.run).or(item.run.as_ref());
        let at = match run.and_then(|run| turn_of_run.get(run)) {
            Some(at) => *at,
            // Its turn was summarised; only a user message opens a turn.
            None if item.joined.is_some() || (run.is_some() && item.message.role != Role::User) => continue,
            None => {
                turns.push(Vec::new());
                let at = turns.len() - 1;
                if let Some(run) = run {
                    if run == until {
                        last = Some(at);
                    }
                    turn_of_run.insert(run.clone(), at);
                }
                at
            }
        };
        turns[at].push(item);
    }
    turns.truncate(last.map_or(turns.len(), |last| last + 1));
    for turn in turns.iter_mut().filter(|turn| turn.iter().any(|item| item.joined.is_some())) {
        turn.sort_by_key(|item| match &item.joined {
            Some(joined) => (joined.after, true, item.number),
            None => (item.number, false, 0),
        });
    }
    turns
}

fn is_command(turn: &[ContextItem]) -> bool {
    let Some(first) = turn.first().filter(|item| item.message.role == Role::User) else { return false };
    let is_ours = commands::parse(&first.message.text()).is_some() && skill_text(turn).is_none();
    is_ours || dispatch::is_dispatched(first.number, turn.iter().map(|item| &item.message))
}

/// The text that the model gets in place of the message that opens a turn.
fn skill_text(turn: &[ContextItem]) -> Option<String> {
    let is_skill_text =
        |role: &Role| matches!(role, Role::Custom { custom_type, .. } if custom_type == SKILL_COMMAND);
    turn.iter().find(|item| is_skill_text(&item.message.role)).map(|item| item.message.text())
}

/// Replaces the text of a message that invokes a skill; its attachments stay.
fn apply_skill_text(turn: &mut [ContextItem]) {
    let Some(replacement) = skill_text(turn) else { return };
    let opening = turn.first_mut().into_iter().flat_map(|item| &mut item.message.content);
    let mut texts = opening.filter(|block| matches!(block, Block::Text(_)));
    if let Some(text) = texts.next() {
        *text = Block::text(replacement);
    }
}

/// Adds the source of a tool result's text to its details.
pub(super) fn with_source(details: Option<Value>, source: String) -> Value {
    match details {
        Some(Value::Object(mut details)) => {
            details.insert(SOURCE.to_owned(), source.into());
            Value::Object(details)
        }
        _ => json!({ SOURCE: source }),
    }
}

/// Quotes untrusted text in a message: attached files, and tool results with a source.
pub(super) fn quoted(mut message: Message, marker: &Marker) -> Message {
    for block in &mut message.content {
        if let Block::File(TextFile { file_name, text }) = block {
            *block = Block::text(marker.quote(&format!("attached file {file_name}"), text));
        }
    }
    let Role::ToolResult { details: Some(details), .. } = &message.role else { return message };
    let Some(source) = details.get(SOURCE).and_then(Value::as_str) else { return message };
    for block in &mut message.content {
        if let Block::Text(Text { text }) = block {
            *text = marker.quote(source, text);
        }
    }
    message
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tarsus_store::JoinPoint;

    use super::*;

    fn item(number: u64, run: &str, role: Role, text: &str) -> ContextItem {
        ContextItem {
            number,
            run: Some(run.parse().unwrap()),
            joined: None,
            message: Message { role, content: vec![Block::text(text)], timestamp: None },
        }
    }

    fn texts_in(context: Context, until: &str) -> Vec<String> {
        context_messages(context, &until.parse().unwrap())
            .iter()
            .map(|context| context.message.text())
            .collect()
    }

    fn texts(items: Vec<ContextItem>, until: &str) -> Vec<String> {
        texts_in(Context { items, ..Context::default() }, until)
    }

    #[test]
    fn turns_stay_together_and_waiting_messages_are_left_out() {
        let remark = Role::remark("run-interrupted");
        let items = vec![
            item(1, "a", Role::User, "one"),
            item(2, "b", Role::User, "two"),
            item(3, "c", Role::User, "/status"),
            item(4, "a", Role::Assistant, "first"),
            item(5, "d", Role::User, "three"),
            item(6, "b", Role::Assistant, "second"),
            item(7, "c", Role::Assistant, "all is well"),
            item(8, "b", remark, "cut"),
        ];
        assert_eq!(texts(items.clone(), "a"), ["one", "first"]);
        assert_eq!(texts(items.clone(), "b"), ["one", "first", "two", "second"]);
        assert_eq!(texts(items, "d"), ["one", "first", "two", "second", "three"]);
    }

    #[test]
    fn joined_message_follows_the_item_it_joined_after() {
        let joined = |item: ContextItem, after| {
            let run = "a".parse().unwrap();
            ContextItem { joined: Some(JoinPoint { run, after }), ..item }
        };
        let items = vec![
            item(1, "a", Role::User, "one"),
            item(2, "a", Role::Assistant, "look"),
            joined(item(3, "b", Role::User, "two"), 5),
            joined(item(4, "c", Role::User, "three"), 5),
            item(5, "a", Role::Assistant, "found"),
            item(6, "d", Role::User, "four"),
            item(7, "a", Role::Assistant, "answer"),
        ];
        let one = ["one", "look", "found", "two", "three", "answer"];
        assert_eq!(texts(items.clone(), "a"), one);
        assert_eq!(texts(items, "d"), [&one[..], &["four"]].concat());
    }

    #[test]
    fn summarised_messages_are_left_out() {
        let taken_in = JoinPoint { run: "a".parse().unwrap(), after: 3 };
        let items = vec![
            item(2, "b", Role::User, "two"),
            item(3, "a", Role::Assistant, "the end of a turn that began before"),
            ContextItem { joined: Some(taken_in), ..item(4, "c", Role::User, "which took this in") },
            item(5, "b", Role::Assistant, "call"),
            item(6, "b", Role::Assistant, "result"),
            item(7, "b", Role::Assistant, "answer"),
            item(8, "d", Role::User, "three"),
        ];
        let with = |first| {
            let summary = Summary { opening: 2, first, text: "one".to_owned() };
            texts_in(Context { summary: Some(summary), remark: 0, items: items.clone() }, "d")
        };
        assert_eq!(with(2), ["two", "call", "result", "answer", "three"]);
        assert_eq!(with(7), ["two", "answer", "three"]);
    }

    #[test]
    fn only_text_of_others_is_quoted() {
        let marker = Marker::example();
        let result = |details: Option<Value>| Message {
            role: Role::ToolResult {
                tool_call_id: "1".to_owned(),
                tool_name: "read".to_owned(),
                is_error: false,
                details,
            },
            content: vec![Block::text("hello")],
            timestamp: None,
        };
        for details in [None, Some(json!({"a": 1})), Some(json!(["source"]))] {
            assert_eq!(quoted(result(details.clone()), &marker), result(details));
        }
        let details = with_source(Some(json!({"a": 1})), "notes.md".to_owned());
        assert_eq!(details, json!({"a": 1, "source": "notes.md"}));
        let expected = marker.quote("notes.md", "hello");
        assert_eq!(quoted(result(Some(details)), &marker).text(), expected);
        let own = Message { role: Role::User, content: vec![Block::text("hello")], timestamp: None };
        assert_eq!(quoted(own.clone(), &marker), own);
        let file = TextFile { file_name: "a.md".to_owned(), text: "## Safety".to_owned() };
        let attached = Message { content: vec![Block::text("see"), Block::File(file)], ..own };
        let expected = format!("see\n{}", marker.quote("attached file a.md", "## Safety"));
        assert_eq!(quoted(attached, &marker).text(), expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn messages_of_a_turn_are_a_prefix_of_the_next(
            runs in proptest::collection::vec(0_usize..6, 1..40)
        ) {
            // The first message of a run is the user's; turns end in the order in which they began.
            let mut begun = Vec::new();
            let mut items = Vec::new();
            for (number, run) in runs.iter().enumerate() {
                let role = if begun.contains(run) { Role::Assistant } else { Role::User };
                if role == Role::User {
                    begun.push(*run);
                }
                items.push(item(number as u64 + 1, &run.to_string(), role, &number.to_string()));
            }
            for pair in begun.windows(2) {
                let before = texts(items.clone(), &pair[0].to_string());
                let after = texts(items.clone(), &pair[1].to_string());
                prop_assert!(after.starts_with(&before));
            }
        }
    }
}
