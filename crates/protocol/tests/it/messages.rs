//! Messages: what is refused, both forms of content, and blocks of the future.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tarsus_protocol::message::{Image, Menu, MenuChoice, Text, TextFile, Thinking, ToolCall};
use tarsus_protocol::{Block, Message, NoAnswer, Role};

fn read(value: Value) -> Result<Message, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

#[test]
fn malformed_messages_are_refused_with_the_reason() {
    let table = [
        (json!({"content": "x"}), "missing field `role`"),
        (json!({"role": "robot", "content": "x"}), "unknown variant `robot`"),
        (json!({"role": "user", "content": 7}), "a text or a list of content blocks"),
        (json!({"role": "user", "content": ["x"]}), "expected a map"),
        (json!({"role": "user", "content": [{"text": "x"}]}), "a content block needs a `type`"),
        (json!({"role": "user", "content": [{"type": 1}]}), "a content block needs a `type`"),
        (json!({"role": "user", "content": [{"type": "text"}]}), "missing field `text`"),
        (json!({"role": "user", "content": [{"type": "image", "data": ""}]}), "missing field `mimeType`"),
        (json!({"role": "user", "content": [{"type": "file", "text": ""}]}), "missing field `fileName`"),
        (
            json!({"role": "assistant", "content": [{"type": "toolCall", "id": "1", "name": "x", "arguments": "{}"}]}),
            "expected a map",
        ),
        (json!({"role": "toolResult", "content": [], "toolName": "x"}), "missing field `toolCallId`"),
        (json!({"role": "custom", "content": []}), "missing field `customType`"),
        (json!({"role": "user", "content": "x", "timestamp": "noon"}), "expected u64"),
    ];
    for (value, reason) in table {
        match read(value.clone()) {
            Err(found) if found.contains(reason) => {}
            other => panic!("{value}: expected a refusal with {reason:?}, got {other:?}"),
        }
    }
}

#[test]
fn content_is_read_in_both_forms_and_written_as_blocks() {
    let blocks = json!({"role": "user", "content": [{"type": "text", "text": "hi"}], "timestamp": 5});
    let text = json!({"role": "user", "content": "hi", "timestamp": 5});
    let message = Message { role: Role::User, content: vec![Block::text("hi")], timestamp: Some(5) };
    assert_eq!(read(text).as_ref(), Ok(&message));
    assert_eq!(read(blocks.clone()).as_ref(), Ok(&message));
    assert_eq!(serde_json::to_string(&message).unwrap(), blocks.to_string());
}

#[test]
fn a_remark_of_the_runtime_needs_no_content() {
    let message = read(json!({"role": "custom", "customType": "run-failed-before-reply"})).unwrap();
    assert_eq!(
        serde_json::to_string(&message).unwrap(),
        r#"{"role":"custom","customType":"run-failed-before-reply","content":[]}"#
    );
}

#[test]
fn why_there_is_no_answer_is_read_when_it_is_known() {
    let read = |word: &str| {
        read(json!({"role": "custom", "customType": "x", "noAnswer": word})).map(|message| message.role)
    };
    let remark = |no_answer| Ok(Role::Custom { custom_type: "x".to_owned(), no_answer });
    assert_eq!(read("rate-limit"), remark(Some(NoAnswer::RateLimit)));
    assert_eq!(read("a word of a newer version"), remark(None));
}

#[test]
fn unknown_blocks_come_back_as_they_were() {
    let text = r#"{"role":"assistant","content":[{"z":1,"type":"hologram","a":{"deep":[null]}}]}"#;
    let message: Message = serde_json::from_str(text).unwrap();
    let Block::Other(other) = &message.content[0] else { panic!("{message:?}") };
    assert_eq!(other.properties()["type"], "hologram");
    assert_eq!(serde_json::to_string(&message).unwrap(), text);
}

#[test]
fn tool_results_and_tool_calls_have_their_fields_on_the_wire() {
    let call = ToolCall {
        id: "call_1".into(),
        name: "exec".into(),
        arguments: Map::from_iter([("command".to_owned(), json!("ls"))]),
    };
    let message = Message { role: Role::Assistant, content: vec![Block::ToolCall(call)], timestamp: None };
    assert_eq!(
        serde_json::to_string(&message).unwrap(),
        r#"{"role":"assistant","content":[{"type":"toolCall","id":"call_1","name":"exec","arguments":{"command":"ls"}}]}"#
    );

    let role = Role::ToolResult {
        tool_call_id: "call_1".into(),
        tool_name: "exec".into(),
        is_error: false,
        details: Some(json!({"exitCode": 0})),
    };
    let answered = Message { role, content: vec![Block::text("a.txt")], timestamp: Some(1) };
    assert_eq!(
        serde_json::to_string(&answered).unwrap(),
        r#"{"role":"toolResult","toolCallId":"call_1","toolName":"exec","isError":false,"details":{"exitCode":0},"content":[{"type":"text","text":"a.txt"}],"timestamp":1}"#
    );
}

fn any_block() -> impl Strategy<Value = Block> {
    prop_oneof![
        any::<String>().prop_map(|text| Block::Text(Text { text })),
        (any::<String>(), any::<String>())
            .prop_map(|(file_name, text)| Block::File(TextFile { file_name, text })),
        (any::<String>(), any::<Option<String>>()).prop_map(|(thinking, thinking_signature)| {
            Block::Thinking(Thinking { thinking, thinking_signature })
        }),
        (any::<String>(), any::<String>())
            .prop_map(|(data, mime_type)| Block::Image(Image { data, mime_type })),
        (any::<String>(), any::<String>(), prop::collection::vec((any::<String>(), any::<i64>()), 0..4))
            .prop_map(|(id, name, pairs)| {
                let arguments = pairs.into_iter().map(|(key, value)| (key, value.into())).collect();
                Block::ToolCall(ToolCall { id, name, arguments })
            }),
        (any::<String>(), any::<Vec<String>>(), any::<Vec<(String, Option<String>)>>()).prop_map(
            |(title, lines, choices)| {
                let choice = |(label, badge): (String, Option<String>)| MenuChoice {
                    reply: label.clone(),
                    label,
                    group: badge.clone(),
                    badge,
                };
                let (notices, hints) = (lines.clone(), Vec::new());
                let choices = choices.into_iter().map(choice).collect();
                Block::Menu(Menu { notices, title, lines, choices, hints })
            }
        ),
        ("x-[a-z]{0,9}", any::<String>()).prop_map(|(kind, body)| {
            serde_json::from_value(json!({"type": kind, "body": body})).unwrap()
        }),
    ]
}

fn any_role() -> impl Strategy<Value = Role> {
    prop_oneof![
        Just(Role::User),
        Just(Role::Assistant),
        Just(Role::System),
        (any::<String>(), any::<String>(), any::<bool>(), any::<Option<i64>>()).prop_map(
            |(tool_call_id, tool_name, is_error, details)| Role::ToolResult {
                tool_call_id,
                tool_name,
                is_error,
                details: details.map(Value::from),
            }
        ),
        (any::<String>(), prop::option::of(Just(NoAnswer::RateLimit)))
            .prop_map(|(custom_type, no_answer)| Role::Custom { custom_type, no_answer }),
    ]
}

proptest! {
    #[test]
    fn every_message_survives_the_wire(
        role in any_role(),
        content in prop::collection::vec(any_block(), 0..5),
        timestamp in any::<Option<u64>>(),
    ) {
        let message = Message { role, content, timestamp };
        let text = serde_json::to_string(&message).unwrap();
        prop_assert_eq!(serde_json::from_str::<Message>(&text).unwrap(), message);
    }
}
