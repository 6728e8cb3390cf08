//! `models`: lists, chooses and tests language models.

mod list;
mod set;
mod status;
mod test;

use tarsus_home::config::view::{Agent, Config};
use tarsus_models::{InvalidModelName, LocalServer, ModelCatalog, ModelName, find_local_servers, report};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::args::Models;
use crate::commands::runtime;
use crate::context::Context;
use crate::output::Output;

pub fn run(step: Option<Models>, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    match step.unwrap_or(Models::Status) {
        Models::List { all } => list::run(all, context, output),
        Models::Status => status::run(context, output),
        Models::Set { model, fallback } => set::run(model.as_deref(), &fallback, context, output),
        Models::Test { model } => test::run(model.as_deref(), context, output),
    }
}

/// The configuration, agent and model catalog of one command.
struct ModelSetup {
    config: Config,
    agent: Agent,
    catalog: ModelCatalog,
}

impl ModelSetup {
    fn new(context: &Context) -> Result<Self, Problem> {
        let config = context.config()?.view.clone();
        let agent = context.agent(&config)?.clone();
        let catalog = ModelCatalog::new(&config.models);
        Ok(Self { config, agent, catalog })
    }

    /// The agent's models, in order of preference.
    fn chosen_models(&self) -> Vec<Result<ModelName, String>> {
        report::configured(&self.config, &self.agent)
    }

    /// Finds model servers on this machine.
    fn find_local_servers(&self) -> Result<Vec<LocalServer>, Problem> {
        Ok(runtime()?.block_on(find_local_servers(&self.catalog.local_endpoints())))
    }
}

fn parse_model_name(text: &str) -> Result<ModelName, Problem> {
    text.parse().map_err(|error: InvalidModelName| {
        Problem::new(ErrorCode::Usage, error.to_string()).hint("`tarsus models list --all` shows some")
    })
}

fn no_model_problem() -> Problem {
    Problem::new(ErrorCode::NotFound, "no model is configured, and none was found")
        .note("no local model server responds, and no API key is set in the environment")
        .hint("set a key, such as ANTHROPIC_API_KEY, or start Ollama; then `tarsus models set`")
}
