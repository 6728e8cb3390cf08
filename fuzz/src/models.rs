//! Answers of model servers in every dialect: what strangers send for as long as they like.

use std::sync::LazyLock;

use serde_json::Map;
use tarsus_models::{
    Delta, Model, ModelCatalog, ModelError, ModelLimits, ModelRequest, ResponseDecoder, ToolSpec,
};

pub(crate) const SEEDS: &[&[u8]] = &[
    b"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\",\"reasoning\":\"hm\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"read\",\"arguments\":\"{\\\"a\\\":1}\"}}]},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3}}\n\ndata: [DONE]\n\n",
    b"data: {\"choices\":[{\"delta\":{\"content\":\"<think>hm</think><tool_call>{\\\"name\\\":\\\"read\\\",\\\"arguments\\\":{}}</tool_call>\"},\"finish_reason\":\"stop\"}]}\n\n",
    b"data: {\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"read\"}}\n\ndata: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":1,\"delta\":\"{}\"}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":4}}}\n\n",
    b"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":1}}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"read\",\"input\":{}}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\ndata: {\"type\":\"message_stop\"}\n\n",
    b"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hm\",\"thought\":true},{\"functionCall\":{\"name\":\"read\",\"args\":{}},\"thoughtSignature\":\"s\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":3}}\r\n\r\n",
    b"data: {\"error\":{\"code\":429,\"message\":\"slow\",\"details\":[{\"retryDelay\":\"3s\"}]}}\n\n",
];

/// One of each dialect.
static MODELS: LazyLock<Vec<Model>> = LazyLock::new(|| {
    let names = ["groq/x", "openai/gpt-5", "anthropic/claude-haiku-4-5", "google/gemini-2.5-pro"];
    names.iter().filter_map(|name| ModelCatalog::default().model(&name.parse().ok()?).ok()).collect()
});
/// Small, so that short inputs reach them.
const LIMITS: ModelLimits =
    ModelLimits { event_bytes: 1_500, arguments_bytes: 200, calls: 4, ..ModelLimits::DEFAULT };

/// The same deltas and the same end whether the bytes come at once, one by one, or in two halves; a whole answer has one
/// stop, at its end; every call that begins ends, once, and within the bounds.
pub fn models(data: &[u8]) {
    // Which dialect it is read as is part of the data.
    let sum: usize = data.iter().map(|byte| usize::from(*byte)).sum();
    let Some(model) = MODELS.get(sum % MODELS.len().max(1)) else { return };
    let whole = read(model, [data]);
    assert_eq!(read(model, data.chunks(1)), whole, "byte by byte as {}", model.name);
    assert_eq!(read(model, data.chunks(data.len() / 2 + 1)), whole, "in halves as {}", model.name);
    let (deltas, end) = whole;
    let stops = deltas.iter().filter(|delta| matches!(delta, Delta::Stop(_))).count();
    let last_is_stop = matches!(deltas.last(), Some(Delta::Stop(_)));
    let begun = deltas.iter().filter(|delta| matches!(delta, Delta::CallStart { .. })).count();
    let ended = deltas.iter().filter(|delta| matches!(delta, Delta::CallEnd { .. })).count();
    assert!(ended <= begun && begun <= LIMITS.calls, "{deltas:?}");
    if end.is_ok() {
        assert!(stops == 1 && last_is_stop && begun == ended, "{deltas:?}");
    }
}

fn read<'d>(
    model: &Model,
    pieces: impl IntoIterator<Item = &'d [u8]>,
) -> (Vec<Delta>, Result<(), ModelError>) {
    let tool = ToolSpec { name: "read".into(), description: String::new(), parameters: Map::new() };
    let request = ModelRequest { tools: vec![tool], ..ModelRequest::default() };
    let mut reading = ResponseDecoder::new(model, &request, &LIMITS);
    let mut deltas = Vec::new();
    for piece in pieces {
        if let Err(failure) = reading.push(piece, &mut deltas) {
            return (deltas, Err(failure));
        }
    }
    let end = reading.finish(&mut deltas);
    (deltas, end)
}
