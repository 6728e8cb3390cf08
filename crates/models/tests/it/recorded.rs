//! Streams as real servers write them, each with its own habits, and the deltas that they stand for.

use serde_json::{Map, Value, json};
use tarsus_models::{
    Delta, ModelCatalog, ModelError, ModelLimits, ModelRequest, ResponseDecoder, StopReason, ToolArguments,
    ToolSpec, Usage,
};
use tarsus_protocol::NoAnswer;

fn read(model: &str, stream: &str) -> (Vec<Delta>, Result<(), ModelError>) {
    let model = ModelCatalog::default().model(&model.parse().unwrap()).unwrap();
    let tool = ToolSpec { name: "read".into(), description: String::new(), parameters: Map::new() };
    let request = ModelRequest { tools: vec![tool], ..ModelRequest::default() };
    let mut reading = ResponseDecoder::new(&model, &request, &ModelLimits::DEFAULT);
    let mut deltas = Vec::new();
    let end = reading.push(stream.as_bytes(), &mut deltas).and_then(|()| reading.finish(&mut deltas));
    (deltas, end)
}

fn whole(model: &str, stream: &str) -> Vec<Delta> {
    let (deltas, end) = read(model, stream);
    assert_eq!(end, Ok(()), "{deltas:?}");
    deltas
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("data: {value}\n\n")).collect()
}

fn text(text: &str) -> Delta {
    Delta::Text(text.into())
}

fn thought(text: &str) -> Delta {
    Delta::Reasoning(text.into())
}

fn thought_end(signature: Option<&str>) -> Delta {
    Delta::ReasoningEnd { signature: signature.map(str::to_owned) }
}

fn start(call: usize, id: &str, name: &str) -> Delta {
    Delta::CallStart { call, id: id.into(), name: name.into(), from_text: false }
}

fn piece(call: usize, json: &str) -> Delta {
    Delta::CallArguments { call, json: json.into() }
}

fn end(call: usize, arguments: Value) -> Delta {
    Delta::CallEnd { call, arguments: ToolArguments::Object(arguments.as_object().unwrap().clone()) }
}

fn usage(input: u32, output: u32, cache_read: u32, cache_write: u32) -> Delta {
    Delta::Usage(Usage { input, output, cache_read, cache_write })
}

fn chunk(delta: Value, reason: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
}

#[test]
fn completions_interleave_calls_by_index() {
    let call = |index: u64, call: Value| {
        chunk(
            json!({"tool_calls": [{"index": index, "id": call["id"], "function": call["function"]}]}),
            Value::Null,
        )
    };
    let stream = lines(&[
        chunk(json!({"role": "assistant", "content": null, "reasoning_content": "which?"}), Value::Null),
        call(0, json!({"id": "c0", "function": {"name": "read", "arguments": ""}})),
        call(1, json!({"id": "c1", "function": {"name": "list", "arguments": null}})),
        call(1, json!({"function": {"arguments": "{\"b\":"}})),
        call(0, json!({"function": {"arguments": "{\"a\":1}"}})),
        call(1, json!({"function": {"arguments": "2}"}})),
        chunk(json!({}), "tool_calls".into()),
        json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 64}}}),
    ]) + "data: [DONE]\n\n";
    assert_eq!(
        whole("deepseek/deepseek-chat", &stream),
        [
            thought("which?"),
            thought_end(None),
            start(0, "c0", "read"),
            start(1, "c1", "list"),
            piece(1, "{\"b\":"),
            piece(0, "{\"a\":1}"),
            piece(1, "2}"),
            usage(36, 9, 64, 0),
            end(0, json!({"a": 1})),
            end(1, json!({"b": 2})),
            Delta::Stop(StopReason::ToolCalls),
        ]
    );
}

#[test]
fn completions_tolerate_wrong_call_indexes() {
    let calls = |calls: Value| chunk(json!({"tool_calls": calls}), Value::Null);
    // Every call has the number 0 (seen with proxies), or none at all; arguments may be an object already.
    let same_number = lines(&[
        calls(json!([{"index": 0, "id": "a", "function": {"name": "read", "arguments": "{}"}}])),
        calls(json!([{"index": 0, "id": "b", "function": {"name": "read", "arguments": "{}"}}])),
        chunk(json!({}), "stop".into()),
    ]);
    let no_number = lines(&[
        calls(json!([
            {"id": "", "function": {"name": "read", "arguments": {}}},
            {"function": {"name": "read", "arguments": {}}},
        ])),
        chunk(json!({}), "stop".into()),
    ]);
    let expected = |one: &str, two: &str| {
        vec![
            start(0, one, "read"),
            piece(0, "{}"),
            start(1, two, "read"),
            piece(1, "{}"),
            end(0, json!({})),
            end(1, json!({})),
            Delta::Stop(StopReason::ToolCalls),
        ]
    };
    assert_eq!(whole("groq/x", &same_number), expected("a", "b"));
    assert_eq!(whole("groq/x", &no_number), expected("call_1", "call_2"));
}

#[test]
fn completions_accept_parts_comments_and_odd_usage() {
    let stream = String::from(": OPENROUTER PROCESSING\n\n")
        + &lines(&[
            chunk(
                json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "Hi"}]}),
                Value::Null,
            ),
            chunk(json!({"reasoning": "more"}), Value::Null),
            chunk(json!({"content": "."}), "length".into()),
            json!({"choices": [], "x_groq": {"usage": {"prompt_tokens": 5, "completion_tokens": 2}}}),
        ]);
    assert_eq!(
        whole("mistral/x", &stream),
        [
            thought("hm"),
            thought_end(None),
            text("Hi"),
            thought("more"),
            thought_end(None),
            text("."),
            usage(5, 2, 0, 0),
            Delta::Stop(StopReason::MaxTokens),
        ]
    );
    let filtered = lines(&[chunk(json!({"refusal": "I may not."}), "content_filter".into())]);
    assert_eq!(
        whole("groq/x", &filtered),
        [text("I may not."), Delta::Stop(StopReason::Refused { reason: "content_filter".into() })]
    );
}

#[test]
fn anthropic_keeps_signed_and_redacted_thinking() {
    let stream = r#"event: message_start
data: {"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":3000,"output_tokens":2}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Sig=="}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"Hid"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"server_tool_use","id":"x"}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: content_block_start
data: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"whole"}}}

event: content_block_stop
data: {"type":"content_block_stop","index":3}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":40}}

event: message_stop
data: {"type":"message_stop"}

"#;
    let signature = |signature: &str| format!("anthropic-messages|anthropic/claude-haiku-4-5|{signature}");
    assert_eq!(
        whole("anthropic/claude-haiku-4-5", stream),
        [
            usage(10, 2, 3000, 200),
            thought("hm"),
            thought_end(Some(&signature("Sig=="))),
            thought_end(Some(&signature("hidden:Hid"))),
            start(0, "toolu_1", "read"),
            piece(0, "{\"path\":\"whole\"}"),
            end(0, json!({"path": "whole"})),
            usage(10, 40, 3000, 200),
            Delta::Stop(StopReason::ToolCalls),
        ]
    );
}

#[test]
fn anthropic_protocol_violation_is_malformed() {
    let delta =
        json!({"type": "content_block_delta", "index": 4, "delta": {"type": "text_delta", "text": "x"}});
    let (deltas, end) = read("anthropic/claude-haiku-4-5", &lines(&[delta]));
    let malformed = ModelError::new(NoAnswer::Malformed, "the answer goes on with a block that is not open");
    assert_eq!((deltas, end), (vec![], Err(malformed)));
}

#[test]
fn responses_keep_encrypted_reasoning_summary_and_call() {
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "enc", "status": "completed"});
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_a", "name": "read", "arguments": "{\"a\":1}"});
    let stream = lines(&[
        json!({"type": "response.created", "response": {"id": "r"}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning"}}),
        json!({"type": "response.reasoning_summary_part.added", "output_index": 0, "summary_index": 0}),
        json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "one"}),
        json!({"type": "response.reasoning_summary_part.added", "output_index": 0, "summary_index": 1}),
        json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "two"}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": reasoning}),
        json!({"type": "response.output_item.done", "output_index": 1, "item": call}),
        json!({"type": "response.some_new_event", "delta": {"x": 1}}),
        json!({"type": "response.completed", "response": {"usage": {
            "input_tokens": 50, "input_tokens_details": {"cached_tokens": 20}, "output_tokens": 7}}}),
    ]);
    let signature = r#"openai-responses|openai/gpt-5|{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"enc"}"#;
    assert_eq!(
        whole("openai/gpt-5", &stream),
        [
            thought("one"),
            thought("\n\n"),
            thought("two"),
            thought_end(Some(signature)),
            start(0, "call_a", "read"),
            piece(0, "{\"a\":1}"),
            end(0, json!({"a": 1})),
            usage(30, 7, 20, 0),
            Delta::Stop(StopReason::ToolCalls),
        ]
    );
    let failed = json!({"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded", "message": "slow"}}});
    let (_, end) = read("openai/gpt-5", &lines(&[failed]));
    assert_eq!(end, Err(ModelError::new(NoAnswer::RateLimit, "slow")));
    let refused = json!({"type": "response.incomplete", "response": {"incomplete_details": {"reason": "content_filter"}}});
    let why = StopReason::Refused { reason: "content_filter".into() };
    assert_eq!(whole("openai/gpt-5", &lines(&[refused])), [Delta::Stop(why)]);
}

#[test]
fn google_keeps_thoughts_and_signature_of_a_call() {
    let stream = "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"hm\",\"thought\":true}]}}]}\r\n\r\n".to_owned()
        + &lines(&[
            json!({"candidates": [{"content": {"parts": [
                {"functionCall": {"name": "read", "args": {"a": 1}}, "thoughtSignature": "Sig"},
                {"functionCall": {"name": "list"}},
            ]}}]}),
            json!({"candidates": [{"content": {}, "finishReason": "STOP"}], "usageMetadata": {
                "promptTokenCount": 30, "candidatesTokenCount": 4, "thoughtsTokenCount": 6, "cachedContentTokenCount": 10}}),
        ]);
    assert_eq!(
        whole("google/gemini-2.5-pro", &stream),
        [
            thought("hm"),
            thought_end(Some("google-generative-ai|google/gemini-2.5-pro|Sig")),
            start(0, "call_1", "read"),
            piece(0, "{\"a\":1}"),
            end(0, json!({"a": 1})),
            start(1, "call_2", "list"),
            end(1, json!({})),
            usage(20, 10, 10, 0),
            Delta::Stop(StopReason::ToolCalls),
        ]
    );
    let blocked = lines(&[json!({"promptFeedback": {"blockReason": "SAFETY"}})]);
    let why = StopReason::Refused { reason: "SAFETY".into() };
    assert_eq!(whole("google/gemini-2.5-pro", &blocked), [Delta::Stop(why)]);
    let wrong_call = lines(&[json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]})]);
    let (_, end) = read("google/gemini-2.5-pro", &wrong_call);
    let failed = "the model failed to call a tool (MALFORMED_FUNCTION_CALL)";
    assert_eq!(end, Err(ModelError::new(NoAnswer::Overloaded, failed)));
}

#[test]
fn events_after_the_end_are_ignored() {
    let done = json!({"type": "message_stop"});
    let late = json!({"type": "error", "error": {"message": "too late"}});
    let stream = lines(&[json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}), done, late]);
    assert_eq!(whole("anthropic/claude-haiku-4-5", &stream), [Delta::Stop(StopReason::EndTurn)]);
}

#[test]
fn end_without_reason_counts_after_content() {
    let stream = lines(&[chunk(json!({"content": "Hi"}), Value::Null)]) + "data: [DONE]\n\n";
    assert_eq!(whole("groq/x", &stream), [text("Hi"), Delta::Stop(StopReason::EndTurn)]);
    let cut = ModelError::new(NoAnswer::Network, "the answer was cut off before its end");
    assert_eq!(read("groq/x", "data: [DONE]\n\n"), (vec![], Err(cut)));
}

#[test]
fn call_without_name_is_passed_on() {
    let call = json!({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]});
    let stream = lines(&[chunk(call, "tool_calls".into())]);
    let expected =
        [start(0, "call_1", ""), piece(0, "{}"), end(0, json!({})), Delta::Stop(StopReason::ToolCalls)];
    assert_eq!(whole("groq/x", &stream), expected);
}
