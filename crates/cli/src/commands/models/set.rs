//! `models set`: sets the model of one agent or of all.

use serde_json::{Value, json};
use tarsus_home::config::json5::{Edit, Path};
use tarsus_models::{ModelName, suggest_model};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use super::{ModelSetup, no_model_problem, parse_model_name};
use crate::commands::config;
use crate::context::Context;
use crate::output::Output;

pub(super) fn run(
    model: Option<&str>,
    fallbacks: &[String],
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let setup = ModelSetup::new(context)?;
    let model = match model {
        Some(model) => parse_model_name(model)?,
        None => {
            let variables = |name: &str| context.variable(name);
            suggest_model(&setup.find_local_servers()?, &variables).ok_or_else(no_model_problem)?
        }
    };
    let fallbacks = fallbacks.iter().map(|model| parse_model_name(model)).collect::<Result<Vec<_>, _>>()?;
    for model in [&model].into_iter().chain(&fallbacks) {
        setup.catalog.model(model).map_err(|failure| {
            Problem::new(ErrorCode::NotFound, failure.message)
                .hint("`tarsus models list --all` lists the built-in providers")
        })?;
    }
    let document = context.config()?.document.value();
    config::change(edit(&document, context, &model, &fallbacks)?, context, output)
}

/// Builds the edit of the configuration.
fn edit(
    document: &Value,
    context: &Context,
    model: &ModelName,
    fallbacks: &[ModelName],
) -> Result<Edit, Problem> {
    let agents = Path::key("agents");
    let (path, before) = match context.named_agent() {
        None => (agents.join("defaults").join("model"), document.pointer("/agents/defaults/model")),
        Some(agent) => {
            let listed = document.pointer("/agents/list").and_then(Value::as_array);
            let entries = listed.into_iter().flatten().enumerate();
            let Some((index, entry)) = entries.into_iter().find(|(_, entry)| entry["id"] == agent.as_str())
            else {
                return Err(Problem::new(
                    ErrorCode::NotFound,
                    format!("agents.list has no entry for {agent}"),
                )
                .hint("without --agent, the model of all agents is set"));
            };
            (agents.join("list").at(index).join("model"), entry.get("model"))
        }
    };
    let fallbacks: Vec<&str> = fallbacks.iter().map(ModelName::as_str).collect();
    Ok(match before {
        _ if !fallbacks.is_empty() => {
            Edit::set(path, json!({ "primary": model.as_str(), "fallbacks": fallbacks }))
        }
        // Keep the short form, a plain string.
        Some(Value::String(_)) => Edit::set(path, model.as_str()),
        _ => Edit::set(path.join("primary"), model.as_str()),
    })
}
