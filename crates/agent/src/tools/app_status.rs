//! `app_status`: whether apps run, and what is stored about one.

use std::sync::Arc;

use serde_json::json;
use tarsus_apps::App;
use tarsus_apps::desk::{recognised, shown};
use tarsus_apps::run::Processes;
use tarsus_guard as guard;
use tarsus_protocol::Problem;
use tarsus_protocol::apps::AppStatusList;

use super::cap::capped;
use super::check::{Arguments, Field};
use super::outcome::Outcome;
use super::{Running, Tool, apps, blocking};
use crate::turn_context::TurnContext;

const FIELDS: &[Field] = &[Field { required: false, ..apps::NAME }];

/// The tool.
pub(super) struct AppStatus;

impl Tool for AppStatus {
    fn id(&self) -> guard::Tool {
        guard::Tool::AppStatus
    }

    fn line(&self) -> &'static str {
        "Tell whether an app runs, and what is stored about it"
    }

    fn description(&self) -> &'static str {
        "Tells whether a registered app runs and what is stored about it; without a name, which apps run."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        true
    }

    fn run(&self, arguments: Arguments, context: Arc<TurnContext>) -> Running {
        blocking(move || status(&arguments, &context))
    }
}

fn status(arguments: &Arguments, context: &TurnContext) -> Result<Outcome, Problem> {
    let loaded = apps::registry(&apps::desk(context))?;
    // Without a list of processes nothing is known to run.
    let processes = Processes::now().ok();
    if let Some(name) = arguments.text(apps::NAME.name) {
        let app = apps::meant(&loaded, name)?;
        let text = format!("{}\n{}", apps::line(app, context, processes.as_ref()), stored(app));
        let details = json!(shown(app, processes.as_ref()));
        return Ok(Outcome::text(capped(text, "the rest is in the registry")).with_details(details));
    }
    let all = loaded.apps.iter().map(|app| recognised(app, processes.as_ref())).collect();
    let list = AppStatusList { apps: all };
    let running: Vec<String> = list
        .apps
        .iter()
        .filter(|app| app.running == Some(true))
        .map(|app| format!("{}: {}", app.name, apps::pids(&app.pids)))
        .collect();
    let text =
        if running.is_empty() { "no registered app is seen to run".to_owned() } else { running.join("\n") };
    Ok(Outcome::text(capped(text, "app_status with a name tells about one")).with_details(json!(list)))
}

/// What is stored, a line each.
fn stored(app: &App) -> String {
    let fields = &app.fields;
    let mode = fields.mode.map(|mode| mode.to_string());
    let agents = (!fields.allowed_agents.is_empty()).then(|| fields.allowed_agents.join(", "));
    let rows = [
        ("launch_path", &fields.launch_path),
        ("runtime_exe", &fields.runtime_exe),
        ("process_name", &fields.process_name),
        ("mode", &mode),
        ("allowed_agents", &agents),
    ];
    let lines = rows.iter().filter_map(|(key, value)| Some(format!("{key}: {}", value.as_ref()?)));
    let doubts = app.verdict.reasons.iter().map(|reason| format!("wrong: {reason}"));
    lines.chain(doubts).collect::<Vec<_>>().join("\n")
}
