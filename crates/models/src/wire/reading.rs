//! Reading an answer: bytes in, deltas out. What comes out is the same for every way of cutting the bytes.

use super::draft::{Draft, Ids};
use super::{Dialect, anthropic, completions, google, responses};
use crate::catalog::{Model, ToolCalls};
use crate::delta::Delta;
use crate::failure::Failure;
use crate::limits::Limits;
use crate::request::Request;
use crate::sse::{Sse, SseEvent, TooLong};
use crate::text_calls::TextCalls;

/// An answer that is being read.
#[derive(Debug)]
pub struct Reading {
    sse: Option<Sse>,
    decoder: Decoder,
    draft: Draft,
    text_calls: Option<TextCalls>,
}

#[derive(Debug)]
enum Decoder {
    Completions(completions::Decoder),
    Responses(responses::Decoder),
    Anthropic(anthropic::Decoder),
    Google(google::Decoder),
}

impl Reading {
    /// Reads the answer of a model to a request.
    #[must_use]
    pub fn new(model: &Model, request: &Request, limits: &Limits) -> Self {
        let decoder = match model.dialect {
            Dialect::OpenaiCompletions => Decoder::Completions(completions::Decoder::default()),
            Dialect::OpenaiResponses => Decoder::Responses(responses::Decoder::default()),
            Dialect::AnthropicMessages => Decoder::Anthropic(anthropic::Decoder::default()),
            Dialect::GoogleGenerativeAi => Decoder::Google(google::Decoder),
        };
        let may_be_text = model.facts.tool_calls != ToolCalls::Native && !request.tools.is_empty();
        Self {
            sse: Some(Sse::new(limits.event_bytes)),
            decoder,
            draft: Draft::new(model, request, limits),
            text_calls: may_be_text.then(|| TextCalls::new(request, Ids::after(request), limits.calls)),
        }
    }

    /// Takes the next bytes. What they complete is added to `deltas`, also when what comes after it fails.
    ///
    /// # Errors
    /// When the server says that it failed, or what it sends cannot be read or is larger than allowed.
    pub fn push(&mut self, bytes: &[u8], deltas: &mut Vec<Delta>) -> Result<(), Failure> {
        let Self { sse, decoder, draft, text_calls } = self;
        let Some(sse) = sse else { return Ok(()) };
        let read = sse.push(bytes, |event| {
            if draft.has_stopped() {
                return Ok(());
            }
            let read = decoder.event(&event, draft);
            hand_out(draft, text_calls, deltas);
            read
        });
        if read.is_err() {
            self.sse = None;
        }
        read
    }

    /// The end of the bytes.
    ///
    /// # Errors
    /// When the answer is not complete.
    pub fn finish(&mut self, deltas: &mut Vec<Delta>) -> Result<(), Failure> {
        let last = self.sse.take().and_then(Sse::finish).filter(|_| !self.draft.has_stopped());
        let read = last.map_or(Ok(()), |event| self.decoder.event(&event, &mut self.draft));
        let read = read.and_then(|()| self.draft.end_of_bytes());
        hand_out(&mut self.draft, &mut self.text_calls, deltas);
        read
    }

    /// Whether the answer is complete: what may still come is of no use.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.draft.has_stopped()
    }
}

fn hand_out(draft: &mut Draft, text_calls: &mut Option<TextCalls>, deltas: &mut Vec<Delta>) {
    match text_calls {
        Some(text_calls) => draft.drain().for_each(|delta| text_calls.push(delta, deltas)),
        None => deltas.extend(draft.drain()),
    }
}

impl Decoder {
    fn event(&mut self, event: &SseEvent, draft: &mut Draft) -> Result<(), Failure> {
        match self {
            Self::Completions(decoder) => decoder.event(event, draft),
            Self::Responses(decoder) => decoder.event(event, draft),
            Self::Anthropic(decoder) => decoder.event(event, draft),
            Self::Google(decoder) => decoder.event(event, draft),
        }
    }
}

impl From<TooLong> for Failure {
    fn from(error: TooLong) -> Self {
        Self::malformed(error.to_string())
    }
}
