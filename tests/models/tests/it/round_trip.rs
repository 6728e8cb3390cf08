//! Decoding returns what the model sent, in every dialect and for every split of the bytes.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tarsus_models::{
    Delta, Dialect, Model, ModelCatalog, ModelError, ModelLimits, ModelRequest, ModelResponse,
    ResponseDecoder, StopReason, ToolSpec, Usage,
};
use tarsus_protocol::message::{Thinking, ToolCall};
use tarsus_protocol::{Block, NoAnswer};
use tarsus_test_models::{Chunk, Script, encode_events};

fn model(dialect: Dialect) -> Model {
    let name = match dialect {
        Dialect::OpenaiCompletions => "deepseek/deepseek-chat",
        Dialect::OpenaiResponses => "openai/gpt-5",
        Dialect::AnthropicMessages => "anthropic/claude-sonnet-4-5",
        Dialect::GoogleGenerativeAi => "google/gemini-2.5-pro",
    };
    ModelCatalog::default().model(&name.parse().unwrap()).unwrap()
}

fn request() -> ModelRequest {
    let tool = ToolSpec { name: "read".into(), description: String::new(), parameters: Map::new() };
    ModelRequest { tools: vec![tool], ..ModelRequest::default() }
}

fn read(model: &Model, pieces: &[&[u8]]) -> (Vec<Delta>, Result<(), ModelError>) {
    let mut reading = ResponseDecoder::new(model, &request(), &ModelLimits::DEFAULT);
    let mut deltas = Vec::new();
    for piece in pieces {
        if let Err(failure) = reading.push(piece, &mut deltas) {
            return (deltas, Err(failure));
        }
    }
    let end = reading.finish(&mut deltas);
    (deltas, end)
}

fn answer(deltas: &[Delta]) -> ModelResponse {
    let mut answer = ModelResponse::default();
    deltas.iter().for_each(|delta| answer.push(delta));
    answer
}

/// The expected result.
fn blocks(model: &Model, script: &Script) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for say in &script.chunks {
        match (say, blocks.last_mut()) {
            (Chunk::Text(text), Some(Block::Text(last))) => last.text.push_str(text),
            (Chunk::Text(text), _) => blocks.push(Block::text(text)),
            (Chunk::Reasoning(text), Some(Block::Thinking(last))) => last.thinking.push_str(text),
            (Chunk::Reasoning(text), _) => blocks.push(thinking_block(text.clone(), None)),
            (Chunk::Signature(_), _) if model.dialect == Dialect::OpenaiCompletions => {}
            (Chunk::Signature(signature), Some(Block::Thinking(last))) => {
                last.thinking_signature = Some(kept(model, signature))
            }
            (Chunk::Signature(signature), _) => {
                blocks.push(thinking_block(String::new(), Some(kept(model, signature))))
            }
            (Chunk::Call { id, name, arguments }, _) => {
                let arguments = serde_json::from_str(arguments).unwrap();
                blocks.push(Block::ToolCall(ToolCall { id: id.clone(), name: name.clone(), arguments }));
            }
        }
    }
    blocks
}

fn thinking_block(thinking: String, thinking_signature: Option<String>) -> Block {
    Block::Thinking(Thinking { thinking, thinking_signature })
}

fn kept(model: &Model, signature: &str) -> String {
    let signature = match model.dialect {
        Dialect::OpenaiResponses => {
            json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": signature})
                .to_string()
        }
        _ => signature.to_owned(),
    };
    format!("{}|{}|{signature}", model.dialect.as_str(), model.name)
}

fn words() -> impl Strategy<Value = String> {
    "[a-zé天🌐\"\\\\\n\r{}<>:]{1,12}"
}

fn arguments() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[a-z]{1,4}", words(), 0..4).prop_map(|map| json!(map))
}

fn scripts() -> impl Strategy<Value = Script> {
    let thoughts = prop::collection::vec(words().prop_map(Chunk::Reasoning), 0..3);
    let signature = prop::option::of("[A-Za-z0-9+/=]{1,20}".prop_map(Chunk::Signature));
    let texts = prop::collection::vec(words().prop_map(Chunk::Text), 0..4);
    let calls = prop::collection::vec(("[a-z]{1,8}", arguments()), 0..4);
    let usage = (1_u32..1000, 1_u32..1000, 0_u32..1000).prop_map(|(input, output, cache_read)| Usage {
        input,
        output,
        cache_read,
        cache_write: 0,
    });
    (thoughts, signature, texts, calls, usage).prop_map(|(thoughts, signature, texts, calls, usage)| {
        let calls = calls.into_iter().enumerate();
        let calls =
            calls.map(|(number, (name, arguments))| Chunk::call(format!("id_{number}"), name, &arguments));
        Script { usage, ..Script::new(thoughts.into_iter().chain(signature).chain(texts).chain(calls)) }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_dialect_decodes_every_split(
        script in scripts(), cuts in prop::collection::vec(0_usize..4_000, 0..6),
    ) {
        for dialect in Dialect::ALL {
            let model = model(dialect);
            let stream = encode_events(dialect, &script).concat().into_bytes();
            let (deltas, end) = read(&model, &[&stream]);
            prop_assert_eq!(end, Ok(()));
            let answer = answer(&deltas);
            prop_assert_eq!(&answer.blocks, &blocks(&model, &script), "{}", dialect.as_str());
            prop_assert_eq!(answer.usage, Some(script.usage));
            prop_assert_eq!(answer.stop.as_ref(), Some(&script.stop));
            prop_assert_eq!(deltas.iter().filter(|delta| matches!(delta, Delta::Stop(_))).count(), 1);
            prop_assert!(matches!(deltas.last(), Some(Delta::Stop(_))));

            let bytes: Vec<&[u8]> = stream.chunks(1).collect();
            prop_assert_eq!(&read(&model, &bytes).0, &deltas, "byte by byte");
            let mut at: Vec<usize> = cuts.iter().map(|cut| (*cut).min(stream.len())).collect();
            at.sort_unstable();
            let starts = [0].into_iter().chain(at.iter().copied());
            let pieces: Vec<&[u8]> =
                starts.zip(at.iter().copied().chain([stream.len()])).map(|(from, to)| &stream[from..to]).collect();
            prop_assert_eq!(&read(&model, &pieces).0, &deltas, "cut at {:?}", at);
        }
    }
}

#[test]
fn truncated_answer_is_always_an_error() {
    let script = Script::new([
        Chunk::reasoning("hm"),
        Chunk::Signature("c2VhbA==".into()),
        Chunk::text("é天"),
        Chunk::call("id_1", "read", &json!({"path": "a/b"})),
        Chunk::call("id_2", "read", &json!({})),
    ]);
    for dialect in Dialect::ALL {
        let model = model(dialect);
        let stream = encode_events(dialect, &script).concat().into_bytes();
        let (whole, _) = read(&model, &[&stream]);
        let mut complete = 0;
        for at in 0..stream.len() {
            let (deltas, end) = read(&model, &[&stream[..at]]);
            match end {
                // The stop reason arrived; only the usage or the last blank line is missing.
                Ok(()) => {
                    complete += 1;
                    assert_eq!(answer(&deltas).blocks, answer(&whole).blocks, "{} at {at}", dialect.as_str());
                    assert!(matches!(deltas.last(), Some(Delta::Stop(StopReason::ToolCalls))), "{deltas:?}");
                }
                Err(failure) => {
                    let cut = ModelError::new(NoAnswer::Network, "the answer was cut off before its end");
                    assert_eq!(failure, cut, "{} at {at}", dialect.as_str());
                    assert!(!deltas.iter().any(|delta| matches!(delta, Delta::Stop(_))));
                }
            }
        }
        assert!(complete < stream.len() / 3, "{} of {} in {}", complete, stream.len(), dialect.as_str());
    }
}
