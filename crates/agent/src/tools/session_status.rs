//! `session_status`: how a session stands, and which model answers in it.

use std::sync::Arc;

use tarsus_guard as guard;
use tarsus_models::{Catalog, ModelName};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{Line, Patch, SessionKey};

use super::check::{Arguments, Field, Kind};
use super::outcome::Outcome;
use super::{LONGEST_NAME, Running, Tool};
use crate::turn_context::TurnContext;

/// Characters of a session's key.
const LONGEST_KEY: usize = 512;
/// What takes the choice of a model back.
const DEFAULT: &str = "default";

const FIELDS: &[Field] = &[
    Field::optional(
        "sessionKey",
        Kind::Text(LONGEST_KEY),
        "Another session of yours; this one when left out",
    ),
    Field::optional(
        "model",
        Kind::Text(LONGEST_NAME),
        "provider/model to answer in it from now on, or default",
    ),
];

/// The tool.
pub(super) struct SessionStatus;

impl Tool for SessionStatus {
    fn id(&self) -> guard::Tool {
        guard::Tool::SessionStatus
    }

    fn line(&self) -> &'static str {
        "Show model, tokens, cost, context and time; choose the model of the session"
    }

    fn description(&self) -> &'static str {
        "Shows how a session stands: model, tokens, cost, how full the context is, and the date and time where the \
         person is. With model it also chooses the model that answers in the session; model=default takes that back."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, arguments: &Arguments) -> bool {
        arguments.text("model").is_none()
    }

    fn run(&self, arguments: Arguments, context: Arc<TurnContext>) -> Running {
        Box::pin(async move { status(&arguments, &context).await.unwrap_or_else(Outcome::from) })
    }
}

async fn status(arguments: &Arguments, context: &TurnContext) -> Result<Outcome, Problem> {
    let session = match arguments.text("sessionKey") {
        Some(key) => own(key, context)?,
        None => context.session.clone(),
    };
    if let Some(model) = arguments.text("model") {
        let patch = Patch { model: Some(chosen(model, context)?), ..Patch::default() };
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
    Ok(Outcome::text(status.to_string()))
}

/// A session of the same agent that is there.
fn own(key: &str, context: &TurnContext) -> Result<SessionKey, Problem> {
    let session: SessionKey = key.parse()?;
    if session.agent() != context.agent_id() {
        return Err(Problem::new(ErrorCode::Denied, format!("{session} is a session of another agent"))
            .hint("ask about sessions of your own"));
    }
    if context.services.store.session(&session)?.is_none() {
        return Err(Problem::new(ErrorCode::NotFound, format!("there is no session {session}"))
            .hint("leave sessionKey out to ask about this session"));
    }
    Ok(session)
}

/// The choice of a model; `None` takes the choice back.
fn chosen(model: &str, context: &TurnContext) -> Result<Option<Line>, Problem> {
    if model.trim().eq_ignore_ascii_case(DEFAULT) {
        return Ok(None);
    }
    let refused = |why: String| {
        Problem::new(ErrorCode::Usage, why)
            .hint("nothing was changed; `tarsus models list` shows what there is")
    };
    let name: ModelName =
        model.trim().parse().map_err(|error: tarsus_models::InvalidModelName| refused(error.to_string()))?;
    Catalog::new(&context.config.models).model(&name).map_err(|failure| refused(failure.to_string()))?;
    Ok(Some(name.as_str().parse()?))
}
