//! One question to the models: what they say is filtered, written down and told while it comes.
//!
//! Promises: nothing is told that was not written before; a word that may become a tag, a token or a secret is held back
//! until it cannot; what broke off is taken back before anything else is told. Leaves to others: what follows from the
//! answer.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Map, Value};
use tarsus_home::files::crash;
use tarsus_models::{Answer, Chain, Delta, Event, GaveUp, ModelName, Next, Request, Tried};
use tarsus_protocol::message::{Thinking, ToolCall};
use tarsus_protocol::{Block, Message, Role};
use tarsus_store::StoreError;
use tokio::time::{Instant, sleep_until};

use crate::reply::{Filter, Mask, Reply, Secrets, Setting};
use crate::runtime::said;
use crate::told::What;
use crate::turn::Turn;

/// How long what is said is gathered before it is told, after the first word.
const GATHERED: Duration = Duration::from_millis(70);

/// A whole answer.
pub(super) struct Answered {
    /// Everything that the model said.
    pub(super) answer: Answer,
    /// What of it is for the reader.
    pub(super) reply: Reply,
    /// Who answered.
    pub(super) model: ModelName,
    /// Who failed before.
    pub(super) tried: Vec<Tried>,
}

/// Why there is no whole answer.
pub(super) enum Ended {
    /// Somebody called the run off. This was shown by then.
    CalledOff(String),
    /// No model answered.
    GaveUp(GaveUp),
    /// What is said cannot be written down.
    Store(StoreError),
}

/// Asks, and tells what is said as it comes.
pub(super) async fn ask(
    turn: &mut Turn<'_>,
    chain: &Chain,
    request: Arc<Request>,
    hearing: Hearing<'_>,
) -> Result<Answered, Ended> {
    let runtime = Arc::clone(turn.runtime);
    let run = turn.run.clone();
    let called_off = runtime.runs.called_off(&run);
    tokio::pin!(called_off);
    let mut events = chain.ask(request);
    let mut heard = Heard::new(hearing);
    let mut due: Option<Instant> = None;
    let mut told_at: Option<Instant> = None;
    loop {
        let event = tokio::select! {
            biased;
            () = &mut called_off => return Err(Ended::CalledOff(heard.shown)),
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                heard.tell(turn).await.map_err(Ended::Store)?;
                (due, told_at) = (None, Some(Instant::now()));
                continue;
            }
            event = events.next() => event,
        };
        match event {
            Some(Event::Asking { model, attempt }) => {
                turn.tell(What::Asks { model: model.to_string(), attempt });
            }
            Some(Event::Delta(delta)) => {
                heard.hear(&delta);
                if due.is_none() && heard.has_news() {
                    due = Some(told_at.map_or_else(Instant::now, |at| at + GATHERED));
                }
            }
            Some(Event::Dropped { tried, next }) => {
                due = None;
                heard.take_back(turn, &tried, &next).await.map_err(Ended::Store)?;
            }
            Some(Event::Answered { model, tried }) => {
                let (answer, reply) = heard.finish(turn).await.map_err(Ended::Store)?;
                return Ok(Answered { answer, reply, model, tried });
            }
            Some(Event::GaveUp(gave_up)) => return Err(Ended::GaveUp(gave_up)),
            None => return Err(Ended::GaveUp(GaveUp(Vec::new()))),
        }
    }
}

/// How an answer is heard.
#[derive(Clone, Copy)]
pub(super) struct Hearing<'a> {
    /// What is never shown.
    pub(super) secrets: &'a Secrets,
    /// What is answered, and how.
    pub(super) setting: Setting,
    /// Whether thoughts are told.
    pub(super) shows_thoughts: bool,
}

/// What was heard of an answer.
struct Heard<'a> {
    hearing: Hearing<'a>,
    answer: Answer,
    filter: Filter,
    /// Secrets are looked for in what is shown: what stands apart in the stream may come together there.
    mask: Mask,
    thought_mask: Mask,
    /// What was told.
    shown: String,
    thoughts: String,
    /// What was not told yet.
    news: String,
    new_thoughts: String,
}

impl<'a> Heard<'a> {
    fn new(hearing: Hearing<'a>) -> Self {
        Self {
            hearing,
            answer: Answer::default(),
            filter: Filter::new(hearing.setting),
            mask: hearing.secrets.mask(),
            thought_mask: hearing.secrets.mask(),
            shown: String::new(),
            thoughts: String::new(),
            news: String::new(),
            new_thoughts: String::new(),
        }
    }

    fn hear(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(text) => self.news.push_str(&self.mask.push(&self.filter.push(text))),
            Delta::Reasoning(text) if self.hearing.shows_thoughts => {
                self.new_thoughts.push_str(&self.thought_mask.push(text));
            }
            _ => {}
        }
        self.answer.add(delta);
    }

    fn has_news(&self) -> bool {
        !self.news.is_empty() || !self.new_thoughts.is_empty()
    }

    /// Writes down what is new, then tells it.
    async fn tell(&mut self, turn: &mut Turn<'_>) -> Result<(), StoreError> {
        if !self.new_thoughts.is_empty() {
            let new = std::mem::take(&mut self.new_thoughts);
            self.thoughts.push_str(&new);
            turn.tell(What::Thinks { text: self.thoughts.clone(), new });
        }
        let new = std::mem::take(&mut self.news);
        if new.is_empty() {
            return Ok(());
        }
        let at_ms = turn.now_ms();
        turn.runtime.given.store.draft(turn.run.clone(), new.clone(), at_ms).await?;
        crash::point("turn.delta.written");
        self.shown.push_str(&new);
        turn.tell(What::Says { message: said(Role::Assistant, &self.shown, at_ms), new });
        Ok(())
    }

    /// Forgets what was said by a model that failed.
    async fn take_back(&mut self, turn: &mut Turn<'_>, tried: &Tried, next: &Next) -> Result<(), StoreError> {
        let was_shown = !self.shown.is_empty() || !self.thoughts.is_empty();
        *self = Self::new(self.hearing);
        if was_shown {
            turn.runtime.given.store.drop_draft(turn.run.clone()).await?;
        }
        if !matches!(next, Next::GiveUp) {
            turn.tell(What::TakenBack { why: format!("{}: {}", tried.model, tried.failure) });
        }
        Ok(())
    }

    /// The whole answer: tells the rest of it.
    async fn finish(mut self, turn: &mut Turn<'_>) -> Result<(Answer, Reply), StoreError> {
        let secrets = self.hearing.secrets;
        let thought_mask = std::mem::replace(&mut self.thought_mask, secrets.mask());
        self.new_thoughts.push_str(&thought_mask.finish());
        let reply = std::mem::replace(&mut self.filter, Filter::new(self.hearing.setting)).finish();
        let mut mask = std::mem::replace(&mut self.mask, secrets.mask());
        self.news.push_str(&mask.push(&reply.rest));
        self.news.push_str(&mask.finish());
        self.tell(turn).await?;
        let reply =
            Reply { text: secrets.hide(&reply.text), thinking: secrets.hide(&reply.thinking), ..reply };
        Ok((self.answer, reply))
    }
}

/// What is kept of an answer: thoughts, then the words for the reader, then the calls. What the model put between tags of
/// its own is a thought.
pub(super) fn kept(answer: &Answer, reply: &Reply, secrets: &Secrets, at_ms: i64) -> Message {
    let blocks =
        |is: fn(&&Block) -> bool| answer.blocks.iter().filter(is).map(|block| hidden(block, secrets));
    let mut content: Vec<Block> = blocks(|block| matches!(block, Block::Thinking(_))).collect();
    if !reply.thinking.is_empty() {
        let thinking = reply.thinking.clone();
        content.push(Block::Thinking(Thinking { thinking, thinking_signature: None }));
    }
    if !reply.text.is_empty() {
        content.push(Block::text(&reply.text));
    }
    content.extend(blocks(|block| matches!(block, Block::ToolCall(_))));
    Message { role: Role::Assistant, content, timestamp: u64::try_from(at_ms).ok() }
}

/// A block without secrets. A seal is about the very words that it came with.
fn hidden(block: &Block, secrets: &Secrets) -> Block {
    match block {
        Block::Thinking(thought) => {
            let thinking = secrets.hide(&thought.thinking);
            let is_same = thinking == thought.thinking;
            let thinking_signature = thought.thinking_signature.clone().filter(|_| is_same);
            Block::Thinking(Thinking { thinking, thinking_signature })
        }
        Block::ToolCall(call) => Block::ToolCall(call_without(call, secrets)),
        other => other.clone(),
    }
}

/// A call without secrets: a name may be anything, too.
pub(super) fn call_without(call: &ToolCall, secrets: &Secrets) -> ToolCall {
    let arguments = without_secrets(&call.arguments, secrets);
    ToolCall { id: call.id.clone(), name: secrets.hide(&call.name), arguments }
}

/// Arguments without secrets: a model that knows one was not to know it.
pub(super) fn without_secrets(arguments: &Map<String, Value>, secrets: &Secrets) -> Map<String, Value> {
    let members = arguments.iter();
    members.map(|(name, value)| (secrets.hide(name), value_without(value, secrets))).collect()
}

/// A value without secrets.
pub(super) fn value_without(value: &Value, secrets: &Secrets) -> Value {
    match value {
        Value::String(text) => Value::String(secrets.hide(text)),
        Value::Array(items) => items.iter().map(|item| value_without(item, secrets)).collect(),
        Value::Object(members) => Value::Object(without_secrets(members, secrets)),
        other => other.clone(),
    }
}
