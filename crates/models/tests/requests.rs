//! What is sent, whole, for everything that a request can hold.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use serde_json::{Value, json};
use tarsus_models::{Catalog, Dialect, Model, Request, Thinking, Tool, outgoing};

/// The built-in providers, and a local one that knows no tools.
fn model(name: &str) -> Model {
    let home = json!({"providers": {"home": {"baseUrl": "http://127.0.0.1:9/v1", "models": [{"id": "m", "toolCalls": "text"}]}}});
    Catalog::new(&serde_json::from_value(home).unwrap()).model(&name.parse().unwrap()).unwrap()
}

const MODELS: [&str; 9] = [
    "openai/gpt-5",
    "anthropic/claude-sonnet-4-5",
    "anthropic/claude-sonnet-4-6",
    "google/gemini-2.5-flash",
    "google/gemini-3-pro",
    "groq/llama-3.3-70b-versatile",
    "mistral/mistral-large-latest",
    "openrouter/x/y",
    "home/m",
];

fn conversation() -> Value {
    let sealed = |model: &str, dialect: Dialect, seal: &str| {
        json!({
            "type": "thinking", "thinking": "hm", "thinkingSignature": format!("{}|{model}|{seal}", dialect.as_str()),
        })
    };
    json!([
        {"role": "user", "content": [
            {"type": "text", "text": "What is this?"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        ]},
        {"role": "assistant", "content": [
            sealed("anthropic/claude-sonnet-4-5", Dialect::AnthropicMessages, "Sig=="),
            sealed("anthropic/claude-sonnet-4-5", Dialect::AnthropicMessages, "hidden:Hid"),
            sealed("openai/gpt-5", Dialect::OpenaiResponses, r#"{"type":"reasoning","encrypted_content":"enc"}"#),
            sealed("google/gemini-2.5-flash", Dialect::GoogleGenerativeAi, "Gem"),
            {"type": "toolCall", "id": "call_1", "name": "read", "arguments": {"path": "a.png"}},
            {"type": "toolCall", "id": "call_2", "name": "read", "arguments": {}},
        ]},
        {"role": "toolResult", "toolCallId": "call_1", "toolName": "read", "content": [
            {"type": "text", "text": "a picture"}, {"type": "image", "data": "BBBB", "mimeType": "image/png"},
        ]},
        {"role": "toolResult", "toolCallId": "call_2", "toolName": "read", "isError": true, "content": "`path` is missing"},
    ])
}

fn request(messages: Value) -> Request {
    let parameters =
        json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    Request {
        system: "Be brief.".into(),
        messages: serde_json::from_value(messages).unwrap(),
        tools: vec![Tool {
            name: "read".into(),
            description: "Reads a file.".into(),
            parameters: parameters.as_object().unwrap().clone(),
        }],
        thinking: Thinking::Medium,
        max_tokens: None,
        cache: Some("session-1".into()),
    }
}

#[test]
fn everything_that_a_request_can_hold_in_the_words_of_each_provider() {
    for name in MODELS {
        let sent = outgoing(&model(name), &request(conversation())).unwrap();
        let name = name.replace('/', "-");
        insta::assert_json_snapshot!(name, json!([sent.url.as_str(), sent.body]));
    }
}

#[test]
fn every_level_of_thinking_where_a_model_can() {
    let pointers = [
        "/reasoning",
        "/reasoning_effort",
        "/thinking",
        "/output_config",
        "/generationConfig/thinkingConfig",
    ];
    let levels = Thinking::ALL.map(|thinking| {
        let said = MODELS.map(|name| {
            let request = Request { thinking, ..request(json!([{"role": "user", "content": "x"}])) };
            let body = outgoing(&model(name), &request).unwrap().body;
            let said: Vec<Value> =
                pointers.iter().filter_map(|pointer| body.pointer(pointer).cloned()).collect();
            (name.to_owned(), Value::from(said))
        });
        (thinking.as_str().to_owned(), Value::Object(said.into_iter().collect()))
    });
    insta::assert_json_snapshot!(Value::Object(levels.into_iter().collect()));
}

#[test]
fn a_bare_request_has_nothing_that_was_not_asked_for() {
    let bare = Request {
        messages: serde_json::from_value(json!([{"role": "user", "content": "hi"}])).unwrap(),
        ..Request::default()
    };
    let bodies = MODELS.map(|name| (name.to_owned(), outgoing(&model(name), &bare).unwrap().body));
    insta::assert_json_snapshot!(Value::Object(bodies.into_iter().collect()));
}

#[test]
fn the_next_request_begins_with_the_bytes_of_this_one() {
    let mut messages = conversation();
    messages.as_array_mut().unwrap().push(json!({"role": "assistant", "content": "A cat."}));
    let (before, mut after) = (messages.clone(), messages);
    after.as_array_mut().unwrap().push(json!({"role": "user", "content": "And now?"}));
    for name in MODELS {
        // Cache points move on with the conversation; providers compare what stands before them.
        let plain =
            |messages: &Value| Request { cache: None, thinking: Thinking::Off, ..request(messages.clone()) };
        let sent = |messages: &Value| outgoing(&model(name), &plain(messages)).unwrap().body.to_string();
        let (before, after) = (sent(&before), sent(&after));
        let stem = before.strip_suffix("]}").unwrap();
        assert!(after.starts_with(stem), "{name}\n{before}\n{after}");
    }
}

#[test]
fn an_answer_leaves_room_to_read_with() {
    let providers = json!({"providers": {"home": {"baseUrl": "http://127.0.0.1:9/v1", "models": [
        {"id": "small", "contextWindow": 4096, "maxTokens": 4096},
    ]}}});
    let catalog = Catalog::new(&serde_json::from_value(providers).unwrap());
    let model = catalog.model(&"home/small".parse().unwrap()).unwrap();
    let sent = |max_tokens| {
        outgoing(&model, &Request { max_tokens, ..request(json!([])) }).unwrap().body["max_tokens"].clone()
    };
    assert_eq!([sent(None), sent(Some(4_000))], [json!(2048), json!(4000)]);
}
