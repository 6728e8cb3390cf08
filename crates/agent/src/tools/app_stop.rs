//! `app_stop`: stops a registered app, if its launch policy allows this agent.

use std::sync::Arc;

use tarsus_apps::manager::stop_report;
use tarsus_apps::{Stopper, authorize_stop};
use tarsus_guard::{self as guard, PolicyVerdict};
use tarsus_protocol::Problem;
use tarsus_protocol::event::AppsAction;

use super::check::{Arguments, Field};
use super::outcome::ToolOutcome;
use super::{PermittedCall, Tool, ToolFuture, apps};
use crate::turn_context::TurnContext;

const FIELDS: &[Field] = &[apps::NAME];

pub(super) struct AppStop;

impl Tool for AppStop {
    fn id(&self) -> guard::ToolId {
        guard::ToolId::AppStop
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
        Some(apps::policy_verdict(arguments, context, |app, agent| {
            authorize_stop(app, agent, Stopper::Agent).map(drop)
        }))
    }

    fn run(&self, call: PermittedCall, context: Arc<TurnContext>) -> ToolFuture {
        Box::pin(async move { stop(&call.arguments, &context).await.unwrap_or_else(ToolOutcome::from) })
    }
}

async fn stop(arguments: &Arguments, context: &TurnContext) -> Result<ToolOutcome, Problem> {
    let manager = apps::manager(context);
    let loaded = apps::load_registry(&manager)?;
    let app = apps::resolve_app(&loaded, arguments.text(apps::NAME.name).unwrap_or_default())?;
    let stopped = manager.stop(app, Stopper::Agent).await?;
    let report = stop_report(&app.name, context.agent_id().as_str(), &stopped);
    Ok(apps::run_outcome(&report, AppsAction::Stop, loaded.hash.clone()))
}
