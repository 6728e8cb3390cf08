//! Compaction: old messages of a conversation that outgrows the model's window are replaced by a summary.
//!
//! Every message stays in the transcript. The summary is stored before a model gets it. If no model can write one, a
//! fallback lists the newest messages.

pub(super) mod budget;
mod cut;
mod notes;
mod summary;

use std::sync::Arc;

use futures_util::StreamExt;
use tarsus_models::{ChainEvent, ModelRequest, ModelResponse, estimate_tokens};
use tarsus_protocol::{Message, Problem, Role};
use tarsus_store::{Context, RunId, Summary};

use super::model_session::ModelSession;
use super::spending::{self, Spending};
use super::transcript::{self, ContextMessage};
use crate::prompt::quote::Marker;
use crate::reply::ReplyFilter;
use crate::runtime::{Runtime, text_message};
use crate::turn::{Turn, run_blocking};
use crate::turn_context::TurnError;

/// The remark in the transcript.
const REMARK: &str = "The messages before this were summarised for the model. All of them are kept here.";

/// The messages to summarise.
pub(super) enum CompactionPlan<'a> {
    /// Old messages. The newest keep their usual token share, divided by `divisor`.
    Old { divisor: u64 },
    /// All messages before an item, with what the person wants the summary to keep.
    All { until: u64, focus: &'a str },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CompactionOutcome {
    /// The number of messages that were summarised.
    Compacted(usize),
    /// There was nothing to summarise.
    Unchanged,
    Aborted,
}

/// Summarises messages, so that the next request starts with the summary.
///
/// # Errors
/// When the store cannot be read or written.
pub(super) async fn compact(
    turn: &mut Turn<'_>,
    models: &mut ModelSession,
    spending: &mut Spending<'_>,
    plan: CompactionPlan<'_>,
) -> Result<CompactionOutcome, TurnError> {
    let context = load_context(turn.runtime, turn.id()).await?;
    let before = context.summary.as_ref().map(|summary| summary.text.clone());
    let messages = transcript::context_messages(context, turn.id());
    let cut = match plan {
        CompactionPlan::Old { divisor } => cut::first_kept(&messages, models.budget.kept() / divisor.max(1)),
        CompactionPlan::All { .. } => (!messages.is_empty()).then_some(messages.len()),
    };
    let Some(cut) = cut else { return Ok(CompactionOutcome::Unchanged) };
    let (old, kept) = messages.split_at(cut);
    let (opening, first) = match (kept.first(), &plan) {
        (Some(first), _) => (first.opening, first.number),
        (None, CompactionPlan::All { until, .. }) => (*until, *until),
        (None, CompactionPlan::Old { .. }) => return Ok(CompactionOutcome::Unchanged),
    };
    let focus = match plan {
        CompactionPlan::All { focus, .. } => focus,
        CompactionPlan::Old { .. } => "",
    };
    let text = match ask_for_summary(turn, models, spending, old, before.as_deref(), focus).await? {
        SummaryAnswer::Summary(text) => text,
        SummaryAnswer::None => summary::fallback_summary(old, before.as_deref(), models.budget.summary()),
        SummaryAnswer::Aborted => return Ok(CompactionOutcome::Aborted),
    };
    let stored = Summary { opening, first, text: text.clone() };
    let remark = text_message(Role::remark("compaction"), REMARK, turn.now_ms());
    turn.append(remark, |store, run, item| store.summarise(run, stored, item)).await?;
    // Only a chat with one person goes into the agent's notes.
    if models.context().has_person() {
        add_note(turn, models, text).await;
    }
    models.reload_messages(load_context(turn.runtime, turn.id()).await?, turn.id());
    Ok(CompactionOutcome::Compacted(old.len()))
}

async fn load_context(runtime: &Arc<Runtime>, run: &RunId) -> Result<Context, TurnError> {
    let (store, run) = (Arc::clone(&runtime.services.store), run.clone());
    run_blocking(move || Ok(store.context(&run)?.unwrap_or_default())).await
}

enum SummaryAnswer {
    Summary(String),
    /// No model wrote one.
    None,
    Aborted,
}

/// Asks a model for a summary. It gets no tools, and its text is not published.
async fn ask_for_summary(
    turn: &mut Turn<'_>,
    models: &ModelSession,
    spending: &mut Spending<'_>,
    old: &[ContextMessage],
    before: Option<&str>,
    focus: &str,
) -> Result<SummaryAnswer, TurnError> {
    let max_tokens = models.budget.summary();
    let Some(source) = summary::render_conversation(old, before, models.budget.source()) else {
        return Ok(SummaryAnswer::None);
    };
    if max_tokens == 0 || spending.exceeded_limit()?.is_some() {
        return Ok(SummaryAnswer::None);
    }
    let request = ModelRequest {
        system: summary::SYSTEM_PROMPT.to_owned(),
        messages: vec![question(&models.context().marker, &source, focus, turn.now_ms())],
        max_tokens: u32::try_from(max_tokens).ok(),
        ..ModelRequest::default()
    };
    let runtime = Arc::clone(turn.runtime);
    let run = turn.id().clone();
    let aborted = runtime.runs.aborted(&run);
    tokio::pin!(aborted);
    let mut events = models.chain.stream(Arc::new(request));
    let mut answer = ModelResponse::default();
    loop {
        let event = tokio::select! {
            biased;
            () = &mut aborted => return Ok(SummaryAnswer::Aborted),
            event = events.next() => event,
        };
        match event {
            Some(ChainEvent::AttemptStarted { .. }) => {}
            Some(ChainEvent::Delta(delta)) => answer.push(&delta),
            Some(ChainEvent::AttemptFailed { .. }) => answer = ModelResponse::default(),
            Some(ChainEvent::Completed { model, failed: tried }) => {
                spending.add_failed(turn, &models.chain, &tried).await?;
                let usage = spending.add(turn, &models.chain, &model, answer.usage);
                spending::write(turn, usage).await?;
                let text = clean_summary(&answer, models);
                let is_usable = !text.is_empty() && estimate_tokens(&text) <= max_tokens.saturating_mul(2);
                return Ok(if is_usable { SummaryAnswer::Summary(text) } else { SummaryAnswer::None });
            }
            Some(ChainEvent::Failed(gave_up)) => {
                spending.add_failed(turn, &models.chain, &gave_up.0).await?;
                tracing::warn!(%run, why = %gave_up, "a conversation is compacted without a model's summary");
                return Ok(SummaryAnswer::None);
            }
            None => return Ok(SummaryAnswer::None),
        }
    }
}

fn question(marker: &Marker, source: &str, focus: &str, at_ms: i64) -> Message {
    let focus = match focus {
        "" => String::new(),
        focus => format!("\n\nFocus the summary on this request of the user: {focus}"),
    };
    text_message(Role::User, &format!("{}{focus}", marker.quote("conversation", source)), at_ms)
}

/// The text of a summary, without reasoning and secrets.
fn clean_summary(answer: &ModelResponse, models: &ModelSession) -> String {
    let mut filter = ReplyFilter::new(models.filter);
    filter.push(&answer.message(None).text());
    models.context().secrets.hide(filter.finish().text.trim())
}

/// Adds a summary to the agent's notes. A failure does not stop the turn.
async fn add_note(turn: &Turn<'_>, models: &ModelSession, text: String) {
    let context = Arc::clone(&models.tools.context);
    let noting = tokio::task::spawn_blocking(move || {
        let now = context.services.clock.now().to_zoned(context.zone.clone());
        notes::add(&context.workspace, &context.session, &now, &text)
    });
    if let Ok(Err(error)) = noting.await {
        let problem = Problem::from(error);
        tracing::warn!(run = %turn.id(), why = %problem.message, "a summary is not in the agent's notes");
    }
}
