//! `models`: which language models there are, which one is used, and whether it answers.

mod list;
mod set;
mod status;
mod test;

use tarsus_home::config::view::{Agent, Config};
use tarsus_models::{Catalog, LocalServer, ModelName, NotAModel, find_local, report};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::args::Models;
use crate::commands::runtime;
use crate::context::Context;
use crate::output::Output;

/// Carries out one command about models.
pub fn run(step: Option<Models>, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    match step.unwrap_or(Models::Status) {
        Models::List { all } => list::run(all, context, output),
        Models::Status => status::run(context, output),
        Models::Set { model, fallback } => set::run(model.as_deref(), &fallback, context, output),
        Models::Test { model } => test::run(model.as_deref(), context, output),
    }
}

/// What each of the commands looks at.
struct Scene {
    config: Config,
    agent: Agent,
    catalog: Catalog,
}

impl Scene {
    fn new(context: &Context) -> Result<Self, Problem> {
        let config = context.load_config()?.view;
        let agent = context.agent(&config)?.clone();
        let catalog = Catalog::new(&config.models);
        Ok(Self { config, agent, catalog })
    }

    /// The agent's models, the first one first.
    fn chosen(&self) -> Vec<Result<ModelName, String>> {
        report::chosen(&self.config, &self.agent)
    }

    /// The servers that answer on this machine.
    fn found(&self) -> Result<Vec<LocalServer>, Problem> {
        Ok(runtime()?.block_on(find_local(&self.catalog.local_places())))
    }
}

fn name(text: &str) -> Result<ModelName, Problem> {
    text.parse().map_err(|error: NotAModel| {
        Problem::new(ErrorCode::Usage, error.to_string()).hint("`tarsus models list --all` shows some")
    })
}

/// No model, and how to get one.
fn none_chosen() -> Problem {
    Problem::new(ErrorCode::NotFound, "no model is chosen, and none was found")
        .note("no server of models answers on this machine, and no variable with a key is set")
        .hint("set a key, such as ANTHROPIC_API_KEY, or start Ollama; then `tarsus models set`")
}
