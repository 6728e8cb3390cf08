//! `app_launch`: launches a registered app, if its launch policy allows this agent.

use std::sync::Arc;

use tarsus_apps::authorize_launch;
use tarsus_apps::manager::launch_report;
use tarsus_guard::{self as guard, PolicyVerdict};
use tarsus_protocol::Problem;
use tarsus_protocol::event::AppsAction;

use super::check::{Arguments, Field};
use super::outcome::ToolOutcome;
use super::{PermittedCall, Tool, ToolFuture, apps};
use crate::turn_context::TurnContext;

const FIELDS: &[Field] = &[apps::NAME];

pub(super) struct AppLaunch;

impl Tool for AppLaunch {
    fn id(&self) -> guard::ToolId {
        guard::ToolId::AppLaunch
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
        Some(apps::policy_verdict(arguments, context, |app, agent| authorize_launch(app, agent).map(drop)))
    }

    fn run(&self, call: PermittedCall, context: Arc<TurnContext>) -> ToolFuture {
        Box::pin(async move { launch(&call.arguments, &context).await.unwrap_or_else(ToolOutcome::from) })
    }
}

async fn launch(arguments: &Arguments, context: &TurnContext) -> Result<ToolOutcome, Problem> {
    let manager = apps::manager(context);
    let loaded = apps::load_registry(&manager)?;
    let app = apps::resolve_app(&loaded, arguments.text(apps::NAME.name).unwrap_or_default())?;
    let launched = manager.launch(app).await?;
    let report = launch_report(&app.name, context.agent_id().as_str(), &launched);
    Ok(apps::run_outcome(&report, AppsAction::Launch, loaded.hash.clone()))
}
