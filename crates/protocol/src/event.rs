//! The events: what each is called, who is told, and what it says.
//!
//! Promises: one table, which `features.events` shows. Leaves to others: when something happens.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::approval::{Approval, ApprovalResolved};
use crate::connect::Challenge;
use crate::hello::{HealthSummary, Presence};
use crate::message::{Block, Message};
use crate::no_answer::NoAnswer;
use crate::scope::Scope;

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $payload:ty, $scope:expr;)*) => {
        /// Something that clients are told.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Event { $($(#[$doc])* $name,)* }

        impl Event {
            /// Every event.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text,)* } }

            /// What a client needs to be told; everybody is when there is nothing.
            #[must_use]
            pub const fn scope(self) -> Option<Scope> { match self { $(Self::$name => $scope,)* } }

            /// The description of what it says.
            pub fn payload(self, generator: &mut SchemaGenerator) -> Schema {
                match self { $(Self::$name => generator.subschema_for::<$payload>(),)* }
            }
        }
    };
}

events! {
    /// The gateway asks who is there.
    Challenge = "connect.challenge", Challenge, None;
    /// The gateway is still there.
    Tick = "tick", Tick, None;
    /// The gateway ends.
    Shutdown = "shutdown", Shutdown, None;
    /// Somebody came or went.
    Presence = "presence", PresenceList, Some(Scope::Read);
    /// How the gateway is has changed.
    Health = "health", HealthSummary, Some(Scope::Read);
    /// The configuration file has changed.
    ConfigChanged = "config.changed", ConfigChanged, Some(Scope::Read);
    /// The registry of apps has changed, or an app was launched or stopped.
    AppsChanged = "apps.changed", AppsChanged, Some(Scope::Read);
    /// Skills have changed, or stand otherwise than before.
    SkillsChanged = "skills.changed", SkillsChanged, Some(Scope::Read);
    /// Something is installed for a skill, and its program wrote something.
    SkillsInstallOutput = "skills.install.output", SkillsInstallOutput, Some(Scope::Admin);
    /// What was installed for a skill is there, or it ended without that.
    SkillsInstallEnded = "skills.install.ended", SkillsInstallEnded, Some(Scope::Read);
    /// A message was written to a transcript.
    SessionMessage = "session.message", SessionMessage, Some(Scope::Read);
    /// What an agent says, as a chat shows it.
    Chat = "chat", Chat, Some(Scope::Read);
    /// What an agent does.
    Agent = "agent", Agent, Some(Scope::Read);
    /// A call of a tool waits for the owner's word.
    ApprovalRequested = "exec.approval.requested", Approval, Some(Scope::Approvals);
    /// It does not wait any more.
    ApprovalResolved = "exec.approval.resolved", ApprovalResolved, Some(Scope::Approvals);
}

/// The payload of `tick`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tick {
    /// The gateway's time, in milliseconds since 1970.
    pub ts: i64,
}

/// The payload of `shutdown`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shutdown {
    /// Why.
    pub reason: String,
}

/// The payload of `presence`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PresenceList {
    /// Who is connected.
    pub presence: Vec<Presence>,
}

/// The payload of `config.changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigChanged {
    /// The file.
    pub path: String,
    /// Its hash now.
    pub hash: String,
    /// When, in milliseconds since 1970.
    pub ts: i64,
}

/// The payload of `apps.changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppsChanged {
    /// What was done.
    pub action: AppsAction,
    /// The app; `null` when it is about the file.
    pub name: Option<String>,
    /// The hash of the registry now; `null` while there is none.
    pub hash: Option<String>,
}

/// What was done to an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AppsAction {
    /// The file was made.
    Create,
    /// An entry is new or another one.
    Save,
    /// An entry is gone.
    Delete,
    /// It was launched.
    Launch,
    /// It was stopped.
    Stop,
    /// The file is another one, and it was not changed through the gateway.
    Change,
}

/// The payload of `skills.changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsChanged {
    /// What led to it.
    pub reason: SkillsChange,
    /// The agents whose skills are other ones.
    pub agent_ids: Vec<String>,
    /// The newest version among theirs.
    pub version: u64,
}

/// What led to other skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SkillsChange {
    /// The configuration changed.
    ConfigChange,
    /// Files changed.
    FilesChange,
    /// Programs were installed or removed.
    ProgramsChange,
    /// Somebody asked for a look.
    Refresh,
}

/// The payload of `skills.install.output`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsInstallOutput {
    /// The skill.
    pub name: String,
    /// The key of its settings.
    pub skill_key: String,
    /// The way that was asked for.
    pub install_id: String,
    /// Where it was written to.
    pub stream: InstallStream,
    /// What was written.
    pub text: String,
    /// Counts what is told of one installation, from 1 on.
    pub seq: u64,
}

/// The payload of `skills.install.ended`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsInstallEnded {
    /// The skill.
    pub name: String,
    /// The key of its settings.
    pub skill_key: String,
    /// The way that was asked for.
    pub install_id: String,
    /// What came of it.
    pub outcome: InstallOutcome,
    /// Who stopped it; `null` when nobody did.
    pub by: Option<String>,
}

/// What came of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InstallOutcome {
    /// It worked.
    Installed,
    /// It did not.
    Failed,
    /// It took too long, and was ended.
    TimedOut,
    /// Somebody ended it, or the gateway did as it stopped.
    Stopped,
}

impl InstallOutcome {
    /// The word on the wire, which the audit chain has too.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::Failed => "failed",
            Self::TimedOut => "timed-out",
            Self::Stopped => "stopped",
        }
    }
}

/// Where the program of an installation writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InstallStream {
    /// Its output.
    Stdout,
    /// What it says besides.
    Stderr,
}

/// The payload of `session.message`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionMessage {
    /// The session.
    pub session_key: String,
    /// The run that it belongs to.
    pub run_id: String,
    /// Its number in `chat.history`.
    pub number: u64,
    /// What was said.
    pub message: Message,
}

/// The payload of `chat`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Chat {
    /// The run.
    pub run_id: String,
    /// The session.
    pub session_key: String,
    /// Counts what is told of the run.
    pub seq: u64,
    /// How far the reply is.
    pub state: ChatState,
    /// What is done before a model is asked, where the state is `status`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<ChatPhase>,
    /// What has been said so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// What was said last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta_text: Option<String>,
    /// Why the reply is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// Why there is no reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// The same in one word, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_answer: Option<NoAnswer>,
}

/// How far a reply is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChatState {
    /// It is being prepared.
    Status,
    /// More may come.
    Delta,
    /// It is complete.
    Final,
    /// Somebody ended the run.
    Aborted,
    /// The run failed.
    Error,
}

/// What is done before a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChatPhase {
    /// It is found out who answers, and where.
    PreparingWorkspace,
    /// What the model is told is gathered.
    PreparingContext,
    /// The model is about to be asked.
    StartingModel,
}

/// Why a reply is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StopReason {
    /// All was said.
    Stop,
}

/// The payload of `agent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// The run.
    pub run_id: String,
    /// The session.
    pub session_key: String,
    /// Counts what is told of the run.
    pub seq: u64,
    /// When, in milliseconds since 1970.
    pub ts: i64,
    /// What is told.
    #[serde(flatten)]
    pub told: AgentTold,
}

/// What is told of a run: the stream, and what it says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "stream", content = "data", rename_all = "lowercase")]
pub enum AgentTold {
    /// How far the run is.
    Lifecycle(Lifecycle),
    /// What is said.
    Assistant(AssistantText),
    /// What the model thinks before it answers.
    Thinking(AssistantText),
    /// A tool is called, or has answered.
    Tool(ToolTold),
    /// The same in a line for people.
    Item(ItemTold),
    /// What a request to a model took.
    Usage(UsageTold),
}

/// Something that is done in a run, in a line for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemTold {
    /// What it is: `tool:` and the id of a call.
    pub item_id: String,
    /// Whether it begins or ends.
    pub phase: ItemPhase,
    /// The line.
    pub title: String,
    /// How it stands.
    pub status: ItemStatus,
}

/// How far something is that is done in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ItemPhase {
    /// It begins.
    Start,
    /// It goes on.
    Update,
    /// It is over.
    End,
}

/// How something stands that is done in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ItemStatus {
    /// It is on its way.
    Running,
    /// It worked.
    Completed,
    /// It did not.
    Failed,
}

/// A call of a tool: first that it is made, then what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "phase", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum ToolTold {
    /// It is made.
    Start {
        /// The tool.
        name: String,
        /// The call.
        tool_call_id: String,
        /// What it is called with.
        args: Map<String, Value>,
    },
    /// It came to this.
    Result {
        /// The tool.
        name: String,
        /// The call.
        tool_call_id: String,
        /// What came of it.
        result: ToolResult,
        /// Whether it failed.
        is_error: bool,
    },
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolResult {
    /// What the model is shown.
    pub content: Vec<Block>,
    /// What a surface may show besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Whether it failed.
    #[serde(skip)]
    pub is_error: bool,
}

/// What a request to a model took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageTold {
    /// The model that answered, as `provider/model`.
    pub model: String,
    /// Tokens that were sent.
    pub input: u32,
    /// Tokens that came back.
    pub output: u32,
    /// Tokens that the provider had kept.
    pub cache_read: u32,
    /// Tokens that the provider keeps from now on.
    pub cache_write: u32,
    /// Dollars, where the price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "phase", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Lifecycle {
    /// It begins to answer.
    Start {
        /// When, in milliseconds since 1970.
        started_at: i64,
    },
    /// A model is asked.
    Model {
        /// `provider/model`.
        model: String,
        /// Which try of it, from 1.
        attempt: u32,
    },
    /// The answer broke off: what was said of it does not count, and it is asked for again.
    Retry {
        /// Why.
        reason: String,
    },
    /// It is over.
    End {
        /// When, in milliseconds since 1970.
        ended_at: i64,
        /// Whether somebody ended it.
        aborted: bool,
    },
    /// It failed.
    Error {
        /// When, in milliseconds since 1970.
        ended_at: i64,
        /// Why.
        error: String,
    },
}

/// What an agent has said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssistantText {
    /// So far.
    pub text: String,
    /// Last.
    pub delta: String,
}
