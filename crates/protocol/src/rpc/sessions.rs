//! The sessions: listed, glanced at, set up, begun anew, deleted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Change, methods};
use crate::exec::{Ask, ExecHost, Security, ThinkingLevel};
use crate::frame::present;

methods! {
    #[doc = "The sessions, the one that was written to last first."]
    List = "sessions.list", SessionsListParams => SessionsList, Read;
    #[doc = "The last words of sessions."]
    Preview = "sessions.preview", SessionsPreviewParams => SessionsPreview, Read;
    #[doc = "Changes what a session is called or sets for itself; begins it if it is not there."]
    Patch = "sessions.patch", SessionPatchParams => SessionChanged, Admin;
    #[doc = "Gives a session an empty transcript; the old one is kept."]
    Reset = "sessions.reset", SessionParams => SessionChanged, Write;
    #[doc = "The transcripts of a session: one from its beginning, one more from each reset."]
    Transcripts = "sessions.transcripts", SessionParams => SessionTranscripts, Read;
    #[doc = "Deletes a session with all its transcripts, once what is answered there is over; what was spent is kept."]
    Delete = "sessions.delete", SessionParams => SessionDeleted, Admin;
}

/// Which sessions.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsListParams {
    /// Only those of this agent.
    pub agent_id: Option<String>,
    /// Only those whose key or label has this text in it.
    #[schemars(length(max = 512))]
    pub search: Option<String>,
    /// At most so many; 100 when not set.
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// Without the first so many.
    pub offset: Option<usize>,
    /// Whether those of no agent count; there are none.
    pub include_global: Option<bool>,
    /// Whether those of an unknown kind count; there are none.
    pub include_unknown: Option<bool>,
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsList {
    /// When this was found, in milliseconds since 1970.
    pub ts: i64,
    /// The store.
    pub path: String,
    /// How many are on this page.
    pub count: usize,
    /// How many there are on all pages.
    pub total_count: u64,
    /// At most so many are on a page.
    pub limit_applied: usize,
    /// Where the next page starts; `null` on the last one.
    pub next_offset: Option<usize>,
    /// Whether there is a next page.
    pub has_more: bool,
    /// What holds where a session sets nothing.
    pub defaults: ModelChoice,
    /// The sessions.
    pub sessions: Vec<SessionEntry>,
}

/// A language model in its two parts; empty while none is chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelChoice {
    /// The first part of `provider/model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    /// The second part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionEntry {
    /// Its key.
    pub key: String,
    /// Its id, which a reset replaces.
    pub session_id: String,
    /// The agent.
    pub agent_id: String,
    /// Who shares it.
    pub kind: SessionKind,
    /// What a person calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The same, for front ends that know it by this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// When it was begun, in milliseconds since 1970.
    pub created_at: i64,
    /// When something was last written to it.
    pub updated_at: i64,
    /// How many items its transcript has.
    pub items: u64,
    /// The model that it has chosen for itself.
    #[serde(flatten)]
    pub model: ModelChoice,
    /// What it sets for itself besides.
    #[serde(flatten)]
    pub settings: SessionSettings,
}

/// Who shares a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionKind {
    /// One person and one agent.
    Direct,
}

/// What a session sets for itself; what is left out is as configured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSettings {
    /// How long the model thinks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<ThinkingLevel>,
    /// Where programs run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_host: Option<ExecHost>,
    /// Which programs run without asking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_security: Option<Security>,
    /// When a person is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec_ask: Option<Ask>,
}

/// Which sessions, and how much of each.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsPreviewParams {
    /// Their keys.
    #[schemars(length(max = 64))]
    pub keys: Vec<String>,
    /// Items of each; 8 when not set.
    #[schemars(range(min = 1, max = 64))]
    pub limit: Option<usize>,
    /// Characters of each item; 240 when not set.
    #[schemars(range(min = 1, max = 4000))]
    pub max_chars: Option<usize>,
}

/// The last words of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionsPreview {
    /// When this was found, in milliseconds since 1970.
    pub ts: i64,
    /// In the order of the keys.
    pub previews: Vec<SessionPreview>,
}

/// The last words of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionPreview {
    /// Its key, as it was asked for.
    pub key: String,
    /// Whether there is something to show.
    pub status: PreviewStatus,
    /// The oldest first.
    pub items: Vec<PreviewItem>,
}

/// Whether there is something to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PreviewStatus {
    /// There is.
    Ok,
    /// Nothing was said yet.
    Empty,
    /// There is no such session.
    Missing,
}

/// A few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PreviewItem {
    /// Who speaks.
    pub role: PreviewRole,
    /// The beginning of the text, with `…` where it goes on.
    pub text: String,
    /// When, in milliseconds since 1970.
    pub timestamp: i64,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "each says it all")]
pub enum PreviewRole {
    User,
    Assistant,
    Tool,
    System,
    Other,
}

/// New values for a session; what is not named stays.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionPatchParams {
    /// The session.
    pub key: String,
    /// What a person calls it.
    #[serde(default, deserialize_with = "present")]
    pub label: Option<Change<String>>,
    /// The model, as `provider/model`.
    #[serde(default, deserialize_with = "present")]
    pub model: Option<Change<String>>,
    /// How long the model thinks.
    #[serde(default, deserialize_with = "present")]
    pub thinking_level: Option<Change<ThinkingLevel>>,
    /// Where programs run.
    #[serde(default, deserialize_with = "present")]
    pub exec_host: Option<Change<ExecHost>>,
    /// Which programs run without asking.
    #[serde(default, deserialize_with = "present")]
    pub exec_security: Option<Change<Security>>,
    /// When a person is asked.
    #[serde(default, deserialize_with = "present")]
    pub exec_ask: Option<Change<Ask>>,
}

/// A session that was changed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionChanged {
    /// Always true: a change that fails is an error.
    pub ok: bool,
    /// Its key.
    pub key: String,
    /// The session now.
    pub entry: SessionEntry,
    /// The model that it uses now.
    pub resolved: ModelChoice,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionParams {
    /// Its key.
    pub key: String,
}

/// The transcripts of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionTranscripts {
    /// Its key.
    pub key: String,
    /// The oldest first; the last one is written now. None when there is no such session.
    pub transcripts: Vec<TranscriptEntry>,
}

/// One transcript of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TranscriptEntry {
    /// The id that the session has with it.
    pub session_id: String,
    /// When it was begun, in milliseconds since 1970.
    pub begun_at: i64,
    /// How many items it has.
    pub items: u64,
}

/// A session that is not there any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionDeleted {
    /// Always true: a deletion that fails is an error.
    pub ok: bool,
    /// Its key.
    pub key: String,
    /// Whether there was one.
    pub deleted: bool,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rpc::Shape;

    #[test]
    fn null_takes_away_and_what_is_not_named_stays() {
        let shape = Shape::of::<SessionPatchParams>();
        let table = [
            (json!({ "key": "k" }), Ok((None, None))),
            (json!({ "key": "k", "model": null }), Ok((Some(Change::Clear), None))),
            (
                json!({ "key": "k", "model": "a/b", "thinkingLevel": "low" }),
                Ok((Some(Change::Set("a/b".to_owned())), Some(Change::Set(ThinkingLevel::Low)))),
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
