//! A streamed completion, as server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::stream::unfold;
use serde::Serialize;
use tarsus_agent::{RunEventKind, RunOutcome};

use super::wire::{Chunk, ChunkChoice, Delta, StreamOptions, TokenUsage};
use super::{ActiveRun, error, event_stream};

/// Separates the text of two messages of the model.
const PARAGRAPH_BREAK: &str = "\n\n";
/// Sent after a failed attempt: text that was streamed cannot be taken back.
const RETRY_NOTE: &str = "\n\n[the answer was interrupted and starts again]\n\n";
/// Sent after text that turned out not to be the answer.
const WITHDRAWN_NOTE: &str = "\n\n[the text above is not the answer; it follows]\n\n";

pub(super) fn response(run: ActiveRun, model: String, options: StreamOptions) -> Response {
    let stream = CompletionStream {
        id: run.id(),
        created: run.created(),
        run,
        model,
        options,
        progress: StreamProgress::Nothing,
        waiting: VecDeque::new(),
    };
    let chunks = unfold(stream, |mut stream| async move {
        let bytes = stream.next().await?;
        Some((Ok::<_, Infallible>(bytes), stream))
    });
    event_stream(Body::from_stream(chunks))
}

/// The part of the answer that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StreamProgress {
    Nothing,
    Text,
    /// A whole message: the next text starts a new paragraph.
    Message,
}

struct CompletionStream {
    run: ActiveRun,
    id: String,
    created: i64,
    model: String,
    options: StreamOptions,
    progress: StreamProgress,
    waiting: VecDeque<Bytes>,
}

impl CompletionStream {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(bytes) = self.waiting.pop_front() {
                return Some(bytes);
            }
            if self.run.is_over {
                return None;
            }
            match self.run.next().await {
                Some(event) => self.handle(event),
                None => {
                    self.run.is_over = true;
                    self.fail("the run was aborted");
                }
            }
        }
    }

    fn handle(&mut self, event: RunEventKind) {
        match event {
            RunEventKind::Started => {
                let role = Some("assistant");
                self.push_chunk(Delta { role, content: Some(""), ..Delta::default() }, None);
            }
            RunEventKind::TextDelta { new, .. } => {
                if self.progress == StreamProgress::Message {
                    self.push_text(PARAGRAPH_BREAK);
                }
                self.push_text(&new);
                self.progress = StreamProgress::Text;
            }
            // Tool calls, which the session may hide, follow a message of the model.
            RunEventKind::ItemAppended { .. } if self.progress == StreamProgress::Text => {
                self.progress = StreamProgress::Message
            }
            RunEventKind::AttemptDiscarded { .. } if self.progress == StreamProgress::Text => {
                self.push_text(RETRY_NOTE);
                self.progress = StreamProgress::Nothing;
            }
            RunEventKind::TextWithdrawn if self.progress == StreamProgress::Text => {
                self.push_text(WITHDRAWN_NOTE);
                self.progress = StreamProgress::Nothing;
            }
            RunEventKind::ReasoningDelta { new, .. } => self.push_reasoning(&new),
            RunEventKind::Finished(RunOutcome::Completed { message, .. }) => {
                match message.reasoning() {
                    text if text.is_empty() => {}
                    text => self.push_reasoning(&text),
                }
                self.push_chunk(Delta::default(), Some("stop"));
                if self.options.include_usage {
                    self.push_usage();
                }
                self.waiting.push_back(Bytes::from_static(b"data: [DONE]\n\n"));
            }
            RunEventKind::Finished(RunOutcome::Failed { why, .. }) => self.fail(&why),
            RunEventKind::Finished(RunOutcome::Aborted { .. }) => self.fail("the run was aborted"),
            _ => {}
        }
    }

    fn push_text(&mut self, text: &str) {
        self.push_chunk(Delta { content: Some(text), ..Delta::default() }, None);
    }

    fn push_reasoning(&mut self, text: &str) {
        self.push_chunk(Delta { reasoning_content: Some(text), ..Delta::default() }, None);
    }

    fn push_chunk(&mut self, delta: Delta<'_>, finish_reason: Option<&'static str>) {
        let choice = ChunkChoice { index: 0, delta, finish_reason };
        let event = event(&self.chunk(vec![choice], None));
        self.waiting.push_back(event);
    }

    fn push_usage(&mut self) {
        let event = event(&self.chunk(Vec::new(), Some(self.run.tokens)));
        self.waiting.push_back(event);
    }

    fn chunk<'a>(&'a self, choices: Vec<ChunkChoice<'a>>, usage: Option<TokenUsage>) -> Chunk<'a> {
        let object = "chat.completion.chunk";
        Chunk { id: &self.id, object, created: self.created, model: &self.model, choices, usage }
    }

    fn fail(&mut self, why: &str) {
        self.waiting.push_back(event(&error(why, false, None)));
    }
}

fn event(value: &impl Serialize) -> Bytes {
    // Serializing text, numbers and lists cannot fail.
    format!("data: {}\n\n", serde_json::to_string(value).unwrap_or_default()).into()
}
