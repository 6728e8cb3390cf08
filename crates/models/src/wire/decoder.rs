//! Decodes a response: bytes in, deltas out. The result does not depend on how the bytes are split.

use super::builder::{CallIds, ResponseBuilder};
use super::{Dialect, anthropic, completions, google, responses};
use crate::catalog::{Model, ToolCallMode};
use crate::delta::Delta;
use crate::error::ModelError;
use crate::limits::ModelLimits;
use crate::request::ModelRequest;
use crate::sse::{Sse, SseEvent, TooLong};
use crate::text_calls::TextCalls;

#[derive(Debug)]
pub struct ResponseDecoder {
    sse: Option<Sse>,
    decoder: Decoder,
    builder: ResponseBuilder,
    text_calls: Option<TextCalls>,
}

#[derive(Debug)]
enum Decoder {
    Completions(completions::Decoder),
    Responses(responses::Decoder),
    Anthropic(anthropic::Decoder),
    Google(google::Decoder),
}

impl ResponseDecoder {
    #[must_use]
    pub fn new(model: &Model, request: &ModelRequest, limits: &ModelLimits) -> Self {
        let decoder = match model.dialect {
            Dialect::OpenaiCompletions => Decoder::Completions(completions::Decoder::default()),
            Dialect::OpenaiResponses => Decoder::Responses(responses::Decoder::default()),
            Dialect::AnthropicMessages => Decoder::Anthropic(anthropic::Decoder::default()),
            Dialect::GoogleGenerativeAi => Decoder::Google(google::Decoder),
        };
        let may_be_text = model.info.tool_calls != ToolCallMode::Native && !request.tools.is_empty();
        Self {
            sse: Some(Sse::new(limits.event_bytes)),
            decoder,
            builder: ResponseBuilder::new(model, request, limits),
            text_calls: may_be_text
                .then(|| TextCalls::new(request, CallIds::unused_in(request), limits.calls)),
        }
    }

    /// Decodes the next bytes. Appends the completed deltas to `deltas`, also when a later event fails.
    ///
    /// # Errors
    /// When the server reports an error, or its response is invalid or too large.
    pub fn push(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), ModelError> {
        let Self { sse, decoder, builder, text_calls } = self;
        let Some(sse) = sse else { return Ok(()) };
        let read = sse.push(bytes, |event| {
            if builder.has_stopped() {
                return Ok(());
            }
            let read = decoder.decode(&event, builder);
            hand_out(builder, text_calls, deltas);
            read
        });
        if read.is_err() {
            self.sse = None;
        }
        read
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// When the response is not complete.
    pub fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), ModelError> {
        let last = self.sse.take().and_then(Sse::finish).filter(|_| !self.builder.has_stopped());
        let read = last.map_or(Ok(()), |event| self.decoder.decode(&event, &mut self.builder));
        let read = read.and_then(|()| self.builder.end_of_stream());
        hand_out(&mut self.builder, &mut self.text_calls, deltas);
        read
    }

    /// Whether the response is complete; the rest of the stream can be ignored.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.builder.has_stopped()
    }
}

fn hand_out(builder: &mut ResponseBuilder, text_calls: &mut Option<TextCalls>, deltas: &mut Vec<Delta>) {
    match text_calls {
        Some(text_calls) => builder.drain().for_each(|delta| text_calls.push(delta, deltas)),
        None => deltas.extend(builder.drain()),
    }
}

impl Decoder {
    fn decode(&mut self, event: &SseEvent, builder: &mut ResponseBuilder) -> Result<(), ModelError> {
        match self {
            Self::Completions(decoder) => decoder.decode(event, builder),
            Self::Responses(decoder) => decoder.decode(event, builder),
            Self::Anthropic(decoder) => decoder.decode(event, builder),
            Self::Google(decoder) => decoder.decode(event, builder),
        }
    }
}

impl From<TooLong> for ModelError {
    fn from(error: TooLong) -> Self {
        Self::malformed(error.to_string())
    }
}
