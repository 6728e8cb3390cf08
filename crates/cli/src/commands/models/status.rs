//! `models status`: shows the agent's models and whether each can be used.

use tarsus_models::report;
use tarsus_protocol::models::{ModelState, ModelsStatus};
use tarsus_protocol::{ExitCode, Problem};

use super::ModelSetup;
use crate::commands::runtime;
use crate::context::Context;
use crate::output::Output;
use crate::text::{columns, number, printable};

pub(super) fn run(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let setup = ModelSetup::new(context)?;
    let variables = |name: &str| context.variable(name);
    let (chosen, found) = (setup.chosen_models(), setup.find_local_servers()?);
    let status = report::status(&setup.catalog, &setup.agent, &chosen, &found, &context.home, &variables);
    let status = runtime()?.block_on(status);
    output.show(&status, text)?;
    Ok(ExitCode::Done)
}

fn text(status: &ModelsStatus) -> String {
    let mut rows: Vec<[String; 3]> = Vec::new();
    let mut row = |name: &str, value: String, more: String| rows.push([name.to_owned(), value, more]);
    row("agent", status.agent.clone(), String::new());
    if status.models.is_empty() {
        let next = match &status.suggestion {
            Some(model) => format!("`tarsus models set` selects {}", printable(model)),
            None => "set a key, such as ANTHROPIC_API_KEY, or start Ollama".to_owned(),
        };
        row("model", "none yet: apps and commands work without one".to_owned(), next);
    }
    for (index, state) in status.models.iter().enumerate() {
        let name = if index == 0 { "model" } else { "fallback" };
        row(
            name,
            format!("{}  {}", printable(&state.model), if state.ok { "available" } else { "not available" }),
            String::new(),
        );
        if let Some(problem) = &state.problem {
            row("", format!("  x {}", printable(problem)), String::new());
        }
        row("", details(state), String::new());
    }
    for server in &status.local {
        let models: Vec<String> = server.models.iter().map(|model| printable(model)).collect();
        let models = if models.is_empty() { "no model is loaded".to_owned() } else { models.join(", ") };
        row("local", format!("{} at {}", printable(&server.provider), printable(&server.address)), models);
    }
    if !status.keys.is_empty() {
        row("keys", format!("{} set", status.keys.join(", ")), String::new());
    }
    rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    columns(&rows)
}

fn details(state: &ModelState) -> String {
    let (Some(api), Some(address), Some(key)) = (&state.api, &state.address, &state.key) else {
        return String::new();
    };
    let window = state.context_window.map(|tokens| format!(", {} tokens", number(tokens.into())));
    format!("  {api} at {}, key: {}{}", printable(address), printable(key), window.unwrap_or_default())
}
