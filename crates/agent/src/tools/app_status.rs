//! `app_status`: which apps are running, and the stored values of one.

use std::sync::Arc;

use serde_json::json;
use tarsus_apps::App;
use tarsus_apps::manager::{app_status, registered_app};
use tarsus_apps::run::Processes;
use tarsus_guard as guard;
use tarsus_protocol::Problem;
use tarsus_protocol::apps::AppStatusList;

use super::check::{Arguments, Field};
use super::excerpt::truncate_lines;
use super::outcome::ToolOutcome;
use super::{PermittedCall, Tool, ToolFuture, apps, blocking};
use crate::turn_context::TurnContext;

const FIELDS: &[Field] = &[Field { required: false, ..apps::NAME }];

pub(super) struct AppStatus;

impl Tool for AppStatus {
    fn id(&self) -> guard::ToolId {
        guard::ToolId::AppStatus
    }

    fn line(&self) -> &'static str {
        "Tell whether an app is running, and its stored values"
    }

    fn description(&self) -> &'static str {
        "Tells whether a registered app is running and its stored values; without a name, which apps are running."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        true
    }

    fn run(&self, call: PermittedCall, context: Arc<TurnContext>) -> ToolFuture {
        blocking(move || status(&call.arguments, &context))
    }
}

fn status(arguments: &Arguments, context: &TurnContext) -> Result<ToolOutcome, Problem> {
    let loaded = apps::load_registry(&apps::manager(context))?;
    // Without the process list the running state is unknown.
    let processes = Processes::now().ok();
    if let Some(name) = arguments.text(apps::NAME.name) {
        let app = apps::resolve_app(&loaded, name)?;
        let text = format!("{}\n{}", apps::line(app, context, processes.as_ref()), stored_values(app));
        let details = json!(registered_app(app, processes.as_ref()));
        return Ok(
            ToolOutcome::text(truncate_lines(text, "the rest is in the registry")).with_details(details)
        );
    }
    let all = loaded.apps.iter().map(|app| app_status(app, processes.as_ref())).collect();
    let list = AppStatusList { apps: all };
    let running: Vec<String> = list
        .apps
        .iter()
        .filter(|app| app.running == Some(true))
        .map(|app| format!("{}: {}", app.name, apps::pids(&app.pids)))
        .collect();
    let text = if running.is_empty() {
        "no registered app is known to be running".to_owned()
    } else {
        running.join("\n")
    };
    Ok(ToolOutcome::text(truncate_lines(text, "app_status with a name shows one app"))
        .with_details(json!(list)))
}

/// The stored values, one per line.
fn stored_values(app: &App) -> String {
    let mode = app.mode.map(|mode| mode.to_string());
    let agents = (!app.allowed_agents.is_empty()).then(|| app.allowed_agents.join(", "));
    let rows = [
        ("launch_path", &app.launch_path),
        ("runtime_exe", &app.runtime_exe),
        ("process_name", &app.process_name),
        ("mode", &mode),
        ("allowed_agents", &agents),
    ];
    let lines = rows.iter().filter_map(|(key, value)| Some(format!("{key}: {}", value.as_ref()?)));
    let faults = app.faults.iter().map(|fault| format!("wrong: {fault}"));
    lines.chain(faults).collect::<Vec<_>>().join("\n")
}
