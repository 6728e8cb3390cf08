//! The model's turn: it is asked, the tools that it calls are run, it is asked again, until it has answered.
//!
//! Promises: a turn sees one snapshot of the skills; what a request says is the beginning of what the next one says; no
//! tool runs that the guard has not let through; every call has a result in the transcript, also when the run is called
//! off. Leaves to others: what tools do, what providers want to read.

mod asking;
mod bench;
mod calls;
mod choose;
mod compact;
mod dispatch;
mod quoted;
mod ready;
mod shown;
mod spending;
mod steer;
mod stream;

use std::sync::Arc;

use tarsus_home::files::crash;
use tarsus_models::{Class, GaveUp, Stop, Tried, estimated_tokens};
use tarsus_protocol::event::ChatPhase;
use tarsus_protocol::{Block, ErrorCode, Message, NoAnswer, Problem, Role};
use tarsus_store::{Durability, Line, RunNote, Store, StoreError, TriedModel, Usage};

pub use choose::{Models, NoModels, Providers, Variables, chosen};
pub(crate) use dispatch::dispatch;

use crate::prompt::as_text;
use crate::reply::{NO_REPLY, ReplyTo};
use crate::runtime::{Runtime, said as text_message};
use crate::told::{Ending, What};
use crate::turn::{Said, Turn};
use bench::NoBench;
use calls::Called;
use compact::{Made, Much};
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
    if let Some(invoked) = &said.invoked {
        let role = Role::remark(shown::SKILL_COMMAND);
        let remark = text_message(role, &invoked.told, turn.now_ms());
        let write = |store: &Store, _, item| store.said(item, Vec::new(), None, Durability::KillSafe);
        turn.write(remark, write).await?;
    }
    turn.tell(What::Prepares(ChatPhase::PreparingContext));
    let mut ready = match Ready::of(turn.runtime, said).await? {
        Ok(ready) => ready,
        Err(why) => return not_ready(turn, said, why).await,
    };
    turn.tell(What::Prepares(ChatPhase::StartingModel));
    turn.begin();
    let mut spending = Spending::of(turn.runtime, &ready);
    // A provider may count more than we do: less and less is told then.
    let mut parts = [2, 4].into_iter();
    for _ in 0..MOST_REQUESTS {
        if let Err(reached) = spending.check()? {
            return turn.say(&reached.to_string()).await;
        }
        if ready.is_full() {
            let made = compact::make_room(turn, &mut ready, &mut spending, Much::Old { part: 1 }).await?;
            if made == Made::CalledOff {
                return turn.cut_short(String::new()).await;
            }
        }
        if let Some(remembering) = ready.bench.remember(turn) {
            remembering.await?;
        }
        let asked = stream::ask(turn, &ready.chain, Arc::clone(&ready.request), ready.hearing()).await;
        let answered = match asked {
            Ok(answered) => answered,
            Err(Ended::CalledOff(shown)) => return turn.cut_short(shown).await,
            Err(Ended::GaveUp(gave_up)) => {
                spending.add_failed(turn, &ready.chain, &gave_up.0).await?;
                if is_too_long(&gave_up)
                    && let Some(part) = parts.next()
                {
                    match compact::make_room(turn, &mut ready, &mut spending, Much::Old { part }).await? {
                        Made::Room(_) => continue,
                        Made::CalledOff => return turn.cut_short(String::new()).await,
                        Made::Nothing => {}
                    }
                }
                let tried = tried(&gave_up.0, &ready);
                note(turn, RunNote { tried, ..told_of(&ready) }).await?;
                return Ok(came_to_nothing(turn, &ready, gave_up.into()).await);
            }
            Err(Ended::Store(error)) => return Err(error),
        };
        spending.add_failed(turn, &ready.chain, &answered.tried).await?;
        let usage = spending.add(turn, &ready.chain, &answered.model, answered.answer.usage);
        let message = stream::kept(&answered.answer, &answered.reply, &ready.bench.secrets, turn.now_ms());
        if answered.answer.calls().next().is_none() {
            return finish(turn, &ready, answered, message, usage).await;
        }
        let (model, tried) = (line(answered.model.as_str()), tried(&answered.tried, &ready));
        note(turn, RunNote { model, tried, ..told_of(&ready) }).await?;
        ready.add(message.clone());
        ready.counted(answered.answer.usage);
        match calls::run(turn, &mut ready.bench, &answered.answer, message, usage).await? {
            Called::GoOn { results, last } => {
                results.into_iter().for_each(|result| ready.add(result));
                steer::take_in(turn, &mut ready, last).await?;
            }
            Called::Off => return turn.cut_short(String::new()).await,
        }
    }
    let why = format!("the model was asked {MOST_REQUESTS} times in this turn and is still not done");
    let problem = Problem::new(ErrorCode::Failed, why)
        .no_answer(NoAnswer::NotDone)
        .hint("say what is still missing, in smaller steps");
    Ok(turn.failed(problem).await)
}

/// Summarises the conversation so far because the person wants it, and keeps in mind what they say.
///
/// # Errors
/// When the store cannot be read or written.
pub(crate) async fn summarise(turn: &mut Turn<'_>, said: &Said, wish: &str) -> Result<Ending, StoreError> {
    let mut ready = match Ready::of(turn.runtime, said).await? {
        Ok(ready) => ready,
        Err(why) => return not_ready(turn, said, why).await,
    };
    let mut spending = Spending::of(turn.runtime, &ready);
    let much = Much::All { until: said.number, wish };
    match compact::make_room(turn, &mut ready, &mut spending, much).await? {
        Made::Room(messages) => {
            let text = format!(
                "The conversation so far ({messages} messages) is summarised for the model. All of it is kept."
            );
            turn.say(&text).await
        }
        Made::Nothing => turn.say("There is nothing to summarise yet.").await,
        Made::CalledOff => turn.cut_short(String::new()).await,
    }
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
        Err(NotReady::NoBench(why)) => no_bench(said, why).message,
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
            let what = format!("the model declines to answer: {why}");
            Some(
                Problem::new(ErrorCode::Failed, what)
                    .no_answer(NoAnswer::Declined)
                    .hint("say it otherwise, or ask another model with /model"),
            )
        }
        _ if reply.text.is_empty() && !reply.silent && ready.bench.shows.is_empty() => {
            let what = "the model answered without a word";
            Some(
                Problem::new(ErrorCode::Failed, what)
                    .no_answer(NoAnswer::Empty)
                    .hint("try again, or ask another model with /model"),
            )
        }
        _ => None,
    };
    if let Some(problem) = declined {
        spending::write(turn, usage).await?;
        return Ok(came_to_nothing(turn, ready, problem).await);
    }
    if !turn.runtime.runs.act(&turn.run) {
        return turn.cut_short(reply.text).await;
    }
    let is_silent = reply.silent && ready.bench.shows.is_empty();
    let reply_to = reply.reply_to.map(|reply_to| match reply_to {
        ReplyTo::Current => turn.run.to_string(),
        ReplyTo::Id(id) => id,
    });
    let note_of_it = RunNote {
        model: line(model.as_str()),
        tried: tried(&failed, ready),
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
    for text in &ready.bench.shows {
        turn.show(&mut shown, text);
        written.content.push(Block::text(text));
    }
    turn.conclude(written, usage).await?;
    crash::point("turn.concluded");
    Ok(Ending::Answered { message: shown, is_silent, reply_to })
}

/// Ends a turn that cannot begin.
async fn not_ready(turn: &mut Turn<'_>, said: &Said, why: NotReady) -> Result<Ending, StoreError> {
    match why {
        NotReady::NoModel => turn.say(NO_MODEL).await,
        NotReady::NoBench(why) => Ok(turn.failed(no_bench(said, why)).await),
    }
}

fn no_bench(said: &Said, why: NoBench) -> Problem {
    match why {
        NoBench::NoAgent => {
            let what = format!("the agent {} is not in the configuration any more", said.session.agent());
            Problem::new(ErrorCode::NotFound, what)
                .hint("talk to another agent, or add it to agents.list again")
        }
        NoBench::File(error) => error.into(),
    }
}

/// Ends a turn that a model has brought to nothing. A server may say anything, and secrets too.
async fn came_to_nothing(turn: &mut Turn<'_>, ready: &Ready, problem: Problem) -> Ending {
    let message = ready.bench.secrets.hide(&problem.message);
    turn.failed(Problem { message, ..problem }).await
}

/// A name that is no single line is none that we could have asked.
fn line(text: &str) -> Option<Line> {
    text.parse().ok()
}

fn tried(tried: &[Tried], ready: &Ready) -> Vec<TriedModel> {
    let tried = tried.iter().filter_map(|tried| {
        let reason = ready.bench.secrets.hide(&tried.failure.to_string());
        Some(TriedModel { model: line(tried.model.as_str())?, reason })
    });
    tried.collect()
}

/// Whether no model answered because it was told too much.
fn is_too_long(gave_up: &GaveUp) -> bool {
    gave_up.0.last().is_some_and(|last| last.failure.class == Class::ContextTooLong)
}

fn told_of(ready: &Ready) -> RunNote {
    ready.bench.note()
}

/// Writes down how a run is answered.
async fn note(turn: &Turn<'_>, note: RunNote) -> Result<(), StoreError> {
    turn.runtime.given.store.note_run(turn.run.clone(), note).await
}
