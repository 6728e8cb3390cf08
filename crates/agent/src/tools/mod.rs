//! What agents can do: one file a tool, and the one way to run one.
//!
//! A call is prepared ([`Toolbox::prepare`]: its arguments are checked, and what guard has to know of it is found out),
//! judged by guard, and run ([`Toolbox::run`]), which takes nothing but guard's proof: a call that was not checked does not
//! compile.
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
//!
//! Promises: what is run are the arguments that were judged; results are bounded. Leaves to others: the decision, the
//! record of it, masking and quoting.

mod agents_list;
mod app_launch;
mod app_propose;
mod app_status;
mod app_stop;
mod apps;
mod apps_list;
mod cap;
pub mod check;
pub(crate) mod kind;
mod memory_get;
mod not_read;
mod outcome;
mod path;
mod protected;
mod read;
mod roots;
mod session_status;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};
use tarsus_guard::{self as guard, Authorized, Call, CallFacts, PolicyVerdict, SkillId};
use tarsus_models as models;
use tarsus_protocol::{Block, ErrorCode, Problem};

pub use outcome::{Origin, Outcome};
pub use roots::Roots;

use check::{Arguments, Field};

use crate::prompt::ToolLine;
use crate::turn_context::TurnContext;

/// Characters of a path, and of other long texts.
const LONGEST_PATH: usize = 4_096;
/// Characters of a name.
const LONGEST_NAME: usize = 256;

/// A call under way. It may be dropped where the tool only reads.
pub type Running = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// Something that agents can do.
pub trait Tool: Send + Sync {
    /// Which of guard's tools it is.
    fn id(&self) -> guard::Tool;

    /// What it is for, in a few words: a line of the prompt.
    fn line(&self) -> &'static str;

    /// What it does, told to the model with its schema.
    fn description(&self) -> &'static str;

    /// What it takes.
    fn fields(&self) -> &'static [Field];

    /// Whether this call changes nothing, so that it may run beside others and be called off.
    fn is_read_only(&self, arguments: &Arguments) -> bool;

    /// What this call would touch, for guard.
    fn facts(&self, _: &Arguments, _: &TurnContext) -> CallFacts {
        CallFacts::default()
    }

    /// What the policy of an app says, where the call is about one.
    fn app_policy(&self, _: &Arguments, _: &TurnContext) -> Option<PolicyVerdict> {
        None
    }

    /// Does it. Only [`Toolbox::run`] calls this.
    fn run(&self, arguments: Arguments, context: Arc<TurnContext>) -> Running;

    /// The JSON schema of what it takes.
    fn parameters(&self) -> Map<String, Value> {
        check::schema(self.fields())
    }
}

/// A call that is ready to be judged.
#[derive(Debug)]
pub struct PreparedCall {
    /// The call, with arguments under the names of the tool's own table.
    pub call: Call,
    /// What the policy of an app says, where it is about one.
    pub app_policy: Option<PolicyVerdict>,
    /// Whether it changes nothing.
    pub is_read_only: bool,
}

/// The tools.
pub struct Toolbox(Vec<Box<dyn Tool>>);

impl Default for Toolbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Toolbox {
    /// Every tool, in the order in which they are offered.
    #[must_use]
    pub fn new() -> Self {
        Self(vec![
            Box::new(read::Read),
            Box::new(memory_get::MemoryGet),
            Box::new(session_status::SessionStatus),
            Box::new(agents_list::AgentsList),
            Box::new(apps_list::AppsList),
            Box::new(app_status::AppStatus),
            Box::new(app_launch::AppLaunch),
            Box::new(app_stop::AppStop),
            Box::new(app_propose::AppPropose),
        ])
    }

    /// Those that an agent may have.
    pub fn allowed(&self, may: impl Fn(guard::Tool) -> bool) -> impl Iterator<Item = &dyn Tool> {
        self.0.iter().map(|tool| &**tool).filter(move |tool| may(tool.id()))
    }

    /// A line for each of them, for the prompt.
    pub fn lines(&self, may: impl Fn(guard::Tool) -> bool) -> Vec<ToolLine<'static>> {
        self.allowed(may).map(|tool| ToolLine { name: tool.id().name(), line: tool.line() }).collect()
    }

    /// The same as a model is offered them.
    pub fn offered(&self, may: impl Fn(guard::Tool) -> bool) -> Vec<models::ToolSpec> {
        let offered = |tool: &dyn Tool| models::ToolSpec {
            name: tool.id().name().to_owned(),
            description: tool.description().to_owned(),
            parameters: tool.parameters(),
        };
        self.allowed(may).map(offered).collect()
    }

    /// The tool of a name. Names are exact.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&dyn Tool> {
        self.0.iter().map(|tool| &**tool).find(|tool| tool.id().name() == name)
    }

    /// Gets a call ready to be judged. `dispatched_by` is the skill whose command leads straight to it.
    ///
    /// # Errors
    /// When there is no such tool, or its arguments do not fit.
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

    /// Runs a call that guard has permitted, in the session of `context`, at the time of its clock. Must be called inside a
    /// tokio runtime.
    pub async fn run(&self, authorized: Authorized, context: &Arc<TurnContext>) -> Outcome {
        let redeemed = authorized.redeem(context.session.as_str(), context.services.clock.now());
        let (name, arguments) = match redeemed {
            Ok(redeemed) => redeemed,
            Err(unusable) => {
                let problem = Problem::new(ErrorCode::Denied, unusable.to_string());
                return problem.hint("nothing was done; make the call again").into();
            }
        };
        let Some(tool) = self.get(&name) else { return self.unknown().into() };
        let mut outcome = tool.run(Arguments::from_authorized(arguments), Arc::clone(context)).await;
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
            .hint(format!("the tools are {}; their names are exact", names.join(", ")))
    }
}

/// Does what looks at the disk beside the threads that wait for sockets.
fn blocking(work: impl FnOnce() -> Result<Outcome, Problem> + Send + 'static) -> Running {
    Box::pin(async move {
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done.unwrap_or_else(Outcome::from),
            Err(error) => {
                tracing::error!(%error, "a tool broke off");
                Problem::new(ErrorCode::Failed, "the tool broke off").hint("try something else").into()
            }
        }
    })
}
