//! The tool calls of an answer: judged, begun, run, and their results stored.
//!
//! A row is in the store before a tool runs. Read-only calls run together; one that acts runs alone and is never
//! interrupted. An activated skill is stored before the result that activated it. Every call has one result, also when
//! the run is aborted.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::Value;
use tarsus_apps::conversation::Page;
use tarsus_guard::{
    Activation, Authorization, Authorized, CallContext, CallDigest, PathBases, PolicyVerdict,
};
use tarsus_home::files::crash;
use tarsus_models::ModelResponse;
use tarsus_protocol::event::ToolResult;
use tarsus_protocol::message::{Text, ToolCall};
use tarsus_protocol::{Block, ErrorCode, Message, Problem, Role};
use tarsus_store::{Durability, NewCall, RequestUsage, RunNote, Store, StoreError};

use super::approval::{PendingApproval, request_approval};
use super::stream::{redact_call, redact_value};
use super::transcript;
use crate::run_event::RunEventKind;
use crate::runtime::Runtime;
use crate::skill_commands::SkillInvocation;
use crate::tools::{FileOrigin, PreparedCall, ToolOutcome, WebSource};
use crate::turn::{AcceptedMessage, Turn};
use crate::turn_context::{TurnContext, TurnError};

/// The state of a turn that its tool calls change.
pub(super) struct ToolSession {
    pub(super) context: Arc<TurnContext>,
    /// The skills that are active in the session.
    pub(super) activation: Activation,
    /// The version in the store.
    saved_activation: Activation,
    /// Calls whose result was the same as the time before.
    pub(super) repeated: Vec<CallDigest>,
    /// The last result of each call.
    results: BTreeMap<CallDigest, CallDigest>,
    /// Pages that are shown verbatim at the end of the answer.
    pub(super) pages: Vec<Page>,
}

impl ToolSession {
    /// Loads the active skills of the session, and activates those that the message uses.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) fn open(
        context: Arc<TurnContext>,
        accepted: &AcceptedMessage,
        invocation: Option<&SkillInvocation>,
    ) -> Result<Self, TurnError> {
        let stored = context.services.store.activation(&accepted.run)?;
        let saved_activation = stored.as_deref().map(Activation::parse).unwrap_or_default();
        let mut activation = saved_activation.clone();
        context.watch.detect_in_message(&accepted.text, &mut activation);
        for file in &context.marked_files {
            if context.is_injected(Path::new(file)) {
                context.detect_marks(Path::new(file), &mut activation);
            }
        }
        if let Some(invocation) = invocation {
            for skill in &invocation.skills {
                context.watch.activate_by_name(skill, invocation.cause, &mut activation);
            }
        }
        Ok(Self {
            context,
            activation,
            saved_activation,
            repeated: Vec::new(),
            results: BTreeMap::new(),
            pages: Vec::new(),
        })
    }

    /// The note of a run with the version of its skills.
    pub(super) fn run_note(&self) -> RunNote {
        let skills_version = self.context.snapshot.version.to_string().parse().ok();
        RunNote { skills_version, ..RunNote::default() }
    }

    /// Stores the active skills, where they have changed.
    pub(super) fn save_activation(&mut self, turn: &Turn<'_>) -> Option<tarsus_store::PendingChange<()>> {
        if self.activation == self.saved_activation {
            return None;
        }
        self.saved_activation = self.activation.clone();
        // Serialising names and words does not fail.
        let activation = serde_json::to_string(&self.activation).unwrap_or_default();
        Some(turn.store().set_activation(turn.id().clone(), activation))
    }

    /// Leaves the calls from now on only the variables of the active skills, once a community skill is among them.
    fn restrict_environment(&mut self) {
        if let Some(names) = self.context.skills.exclusive_names(&self.activation) {
            Arc::make_mut(&mut self.context).environment.restrict_to(names);
        }
    }

    /// Notes the result of a call, to detect calls that lead nowhere.
    fn note_result(&mut self, call: &ToolCall, message: &Message) {
        let call_digest = CallDigest::new(&call.name, &Value::Object(call.arguments.clone()));
        let result_digest = CallDigest::new(&call.name, &Value::String(message.text()));
        if self.results.insert(call_digest, result_digest) == Some(result_digest) {
            self.repeated.push(call_digest);
        }
    }
}

pub(super) enum CallsOutcome {
    Continue {
        results: Vec<Message>,
        /// The number of the last item with a result.
        last: u64,
    },
    /// The run was aborted. Every call has a result all the same.
    Aborted,
}

/// A call, and how it is run or why it cannot be.
pub(super) struct PlannedCall {
    pub(super) call: ToolCall,
    pub(super) prepared: Result<PreparedCall, Problem>,
}

impl PlannedCall {
    fn new(runtime: &Runtime, context: &TurnContext, call: &ToolCall, answer: &ModelResponse) -> Self {
        let call = redact_call(call, &context.secrets);
        let broken = answer.invalid.iter().find(|(id, _)| *id == call.id);
        let prepared = match broken {
            Some((_, why)) => {
                Err(Problem::new(ErrorCode::Usage, why).hint("correct the call and make it again"))
            }
            None => {
                let arguments = Value::Object(call.arguments.clone());
                runtime.toolbox.prepare(&call.name, &arguments, None, context)
            }
        };
        Self { prepared, call }
    }

    fn acts(&self) -> bool {
        self.prepared.as_ref().is_ok_and(|prepared| !prepared.is_read_only)
    }

    fn row(&self) -> NewCall {
        // A read-only call begins with this row; one that acts has its beginning stored by itself.
        NewCall { id: self.call.id.clone(), tool: self.call.name.clone(), begun: !self.acts() }
    }
}

pub(super) enum Permission {
    Granted(Authorized),
    Refused(Problem),
    /// The run was aborted while the owner was asked.
    Aborted,
}

/// The guard's first answer about a call.
enum Decision {
    Final(Permission),
    NeedsApproval(Box<PendingApproval>),
}

/// Asks the guard. Does not wait for the owner, as permissions of calls beside this one expire soon.
fn authorize(turn: &Turn<'_>, tools: &mut ToolSession, prepared: PreparedCall) -> Decision {
    let PreparedCall { call, app_policy, .. } = prepared;
    tools.context.watch.detect_in_arguments(&call.arguments, &mut tools.activation);
    for path in call.facts.paths.iter().flatten() {
        tools.context.watch.detect_read(path, &mut tools.activation);
        tools.context.detect_marks(path, &mut tools.activation);
    }
    tools.restrict_environment();
    let run = turn.id().to_string();
    let context = guard_context(&run, tools, &call.tool, app_policy.clone());
    let now = tools.context.services.clock.now();
    match turn.runtime.guard.authorize(call, &context, now) {
        Authorization::Allowed(authorized) => Decision::Final(Permission::Granted(authorized)),
        Authorization::Denied(refusal) => Decision::Final(Permission::Refused(refusal.into())),
        Authorization::NeedsApproval(pending) => {
            Decision::NeedsApproval(Box::new(PendingApproval { pending, app_policy }))
        }
    }
}

pub(super) fn guard_context<'a>(
    run: &'a str,
    tools: &'a ToolSession,
    tool: &str,
    app_policy: Option<PolicyVerdict>,
) -> CallContext<'a> {
    let context = &tools.context;
    CallContext {
        agent: context.agent_id().as_str(),
        session: context.session.as_str(),
        run: Some(run),
        enforcement: context.enforcement,
        skills: &context.skills,
        active: &tools.activation,
        path_bases: PathBases { workspace: &context.workspace, home: context.services.home.user_home() },
        tool_policy: context.tool_policy.verdict(tool),
        app_policy,
        recent: &tools.repeated,
    }
}

/// Stores an answer and runs its calls.
///
/// # Errors
/// When the store cannot be read or written.
pub(super) async fn run(
    turn: &mut Turn<'_>,
    tools: &mut ToolSession,
    answer: &ModelResponse,
    message: Message,
    usage: Option<RequestUsage>,
) -> Result<CallsOutcome, StoreError> {
    let planned =
        answer.calls().map(|call| PlannedCall::new(turn.runtime, &tools.context, call, answer)).collect();
    execute(turn, tools, planned, message, usage).await
}

/// Stores a message with calls and runs them.
///
/// # Errors
/// When the store cannot be read or written.
pub(super) async fn execute(
    turn: &mut Turn<'_>,
    tools: &mut ToolSession,
    mut planned: Vec<PlannedCall>,
    message: Message,
    usage: Option<RequestUsage>,
) -> Result<CallsOutcome, StoreError> {
    let runtime = Arc::clone(turn.runtime);
    let rows = planned.iter().map(PlannedCall::row).collect();
    let write = |store: &Store, _, item| store.append_answer(item, rows, usage, Durability::PowerSafe);
    let mut last = turn.append(message, write).await?;
    crash::point("turn.answer.written");
    let (mut results, mut is_aborted) = (Vec::new(), false);
    let sizes: Vec<usize> =
        planned.chunk_by(|one, other| !one.acts() && !other.acts()).map(<[_]>::len).collect();
    for size in sizes {
        let group: Vec<PlannedCall> = planned.drain(..size).collect();
        let calls: Vec<ToolCall> = group.iter().map(|planned| planned.call.clone()).collect();
        calls.iter().for_each(|call| turn.publish(RunEventKind::ToolStarted(call.clone())));
        let acts = group.iter().any(PlannedCall::acts);
        let outcomes = match (is_aborted, acts) {
            (true, _) => calls.iter().map(|_| aborted_outcome()).collect(),
            (false, true) => run_acting(turn, tools, group).await?,
            (false, false) => run_read_only(turn, tools, group).await,
        };
        for (number, result) in store_results(turn, tools, &calls, outcomes).await? {
            last = number;
            results.push(result);
        }
        is_aborted = is_aborted || !runtime.runs.rest(turn.id());
    }
    Ok(if is_aborted { CallsOutcome::Aborted } else { CallsOutcome::Continue { results, last } })
}

/// Runs calls that act, one after the other.
async fn run_acting(
    turn: &mut Turn<'_>,
    tools: &mut ToolSession,
    group: Vec<PlannedCall>,
) -> Result<Vec<ToolOutcome>, StoreError> {
    let runtime = turn.runtime;
    let mut outcomes = Vec::new();
    for PlannedCall { call, prepared } in group {
        let permission = match prepared.map(|prepared| authorize(turn, tools, prepared)) {
            Ok(Decision::Final(permission)) => permission,
            Ok(Decision::NeedsApproval(pending)) => request_approval(turn, tools, *pending).await,
            Err(problem) => Permission::Refused(problem),
        };
        outcomes.push(match permission {
            Permission::Refused(problem) => problem.into(),
            Permission::Granted(authorized) if runtime.runs.act(turn.id()) => {
                turn.store().begin_call(turn.id().clone(), call.id, turn.now_ms()).await?;
                crash::point("turn.call.begun");
                let outcome = runtime.toolbox.run(authorized, &tools.context).await;
                crash::point("turn.call.ran");
                outcome
            }
            Permission::Granted(_) | Permission::Aborted => aborted_outcome(),
        });
    }
    Ok(outcomes)
}

/// Runs read-only calls, all at once, until the run is aborted; then those that need an approval.
async fn run_read_only(
    turn: &mut Turn<'_>,
    tools: &mut ToolSession,
    group: Vec<PlannedCall>,
) -> Vec<ToolOutcome> {
    let runtime = Arc::clone(turn.runtime);
    let count = group.len();
    let (mut decided, mut pending) = (Vec::new(), Vec::new());
    for (index, planned) in group.into_iter().enumerate() {
        match planned.prepared.map(|prepared| authorize(turn, tools, prepared)) {
            Ok(Decision::Final(permission)) => decided.push((index, permission)),
            Ok(Decision::NeedsApproval(approval)) => pending.push((index, approval)),
            Err(problem) => decided.push((index, Permission::Refused(problem))),
        }
    }
    let running = decided.into_iter().map(|(index, permission)| {
        let running = run_permitted(&runtime, tools, permission);
        async move { (index, running.await) }
    });
    let mut outcomes = tokio::select! {
        biased;
        () = runtime.runs.aborted(turn.id()) => return (0..count).map(|_| aborted_outcome()).collect(),
        outcomes = join_all(running) => {
            crash::point("turn.reads.done");
            outcomes
        }
    };
    for (index, approval) in pending {
        let permission = request_approval(turn, tools, *approval).await;
        let outcome = tokio::select! {
            biased;
            () = runtime.runs.aborted(turn.id()) => aborted_outcome(),
            outcome = run_permitted(&runtime, tools, permission) => outcome,
        };
        outcomes.push((index, outcome));
    }
    outcomes.sort_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

async fn run_permitted(runtime: &Runtime, tools: &ToolSession, permission: Permission) -> ToolOutcome {
    match permission {
        Permission::Granted(authorized) => runtime.toolbox.run(authorized, &tools.context).await,
        Permission::Refused(problem) => problem.into(),
        Permission::Aborted => aborted_outcome(),
    }
}

fn aborted_outcome() -> ToolOutcome {
    ToolOutcome { is_error: true, ..ToolOutcome::text("The run was aborted before this call was made.") }
}

/// Stores the results of some calls, then publishes them; returns each with the number of its item.
async fn store_results(
    turn: &mut Turn<'_>,
    tools: &mut ToolSession,
    calls: &[ToolCall],
    outcomes: Vec<ToolOutcome>,
) -> Result<Vec<(u64, Message)>, StoreError> {
    let mut messages = Vec::new();
    for (call, outcome) in calls.iter().zip(outcomes) {
        tools.activation.join(&outcome.activated);
        tools.pages.extend(outcome.page.clone());
        outcome.apps.iter().for_each(|change| turn.publish(RunEventKind::AppsChanged(change.clone())));
        let message = result_message(call, outcome, &tools.context, turn.now_ms());
        tools.note_result(call, &message);
        messages.push(message);
    }
    // Submitted before the results, and so stored before them.
    let saving = tools.save_activation(turn);
    let mut pending = Vec::new();
    for (call, message) in calls.iter().zip(&messages) {
        let write = |store: &Store, run, item| store.record_result(run, call.id.clone(), item);
        pending.push(turn.submit(message.clone(), write));
    }
    if let Some(saving) = saving {
        saving.await?;
    }
    let mut numbered = Vec::new();
    for ((call, message), pending) in calls.iter().zip(messages).zip(pending) {
        let number = pending.written().await?;
        if let Role::ToolResult { is_error, details, .. } = &message.role {
            let content = message.content.clone();
            let result = ToolResult { content, details: details.clone(), is_error: *is_error };
            turn.publish(RunEventKind::ToolFinished { call: call.clone(), result });
        }
        turn.publish(RunEventKind::ItemAppended { number, message: message.clone() });
        numbered.push((number, message));
    }
    crash::point("turn.results.written");
    Ok(numbered)
}

/// The message with the result of a call, without secrets.
fn result_message(call: &ToolCall, outcome: ToolOutcome, context: &TurnContext, at_ms: i64) -> Message {
    let ToolOutcome { content, is_error, details, origin, web, .. } = outcome;
    let redact = |block| match block {
        Block::Text(Text { text }) => Block::text(context.secrets.hide(&text)),
        other => other,
    };
    let source = origin.map(|origin| source(&origin, call)).or_else(|| web.as_ref().map(web_source));
    let details = match source {
        Some(source) => Some(transcript::with_source(details, source)),
        None => details,
    };
    let role = Role::ToolResult {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        is_error,
        details: details.map(|details| redact_value(&details, &context.secrets)),
    };
    let content = content.into_iter().map(redact).collect();
    Message { role, content, timestamp: u64::try_from(at_ms).ok() }
}

/// Where the text of a result comes from, in a few words.
fn source(origin: &FileOrigin, call: &ToolCall) -> String {
    let path = call.arguments.get("path").or_else(|| call.arguments.get("file_path")).and_then(Value::as_str);
    let path = path.unwrap_or_default();
    match origin {
        FileOrigin::Workspace | FileOrigin::Root => format!("file {path}"),
        FileOrigin::Docs => format!("user guide {path}"),
        FileOrigin::Skill { name, tier } => format!("skill {name} ({tier}), file {path}"),
    }
}

fn web_source(web: &WebSource) -> String {
    match web {
        WebSource::Page { url } => format!("web page {url}"),
        WebSource::Search { provider, query } => format!("web search by {provider} for {query}"),
    }
}
