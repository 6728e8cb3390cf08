//! `session_status`: shows the status of a session, and sets its model.

use std::sync::Arc;

use tarsus_guard as guard;
use tarsus_models::{ModelCatalog, ModelName};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{SessionKey, SessionPatch, SingleLine};

use super::check::{Arguments, Field, Kind};
use super::outcome::ToolOutcome;
use super::{MAX_NAME_CHARS, Tool, ToolFuture};
use crate::turn_context::TurnContext;

/// Maximum characters of a session key.
const MAX_KEY_CHARS: usize = 512;
/// The value that resets the model of a session.
const DEFAULT: &str = "default";

const FIELDS: &[Field] = &[
    Field::optional(
        "sessionKey",
        Kind::Text(MAX_KEY_CHARS),
        "Key of another session of yours; default: this session",
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
        "Show model, tokens, cost, context and time of a session; set its model"
    }

    fn description(&self) -> &'static str {
        "Shows the status of a session: model, tokens, cost, context usage, and the user's local date and time. \
         With model, sets the model of the session first; model=default resets it."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, arguments: &Arguments) -> bool {
        arguments.text("model").is_none()
    }

    fn run(&self, arguments: Arguments, context: Arc<TurnContext>) -> ToolFuture {
        Box::pin(async move { status(&arguments, &context).await.unwrap_or_else(ToolOutcome::from) })
    }
}

async fn status(arguments: &Arguments, context: &TurnContext) -> Result<ToolOutcome, Problem> {
    let session = match arguments.text("sessionKey") {
        Some(key) => own_session(key, context)?,
        None => context.session.clone(),
    };
    if let Some(model) = arguments.text("model") {
        let patch = SessionPatch { model: Some(parse_model(model, context)?), ..SessionPatch::default() };
        context.services.store.patch(session.clone(), patch, context.services.clock.wall_ms()).await?;
    }
    let (store, now) = (&context.services.store, context.services.clock.now());
    let status = crate::session_status::SessionStatus::load(
        &session,
        &context.config,
        store,
        now,
        context.zone.clone(),
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

/// Parses a model; `None` resets the choice.
fn parse_model(model: &str, context: &TurnContext) -> Result<Option<SingleLine>, Problem> {
    if model.trim().eq_ignore_ascii_case(DEFAULT) {
        return Ok(None);
    }
    let refused = |why: String| {
        Problem::new(ErrorCode::Usage, why).hint("nothing was changed; `tarsus models list` shows the models")
    };
    let name: ModelName =
        model.trim().parse().map_err(|error: tarsus_models::InvalidModelName| refused(error.to_string()))?;
    ModelCatalog::new(&context.config.models).model(&name).map_err(|failure| refused(failure.to_string()))?;
    Ok(Some(name.as_str().parse()?))
}
