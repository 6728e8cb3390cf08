//! `apps_list`: the registered apps, and what this agent may do with them.

use std::sync::Arc;

use serde_json::json;
use tarsus_apps::desk::listed;
use tarsus_apps::run::Processes;
use tarsus_guard as guard;
use tarsus_protocol::Problem;

use super::cap::capped;
use super::check::{Arguments, Field};
use super::outcome::Outcome;
use super::{Running, Tool, apps, blocking};
use crate::turn_context::TurnContext;

/// The tool.
pub(super) struct AppsList;

impl Tool for AppsList {
    fn id(&self) -> guard::Tool {
        guard::Tool::AppsList
    }

    fn line(&self) -> &'static str {
        "List the registered apps"
    }

    fn description(&self) -> &'static str {
        "Lists the apps that are registered on this machine: which of them you may launch, and which run."
    }

    fn fields(&self) -> &'static [Field] {
        &[]
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        true
    }

    fn run(&self, _: Arguments, context: Arc<TurnContext>) -> Running {
        blocking(move || list(&context))
    }
}

fn list(context: &TurnContext) -> Result<Outcome, Problem> {
    let loaded = apps::registry(&apps::desk(context))?;
    // Without a list of processes nothing is known to run.
    let processes = Processes::now().ok();
    let lines: Vec<String> =
        loaded.apps.iter().map(|app| apps::line(app, context, processes.as_ref())).collect();
    let text = if lines.is_empty() { "no app is registered".to_owned() } else { lines.join("\n") };
    let details = json!(listed(&loaded, processes.as_ref()));
    Ok(Outcome::text(capped(text, "app_status with a name tells about one")).with_details(details))
}
