//! Settings of a session that override the configuration, and changing them.

use rusqlite::{Connection, params};
use tarsus_protocol::exec::{Ask, ExecHost, Reasoning, Security, ThinkingLevel, Verbose};
use tarsus_protocol::message::Visibility;

use crate::error::QueryError;
use crate::names::{SessionKey, SingleLine};
use crate::session;
use crate::sql;

/// Settings of a session. `None` means as configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionOverrides {
    /// Model name as `provider/model`.
    pub model: Option<SingleLine>,
    /// Thinking level of the model.
    pub thinking_level: Option<ThinkingLevel>,
    /// Visibility of the model's reasoning.
    pub reasoning: Option<Reasoning>,
    /// What is shown of tool calls.
    pub verbose: Option<Verbose>,
    /// Host on which programs run.
    pub exec_host: Option<ExecHost>,
    /// Programs that run without approval.
    pub exec_security: Option<Security>,
    /// When approval is requested.
    pub exec_ask: Option<Ask>,
}

impl SessionOverrides {
    /// What the session shows besides the replies.
    #[must_use]
    pub fn visibility(&self) -> Visibility {
        Visibility { reasoning: self.reasoning.unwrap_or_default(), verbose: self.verbose }
    }
}

/// Changes to a session. `None` leaves a value unchanged, `Some(None)` removes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionPatch {
    /// Label given by a person.
    pub label: Option<Option<SingleLine>>,
    /// Model name as `provider/model`.
    pub model: Option<Option<SingleLine>>,
    /// Thinking level of the model.
    pub thinking_level: Option<Option<ThinkingLevel>>,
    /// Visibility of the model's reasoning.
    pub reasoning: Option<Option<Reasoning>>,
    /// What is shown of tool calls.
    pub verbose: Option<Option<Verbose>>,
    /// Host on which programs run.
    pub exec_host: Option<Option<ExecHost>>,
    /// Programs that run without approval.
    pub exec_security: Option<Option<Security>>,
    /// When approval is requested.
    pub exec_ask: Option<Option<Ask>>,
}

/// Applies the changes, creating the session if needed.
pub(crate) fn apply_patch(
    db: &Connection,
    key: &SessionKey,
    patch: &SessionPatch,
    at_ms: i64,
) -> Result<(), QueryError> {
    let ids = session::find_or_create_ids(db, key, at_ms)?;
    let mut update = db.prepare_cached(
        "UPDATE sessions SET
           label = iif(?2, ?3, label), model = iif(?4, ?5, model),
           thinking_level = iif(?6, ?7, thinking_level), exec_host = iif(?8, ?9, exec_host),
           exec_security = iif(?10, ?11, exec_security), exec_ask = iif(?12, ?13, exec_ask),
           reasoning = iif(?14, ?15, reasoning), verbose = iif(?16, ?17, verbose)
         WHERE id = ?1",
    )?;
    let line =
        |line: &Option<Option<SingleLine>>| line.iter().flatten().next().map(|line| line.as_str().to_owned());
    update.execute(params![
        ids.session,
        patch.label.is_some(),
        line(&patch.label),
        patch.model.is_some(),
        line(&patch.model),
        patch.thinking_level.is_some(),
        patch.thinking_level.flatten().and_then(sql::enum_to_text),
        patch.exec_host.is_some(),
        patch.exec_host.flatten().and_then(sql::enum_to_text),
        patch.exec_security.is_some(),
        patch.exec_security.flatten().and_then(sql::enum_to_text),
        patch.exec_ask.is_some(),
        patch.exec_ask.flatten().and_then(sql::enum_to_text),
        patch.reasoning.is_some(),
        patch.reasoning.flatten().and_then(sql::enum_to_text),
        patch.verbose.is_some(),
        patch.verbose.flatten().and_then(sql::enum_to_text),
    ])?;
    session::touch(db, ids.session, at_ms)
}
