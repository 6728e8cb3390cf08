//! The tools of agents: one file for each tool, and the one way to run them.
//!
//! A call is prepared ([`Toolbox::prepare`] checks its arguments and collects the facts for the guard), authorized by the
//! guard, and run by [`Toolbox::run`]. That takes only the guard's proof, which owns the checked arguments: running an
//! unauthorized call does not compile.
//!
//! ```compile_fail,E0308
//! # async fn run(toolbox: &tarsus_agent::tools::Toolbox, call: tarsus_guard::Call, context: &std::sync::Arc<tarsus_agent::TurnContext>) {
//! toolbox.run(call, context).await;
//! # }
//! ```
//!
//! ```
//! # async fn run(toolbox: &tarsus_agent::tools::Toolbox, call: tarsus_guard::Authorized, context: &std::sync::Arc<tarsus_agent::TurnContext>) {
//! toolbox.run(call, context).await;
//! # }
//! ```

mod agents_list;
mod app_launch;
mod app_propose;
mod app_status;
mod app_stop;
mod apply_patch;
mod apps;
mod apps_list;
mod change;
mod change_error;
pub mod check;
mod edit;
mod excerpt;
pub(crate) mod file_kind;
mod memory_get;
mod outcome;
mod patch;
mod path;
mod protected;
mod read;
mod read_error;
mod roots;
mod session_status;
mod web_fetch;
mod web_search;
mod write;
mod write_access;

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};
use tarsus_guard::{
    self as guard, Activation, Authorized, Call, CallFacts, PermittedHosts, PolicyVerdict, Redeemed, SkillId,
    ToolPolicy,
};
use tarsus_models as models;
use tarsus_protocol::{Block, ErrorCode, Problem};

pub use outcome::{FileOrigin, ToolOutcome, WebSource};
pub use roots::FileRoots;

use check::{Arguments, Field};

use crate::prompt::{SMALL_WINDOW, ToolLine};
use crate::turn_context::TurnContext;

/// Maximum characters of a path, and of other long texts.
const MAX_PATH_CHARS: usize = 4_096;
/// Maximum characters of the content of a file.
const MAX_CONTENT_CHARS: usize = 1_000_000;
/// Maximum characters of a name.
const MAX_NAME_CHARS: usize = 256;

/// A running call. It may be dropped if the tool only reads.
pub type ToolFuture = Pin<Box<dyn Future<Output = ToolOutcome> + Send>>;

pub trait Tool: Send + Sync {
    fn id(&self) -> guard::ToolId;

    /// A few words for the list of tools in the prompt.
    fn line(&self) -> &'static str;

    /// The description that the model gets with the schema.
    fn description(&self) -> &'static str;

    fn fields(&self) -> &'static [Field];

    /// Whether this call changes nothing, so that it may run in parallel and be aborted.
    fn is_read_only(&self, arguments: &Arguments) -> bool;

    /// Whether models with a small window do without it.
    fn is_for_large_windows(&self) -> bool {
        false
    }

    /// The facts about the call that the guard judges.
    fn facts(&self, _: &Arguments, _: &TurnContext) -> CallFacts {
        CallFacts::default()
    }

    /// The launch policy's verdict, if the call is about an app.
    fn app_policy(&self, _: &Arguments, _: &TurnContext) -> Option<PolicyVerdict> {
        None
    }

    /// Runs the call. Only [`Toolbox::run`] calls this.
    fn run(&self, call: PermittedCall, context: Arc<TurnContext>) -> ToolFuture;

    /// The JSON schema of the arguments.
    fn parameters(&self) -> Map<String, Value> {
        check::schema(self.fields())
    }
}

/// A call whose arguments were checked, ready for the guard.
#[derive(Debug)]
pub struct PreparedCall {
    /// The call, with the canonical names of its arguments.
    pub call: Call,
    /// The launch policy's verdict, if the call is about an app.
    pub app_policy: Option<PolicyVerdict>,
    pub is_read_only: bool,
}

/// A call that the guard allowed.
#[derive(Debug)]
pub struct PermittedCall {
    pub arguments: Arguments,
    /// The facts that were judged: the call may touch nothing else.
    pub facts: CallFacts,
    /// The skills that were active.
    pub active: Activation,
    /// The hosts that it may be redirected to.
    pub hosts: PermittedHosts,
}

pub struct Toolbox(Vec<Box<dyn Tool>>);

impl Default for Toolbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Toolbox {
    /// All tools, in the order in which models get them.
    #[must_use]
    pub fn new() -> Self {
        Self(vec![
            Box::new(read::Read),
            Box::new(write::Write),
            Box::new(edit::Edit),
            Box::new(apply_patch::ApplyPatch),
            Box::new(memory_get::MemoryGet),
            Box::new(web_search::WebSearch::default()),
            Box::new(web_fetch::WebFetch::default()),
            Box::new(session_status::SessionStatus),
            Box::new(agents_list::AgentsList),
            Box::new(apps_list::AppsList),
            Box::new(app_status::AppStatus),
            Box::new(app_launch::AppLaunch),
            Box::new(app_stop::AppStop),
            Box::new(app_propose::AppPropose),
        ])
    }

    /// The tools of this version: what skills can rely on.
    #[must_use]
    pub fn built(&self) -> BTreeSet<guard::ToolId> {
        self.0.iter().map(|tool| tool.id()).collect()
    }

    /// The tools that an agent may use.
    pub fn allowed(&self, may: impl Fn(guard::ToolId) -> bool) -> impl Iterator<Item = &dyn Tool> {
        self.0.iter().map(|tool| &**tool).filter(move |tool| may(tool.id()))
    }

    /// The tools that a model with this window gets, of those that its agent may use.
    pub fn fitting(
        &self,
        window: u32,
        may: impl Fn(guard::ToolId) -> bool,
    ) -> impl Iterator<Item = &dyn Tool> {
        self.allowed(may).filter(move |tool| window >= SMALL_WINDOW || !tool.is_for_large_windows())
    }

    /// Their lines for the prompt.
    pub fn lines(&self, window: u32, may: impl Fn(guard::ToolId) -> bool) -> Vec<ToolLine<'static>> {
        self.fitting(window, may).map(|tool| ToolLine { name: tool.id().name(), line: tool.line() }).collect()
    }

    /// Their specifications for a model.
    pub fn offered(&self, window: u32, may: impl Fn(guard::ToolId) -> bool) -> Vec<models::ToolSpec> {
        let offered = |tool: &dyn Tool| models::ToolSpec {
            name: tool.id().name().to_owned(),
            description: tool.description().to_owned(),
            parameters: tool.parameters(),
        };
        self.fitting(window, may).map(offered).collect()
    }

    /// Finds a tool by its exact name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&dyn Tool> {
        self.0.iter().map(|tool| &**tool).find(|tool| tool.id().name() == name)
    }

    /// The verdict of an agent's tool policy about a tool name. A tool that this version does not have is denied.
    #[must_use]
    pub fn policy_verdict(&self, name: &str, policy: &ToolPolicy) -> PolicyVerdict {
        match guard::ToolId::from_name(name) {
            Some(_) if self.get(name).is_none() => PolicyVerdict::deny("this version does not have the tool"),
            _ => policy.verdict(name),
        }
    }

    /// Prepares a call for the guard. `dispatched_by` is the skill whose command leads straight to the tool.
    ///
    /// # Errors
    /// When the tool does not exist, or the arguments are invalid.
    pub fn prepare(
        &self,
        name: &str,
        arguments: &Value,
        dispatched_by: Option<SkillId>,
        context: &TurnContext,
    ) -> Result<PreparedCall, Problem> {
        let tool = self.get(name).ok_or_else(|| self.unknown())?;
        let arguments = check::check(name, tool.fields(), arguments)?;
        Ok(PreparedCall {
            app_policy: tool.app_policy(&arguments, context),
            is_read_only: tool.is_read_only(&arguments),
            call: Call {
                tool: name.to_owned(),
                facts: tool.facts(&arguments, context),
                arguments: arguments.into_value(),
                dispatched_by,
            },
        })
    }

    /// Runs an authorized call in the session of `context`. Must be called inside a tokio runtime.
    pub async fn run(&self, authorized: Authorized, context: &Arc<TurnContext>) -> ToolOutcome {
        let redeemed = authorized.redeem(context.session.as_str(), context.services.clock.now());
        let Redeemed { tool: name, arguments, facts, active, hosts } = match redeemed {
            Ok(redeemed) => redeemed,
            Err(unusable) => {
                let problem = Problem::new(ErrorCode::Denied, unusable.to_string());
                return problem.hint("nothing was done; make the call again").into();
            }
        };
        let Some(tool) = self.get(&name) else { return self.unknown().into() };
        let arguments = Arguments::from_authorized(arguments);
        let call = PermittedCall { arguments, facts, active, hosts };
        let mut outcome = tool.run(call, Arc::clone(context)).await;
        for block in &outcome.content {
            if let Block::Text(text) = block {
                context.watch.detect_in_output(&text.text, &mut outcome.activated);
            }
        }
        outcome
    }

    fn unknown(&self) -> Problem {
        let names: Vec<&str> = self.0.iter().map(|tool| tool.id().name()).collect();
        Problem::new(ErrorCode::NotFound, "there is no such tool")
            .hint(format!("use one of {}; names are case-sensitive", names.join(", ")))
    }
}

/// Runs blocking work of a tool, such as reading files.
fn blocking(work: impl FnOnce() -> Result<ToolOutcome, Problem> + Send + 'static) -> ToolFuture {
    Box::pin(async move {
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done.unwrap_or_else(ToolOutcome::from),
            Err(error) => {
                tracing::error!(%error, "a tool panicked");
                Problem::new(ErrorCode::Failed, "the tool failed unexpectedly")
                    .hint("try something else")
                    .into()
            }
        }
    })
}
