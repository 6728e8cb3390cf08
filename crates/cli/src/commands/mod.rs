//! One file per command group. Each translates the request into a call of a lower crate and prints the result.

mod agent;
mod apps;
mod audit;
mod backup;
mod config;
mod docs;
mod doctor;
mod explain;
mod gateway;
mod licenses;
mod logs;
mod models;
mod prompt;
mod security;
mod sessions;
mod shell;
mod skills;
mod status;
mod token;
mod up;

use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tokio::runtime::{Builder, Runtime};

use crate::args::{Command, Gateway};
use crate::context::Context;
use crate::inside::Right;
use crate::logging;
use crate::output::Output;
use up::Greeting;

/// Runs one command, if this process has the right to it. `name` is the command as it was written.
pub fn run(
    command: Command,
    name: &str,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    if let Err(refusal) = context.require(Right::for_command(&command), &format!("`{name}`")) {
        if let Command::Apps { step: Some(step) } = &command {
            apps::record_refused(step, &refusal, context)?;
        }
        return Err(refusal);
    }
    if !matches!(command, Command::Up(_) | Command::Gateway(Gateway::Run(_))) {
        // The gateway starts its logs itself, once its folder exists.
        logging::start(context.verbose, None)?;
    }
    tracing::info!(
        state = %context.home.state_dir().display(),
        config = %context.home.config_path().display(),
        "looking at"
    );
    match command {
        Command::Up(request) if request.demo => up::demo(&request.listen, context, output),
        Command::Up(request) => up::run(&request.listen, Greeting::Welcome, context, output),
        Command::Gateway(gateway) => gateway::run(&gateway, context, output),
        Command::Logs(logs) => logs::run(&logs, context, output),
        Command::Status => status::run(context, output),
        Command::Doctor { generate_gateway_token: true, .. } => token::run(context, output),
        Command::Doctor { strict, .. } => doctor::run(strict, context, output),
        Command::Apps { step } => apps::run(step, context, output),
        Command::Skills { step } => skills::run(step, context, output),
        Command::Agent(request) => agent::run(&request, context, output),
        Command::Models { step } => models::run(step, context, output),
        Command::Sessions { step } => sessions::run(step, context, output),
        Command::Backup(backup) => backup::run(&backup, context, output),
        Command::Prompt(step) => prompt::run(step, context, output),
        Command::Config(config) => config::run(config, context, output),
        Command::Audit(audit) => audit::run(audit, context, output),
        Command::Explain { id } => explain::run(id, context, output),
        Command::Security(request) => security::run(&request, context, output),
        Command::Docs { page } => docs::run(page.as_deref(), output),
        Command::Licenses => licenses::run(output),
        Command::Completion { shell } => shell::completion(shell, output),
        Command::Man { command } => shell::manual(&command, output),
    }
}

/// A single-threaded Tokio runtime for commands that wait for processes and sockets.
pub fn runtime() -> Result<Runtime, Problem> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Problem::new(ErrorCode::Failed, format!("cannot start the runtime: {error}")))
}
