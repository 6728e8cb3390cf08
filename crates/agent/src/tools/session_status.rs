//! `session_status`: shows the status of a session, and sets its model.

use std::sync::Arc;

use tarsus_guard::{self as guard, CallFacts};
use tarsus_models::{ModelCatalog, ModelName};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{SessionKey, SessionPatch, SingleLine};

use super::check::{Arguments, Field, Kind};
use super::outcome::ToolOutcome;
use super::{MAX_NAME_CHARS, PermittedCall, Tool, ToolFuture};
use crate::model::chosen_models;
use crate::session_settings;
use crate::turn_context::TurnContext;

/// Maximum characters of a session key.
const MAX_KEY_CHARS: usize = 512;
/// The value that resets the model of a session.
const DEFAULT: &str = "default";

const FIELDS: &[Field] = &[
    Field::optional(
        "sessionKey",
        Kind::Text(MAX_KEY_CHARS),
        "Key of another session of yours, to show its status; default: this session",
    ),
    Field::optional(
        "model",
        Kind::Text(MAX_NAME_CHARS),
        "provider/model for this session from now on, or default",
    ),
];

pub(super) struct SessionStatus;

impl Tool for SessionStatus {
    fn id(&self) -> guard::ToolId {
        guard::ToolId::SessionStatus
    }

    fn line(&self) -> &'static str {
        "Show session status; use it for questions about the model, usage and time"
    }

    fn description(&self) -> &'static str {
        "Shows the status of a session: model, usage, cost, context, queue, and the user's local date and time. Use it for \
         questions about the model. With model, sets the model of this session first; model=default resets it. Not \
         possible in groups and while a community skill is active."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, arguments: &Arguments) -> bool {
        arguments.text("model").is_none()
    }

    fn facts(&self, arguments: &Arguments, _: &TurnContext) -> CallFacts {
        CallFacts { changes_settings: !self.is_read_only(arguments), ..CallFacts::default() }
    }

    fn run(&self, call: PermittedCall, context: Arc<TurnContext>) -> ToolFuture {
        Box::pin(async move { status(&call.arguments, &context).await.unwrap_or_else(ToolOutcome::from) })
    }
}

async fn status(arguments: &Arguments, context: &TurnContext) -> Result<ToolOutcome, Problem> {
    let session = match arguments.text("sessionKey") {
        Some(key) => own_session(key, context)?,
        None => context.session.clone(),
    };
    if let Some(model) = arguments.text("model") {
        check_place(&session, context)?;
        let patch = SessionPatch { model: Some(parse_model(model, context)?), ..SessionPatch::default() };
        session_settings::change(&context.services, session.clone(), patch, context.from_owner)?.await?;
    }
    let status = crate::session_status::SessionStatus::load(
        &session,
        &context.config,
        &context.services,
        context.zone.clone(),
        context.channel,
    )?;
    Ok(ToolOutcome::text(status.to_string()))
}

/// Parses the key of an existing session of the same agent.
fn own_session(key: &str, context: &TurnContext) -> Result<SessionKey, Problem> {
    let session: SessionKey = key.parse()?;
    if session.agent() != context.agent_id() {
        return Err(Problem::new(ErrorCode::Denied, format!("{session} is a session of another agent"))
            .hint("use a session of your own"));
    }
    if context.services.store.session(&session)?.is_none() {
        return Err(Problem::new(ErrorCode::NotFound, format!("there is no session {session}"))
            .hint("leave out sessionKey for this session"));
    }
    Ok(session)
}

/// Checks that the session is the one of this turn, and that its owner is the one who reads it.
fn check_place(session: &SessionKey, context: &TurnContext) -> Result<(), Problem> {
    let why = if *session != context.session {
        "the model of another session is not set from here"
    } else if !context.has_person() {
        "the model is not set from groups and scheduled work"
    } else {
        return Ok(());
    };
    Err(Problem::new(ErrorCode::Denied, why)
        .hint("nothing was changed; the owner can use /model in that session"))
}

/// Parses a model that the configuration or the catalog lists; `None` resets the choice.
fn parse_model(model: &str, context: &TurnContext) -> Result<Option<SingleLine>, Problem> {
    if model.trim().eq_ignore_ascii_case(DEFAULT) {
        return Ok(None);
    }
    let refused = |why: String| {
        Problem::new(ErrorCode::Usage, why).hint("nothing was changed; `tarsus models list` shows the models")
    };
    let name: ModelName =
        model.trim().parse().map_err(|error: tarsus_models::InvalidModelName| refused(error.to_string()))?;
    let catalog = ModelCatalog::new(&context.config.models);
    catalog.model(&name).map_err(|failure| refused(failure.to_string()))?;
    let is_listed = catalog.model_ids(name.provider()).any(|id| id == name.id());
    if !is_listed && !chosen_models(&context.config, context.agent_id(), None).contains(&name.to_string()) {
        return Err(refused(format!("{name} is not a known model")));
    }
    Ok(Some(name.as_str().parse()?))
}
