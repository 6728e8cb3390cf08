//! The calls of an answer: judged, begun, run, and their results written down.
//!
//! Promises: a row is in the store before a tool runs; calls that only look run together, one that does something runs
//! alone and is never interrupted; a skill that had a say in a result is known before the result is; every call has one
//! result, also when the run is called off. Leaves to others: what a tool does, and whether it may.

use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::Value;
use tarsus_guard::CallDigest;
use tarsus_home::files::crash;
use tarsus_models::Answer;
use tarsus_protocol::event::ToolResult;
use tarsus_protocol::message::{Text, ToolCall};
use tarsus_protocol::{Block, ErrorCode, Message, Problem, Role};
use tarsus_store::{Durability, NewCall, Store, StoreError, Usage};

use super::asking::{Decided, Judged, answered, decided};
use super::bench::Bench;
use super::quoted;
use super::stream::{call_without, value_without};
use crate::runtime::Runtime;
use crate::told::What;
use crate::tools::{Origin, Outcome, Prepared};
use crate::turn::Turn;

/// What came of the calls of an answer.
pub(super) enum Called {
    /// The run goes on.
    GoOn {
        /// What the calls came to.
        results: Vec<Message>,
        /// The number of the last item with a result.
        last: u64,
    },
    /// The run was called off. Every call has a result all the same.
    Off,
}

/// A call, and how it is to be run or why it cannot be.
pub(super) struct Planned {
    /// The call.
    pub(super) call: ToolCall,
    /// What was made of it.
    pub(super) plan: Result<Prepared, Problem>,
}

impl Planned {
    fn of(runtime: &Runtime, bench: &Bench, call: &ToolCall, answer: &Answer) -> Self {
        let call = call_without(call, &bench.secrets);
        let broken = answer.broken.iter().find(|(id, _)| *id == call.id);
        let plan = match broken {
            Some((_, why)) => Err(Problem::new(ErrorCode::Usage, why).hint("make the call again")),
            None => {
                let arguments = Value::Object(call.arguments.clone());
                runtime.toolbox.prepare(&call.name, &arguments, None, &bench.ctx)
            }
        };
        Self { plan, call }
    }

    /// Whether it does something.
    fn acts(&self) -> bool {
        self.plan.as_ref().is_ok_and(|prepared| !prepared.is_read_only)
    }

    fn row(&self) -> NewCall {
        // What only looks has begun with this; what acts says so for itself.
        NewCall { id: self.call.id.clone(), tool: self.call.name.clone(), begun: !self.acts() }
    }
}

/// Writes an answer down and runs its calls.
///
/// # Errors
/// When the store cannot be read or written.
pub(super) async fn run(
    turn: &mut Turn<'_>,
    bench: &mut Bench,
    answer: &Answer,
    message: Message,
    usage: Option<Usage>,
) -> Result<Called, StoreError> {
    let planned = answer.calls().map(|call| Planned::of(turn.runtime, bench, call, answer)).collect();
    carry_out(turn, bench, planned, message, usage).await
}

/// Writes down a message that asks for calls, and runs them.
///
/// # Errors
/// When the store cannot be read or written.
pub(super) async fn carry_out(
    turn: &mut Turn<'_>,
    bench: &mut Bench,
    mut planned: Vec<Planned>,
    message: Message,
    usage: Option<Usage>,
) -> Result<Called, StoreError> {
    let runtime = Arc::clone(turn.runtime);
    let rows = planned.iter().map(Planned::row).collect();
    let asks = |store: &Store, _, item| store.said(item, rows, usage, Durability::PowerSafe);
    let mut last = turn.write(message, asks).await?;
    crash::point("turn.said");
    let (mut results, mut is_off) = (Vec::new(), false);
    let sizes: Vec<usize> =
        planned.chunk_by(|one, other| !one.acts() && !other.acts()).map(<[_]>::len).collect();
    for size in sizes {
        let group: Vec<Planned> = planned.drain(..size).collect();
        let calls: Vec<ToolCall> = group.iter().map(|planned| planned.call.clone()).collect();
        calls.iter().for_each(|call| turn.tell(What::Calls(call.clone())));
        let acts = group.iter().any(Planned::acts);
        let outcomes = match (is_off, acts) {
            (true, _) => calls.iter().map(|_| called_off()).collect(),
            (false, true) => act(turn, bench, group).await?,
            (false, false) => look(turn, bench, group).await,
        };
        for (number, result) in written(turn, bench, &calls, outcomes).await? {
            last = number;
            results.push(result);
        }
        is_off = is_off || !runtime.runs.rest(&turn.run);
    }
    Ok(if is_off { Called::Off } else { Called::GoOn { results, last } })
}

/// Runs a call that does something.
async fn act(
    turn: &mut Turn<'_>,
    bench: &mut Bench,
    group: Vec<Planned>,
) -> Result<Vec<Outcome>, StoreError> {
    let runtime = turn.runtime;
    let mut outcomes = Vec::new();
    for Planned { call, plan } in group {
        let judged = match plan.map(|prepared| decided(turn, bench, prepared)) {
            Ok(Decided::Now(judged)) => judged,
            Ok(Decided::Asks(asks)) => answered(turn, bench, *asks).await,
            Err(problem) => Judged::No(problem),
        };
        outcomes.push(match judged {
            Judged::No(problem) => problem.into(),
            Judged::Yes(authorized) if runtime.runs.act(&turn.run) => {
                runtime.given.store.begin_call(turn.run.clone(), call.id, turn.now_ms()).await?;
                crash::point("turn.call.begun");
                let outcome = runtime.toolbox.run(authorized, &bench.ctx).await;
                crash::point("turn.call.ran");
                outcome
            }
            Judged::Yes(_) | Judged::CalledOff => called_off(),
        });
    }
    Ok(outcomes)
}

/// Runs calls that only look, all at once, until the run is called off; then those that the owner is asked about.
async fn look(turn: &mut Turn<'_>, bench: &mut Bench, group: Vec<Planned>) -> Vec<Outcome> {
    let runtime = Arc::clone(turn.runtime);
    let count = group.len();
    let (mut at_once, mut asking) = (Vec::new(), Vec::new());
    for (place, planned) in group.into_iter().enumerate() {
        match planned.plan.map(|prepared| decided(turn, bench, prepared)) {
            Ok(Decided::Now(judged)) => at_once.push((place, judged)),
            Ok(Decided::Asks(asks)) => asking.push((place, asks)),
            Err(problem) => at_once.push((place, Judged::No(problem))),
        }
    }
    let running = at_once.into_iter().map(|(place, judged)| {
        let looking = looked(&runtime, bench, judged);
        async move { (place, looking.await) }
    });
    let mut outcomes = tokio::select! {
        biased;
        () = runtime.runs.called_off(&turn.run) => return (0..count).map(|_| called_off()).collect(),
        outcomes = join_all(running) => {
            crash::point("turn.looked");
            outcomes
        }
    };
    for (place, asks) in asking {
        let judged = answered(turn, bench, *asks).await;
        let outcome = tokio::select! {
            biased;
            () = runtime.runs.called_off(&turn.run) => called_off(),
            outcome = looked(&runtime, bench, judged) => outcome,
        };
        outcomes.push((place, outcome));
    }
    outcomes.sort_by_key(|(place, _)| *place);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

async fn looked(runtime: &Runtime, bench: &Bench, judged: Judged) -> Outcome {
    match judged {
        Judged::Yes(authorized) => runtime.toolbox.run(authorized, &bench.ctx).await,
        Judged::No(problem) => problem.into(),
        Judged::CalledOff => called_off(),
    }
}

fn called_off() -> Outcome {
    Outcome { is_error: true, ..Outcome::text("The run was called off before this was done.") }
}

/// Writes the results of some calls, then tells them; each with the number of its item.
async fn written(
    turn: &mut Turn<'_>,
    bench: &mut Bench,
    calls: &[ToolCall],
    outcomes: Vec<Outcome>,
) -> Result<Vec<(u64, Message)>, StoreError> {
    let mut messages = Vec::new();
    for (call, outcome) in calls.iter().zip(outcomes) {
        bench.activation.join(&outcome.activated);
        bench.shows.extend(outcome.shows.clone());
        outcome.apps.iter().for_each(|change| turn.tell(What::Apps(change.clone())));
        let message = result(call, outcome, bench, turn.now_ms());
        remember(bench, call, &message);
        messages.push(message);
    }
    // Asked for before the results, and so written before them.
    let remembering = bench.remember(turn);
    let mut writing = Vec::new();
    for (call, message) in calls.iter().zip(&messages) {
        writing.push(turn.ask(message.clone(), |store, run, item| store.result(run, call.id.clone(), item)));
    }
    if let Some(remembering) = remembering {
        remembering.await?;
    }
    let mut numbered = Vec::new();
    for ((call, message), writing) in calls.iter().zip(messages).zip(writing) {
        let number = writing.written().await?;
        if let Role::ToolResult { is_error, details, .. } = &message.role {
            let content = message.content.clone();
            let result = ToolResult { content, details: details.clone(), is_error: *is_error };
            turn.tell(What::Called { call: call.clone(), result });
        }
        turn.tell(What::Written { number, message: message.clone() });
        numbered.push((number, message));
    }
    crash::point("turn.results.written");
    Ok(numbered)
}

/// The message with the result of a call, without secrets.
fn result(call: &ToolCall, outcome: Outcome, bench: &Bench, at_ms: i64) -> Message {
    let Outcome { content, is_error, details, origin, .. } = outcome;
    let hide = |block| match block {
        Block::Text(Text { text }) => Block::text(bench.secrets.hide(&text)),
        other => other,
    };
    let details = match origin {
        Some(origin) => Some(quoted::with_source(details, source(&origin, call))),
        None => details,
    };
    let role = Role::ToolResult {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        is_error,
        details: details.map(|details| value_without(&details, &bench.secrets)),
    };
    Message { role, content: content.into_iter().map(hide).collect(), timestamp: u64::try_from(at_ms).ok() }
}

/// Whose text it is, in a few words.
fn source(origin: &Origin, call: &ToolCall) -> String {
    let path = call.arguments.get("path").or_else(|| call.arguments.get("file_path")).and_then(Value::as_str);
    let path = path.unwrap_or_default();
    match origin {
        Origin::Workspace => format!("file {path}"),
        Origin::Docs => format!("user guide {path}"),
        Origin::Root => format!("file {path}"),
        Origin::Skill { name, tier } => format!("skill {name} ({tier}), file {path}"),
    }
}

/// Remembers what a call came to, to notice one that leads nowhere.
fn remember(bench: &mut Bench, call: &ToolCall, message: &Message) {
    let this = CallDigest::of(&call.name, &Value::Object(call.arguments.clone()));
    let came_to = CallDigest::of(&call.name, &Value::String(message.text()));
    if bench.results.insert(this, came_to) == Some(came_to) {
        bench.repeated.push(this);
    }
}
