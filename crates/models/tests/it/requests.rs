//! Snapshots of whole requests, for every field that a request can have.

use serde_json::{Value, json};
use tarsus_models::{Dialect, Model, ModelCatalog, ModelRequest, ToolSpec, encode_request};
use tarsus_protocol::exec::ThinkingLevel;

/// The built-in providers, and a local one that knows no tools.
fn model(name: &str) -> Model {
    let home = json!({"providers": {"home": {"baseUrl": "http://127.0.0.1:9/v1", "models": [{"id": "m", "toolCalls": "text"}]}}});
    ModelCatalog::new(&serde_json::from_value(home).unwrap()).model(&name.parse().unwrap()).unwrap()
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
    let sealed = |model: &str, dialect: Dialect, signature: &str| {
        json!({
            "type": "thinking", "thinking": "hm", "thinkingSignature": format!("{}|{model}|{signature}", dialect.as_str()),
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

fn request(messages: Value) -> ModelRequest {
    let parameters =
        json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    ModelRequest {
        system: "Be brief.".into(),
        messages: serde_json::from_value(messages).unwrap(),
        tools: vec![ToolSpec {
            name: "read".into(),
            description: "Reads a file.".into(),
            parameters: parameters.as_object().unwrap().clone(),
        }],
        thinking: ThinkingLevel::Medium,
        max_tokens: None,
        cache: Some("session-1".into()),
    }
}

#[test]
fn full_request_in_every_dialect() {
    for name in MODELS {
        let sent = encode_request(&model(name), &request(conversation())).unwrap();
        let name = name.replace('/', "-");
        insta::assert_json_snapshot!(name, json!([sent.url.as_str(), sent.body]));
    }
}

#[test]
fn thinking_level_is_sent_where_supported() {
    let pointers = [
        "/reasoning",
        "/reasoning_effort",
        "/thinking",
        "/output_config",
        "/generationConfig/thinkingConfig",
    ];
    let levels = [
        ThinkingLevel::Off,
        ThinkingLevel::Minimal,
        ThinkingLevel::Low,
        ThinkingLevel::Medium,
        ThinkingLevel::High,
    ]
    .map(|thinking| {
        let encoded = MODELS.map(|name| {
            let request = ModelRequest { thinking, ..request(json!([{"role": "user", "content": "x"}])) };
            let body = encode_request(&model(name), &request).unwrap().body;
            let encoded: Vec<Value> =
                pointers.iter().filter_map(|pointer| body.pointer(pointer).cloned()).collect();
            (name.to_owned(), Value::from(encoded))
        });
        (thinking.as_str().to_owned(), Value::Object(encoded.into_iter().collect()))
    });
    insta::assert_json_snapshot!(Value::Object(levels.into_iter().collect()));
}

#[test]
fn minimal_request_has_no_extra_fields() {
    let bare = ModelRequest {
        messages: serde_json::from_value(json!([{"role": "user", "content": "hi"}])).unwrap(),
        ..ModelRequest::default()
    };
    let bodies = MODELS.map(|name| (name.to_owned(), encode_request(&model(name), &bare).unwrap().body));
    insta::assert_json_snapshot!(Value::Object(bodies.into_iter().collect()));
}

#[test]
fn next_request_extends_the_previous_bytes() {
    let mut messages = conversation();
    messages.as_array_mut().unwrap().push(json!({"role": "assistant", "content": "A cat."}));
    let (before, mut after) = (messages.clone(), messages);
    after.as_array_mut().unwrap().push(json!({"role": "user", "content": "And now?"}));
    for name in MODELS {
        // Cache points move on with the conversation; providers compare what stands before them.
        let plain = |messages: &Value| ModelRequest {
            cache: None,
            thinking: ThinkingLevel::Off,
            ..request(messages.clone())
        };
        let sent =
            |messages: &Value| encode_request(&model(name), &plain(messages)).unwrap().body.to_string();
        let (before, after) = (sent(&before), sent(&after));
        let stem = before.strip_suffix("]}").unwrap();
        assert!(after.starts_with(stem), "{name}\n{before}\n{after}");
    }
}

#[test]
fn output_limit_is_at_most_half_the_context_window() {
    let providers = json!({"providers": {"home": {"baseUrl": "http://127.0.0.1:9/v1", "models": [
        {"id": "small", "contextWindow": 4096, "maxTokens": 4096},
    ]}}});
    let catalog = ModelCatalog::new(&serde_json::from_value(providers).unwrap());
    let model = catalog.model(&"home/small".parse().unwrap()).unwrap();
    let sent = |max_tokens| {
        encode_request(&model, &ModelRequest { max_tokens, ..request(json!([])) }).unwrap().body["max_tokens"]
            .clone()
    };
    assert_eq!([sent(None), sent(Some(4_000))], [json!(2048), json!(4000)]);
}
