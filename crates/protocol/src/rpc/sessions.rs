//! Methods of sessions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FieldChange, methods};
use crate::exec::{Ask, ExecHost, Reasoning, Security, ThinkingLevel, Verbose};
use crate::frame::present;

methods! {
    #[doc = "Lists sessions, the most recently used first."]
    List = "sessions.list", SessionsListParams => SessionsList, Read;
    #[doc = "Returns the last items of sessions, shortened."]
    Preview = "sessions.preview", SessionsPreviewParams => SessionsPreview, Read;
    #[doc = "Changes the label and settings of a session; creates it if it does not exist."]
    Patch = "sessions.patch", SessionPatchParams => SessionChanged, Admin;
    #[doc = "Starts a new transcript for a session; the old one is kept."]
    Reset = "sessions.reset", SessionParams => SessionChanged, Write;
    #[doc = "Lists the transcripts of a session: the first one, and one per reset."]
    Transcripts = "sessions.transcripts", SessionParams => SessionTranscripts, Read;
    #[doc = "Deletes a session with all its transcripts, once its runs have finished; recorded costs are kept."]
    Delete = "sessions.delete", SessionParams => SessionDeleted, Admin;
}

/// Parameters of `sessions.list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsListParams {
    /// Only sessions of this agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Only sessions whose key or label contains this text.
    #[schemars(length(max = 512))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// Maximum number of sessions; 100 by default.
    #[schemars(range(min = 1, max = 1000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Number of sessions to skip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// Whether to include sessions without an agent; there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_global: Option<bool>,
    /// Whether to include sessions of an unknown kind; there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_unknown: Option<bool>,
}

/// Result of `sessions.list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsList {
    /// Time of the report, in milliseconds since 1970.
    pub ts: i64,
    /// Path of the store.
    pub path: String,
    /// Number of sessions on this page.
    pub count: usize,
    /// Number of sessions on all pages.
    pub total_count: u64,
    /// Maximum number of sessions on a page.
    pub limit_applied: usize,
    /// `offset` of the next page; `null` on the last page.
    pub next_offset: Option<usize>,
    /// Whether there is a next page.
    pub has_more: bool,
    /// Model used unless a session chooses one.
    pub defaults: ModelChoice,
    /// The sessions.
    pub sessions: Vec<SessionEntry>,
}

/// A language model in two parts; empty if none is chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelChoice {
    /// Provider: the first part of `provider/model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    /// Model: the second part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionEntry {
    /// Its key.
    pub key: String,
    /// Id of the current transcript; a reset replaces it.
    pub session_id: String,
    /// Id of the agent.
    pub agent_id: String,
    /// Kind of session.
    pub kind: SessionKind,
    /// Label given by a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The label again, under the name that other front ends use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Creation time, in milliseconds since 1970.
    pub created_at: i64,
    /// Time of the last write, in milliseconds since 1970.
    pub updated_at: i64,
    /// Number of items in the transcript.
    pub items: u64,
    /// Model chosen for this session.
    #[serde(flatten)]
    pub model: ModelChoice,
    /// Other settings of this session.
    #[serde(flatten)]
    pub settings: SessionSettings,
}

/// Kind of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionKind {
    /// One person and one agent.
    Direct,
}

/// Settings of one session; absent ones follow the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSettings {
    /// Reasoning effort.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<ThinkingLevel>,
    /// Visibility of the model's reasoning; hidden by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_level: Option<Reasoning>,
    /// What is shown of tool calls; by default each front end decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verbose_level: Option<Verbose>,
    /// Place where programs run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_host: Option<ExecHost>,
    /// Programs that run without approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_security: Option<Security>,
    /// When approval is requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_ask: Option<Ask>,
}

/// Parameters of `sessions.preview`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsPreviewParams {
    /// Keys of the sessions.
    #[schemars(length(max = 64))]
    pub keys: Vec<String>,
    /// Maximum number of items per session; 8 by default.
    #[schemars(range(min = 1, max = 64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Maximum length of an item in characters; 240 by default.
    #[schemars(range(min = 1, max = 4000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_chars: Option<usize>,
}

/// Result of `sessions.preview`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionsPreview {
    /// Time of the report, in milliseconds since 1970.
    pub ts: i64,
    /// Previews, in the order of the keys.
    pub previews: Vec<SessionPreview>,
}

/// The last items of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionPreview {
    /// The requested key.
    pub key: String,
    /// Whether there are items.
    pub status: PreviewStatus,
    /// The oldest first.
    pub items: Vec<PreviewItem>,
}

/// Whether there are items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PreviewStatus {
    /// It has items.
    Ok,
    /// It is empty.
    Empty,
    /// There is no such session.
    Missing,
}

/// A shortened item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PreviewItem {
    /// Role of the speaker.
    pub role: PreviewRole,
    /// Beginning of the text; ends with `…` if cut.
    pub text: String,
    /// Time in milliseconds since 1970.
    pub timestamp: i64,
}

/// Role of the speaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "self-explanatory")]
pub enum PreviewRole {
    User,
    Assistant,
    Tool,
    System,
    Other,
}

/// Parameters of `sessions.patch`; absent fields are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionPatchParams {
    /// Key of the session.
    pub key: String,
    /// Label given by a person.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub label: Option<FieldChange<String>>,
    /// Model, as `provider/model`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub model: Option<FieldChange<String>>,
    /// Reasoning effort.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<FieldChange<ThinkingLevel>>,
    /// Visibility of the model's reasoning.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub reasoning_level: Option<FieldChange<Reasoning>>,
    /// What is shown of tool calls.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub verbose_level: Option<FieldChange<Verbose>>,
    /// Place where programs run.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub exec_host: Option<FieldChange<ExecHost>>,
    /// Programs that run without approval.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub exec_security: Option<FieldChange<Security>>,
    /// When approval is requested.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub exec_ask: Option<FieldChange<Ask>>,
}

/// Result of `sessions.patch` and `sessions.reset`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionChanged {
    /// Always true; a failure is an error response.
    pub ok: bool,
    /// Its key.
    pub key: String,
    /// The session after the change.
    pub entry: SessionEntry,
    /// Model that it uses.
    pub resolved: ModelChoice,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionParams {
    /// Its key.
    pub key: String,
}

/// Result of `sessions.transcripts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionTranscripts {
    /// Its key.
    pub key: String,
    /// Transcripts, the oldest first; the last one is current. Empty if the session does not exist.
    pub transcripts: Vec<TranscriptEntry>,
}

/// A transcript of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TranscriptEntry {
    /// Id of the transcript.
    pub session_id: String,
    /// Creation time, in milliseconds since 1970.
    pub begun_at: i64,
    /// Number of items.
    pub items: u64,
}

/// Result of `sessions.delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionDeleted {
    /// Always true; a failure is an error response.
    pub ok: bool,
    /// Its key.
    pub key: String,
    /// Whether the session existed.
    pub deleted: bool,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rpc::ParamsShape;

    #[test]
    fn null_clears_a_field_and_an_absent_field_is_kept() {
        let shape = ParamsShape::for_type::<SessionPatchParams>();
        let table = [
            (json!({ "key": "k" }), Ok((None, None))),
            (json!({ "key": "k", "model": null }), Ok((Some(FieldChange::Clear), None))),
            (
                json!({ "key": "k", "model": "a/b", "thinkingLevel": "low" }),
                Ok((Some(FieldChange::Set("a/b".to_owned())), Some(FieldChange::Set(ThinkingLevel::Low)))),
            ),
            (json!({ "key": "k", "model": 1 }), Err("at /model: must be string; at /model: must be null")),
        ];
        for (params, expected) in table {
            let read = shape.check(&params).map(|()| {
                let read: SessionPatchParams = serde_json::from_value(params).unwrap();
                (read.model, read.thinking_level)
            });
            assert_eq!(read, expected.map_err(str::to_owned));
        }
    }
}
