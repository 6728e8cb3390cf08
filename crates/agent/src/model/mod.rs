//! The model's turn: it is asked, the tools that it calls are run, it is asked again, until it has answered.
//!
//! Promises: a turn sees one snapshot of the skills; what a request says is the beginning of what the next one says; no
//! tool runs that the guard has not let through; every call has a result in the transcript, also when the run is called
//! off. Leaves to others: what tools do, what providers want to read.

mod calls;
mod choose;
mod quoted;
mod ready;
mod shown;
mod spending;
mod stream;

use std::sync::Arc;

use tarsus_home::files::crash;
use tarsus_models::{Stop, Tried, estimated_tokens};
use tarsus_protocol::{Block, Message, Problem, Role};
use tarsus_store::{Line, RunNote, StoreError, TriedModel, Usage};

pub use choose::{Models, NoModels, Providers, Variables, chosen};

use crate::prompt::as_text;
use crate::reply::{NO_REPLY, ReplyTo};
use crate::runtime::{Runtime, said as text_message};
use crate::told::Ending;
use crate::turn::{Said, Turn};
use calls::Called;
use ready::{NotReady, Ready};
use spending::Spending;
use stream::{Answered, Ended};

/// Requests of one turn. A model that is still not done has lost its way.
const MOST_REQUESTS: usize = 200;

/// What is said when there is no model.
pub(crate) const NO_MODEL: &str = "No language model answers here yet, so I cannot talk about this. \
    To add one: start a local server such as Ollama, or set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, then run \
    `tarsus models set`. What works without one: say \"application manager\" for the menu of your apps, \"open <app>\" \
    or \"close <app>\" for one of them, and /help for the commands.";

/// Has a model answer what was said.
///
/// # Errors
/// When the store cannot be read or written.
pub(crate) async fn answer(turn: &mut Turn<'_>, said: &Said) -> Result<Ending, StoreError> {
    let mut ready = match Ready::of(turn.runtime, said).await? {
        Ok(ready) => ready,
        Err(NotReady::NoModel) => return turn.say(NO_MODEL).await,
        Err(NotReady::NoAgent) => return Ok(turn.failed(no_agent(said)).await),
        Err(NotReady::File(error)) => return Ok(turn.failed(error.to_string()).await),
    };
    let mut spending = Spending::of(turn.runtime, &ready);
    for _ in 0..MOST_REQUESTS {
        if let Err(reached) = spending.check()? {
            return turn.say(&reached.to_string()).await;
        }
        let asked = stream::ask(turn, &ready.chain, Arc::clone(&ready.request), ready.hearing()).await;
        let answered = match asked {
            Ok(answered) => answered,
            Err(Ended::CalledOff(shown)) => return turn.cut_short(shown).await,
            Err(Ended::GaveUp(gave_up)) => {
                spending.add_failed(turn, &ready.chain, &gave_up.0).await?;
                let tried = tried(&gave_up.0);
                note(turn, RunNote { tried, ..told_of(&ready) }).await?;
                return Ok(turn.failed(Problem::from(gave_up).message).await);
            }
            Err(Ended::Store(error)) => return Err(error),
        };
        spending.add_failed(turn, &ready.chain, &answered.tried).await?;
        let usage = spending.add(turn, &ready.chain, &answered);
        let message = stream::kept(&answered.answer, &answered.reply, &ready.secrets, turn.now_ms());
        if answered.answer.calls().next().is_none() {
            return finish(turn, &ready, answered, message, usage).await;
        }
        let (model, tried) = (line(answered.model.as_str()), tried(&answered.tried));
        note(turn, RunNote { model, tried, ..told_of(&ready) }).await?;
        ready.add(message.clone());
        match calls::run(turn, &mut ready, &answered.answer, message, usage).await? {
            Called::GoOn(results) => results.into_iter().for_each(|result| ready.add(result)),
            Called::Off => return turn.cut_short(String::new()).await,
        }
    }
    let why = format!("the model was asked {MOST_REQUESTS} times in this turn and is still not done");
    Ok(turn.failed(why).await)
}

/// How large each part of what a model is told is, and the conversation besides; in words.
///
/// # Errors
/// When the store cannot be read.
pub(crate) async fn context(runtime: &Arc<Runtime>, said: &Said) -> Result<String, StoreError> {
    Ok(match Ready::of(runtime, said).await? {
        Ok(ready) => {
            let messages = &ready.request.messages;
            let tokens: u64 = messages.iter().map(|message| estimated_tokens(&message.text())).sum();
            let talk = format!("Conversation: {} messages, about {tokens} tokens", messages.len());
            format!("{}\n{talk}", as_text(&ready.report).trim_end())
        }
        Err(NotReady::NoModel) => NO_MODEL.to_owned(),
        Err(NotReady::NoAgent) => no_agent(said),
        Err(NotReady::File(error)) => error.to_string(),
    })
}

/// Ends a turn with the model's last words.
async fn finish(
    turn: &mut Turn<'_>,
    ready: &Ready,
    answered: Answered,
    message: Message,
    usage: Option<Usage>,
) -> Result<Ending, StoreError> {
    let Answered { answer, reply, model, tried: failed } = answered;
    let declined = match &answer.stop {
        Some(Stop::Refused { why }) if reply.text.is_empty() => {
            Some(format!("the model declines to answer: {why}"))
        }
        _ if reply.text.is_empty() && !reply.silent && ready.shows.is_empty() => {
            Some("the model answered without a word".to_owned())
        }
        _ => None,
    };
    if let Some(why) = declined {
        spending::write(turn, usage).await?;
        return Ok(turn.failed(why).await);
    }
    if !turn.runtime.runs.act(&turn.run) {
        return turn.cut_short(reply.text).await;
    }
    let is_silent = reply.silent && ready.shows.is_empty();
    let reply_to = reply.reply_to.map(|reply_to| match reply_to {
        ReplyTo::Current => turn.run.to_string(),
        ReplyTo::Id(id) => id,
    });
    let note_of_it = RunNote {
        model: line(model.as_str()),
        tried: tried(&failed),
        reply_to: reply_to.as_deref().and_then(line),
        is_silent,
        ..told_of(ready)
    };
    note(turn, note_of_it).await?;
    let mut shown = text_message(Role::Assistant, &reply.text, turn.now_ms());
    if reply.text.is_empty() {
        shown.content.clear();
    }
    let mut written = message;
    if is_silent {
        // A word for silence is what the model finds again when it looks back.
        written.content.push(Block::text(NO_REPLY));
    }
    for text in &ready.shows {
        turn.show(&mut shown, text);
        written.content.push(Block::text(text));
    }
    turn.conclude(written, usage).await?;
    crash::point("turn.concluded");
    Ok(Ending::Answered { message: shown, is_silent, reply_to })
}

fn no_agent(said: &Said) -> String {
    format!("the agent {} is not in the configuration any more", said.session.agent())
}

/// A name that is no single line is none that we could have asked.
fn line(text: &str) -> Option<Line> {
    text.parse().ok()
}

fn tried(tried: &[Tried]) -> Vec<TriedModel> {
    let tried = tried.iter().filter_map(|tried| {
        Some(TriedModel { model: line(tried.model.as_str())?, reason: tried.failure.to_string() })
    });
    tried.collect()
}

fn told_of(ready: &Ready) -> RunNote {
    RunNote { skills_version: line(&ready.skills_version().to_string()), ..RunNote::default() }
}

/// Writes down how a run is answered.
async fn note(turn: &Turn<'_>, note: RunNote) -> Result<(), StoreError> {
    turn.runtime.given.store.note_run(turn.run.clone(), note).await
}
