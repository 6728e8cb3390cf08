//! The events: name, receivers and payload of each. `features.events` is generated from this table.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::approval::{Approval, ApprovalResolved};
use crate::connect::Challenge;
use crate::hello::{HealthSummary, Presence};
use crate::message::{Block, Message};
use crate::no_answer::NoAnswer;
use crate::rpc::files::RunChanges;
use crate::scope::Scope;

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $payload:ty, $scope:expr;)*) => {
        /// An event for clients.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Event { $($(#[$doc])* $name,)* }

        impl Event {
            /// All events.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text,)* } }

            /// The scope that a client needs to receive it; `None` for all clients.
            #[must_use]
            pub const fn scope(self) -> Option<Scope> { match self { $(Self::$name => $scope,)* } }

            /// The JSON schema of the payload.
            pub fn payload(self, generator: &mut SchemaGenerator) -> Schema {
                match self { $(Self::$name => generator.subschema_for::<$payload>(),)* }
            }
        }
    };
}

events! {
    /// Asks the client to authenticate.
    Challenge = "connect.challenge", Challenge, None;
    /// Shows that the gateway is alive.
    Tick = "tick", Tick, None;
    /// The gateway is shutting down.
    Shutdown = "shutdown", Shutdown, None;
    /// A client connected or disconnected.
    Presence = "presence", PresenceList, Some(Scope::Read);
    /// The health of the gateway changed.
    Health = "health", HealthSummary, Some(Scope::Read);
    /// The configuration file changed.
    ConfigChanged = "config.changed", ConfigChanged, Some(Scope::Read);
    /// The app registry changed, or an app was launched or stopped.
    AppsChanged = "apps.changed", AppsChanged, Some(Scope::Read);
    /// A run changed files and ended, or the changes of a run were undone.
    FilesChanged = "files.changed", RunChanges, Some(Scope::Read);
    /// Skills or their states changed.
    SkillsChanged = "skills.changed", SkillsChanged, Some(Scope::Read);
    /// An installer wrote output.
    SkillsInstallOutput = "skills.install.output", SkillsInstallOutput, Some(Scope::Admin);
    /// An installation ended.
    SkillsInstallEnded = "skills.install.ended", SkillsInstallEnded, Some(Scope::Read);
    /// A message was written to a transcript.
    SessionMessage = "session.message", SessionMessage, Some(Scope::Read);
    /// Progress of a reply, for a chat.
    Chat = "chat", Chat, Some(Scope::Read);
    /// Progress of a run, in detail.
    Agent = "agent", Agent, Some(Scope::Read);
    /// A tool call waits for approval.
    ApprovalRequested = "exec.approval.requested", Approval, Some(Scope::Approvals);
    /// An approval was decided.
    ApprovalResolved = "exec.approval.resolved", ApprovalResolved, Some(Scope::Approvals);
}

/// Payload of `tick`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tick {
    /// The gateway's time, in milliseconds since 1970.
    pub ts: i64,
}

/// Payload of `shutdown`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shutdown {
    /// The reason.
    pub reason: String,
}

/// Payload of `presence`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PresenceList {
    /// Connected clients.
    pub presence: Vec<Presence>,
}

/// Payload of `config.changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigChanged {
    /// Path of the file.
    pub path: String,
    /// Hash of the new version.
    pub hash: String,
    /// Time in milliseconds since 1970.
    pub ts: i64,
}

/// Payload of `apps.changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppsChanged {
    /// The action.
    pub action: AppsAction,
    /// Name of the app; `null` if the whole file changed.
    pub name: Option<String>,
    /// Hash of the registry; `null` if it does not exist.
    pub hash: Option<String>,
}

/// An action on an app or on the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AppsAction {
    /// The registry was created.
    Create,
    /// An entry was added or changed.
    Save,
    /// An entry was deleted.
    Delete,
    /// The app was launched.
    Launch,
    /// The app was stopped.
    Stop,
    /// The file was changed by another program.
    Change,
}

/// Payload of `skills.changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsChanged {
    /// Cause of the change.
    pub reason: SkillsChange,
    /// Ids of the agents whose skills changed.
    pub agent_ids: Vec<String>,
    /// Newest version of their snapshots.
    pub version: u64,
}

/// Cause of a change of skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SkillsChange {
    /// The configuration changed.
    ConfigChange,
    /// Files changed.
    FilesChange,
    /// Programs were installed or removed.
    ProgramsChange,
    /// A refresh was requested.
    Refresh,
}

/// Payload of `skills.install.output`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsInstallOutput {
    /// Name of the skill.
    pub name: String,
    /// Settings key of the skill.
    pub skill_key: String,
    /// Id of the installer.
    pub install_id: String,
    /// Stream of the output.
    pub stream: InstallStream,
    /// Text of the output.
    pub text: String,
    /// Number of the output within the installation, from 1.
    pub seq: u64,
}

/// Payload of `skills.install.ended`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsInstallEnded {
    /// Name of the skill.
    pub name: String,
    /// Settings key of the skill.
    pub skill_key: String,
    /// Id of the installer.
    pub install_id: String,
    /// The outcome of the installation.
    pub outcome: InstallOutcome,
    /// Client that stopped it; `null` if none did.
    pub by: Option<String>,
}

/// Outcome of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InstallOutcome {
    /// It succeeded.
    Installed,
    /// The run failed.
    Failed,
    /// It timed out and was stopped.
    TimedOut,
    /// It was stopped by a client or by a shutdown of the gateway.
    Stopped,
}

impl InstallOutcome {
    /// The name on the wire and in the audit log.
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

/// Output stream of an installer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InstallStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Payload of `session.message`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionMessage {
    /// Key of the session.
    pub session_key: String,
    /// Id of its run.
    pub run_id: String,
    /// Number of the item in `chat.history`.
    pub number: u64,
    /// The message.
    pub message: Message,
}

/// Payload of `chat`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Chat {
    /// Id of the run.
    pub run_id: String,
    /// Key of the session.
    pub session_key: String,
    /// Number of the event within the run.
    pub seq: u64,
    /// State of the reply.
    pub state: ChatState,
    /// Preparation phase, in the state `status`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<ChatPhase>,
    /// Message so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// Newest part of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta_text: Option<String>,
    /// Reason for the end of a complete reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<ChatStopReason>,
    /// Error message if there is no reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// The reason as a code, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_answer: Option<NoAnswer>,
}

/// State of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChatState {
    /// In preparation.
    Status,
    /// The answer is still incomplete.
    Delta,
    /// The answer is complete.
    Final,
    /// The run was aborted.
    Aborted,
    /// The run failed.
    Error,
}

/// Phase of the preparation of a model call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChatPhase {
    /// Selects the agent, the session and the model.
    PreparingWorkspace,
    /// Builds the prompt.
    PreparingContext,
    /// Calls the model.
    StartingModel,
}

/// Why a reply is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "StopReason")]
pub enum ChatStopReason {
    /// The model finished.
    Stop,
}

/// Payload of `agent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Id of the run.
    pub run_id: String,
    /// Key of the session.
    pub session_key: String,
    /// Number of the event within the run.
    pub seq: u64,
    /// Time in milliseconds since 1970.
    pub ts: i64,
    /// The update, with its stream.
    #[serde(flatten)]
    pub update: AgentUpdate,
}

/// An update about a run: the stream and its data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "stream", content = "data", rename_all = "lowercase")]
pub enum AgentUpdate {
    /// Progress of the run.
    Lifecycle(Lifecycle),
    /// Text of the answer.
    Assistant(AssistantText),
    /// Reasoning of the model.
    Thinking(AssistantText),
    /// Start or result of a tool call.
    Tool(ToolUpdate),
    /// The same as one line for people.
    Item(ItemUpdate),
    /// Usage of a model request.
    Usage(UsageUpdate),
}

/// An activity of a run, as one line for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemUpdate {
    /// Id of the activity: `tool:` and the id of the call.
    pub item_id: String,
    /// Phase of the activity.
    pub phase: ItemPhase,
    /// Text of the line.
    pub title: String,
    /// State of the activity.
    pub status: ItemStatus,
}

/// Phase of an activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ItemPhase {
    /// It starts.
    Start,
    /// It continues.
    Update,
    /// It has ended.
    End,
}

/// State of an activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ItemStatus {
    /// In progress.
    Running,
    /// It succeeded.
    Completed,
    /// The run failed.
    Failed,
}

/// A tool call: its start, then its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "phase", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum ToolUpdate {
    /// The call starts.
    Start {
        /// Name of the tool.
        name: String,
        /// Id of the call.
        tool_call_id: String,
        /// The arguments of the call.
        args: Map<String, Value>,
    },
    /// The call has ended.
    Result {
        /// Name of the tool.
        name: String,
        /// Id of the call.
        tool_call_id: String,
        /// The result of the call.
        result: ToolResult,
        /// Whether the call failed.
        is_error: bool,
    },
}

/// Result of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolResult {
    /// Content for the model.
    pub content: Vec<Block>,
    /// Data for front ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Whether the call failed.
    #[serde(skip)]
    pub is_error: bool,
}

/// Usage of a model request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageUpdate {
    /// Model that answered, as `provider/model`.
    pub model: String,
    /// Input tokens.
    pub input: u32,
    /// Output tokens.
    pub output: u32,
    /// Tokens read from the provider's cache.
    pub cache_read: u32,
    /// Tokens written to the provider's cache.
    pub cache_write: u32,
    /// Cost in US dollars, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// Progress of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "phase", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum Lifecycle {
    /// The run starts.
    Start {
        /// Time in milliseconds since 1970.
        started_at: i64,
    },
    /// A model is called.
    Model {
        /// `provider/model`.
        model: String,
        /// Number of the attempt, from 1.
        attempt: u32,
    },
    /// The attempt failed and is repeated; its text is discarded.
    Retry {
        /// The reason.
        reason: String,
    },
    /// The text streamed for the current answer was not the reply; it is discarded.
    Withdrawn,
    /// It has ended.
    End {
        /// Time in milliseconds since 1970.
        ended_at: i64,
        /// Whether the run was aborted.
        aborted: bool,
    },
    /// The run failed.
    Error {
        /// Time in milliseconds since 1970.
        ended_at: i64,
        /// The reason.
        error: String,
    },
}

/// Streamed text of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AssistantText {
    /// Text so far.
    pub text: String,
    /// Newest part of the text.
    pub delta: String,
}
