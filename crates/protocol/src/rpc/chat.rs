//! Talking to an agent: a message begins a run, which events tell of and a transcript keeps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::methods;
use super::sessions::{ModelChoice, SessionEntry};
use crate::message::Message;

methods! {
    #[doc = "Sends a message to an agent; answered at once, the reply comes as events."]
    Send = "chat.send", ChatSendParams => ChatSent, Write;
    #[doc = "A page of a session's transcript, the oldest item first."]
    History = "chat.history", ChatHistoryParams => ChatHistory, Read;
    #[doc = "Calls off the runs of a session; one that does something already ends with what comes of it."]
    Abort = "chat.abort", ChatAbortParams => ChatAborted, Write;
    #[doc = "Sends a message to an agent, in its main session unless another one is named; answered at once."]
    Agent = "agent", AgentParams => AgentAccepted, Write;
    #[doc = "Waits for a run to end."]
    Wait = "agent.wait", AgentWaitParams => AgentWaited, Read;
}

/// A message for an agent.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatSendParams {
    /// The session.
    pub session_key: String,
    /// What is said.
    #[schemars(length(max = 200_000))]
    pub message: String,
    /// What makes a repetition the same message: the id of its run.
    pub idempotency_key: String,
    /// Pictures and text files.
    #[schemars(length(max = 64))]
    pub attachments: Option<Vec<ChatAttachment>>,
    /// Whether the reply goes to a channel as well; there is none yet.
    pub deliver: Option<bool>,
}

/// A picture or a file that comes with a message.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatAttachment {
    /// What the client takes it for, as in `image`; its bytes decide.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// What the client takes its bytes for, as in `image/png`; they decide.
    pub mime_type: Option<String>,
    /// Its name.
    pub file_name: Option<String>,
    /// Its bytes, in base64 or as a `data:` URL.
    pub content: String,
}

/// A message for an agent, wherever it is said.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentParams {
    /// What is said.
    #[schemars(length(max = 200_000))]
    pub message: String,
    /// What makes a repetition the same message: the id of its run.
    pub idempotency_key: String,
    /// The agent; that of the session, else the default one, when not set.
    pub agent_id: Option<String>,
    /// The session; the agent's main one when not set.
    pub session_key: Option<String>,
    /// The model that answers this time, as `provider/model`.
    pub model: Option<String>,
    /// Pictures and text files.
    #[schemars(length(max = 64))]
    pub attachments: Option<Vec<ChatAttachment>>,
    /// Whether the reply goes to a channel as well; there is none yet.
    pub deliver: Option<bool>,
}

/// A message that was taken, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentAccepted {
    /// The run: the idempotency key.
    pub run_id: String,
    /// The session.
    pub session_key: String,
    /// The word for it.
    pub status: AgentAcceptedStatus,
    /// When, in milliseconds since 1970.
    pub accepted_at: i64,
}

/// That a message was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentAcceptedStatus {
    /// It is.
    Accepted,
}

/// What a run came to: the answer of `tarsus agent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentResult {
    /// The run.
    pub run_id: String,
    /// The session.
    pub session_key: String,
    /// The agent.
    pub agent_id: String,
    /// The model that answered; `null` when none did.
    pub model: Option<String>,
    /// How it ended.
    pub status: AgentStatus,
    /// What was answered, as far as it was shown.
    pub text: String,
    /// The message that it is a reply to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Whether the agent chose to say nothing.
    pub silent: bool,
    /// What it took.
    pub usage: AgentUsage,
    /// The tools that were called, in order.
    pub tool_calls: Vec<AgentCall>,
    /// Why it came to nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentStatus {
    /// It goes on.
    Running,
    /// With an answer.
    Ok,
    /// It failed.
    Error,
    /// It was called off.
    Aborted,
    /// Its process ended before it did.
    Interrupted,
}

/// What a run took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentUsage {
    /// Requests to models.
    pub requests: u64,
    /// Tokens that were sent.
    pub input: u64,
    /// Tokens that came back.
    pub output: u64,
    /// Tokens that providers had kept.
    pub cache_read: u64,
    /// Tokens that providers keep from now on.
    pub cache_write: u64,
    /// Dollars, as far as prices are known.
    pub cost: f64,
}

/// A tool that was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentCall {
    /// The tool.
    pub name: String,
    /// Whether it worked; false while it has no result.
    pub ok: bool,
    /// How long it took, in milliseconds.
    pub ms: u64,
}

/// A message that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatSent {
    /// The run: the idempotency key.
    pub run_id: String,
    /// How far it is.
    pub status: ChatSendStatus,
}

/// How far the run of a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChatSendStatus {
    /// It begins.
    Started,
    /// The same message was sent before, and its run goes on.
    InFlight,
    /// The same message was sent before, and was answered.
    Ok,
    /// The same message was sent before, and its run failed or was ended.
    Error,
}

/// Which items of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatHistoryParams {
    /// The session.
    pub session_key: String,
    /// The id that it had before a reset; its present transcript when not set.
    pub session_id: Option<String>,
    /// At most so many; 200 when not set.
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// Only those after this number, the oldest first: how a client goes on.
    pub after: Option<u64>,
    /// Only those before this number, the newest of them.
    pub before: Option<u64>,
}

/// A page of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatHistory {
    /// The session.
    pub session_key: String,
    /// Its id; `null` while nothing was said.
    pub session_id: Option<String>,
    /// The items, the oldest first.
    pub messages: Vec<HistoryItem>,
    /// Messages that wait to be written; none ever does.
    pub pending_inputs: Vec<Value>,
    /// Whether there are more: newer ones where `after` was asked for, else older ones.
    pub has_more: bool,
    /// How many items the transcript has.
    pub total_messages: u64,
    /// Tokens that the session has taken, in all its transcripts.
    #[serde(default)]
    pub total_tokens: u64,
    /// What holds where the session sets nothing.
    pub defaults: ModelChoice,
    /// The session; `null` while there is none.
    pub session_info: Option<SessionEntry>,
}

/// An item of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryItem {
    /// What was said.
    #[serde(flatten)]
    pub message: Message,
    /// Its number, by which reading goes on after it.
    pub number: u64,
    /// The run that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
}

/// Which runs are to end.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatAbortParams {
    /// The session.
    pub session_key: String,
    /// Only this one.
    pub run_id: Option<String>,
}

/// Runs that were called off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatAborted {
    /// Always true: a request that fails is an error.
    pub ok: bool,
    /// Whether there were any.
    pub aborted: bool,
    /// Which. Nothing was done for them, and their `chat` event says `aborted`.
    pub run_ids: Vec<String>,
    /// Runs that do something already, such as launching an app: they end with what comes of it, and their `chat` event
    /// tells that.
    pub finishing: Vec<String>,
}

/// Which run, and how long.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentWaitParams {
    /// The run.
    pub run_id: String,
    /// At most so long; 30 seconds when not set.
    #[schemars(range(max = 3_600_000))]
    pub timeout_ms: Option<u64>,
}

/// A run, as it was when the wait ended.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentWaited {
    /// The run.
    pub run_id: String,
    /// How it ended, or that it has not.
    pub status: RunStatus,
    /// When it began, in milliseconds since 1970.
    pub started_at: i64,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<i64>,
    /// Why it came to nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it came to, once it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<AgentResult>,
}

/// How a run ended, or that it has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// It was answered.
    Ok,
    /// It failed or was ended.
    Error,
    /// It goes on.
    Timeout,
}
