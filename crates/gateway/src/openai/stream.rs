//! An answer in pieces, as server-sent events.

use std::collections::VecDeque;
use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::stream::unfold;
use serde::Serialize;
use tarsus_agent::{RunEventKind, RunOutcome};

use super::wire::{Chunk, ChunkChoice, Delta, StreamOptions, TokenUsage};
use super::{ActiveRun, error, streamed};

/// What stands between what was said before a tool was called and after it.
const GAP: &str = "\n\n";
/// What is said when what was sent does not count: a piece cannot be taken back.
const BEGINS_ANEW: &str = "\n\n[the answer broke off and begins anew]\n\n";

/// Sends what is told of a run as it comes.
pub(super) fn response(run: ActiveRun, model: String, options: StreamOptions) -> Response {
    let sending = Sending {
        id: run.id(),
        created: run.created(),
        run,
        model,
        options,
        compose_text: Sent::Nothing,
        waiting: VecDeque::new(),
    };
    let pieces = unfold(sending, |mut sending| async move {
        let bytes = sending.next().await?;
        Some((Ok::<_, Infallible>(bytes), sending))
    });
    streamed(Body::from_stream(pieces))
}

/// What was sent of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    Nothing,
    /// Some words.
    Words,
    /// The words before a call.
    BeforeCall,
}

struct Sending {
    run: ActiveRun,
    id: String,
    created: i64,
    model: String,
    options: StreamOptions,
    compose_text: Sent,
    waiting: VecDeque<Bytes>,
}

impl Sending {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(bytes) = self.waiting.pop_front() {
                return Some(bytes);
            }
            if self.run.is_over {
                return None;
            }
            match self.run.next().await {
                Some(what) => self.take(what),
                None => {
                    self.run.is_over = true;
                    self.fail("the run was aborted");
                }
            }
        }
    }

    fn take(&mut self, what: RunEventKind) {
        match what {
            RunEventKind::Started => self.piece(Delta { role: Some("assistant"), content: Some("") }, None),
            RunEventKind::TextDelta { new, .. } => {
                if self.compose_text == Sent::BeforeCall {
                    self.words(GAP);
                }
                self.words(&new);
                self.compose_text = Sent::Words;
            }
            RunEventKind::ToolStarted(_) if self.compose_text == Sent::Words => {
                self.compose_text = Sent::BeforeCall
            }
            RunEventKind::AttemptDiscarded { .. } if self.compose_text == Sent::Words => {
                self.words(BEGINS_ANEW);
                self.compose_text = Sent::Nothing;
            }
            RunEventKind::Finished(RunOutcome::Completed { .. }) => {
                self.piece(Delta::default(), Some("stop"));
                if self.options.include_usage {
                    self.usage();
                }
                self.waiting.push_back(Bytes::from_static(b"data: [DONE]\n\n"));
            }
            RunEventKind::Finished(RunOutcome::Failed { why, .. }) => self.fail(&why),
            RunEventKind::Finished(RunOutcome::Aborted { .. }) => self.fail("the run was aborted"),
            _ => {}
        }
    }

    fn words(&mut self, text: &str) {
        self.piece(Delta { role: None, content: Some(text) }, None);
    }

    fn piece(&mut self, delta: Delta<'_>, finish_reason: Option<&'static str>) {
        let change = ChunkChoice { index: 0, delta, finish_reason };
        let event = event(&self.chunk(vec![change], None));
        self.waiting.push_back(event);
    }

    fn usage(&mut self) {
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

/// One event.
fn event(value: &impl Serialize) -> Bytes {
    // Texts, numbers and lists can always be written.
    format!("data: {}\n\n", serde_json::to_string(value).unwrap_or_default()).into()
}
