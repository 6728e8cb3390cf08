//! `app_launch`: launches a registered app, if its policy lets this agent.

use std::sync::Arc;

use tarsus_apps::desk::acted_on_launch;
use tarsus_apps::may_launch;
use tarsus_guard::{self as guard, PolicyVerdict};
use tarsus_protocol::Problem;
use tarsus_protocol::event::AppsAction;

use super::check::{Arguments, Field};
use super::outcome::Outcome;
use super::{Running, Tool, apps};
use crate::turn_context::TurnContext;

const FIELDS: &[Field] = &[apps::NAME];

/// The tool.
pub(super) struct AppLaunch;

impl Tool for AppLaunch {
    fn id(&self) -> guard::Tool {
        guard::Tool::AppLaunch
    }

    fn line(&self) -> &'static str {
        "Launch a registered app"
    }

    fn description(&self) -> &'static str {
        "Launches a registered app by its name (\"open X\", \"start X\"). An app that is not registered cannot be \
         launched: never guess a path."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        false
    }

    fn app_policy(&self, arguments: &Arguments, context: &TurnContext) -> Option<PolicyVerdict> {
        Some(apps::policy(arguments, context, may_launch))
    }

    fn run(&self, arguments: Arguments, context: Arc<TurnContext>) -> Running {
        Box::pin(async move { launch(&arguments, &context).await.unwrap_or_else(Outcome::from) })
    }
}

async fn launch(arguments: &Arguments, context: &TurnContext) -> Result<Outcome, Problem> {
    let desk = apps::desk(context);
    let loaded = apps::registry(&desk)?;
    let app = apps::meant(&loaded, arguments.text(apps::NAME.name).unwrap_or_default())?;
    // The desk asks the policy again, of the registry as it is then.
    let launched = desk.launch(&app.name).await?;
    let acted = acted_on_launch(&app.name, context.agent_id().as_str(), &launched);
    Ok(apps::acted(&acted, &desk, AppsAction::Launch))
}
