//! One request to the models: the answer is filtered, stored and published while it streams in.
//!
//! Text is published only after it was stored. Text that may become a tag, a token or a secret is held back until it
//! cannot. The text of a failed attempt, and text before a late `<final>`, is discarded before anything else is published.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Map, Value};
use tarsus_home::files::crash;
use tarsus_models::{
    ChainError, ChainEvent, Delta, FailedAttempt, ModelChain, ModelName, ModelRequest, ModelResponse,
    RetryDecision,
};
use tarsus_protocol::exec::Reasoning;
use tarsus_protocol::message::{Thinking, ToolCall};
use tarsus_protocol::{Block, Message, Role};
use tarsus_store::StoreError;
use tokio::time::{Instant, sleep_until};

use crate::reply::{Emitted, FilterOptions, Mask, Reply, ReplyFilter, SecretMatcher};
use crate::run_event::RunEventKind;
use crate::runtime::text_message;
use crate::turn::Turn;

/// Text is published in batches of this duration, after the first words.
const BATCH: Duration = Duration::from_millis(70);

/// A complete answer.
pub(super) struct StreamedAnswer {
    /// Everything that the model sent.
    pub(super) answer: ModelResponse,
    /// The part of it that is for the reader.
    pub(super) reply: Reply,
    pub(super) model: ModelName,
    /// The attempts that failed before.
    pub(super) tried: Vec<FailedAttempt>,
}

/// Why there is no complete answer.
pub(super) enum StreamError {
    /// The run was aborted; holds the text that was published.
    Aborted(String),
    /// No model answered.
    GaveUp(ChainError),
    Store(StoreError),
}

impl From<StoreError> for StreamError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Asks the models and publishes the answer as it streams in.
pub(super) async fn ask(
    turn: &mut Turn<'_>,
    chain: &ModelChain,
    request: Arc<ModelRequest>,
    options: StreamOptions<'_>,
) -> Result<StreamedAnswer, StreamError> {
    let runtime = Arc::clone(turn.runtime);
    let run = turn.id().clone();
    let aborted = runtime.runs.aborted(&run);
    tokio::pin!(aborted);
    let mut events = chain.stream(request);
    let mut stream = AnswerStream::new(options);
    let mut due: Option<Instant> = None;
    let mut published_at: Option<Instant> = None;
    loop {
        let event = tokio::select! {
            biased;
            () = &mut aborted => return Err(StreamError::Aborted(stream.into_shown())),
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                stream.publish(turn).await?;
                (due, published_at) = (None, Some(Instant::now()));
                continue;
            }
            event = events.next() => event,
        };
        match event {
            Some(ChainEvent::AttemptStarted { model, attempt }) => {
                turn.publish(RunEventKind::ModelRequested { model: model.to_string(), attempt });
            }
            Some(ChainEvent::Delta(delta)) => {
                stream.push(&delta);
                if due.is_none() && stream.has_unpublished() {
                    due = Some(published_at.map_or_else(Instant::now, |at| at + BATCH));
                }
            }
            Some(ChainEvent::AttemptFailed { failed: tried, decision: next }) => {
                due = None;
                stream.discard(turn, &tried, &next).await?;
            }
            Some(ChainEvent::Completed { model, failed: tried }) => {
                let (answer, reply) = stream.finish(turn).await?;
                return Ok(StreamedAnswer { answer, reply, model, tried });
            }
            Some(ChainEvent::Failed(gave_up)) => return Err(StreamError::GaveUp(gave_up)),
            None => return Err(StreamError::GaveUp(ChainError(Vec::new()))),
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct StreamOptions<'a> {
    pub(super) secrets: &'a SecretMatcher,
    pub(super) filter: FilterOptions,
    pub(super) reasoning: Reasoning,
}

/// The answer so far.
struct AnswerStream<'a> {
    options: StreamOptions<'a>,
    answer: ModelResponse,
    filter: ReplyFilter,
    /// Applied after the filter: parts of a secret may come together only then.
    mask: Mask,
    reasoning_mask: Mask,
    /// The published text.
    text: String,
    reasoning: String,
    /// The text that was not published yet.
    new_text: String,
    new_reasoning: String,
    /// The published text is not the reply.
    withdraws: bool,
}

impl<'a> AnswerStream<'a> {
    fn new(options: StreamOptions<'a>) -> Self {
        Self {
            options,
            answer: ModelResponse::default(),
            filter: ReplyFilter::new(options.filter),
            mask: options.secrets.mask(),
            reasoning_mask: options.secrets.mask(),
            text: String::new(),
            reasoning: String::new(),
            new_text: String::new(),
            new_reasoning: String::new(),
            withdraws: false,
        }
    }

    fn push(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(text) => {
                let Emitted { withdraws, text, thinking } = self.filter.push(text);
                if withdraws {
                    self.mask = self.options.secrets.mask();
                    self.new_text.clear();
                    self.withdraws = !self.text.is_empty();
                }
                self.new_text.push_str(&self.mask.push(&text));
                self.push_reasoning(&thinking);
            }
            Delta::Reasoning(text) => self.push_reasoning(text),
            _ => {}
        }
        self.answer.push(delta);
    }

    fn push_reasoning(&mut self, text: &str) {
        if self.options.reasoning == Reasoning::Stream {
            self.new_reasoning.push_str(&self.reasoning_mask.push(text));
        }
    }

    /// The published text, unless it is not the reply.
    fn into_shown(self) -> String {
        if self.withdraws { String::new() } else { self.text }
    }

    fn has_unpublished(&self) -> bool {
        self.withdraws || !self.new_text.is_empty() || !self.new_reasoning.is_empty()
    }

    /// Stores the new text, then publishes it; before that, withdraws the text that is not the reply.
    async fn publish(&mut self, turn: &mut Turn<'_>) -> Result<(), StoreError> {
        if std::mem::take(&mut self.withdraws) {
            self.text.clear();
            turn.store().clear_draft(turn.id().clone()).await?;
            turn.publish(RunEventKind::TextWithdrawn);
        }
        if !self.new_reasoning.is_empty() {
            let new = std::mem::take(&mut self.new_reasoning);
            self.reasoning.push_str(&new);
            turn.publish(RunEventKind::ReasoningDelta { text: self.reasoning.clone(), new });
        }
        let new = std::mem::take(&mut self.new_text);
        if new.is_empty() {
            return Ok(());
        }
        let at_ms = turn.now_ms();
        turn.store().append_draft(turn.id().clone(), new.clone(), at_ms).await?;
        crash::point("turn.delta.written");
        self.text.push_str(&new);
        turn.publish(RunEventKind::TextDelta {
            message: text_message(Role::Assistant, &self.text, at_ms),
            new,
        });
        Ok(())
    }

    /// Discards the text of a failed attempt.
    async fn discard(
        &mut self,
        turn: &mut Turn<'_>,
        tried: &FailedAttempt,
        next: &RetryDecision,
    ) -> Result<(), StoreError> {
        let was_published = !self.text.is_empty() || !self.reasoning.is_empty();
        *self = Self::new(self.options);
        if was_published {
            turn.store().clear_draft(turn.id().clone()).await?;
        }
        if !matches!(next, RetryDecision::GiveUp) {
            let why = format!("{}: {}", tried.model, tried.error);
            turn.publish(RunEventKind::AttemptDiscarded { why });
        }
        Ok(())
    }

    /// Publishes the rest and returns the complete answer.
    async fn finish(mut self, turn: &mut Turn<'_>) -> Result<(ModelResponse, Reply), StoreError> {
        let secrets = self.options.secrets;
        let reasoning_mask = std::mem::replace(&mut self.reasoning_mask, secrets.mask());
        self.new_reasoning.push_str(&reasoning_mask.finish());
        let reply = std::mem::replace(&mut self.filter, ReplyFilter::new(self.options.filter)).finish();
        let mut mask = std::mem::replace(&mut self.mask, secrets.mask());
        self.new_text.push_str(&mask.push(&reply.rest));
        self.new_text.push_str(&mask.finish());
        self.publish(turn).await?;
        let reply =
            Reply { text: secrets.hide(&reply.text), thinking: secrets.hide(&reply.thinking), ..reply };
        Ok((self.answer, reply))
    }
}

/// The message that is stored: reasoning, then the text for the reader, then the calls. Text between the model's own
/// reasoning tags counts as reasoning. Reasoning that the session does not show is stored only with a signature, as the
/// provider requires it back.
pub(super) fn stored_message(
    answer: &ModelResponse,
    reply: &Reply,
    StreamOptions { secrets, reasoning, .. }: StreamOptions<'_>,
    at_ms: i64,
) -> Message {
    let blocks =
        |is: fn(&&Block) -> bool| answer.blocks.iter().filter(is).map(|block| redact_block(block, secrets));
    let mut content: Vec<Block> = blocks(|block| matches!(block, Block::Thinking(_))).collect();
    if !reply.thinking.is_empty() {
        let thinking = reply.thinking.clone();
        content.push(Block::Thinking(Thinking { thinking, thinking_signature: None }));
    }
    if reasoning == Reasoning::Off {
        content
            .retain(|block| matches!(block, Block::Thinking(Thinking { thinking_signature: Some(_), .. })));
    }
    if !reply.text.is_empty() {
        content.push(Block::text(&reply.text));
    }
    content.extend(blocks(|block| matches!(block, Block::ToolCall(_))));
    Message { role: Role::Assistant, content, timestamp: u64::try_from(at_ms).ok() }
}

/// A block without secrets. A signature is valid only for unchanged reasoning.
fn redact_block(block: &Block, secrets: &SecretMatcher) -> Block {
    match block {
        Block::Thinking(thought) => {
            let thinking = secrets.hide(&thought.thinking);
            let is_same = thinking == thought.thinking;
            let thinking_signature = thought.thinking_signature.clone().filter(|_| is_same);
            Block::Thinking(Thinking { thinking, thinking_signature })
        }
        Block::ToolCall(call) => Block::ToolCall(redact_call(call, secrets)),
        other => other.clone(),
    }
}

/// A call without secrets, in its name too.
pub(super) fn redact_call(call: &ToolCall, secrets: &SecretMatcher) -> ToolCall {
    let arguments = redact_arguments(&call.arguments, secrets);
    ToolCall { id: call.id.clone(), name: secrets.hide(&call.name), arguments }
}

/// Arguments without secrets.
pub(super) fn redact_arguments(
    arguments: &Map<String, Value>,
    secrets: &SecretMatcher,
) -> Map<String, Value> {
    let members = arguments.iter();
    members.map(|(name, value)| (secrets.hide(name), redact_value(value, secrets))).collect()
}

/// A value without secrets.
pub(super) fn redact_value(value: &Value, secrets: &SecretMatcher) -> Value {
    match value {
        Value::String(text) => Value::String(secrets.hide(text)),
        Value::Array(items) => items.iter().map(|item| redact_value(item, secrets)).collect(),
        Value::Object(members) => Value::Object(redact_arguments(members, secrets)),
        other => other.clone(),
    }
}
