//! `app_stop`: stops a registered app, if its policy lets this agent.

use std::sync::Arc;

use tarsus_apps::desk::acted_on_stop;
use tarsus_apps::{Stopper, may_stop};
use tarsus_guard::{self as guard, PolicyVerdict};
use tarsus_protocol::Problem;
use tarsus_protocol::event::AppsAction;

use super::check::{Arguments, Field};
use super::outcome::Outcome;
use super::{Running, Tool, apps};
use crate::turn_context::TurnContext;

const FIELDS: &[Field] = &[apps::NAME];

/// The tool.
pub(super) struct AppStop;

impl Tool for AppStop {
    fn id(&self) -> guard::Tool {
        guard::Tool::AppStop
    }

    fn line(&self) -> &'static str {
        "Stop a registered app"
    }

    fn description(&self) -> &'static str {
        "Stops a registered app by its name (\"close X\", \"quit X\"): it is asked to close first, and ended if it does \
         not."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        false
    }

    fn app_policy(&self, arguments: &Arguments, context: &TurnContext) -> Option<PolicyVerdict> {
        Some(apps::policy(arguments, context, |app, agent| may_stop(app, agent, Stopper::Agent)))
    }

    fn run(&self, arguments: Arguments, context: Arc<TurnContext>) -> Running {
        Box::pin(async move { stop(&arguments, &context).await.unwrap_or_else(Outcome::from) })
    }
}

async fn stop(arguments: &Arguments, context: &TurnContext) -> Result<Outcome, Problem> {
    let desk = apps::desk(context);
    let loaded = apps::registry(&desk)?;
    let app = apps::meant(&loaded, arguments.text(apps::NAME.name).unwrap_or_default())?;
    // The desk asks the policy again, of the registry as it is then.
    let stopped = desk.stop(&app.name, Stopper::Agent).await?;
    let acted = acted_on_stop(&app.name, context.agent_id().as_str(), &stopped);
    Ok(apps::acted(&acted, &desk, AppsAction::Stop))
}
