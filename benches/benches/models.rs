//! Answers of models, read piece by piece: what a delta costs in each dialect, and what it costs to write a long
//! conversation into a request.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, bench, black_box};
use serde_json::{Map, json};
use tarsus_models::{
    Dialect, Model, ModelCatalog, ModelLimits, ModelRequest, ResponseDecoder, ToolSpec, encode_request,
};
use tarsus_test_models::{Chunk, Script, encode_events};

const DELTAS: usize = 1_000;
const DIALECTS: [&str; 4] =
    ["openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai"];

fn main() {
    divan::main();
}

fn model(dialect: &str) -> Model {
    let providers = json!({"providers": {"p": {"baseUrl": "http://127.0.0.1:9", "api": dialect, "models": [{"id": "m"}]}}});
    ModelCatalog::new(&serde_json::from_value(providers).unwrap()).model(&"p/m".parse().unwrap()).unwrap()
}

fn request(messages: usize) -> ModelRequest {
    let tool = ToolSpec { name: "read".into(), description: "Reads a file.".into(), parameters: Map::new() };
    let messages = (0..messages).map(|number| match number % 3 {
        0 => json!({"role": "user", "content": "What is in this file? ".repeat(10)}),
        1 => json!({"role": "assistant", "content": [
            {"type": "toolCall", "id": format!("c{number}"), "name": "read", "arguments": {"path": "a/b/c.txt"}},
        ]}),
        _ => json!({"role": "toolResult", "toolCallId": format!("c{}", number - 1), "toolName": "read",
            "content": "A line of the file.\n".repeat(50)}),
    });
    let messages = serde_json::from_value(messages.collect()).unwrap();
    ModelRequest {
        system: "Be brief. ".repeat(1_000),
        messages,
        tools: vec![tool],
        ..ModelRequest::default()
    }
}

fn stream(model: &Model) -> Vec<u8> {
    let says = (0..DELTAS).map(|number| Chunk::text(format!("word {number} ")));
    encode_events(model.dialect, &Script::new(says)).concat().into_bytes()
}

/// A thousand deltas, as they come: one event at a time.
#[bench(args = DIALECTS)]
fn deltas(bencher: Bencher, dialect: &str) {
    let (model, request) = (model(dialect), request(0));
    let stream = stream(&model);
    let events: Vec<&[u8]> = stream.split_inclusive(|byte| *byte == b'\n').collect();
    bencher.counter(ItemsCount::new(DELTAS)).counter(BytesCount::new(stream.len())).bench_local(|| {
        let mut reading = ResponseDecoder::new(&model, &request, &ModelLimits::DEFAULT);
        let mut deltas = Vec::new();
        for event in &events {
            reading.push(black_box(event), &mut deltas).unwrap();
            deltas.clear();
        }
        reading.finish(&mut deltas).unwrap();
    });
}

/// The same, cut at every byte.
#[bench(args = DIALECTS)]
fn deltas_byte_by_byte(bencher: Bencher, dialect: &str) {
    let (model, request) = (model(dialect), request(0));
    let stream = stream(&model);
    bencher.counter(ItemsCount::new(DELTAS)).bench_local(|| {
        let mut reading = ResponseDecoder::new(&model, &request, &ModelLimits::DEFAULT);
        let mut deltas = Vec::new();
        for byte in stream.chunks(1) {
            reading.push(black_box(byte), &mut deltas).unwrap();
            deltas.clear();
        }
        reading.finish(&mut deltas).unwrap();
    });
}

/// A request with two thousand messages, as the bytes that are sent.
#[bench(args = DIALECTS)]
fn request_of_2000_messages(bencher: Bencher, dialect: &str) {
    let (model, request) = (model(dialect), request(2_000));
    assert!(Dialect::ALL.contains(&model.dialect));
    bencher.bench_local(|| {
        let sent = encode_request(&model, black_box(&request)).unwrap();
        serde_json::to_vec(&sent.body).unwrap()
    });
}
