//! `apps_list`: the registered apps, and which of them this agent may launch.

use std::sync::Arc;

use serde_json::json;
use tarsus_apps::manager::app_list;
use tarsus_apps::run::Processes;
use tarsus_guard as guard;
use tarsus_protocol::Problem;

use super::check::{Arguments, Field};
use super::excerpt::truncate_lines;
use super::outcome::ToolOutcome;
use super::{PermittedCall, Tool, ToolFuture, apps, blocking};
use crate::turn_context::TurnContext;

pub(super) struct AppsList;

impl Tool for AppsList {
    fn id(&self) -> guard::ToolId {
        guard::ToolId::AppsList
    }

    fn line(&self) -> &'static str {
        "List the registered apps"
    }

    fn description(&self) -> &'static str {
        "Lists the apps that are registered on this machine: which of them you may launch, and which are running."
    }

    fn fields(&self) -> &'static [Field] {
        &[]
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        true
    }

    fn run(&self, _: PermittedCall, context: Arc<TurnContext>) -> ToolFuture {
        blocking(move || list(&context))
    }
}

fn list(context: &TurnContext) -> Result<ToolOutcome, Problem> {
    let loaded = apps::load_registry(&apps::manager(context))?;
    // Without the process list the running state is unknown.
    let processes = Processes::now().ok();
    let lines: Vec<String> =
        loaded.apps.iter().map(|app| apps::line(app, context, processes.as_ref())).collect();
    let text = if lines.is_empty() { "no app is registered".to_owned() } else { lines.join("\n") };
    let details = json!(app_list(&loaded, processes.as_ref()));
    Ok(ToolOutcome::text(truncate_lines(text, "app_status with a name shows one app")).with_details(details))
}
