//! Methods for conversations: a message starts a run, which is reported by events and kept in a transcript.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::files::FileChange;
use super::methods;
use super::sessions::{ModelChoice, SessionEntry};
use crate::message::Message;

methods! {
    #[doc = "Sends a message to an agent. Returns at once; the answer arrives as events."]
    Send = "chat.send", ChatSendParams => ChatSent, Write;
    #[doc = "Reads a page of a session's transcript, the oldest item first."]
    History = "chat.history", ChatHistoryParams => ChatHistory, Read;
    #[doc = "Aborts the runs of a session; a run in the middle of an action finishes it."]
    Abort = "chat.abort", ChatAbortParams => ChatAborted, Write;
    #[doc = "Sends a message to an agent, by default in its main session. Returns at once."]
    Agent = "agent", AgentRunParams => AgentAccepted, Write;
    #[doc = "Waits for a run to finish."]
    Wait = "agent.wait", AgentWaitParams => AgentWaited, Read;
}

/// Parameters of `chat.send`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatSendParams {
    /// Key of the session.
    pub session_key: String,
    /// Text of the message.
    #[schemars(length(max = 200_000))]
    pub message: String,
    /// Id of the run; a repeated key is the same message.
    pub idempotency_key: String,
    /// Attached pictures and text files.
    #[schemars(length(max = 64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<ChatAttachment>>,
    /// Whether the reply is also delivered to a channel; no channels exist yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deliver: Option<bool>,
}

/// A picture or text file attached to a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatAttachment {
    /// The client's guess, such as `image`; the content decides.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The client's guess, such as `image/png`; the content decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// File name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_name: Option<String>,
    /// Content in base64 or as a `data:` URL.
    pub content: String,
}

/// Parameters of `agent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentRunParams {
    /// Text of the message.
    #[schemars(length(max = 200_000))]
    pub message: String,
    /// Id of the run; a repeated key is the same message.
    pub idempotency_key: String,
    /// Id of the agent; by default the session's, else the default agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Key of the session; by default the agent's main session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// Model for this run, as `provider/model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Attached pictures and text files.
    #[schemars(length(max = 64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<ChatAttachment>>,
    /// Whether the reply is also delivered to a channel; no channels exist yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deliver: Option<bool>,
}

/// Result of `agent`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentAccepted {
    /// Id of the run: the idempotency key.
    pub run_id: String,
    /// Key of the session.
    pub session_key: String,
    /// Always `accepted`.
    pub status: AgentAcceptedStatus,
    /// Time of acceptance, in milliseconds since 1970.
    pub accepted_at: i64,
}

/// Status in the result of `agent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentAcceptedStatus {
    /// The message was accepted.
    Accepted,
}

/// Outcome of a run: the output of `tarsus agent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentResult {
    /// Id of the run.
    pub run_id: String,
    /// Key of the session.
    pub session_key: String,
    /// Id of the agent.
    pub agent_id: String,
    /// Model that answered; `null` if none did.
    pub model: Option<String>,
    /// Status of the run.
    pub status: AgentStatus,
    /// Text of the answer, as far as it was shown.
    pub text: String,
    /// Reasoning of the model, where the session shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Id of the message that this replies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Whether the agent chose not to answer.
    pub silent: bool,
    /// Resource usage.
    pub usage: AgentUsage,
    /// Tool calls, in order.
    pub tool_calls: Vec<AgentCall>,
    /// Files that it changed, ordered by path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileChange>,
    /// Reason for the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentStatus {
    /// It is running.
    Running,
    /// It was answered.
    Ok,
    /// It failed.
    Error,
    /// It was aborted.
    Aborted,
    /// Its process ended first.
    Interrupted,
}

/// Resource usage of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentUsage {
    /// Number of requests to models.
    pub requests: u64,
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Tokens read from providers' caches.
    pub cache_read: u64,
    /// Tokens written to providers' caches.
    pub cache_write: u64,
    /// Cost in US dollars, as far as prices are known.
    pub cost: f64,
}

/// A tool call of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentCall {
    /// Name of the tool.
    pub name: String,
    /// Whether it succeeded; false while it has no result.
    pub ok: bool,
    /// Duration in milliseconds.
    pub ms: u64,
    /// The tool and the subject of the call, where the session shows calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Text of the result, where the session shows results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// Result of `chat.send`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatSent {
    /// Id of the run: the idempotency key.
    pub run_id: String,
    /// Status of its run.
    pub status: ChatSendStatus,
}

/// Status of the run of a sent message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChatSendStatus {
    /// The run starts.
    Started,
    /// The message was sent before; its run is in progress.
    InFlight,
    /// The message was sent before and was answered.
    Ok,
    /// The message was sent before; its run failed or was aborted.
    Error,
}

/// Parameters of `chat.history`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatHistoryParams {
    /// Key of the session.
    pub session_key: String,
    /// Id of an earlier transcript; by default the current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Maximum number of items; 200 by default.
    #[schemars(range(min = 1, max = 1000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Only items after this number, the oldest of them: for clients that continue reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Only items before this number, the newest of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
}

/// A page of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatHistory {
    /// Key of the session.
    pub session_key: String,
    /// Id of the session; `null` while it is empty.
    pub session_id: Option<String>,
    /// The items, the oldest first.
    pub messages: Vec<HistoryItem>,
    /// Messages that are not stored yet; always empty.
    pub pending_inputs: Vec<Value>,
    /// Whether there are more items: newer ones with `after`, else older ones.
    pub has_more: bool,
    /// Number of items in the transcript.
    pub total_messages: u64,
    /// Tokens used by the session, in all its transcripts.
    #[serde(default)]
    pub total_tokens: u64,
    /// Model used unless the session chooses one.
    pub defaults: ModelChoice,
    /// The session; `null` if it does not exist.
    pub session_info: Option<SessionEntry>,
}

/// An item of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryItem {
    /// The message.
    #[serde(flatten)]
    pub message: Message,
    /// Number of the item, for `after` and `before`.
    pub number: u64,
    /// Id of its run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
}

/// Parameters of `chat.abort`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChatAbortParams {
    /// Key of the session.
    pub session_key: String,
    /// Id of the only run to abort; by default all runs of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
}

/// Result of `chat.abort`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatAborted {
    /// Always true; a failure is an error response.
    pub ok: bool,
    /// Whether any run was aborted.
    pub aborted: bool,
    /// Aborted runs. They had no effects, and their `chat` event says `aborted`.
    pub run_ids: Vec<String>,
    /// Runs in the middle of an action, such as launching an app: they finish it, and their `chat` event reports
    /// the result.
    pub finishing: Vec<String>,
}

/// Parameters of `agent.wait`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentWaitParams {
    /// Id of the run.
    pub run_id: String,
    /// Time limit in milliseconds; 30 seconds by default.
    #[schemars(range(max = 3_600_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Result of `agent.wait`: the run when the wait ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentWaited {
    /// Id of the run.
    pub run_id: String,
    /// Status of the run.
    pub status: RunStatus,
    /// Start time, in milliseconds since 1970.
    pub started_at: i64,
    /// End time, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<i64>,
    /// Reason for the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Outcome, once the run has finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<AgentResult>,
}

/// Status of a run that was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// It was answered.
    Ok,
    /// It failed or was aborted.
    Error,
    /// It is running.
    Timeout,
}
