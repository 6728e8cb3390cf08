//! Making room: what is old in a conversation that outgrows its model is summarised for it.
//!
//! Promises: every message stays in the transcript; the summary is written before the model is asked with it; when no
//! model can make one, it is made without. Leaves to others: when there is too little room.

mod cut;
mod notes;
pub(super) mod room;
mod words;

use std::sync::Arc;

use futures_util::StreamExt;
use tarsus_models::{Answer, Event, Request, estimated_tokens};
use tarsus_protocol::{Message, Problem, Role};
use tarsus_store::{Context, RunId, StoreError, Summary};

use super::ready::Ready;
use super::shown::{self, Shown};
use super::spending::{self, Spending};
use crate::prompt::quote::Marker;
use crate::reply::Filter;
use crate::runtime::{Runtime, said};
use crate::told::What;
use crate::turn::Turn;

/// What people read in the transcript.
const REMARK: &str = "What was said before this was summarised for the model. All of it is kept here.";

/// How much of a conversation is summarised.
pub(super) enum Much<'a> {
    /// What is old; the newest messages stay as they are, in this part of the room that they usually have.
    Old {
        /// One for all of that room, two for half of it.
        part: u64,
    },
    /// All of it up to an item, with what the person wants to be kept in mind.
    All {
        /// The number of the item.
        until: u64,
        /// The person's words.
        wish: &'a str,
    },
}

/// What came of making room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// So many messages are summarised.
    Room(usize),
    /// There was nothing to summarise.
    Nothing,
    /// The run was called off.
    CalledOff,
}

/// Summarises what is old, and has the next request begin with the summary.
///
/// # Errors
/// When the store cannot be read or written.
pub(super) async fn make_room(
    turn: &mut Turn<'_>,
    ready: &mut Ready,
    spending: &mut Spending<'_>,
    much: Much<'_>,
) -> Result<Made, StoreError> {
    let context = context(turn.runtime, &turn.run).await?;
    let before = context.summary.as_ref().map(|summary| summary.text.clone());
    let shown = shown::messages(context, &turn.run);
    let cut = match much {
        Much::Old { part } => cut::first_kept(&shown, ready.room.kept() / part.max(1)),
        Much::All { .. } => (!shown.is_empty()).then_some(shown.len()),
    };
    let Some(cut) = cut else { return Ok(Made::Nothing) };
    let (old, kept) = shown.split_at(cut);
    let (opening, first) = match (kept.first(), &much) {
        (Some(first), _) => (first.opening, first.number),
        (None, Much::All { until, .. }) => (*until, *until),
        (None, Much::Old { .. }) => return Ok(Made::Nothing),
    };
    let wish = match much {
        Much::All { wish, .. } => wish,
        Much::Old { .. } => "",
    };
    let text = match summarised(turn, ready, spending, old, before.as_deref(), wish).await? {
        Asked::Summary(text) => text,
        Asked::Nobody => words::listed(old, before.as_deref(), ready.room.summary()),
        Asked::CalledOff => return Ok(Made::CalledOff),
    };
    let summary = Summary { opening, first, text: text.clone() };
    let remark = said(Role::remark("compaction"), REMARK, turn.now_ms());
    let number =
        turn.ask(remark.clone(), |store, run, item| store.summarise(run, summary, item)).written().await?;
    turn.tell(What::Written { number, message: remark });
    if ready.keeps_notes {
        note(turn, ready, text).await;
    }
    ready.tell_again(self::context(turn.runtime, &turn.run).await?, &turn.run);
    Ok(Made::Room(old.len()))
}

/// What a model is told of the transcript of a run.
async fn context(runtime: &Arc<Runtime>, run: &RunId) -> Result<Context, StoreError> {
    let (store, run) = (Arc::clone(&runtime.given.store), run.clone());
    match tokio::task::spawn_blocking(move || store.context(&run)).await {
        Ok(context) => Ok(context?.unwrap_or_default()),
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// What came of asking a model for a summary.
enum Asked {
    Summary(String),
    /// No model has made one.
    Nobody,
    CalledOff,
}

/// Has a model summarise. It is offered no tools, and what it says is told to nobody.
async fn summarised(
    turn: &mut Turn<'_>,
    ready: &Ready,
    spending: &mut Spending<'_>,
    old: &[Shown],
    before: Option<&str>,
    wish: &str,
) -> Result<Asked, StoreError> {
    let most = ready.room.summary();
    let Some(told) = words::told(old, before, ready.room.summarised()) else { return Ok(Asked::Nobody) };
    if most == 0 || spending.check()?.is_err() {
        return Ok(Asked::Nobody);
    }
    let request = Request {
        system: words::TASK.to_owned(),
        messages: vec![question(ready.marker(), &told, wish, turn.now_ms())],
        max_tokens: u32::try_from(most).ok(),
        ..Request::default()
    };
    let runtime = Arc::clone(turn.runtime);
    let run = turn.run.clone();
    let called_off = runtime.runs.called_off(&run);
    tokio::pin!(called_off);
    let mut events = ready.chain.ask(Arc::new(request));
    let mut answer = Answer::default();
    loop {
        let event = tokio::select! {
            biased;
            () = &mut called_off => return Ok(Asked::CalledOff),
            event = events.next() => event,
        };
        match event {
            Some(Event::Asking { .. }) => {}
            Some(Event::Delta(delta)) => answer.add(&delta),
            Some(Event::Dropped { .. }) => answer = Answer::default(),
            Some(Event::Answered { model, tried }) => {
                spending.add_failed(turn, &ready.chain, &tried).await?;
                let usage = spending.add(turn, &ready.chain, &model, answer.usage);
                spending::write(turn, usage).await?;
                let text = cleaned(&answer, ready);
                let is_usable = !text.is_empty() && estimated_tokens(&text) <= most.saturating_mul(2);
                return Ok(if is_usable { Asked::Summary(text) } else { Asked::Nobody });
            }
            Some(Event::GaveUp(gave_up)) => {
                spending.add_failed(turn, &ready.chain, &gave_up.0).await?;
                tracing::warn!(run = %turn.run, why = %gave_up, "a conversation is cut without a summary of a model");
                return Ok(Asked::Nobody);
            }
            None => return Ok(Asked::Nobody),
        }
    }
}

fn question(marker: &Marker, told: &str, wish: &str, at_ms: i64) -> Message {
    let wish = match wish {
        "" => String::new(),
        wish => format!("\n\nThe person asks you to keep this in mind for the summary: {wish}"),
    };
    said(Role::User, &format!("{}{wish}", marker.quote("a conversation", told)), at_ms)
}

/// The words of a summary, without thoughts and secrets.
fn cleaned(answer: &Answer, ready: &Ready) -> String {
    let mut filter = Filter::new(ready.hearing().setting);
    let mut text = filter.push(&answer.message(None).text());
    text.push_str(&filter.finish().rest);
    ready.bench.secrets.hide(text.trim())
}

/// Adds a summary to the agent's notes. That it cannot is no reason to go no further.
async fn note(turn: &Turn<'_>, ready: &Ready, text: String) {
    let (workspace, session) = (ready.bench.workspace.clone(), turn.session.clone());
    let now = turn.runtime.given.clock.now().to_zoned(ready.bench.zone.clone());
    let noting = tokio::task::spawn_blocking(move || notes::add(&workspace, &session, &now, &text));
    if let Ok(Err(error)) = noting.await {
        let problem = Problem::from(error);
        tracing::warn!(run = %turn.run, why = %problem.message, "a summary is not in the agent's notes");
    }
}
