//! The model's turn: asks the model, runs the tools that it calls, and asks again, until it has answered.
//!
//! A turn sees one snapshot of the skills. The messages of a request are a prefix of those of the next one. No tool runs
//! without the guard's permission. Every call has a result in the transcript, also when the run is aborted.

mod approval;
mod calls;
mod choose;
mod compact;
mod dispatch;
mod model_session;
mod spending;
mod steer;
mod stream;
mod transcript;

use std::sync::Arc;

use tarsus_home::files::crash;
use tarsus_models::{ChainError, FailedAttempt, StopReason, estimate_tokens};
use tarsus_protocol::event::ChatPhase;
use tarsus_protocol::exec::Reasoning;
use tarsus_protocol::message::Thinking;
use tarsus_protocol::{Block, ErrorCode, Message, NoAnswer, Problem, Role};
use tarsus_store::{Durability, RequestUsage, RunNote, SingleLine, Store, StoreError, TriedModel};

pub use choose::{EnvLookup, ModelSource, NoModelSource, ProviderModels, chosen_models};
pub(crate) use dispatch::dispatch;

use crate::prompt::report_text;
use crate::reply::{NO_REPLY, ReplyTo};
use crate::route::{DirectReply, page_blocks};
use crate::run_event::{RunEventKind, RunOutcome};
use crate::runtime::{Runtime, text_message};
use crate::skill_commands::SkillInvocation;
use crate::turn::{AcceptedMessage, Turn};
use crate::turn_context::TurnError;
use calls::CallsOutcome;
use compact::{CompactionOutcome, CompactionPlan};
use model_session::ModelSession;
use spending::Spending;
use stream::{StreamError, StreamedAnswer};

/// Maximum requests of one turn. A model that needs more is stuck in a loop.
const MAX_REQUESTS: usize = 200;

/// The reply when there is no model.
pub(crate) const NO_MODEL: &str = "No language model is configured yet, so I cannot answer this. \
    To add one, start a local server such as Ollama, or set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, then run \
    `tarsus models set`. These work without a model: \"application manager\" for the menu of your apps, \"open <app>\" \
    or \"close <app>\", and /help for the commands.";

/// Has a model answer the message of a turn.
///
/// # Errors
/// When the turn cannot be set up, or the store cannot be read or written.
pub(crate) async fn answer(
    turn: &mut Turn<'_>,
    invocation: Option<SkillInvocation>,
) -> Result<RunOutcome, TurnError> {
    if let Some(invocation) = &invocation {
        let role = Role::remark(transcript::SKILL_COMMAND);
        let remark = text_message(role, &invocation.prompt, turn.now_ms());
        let write =
            |store: &Store, _, item| store.append_answer(item, Vec::new(), None, Durability::KillSafe);
        turn.append(remark, write).await?;
    }
    turn.publish(RunEventKind::Preparing(ChatPhase::PreparingContext));
    let mut models = ModelSession::load(turn.runtime, &turn.accepted, invocation.as_ref()).await?;
    turn.publish(RunEventKind::Preparing(ChatPhase::StartingModel));
    turn.start();
    let mut spending = Spending::new(turn.runtime, models.context());
    // Providers may count more tokens than our estimate: each retry keeps less.
    let mut divisors = [2, 4].into_iter();
    for _ in 0..MAX_REQUESTS {
        if let Some(limit) = spending.exceeded_limit()? {
            return Ok(turn.reply(DirectReply::text(limit.to_string())).await?);
        }
        if models.is_full() {
            let plan = CompactionPlan::Old { divisor: 1 };
            let compacted = compact::compact(turn, &mut models, &mut spending, plan).await?;
            if compacted == CompactionOutcome::Aborted {
                return Ok(turn.abort().await);
            }
        }
        if let Some(saving) = models.tools.save_activation(turn) {
            saving.await?;
        }
        let options = models.stream_options(turn.reasoning());
        let request = stream::ask(turn, &models.chain, Arc::clone(&models.request), options);
        let answered = match request.await {
            Ok(answered) => answered,
            Err(StreamError::Aborted(partial)) => return Ok(turn.abort_with(partial).await?),
            Err(StreamError::GaveUp(gave_up)) => {
                spending.add_failed(turn, &models.chain, &gave_up.0).await?;
                if is_too_long(&gave_up)
                    && let Some(divisor) = divisors.next()
                {
                    let plan = CompactionPlan::Old { divisor };
                    match compact::compact(turn, &mut models, &mut spending, plan).await? {
                        CompactionOutcome::Compacted(_) => continue,
                        CompactionOutcome::Aborted => return Ok(turn.abort().await),
                        CompactionOutcome::Unchanged => {}
                    }
                }
                let tried = tried_models(&gave_up.0, &models);
                note(turn, RunNote { tried, ..models.tools.run_note() }).await?;
                return Ok(fail_redacted(turn, &models, gave_up.into()).await);
            }
            Err(StreamError::Store(error)) => return Err(error.into()),
        };
        spending.add_failed(turn, &models.chain, &answered.tried).await?;
        let usage = spending.add(turn, &models.chain, &answered.model, answered.answer.usage);
        let options = models.stream_options(turn.reasoning());
        let message = stream::stored_message(&answered.answer, &answered.reply, options, turn.now_ms());
        if turn.reasoning() == Reasoning::On {
            models.thoughts.push(message.reasoning());
        }
        if answered.answer.calls().next().is_none() {
            return Ok(finish(turn, &models, answered, message, usage).await?);
        }
        let (model, tried) = (line(answered.model.as_str()), tried_models(&answered.tried, &models));
        note(turn, RunNote { model, tried, ..models.tools.run_note() }).await?;
        models.add(message.clone());
        models.set_counted(answered.answer.usage);
        match calls::run(turn, &mut models.tools, &answered.answer, message, usage).await? {
            CallsOutcome::Continue { results, last } => {
                results.into_iter().for_each(|result| models.add(result));
                steer::take_in(turn, &mut models, last).await?;
            }
            CallsOutcome::Aborted => return Ok(turn.abort().await),
        }
    }
    let why = format!("the turn reached its limit of {MAX_REQUESTS} model requests");
    let problem = Problem::new(ErrorCode::Failed, why)
        .no_answer(NoAnswer::NotDone)
        .hint("ask for the rest in smaller steps");
    Ok(turn.fail(problem).await)
}

/// `/compact`: summarises the conversation so far. `focus` is the user's request about the summary.
///
/// # Errors
/// When the turn cannot be set up, or the store cannot be read or written.
pub(crate) async fn compact(turn: &mut Turn<'_>, focus: &str) -> Result<RunOutcome, TurnError> {
    let mut models = ModelSession::load(turn.runtime, &turn.accepted, None).await?;
    let mut spending = Spending::new(turn.runtime, models.context());
    let plan = CompactionPlan::All { until: turn.accepted.number, focus };
    let text = match compact::compact(turn, &mut models, &mut spending, plan).await? {
        CompactionOutcome::Compacted(messages) => {
            let plural = if messages == 1 { "" } else { "s" };
            format!("Summarised {messages} message{plural} for the model. The transcript keeps everything.")
        }
        CompactionOutcome::Unchanged => "There is nothing to summarise.".to_owned(),
        CompactionOutcome::Aborted => return Ok(turn.abort().await),
    };
    Ok(turn.reply(DirectReply::text(text)).await?)
}

/// `/context`: the size of each section of the prompt, and of the conversation.
///
/// # Errors
/// When the store cannot be read.
pub(crate) async fn context(
    runtime: &Arc<Runtime>,
    accepted: &AcceptedMessage,
) -> Result<String, StoreError> {
    match ModelSession::load(runtime, accepted, None).await {
        Ok(models) => {
            let messages = &models.request.messages;
            let tokens: u64 = messages.iter().map(|message| estimate_tokens(&message.text())).sum();
            let size = format!("Conversation: {} messages, about {tokens} tokens", messages.len());
            Ok(format!("{}\n{size}", report_text(&models.report).trim_end()))
        }
        Err(TurnError::NoModel) => Ok(NO_MODEL.to_owned()),
        Err(TurnError::Store(error)) => Err(error),
        Err(error) => Ok(Problem::from(error).message),
    }
}

/// Ends a turn with the model's last message.
async fn finish(
    turn: &mut Turn<'_>,
    models: &ModelSession,
    answered: StreamedAnswer,
    message: Message,
    usage: Option<RequestUsage>,
) -> Result<RunOutcome, StoreError> {
    let StreamedAnswer { answer, reply, model, tried: failed } = answered;
    let declined = match &answer.stop {
        Some(StopReason::Refused { reason: why }) if reply.text.is_empty() => {
            let what = format!("the model declined to answer: {why}");
            Some(
                Problem::new(ErrorCode::Failed, what)
                    .no_answer(NoAnswer::Declined)
                    .hint("rephrase the message, or choose another model with /model"),
            )
        }
        _ if reply.text.is_empty() && !reply.silent && models.tools.pages.is_empty() => {
            let what = "the model returned an empty answer";
            Some(
                Problem::new(ErrorCode::Failed, what)
                    .no_answer(NoAnswer::Empty)
                    .hint("try again, or choose another model with /model"),
            )
        }
        _ => None,
    };
    if let Some(problem) = declined {
        spending::write(turn, usage).await?;
        return Ok(fail_redacted(turn, models, problem).await);
    }
    if !turn.runtime.runs.act(turn.id()) {
        return turn.abort_with(reply.text).await;
    }
    let is_silent = reply.silent && models.tools.pages.is_empty();
    let reply_to = reply.reply_to.map(|reply_to| match reply_to {
        ReplyTo::Current => turn.id().to_string(),
        ReplyTo::Id(id) => id,
    });
    let run_note = RunNote {
        model: line(model.as_str()),
        tried: tried_models(&failed, models),
        reply_to: reply_to.as_deref().and_then(line),
        is_silent,
        ..models.tools.run_note()
    };
    note(turn, run_note).await?;
    let mut shown = text_message(Role::Assistant, &reply.text, turn.now_ms());
    if reply.text.is_empty() {
        shown.content.clear();
    }
    let mut written = message;
    if is_silent {
        // The transcript shows the model that it chose silence.
        written.content.push(Block::text(NO_REPLY));
    }
    for page in &models.tools.pages {
        let blocks = page_blocks(page);
        turn.show_page(&mut shown, &blocks);
        written.content.extend(blocks);
    }
    turn.conclude(written, usage).await?;
    crash::point("turn.concluded");
    let thinking =
        models.thoughts.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>().join("\n\n");
    if !thinking.is_empty() {
        shown.content.push(Block::Thinking(Thinking { thinking, thinking_signature: None }));
    }
    Ok(RunOutcome::Completed { message: shown, is_silent, reply_to })
}

/// Ends a turn in which no model answered. Redacts the message of the server.
async fn fail_redacted(turn: &mut Turn<'_>, models: &ModelSession, problem: Problem) -> RunOutcome {
    let message = models.context().secrets.hide(&problem.message);
    turn.fail(Problem { message, ..problem }).await
}

/// `None` if the text is not a valid single line.
fn line(text: &str) -> Option<SingleLine> {
    text.parse().ok()
}

fn tried_models(tried: &[FailedAttempt], models: &ModelSession) -> Vec<TriedModel> {
    let tried = tried.iter().filter_map(|tried| {
        let reason = models.context().secrets.hide(&tried.error.to_string());
        Some(TriedModel { model: line(tried.model.as_str())?, reason })
    });
    tried.collect()
}

/// Whether the last model failed because the request was too long.
fn is_too_long(gave_up: &ChainError) -> bool {
    gave_up.0.last().is_some_and(|last| last.error.class == NoAnswer::ContextTooLong)
}

async fn note(turn: &Turn<'_>, note: RunNote) -> Result<(), StoreError> {
    turn.store().note_run(turn.id().clone(), note).await
}
