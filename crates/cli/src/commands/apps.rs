//! `apps`: the Application Manager, as a menu and as commands.

mod backend;
mod change;
mod launch;
mod lookup;
mod menu;
mod show;

use std::sync::Arc;

use tarsus_apps::Registry;
use tarsus_apps::desk::{Act, Asker, Desk};
use tarsus_audit::Audit;
use tarsus_protocol::{ExitCode, Problem};

use crate::args::Apps;
use crate::context::Context;
use crate::output::Output;

/// Runs one step; without one, the menu, or the list in JSON mode.
pub fn run(step: Option<Apps>, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let registry = Registry::of(&context.home);
    match step {
        None if output.is_json() => show::list(&registry, context, output),
        None => menu::run(context, output),
        Some(Apps::List) => show::list(&registry, context, output),
        Some(Apps::Show { name }) => show::show(&registry, &name, context, output),
        Some(Apps::Status { name }) => show::status(&registry, name.as_deref(), context, output),
        Some(Apps::Validate) => show::validate(&registry, context, output),
        Some(Apps::Launch { name }) => launch::launch(&registry, &name, context, output),
        Some(Apps::Stop { name, consent }) => launch::stop(&registry, &name, consent, context, output),
        Some(Apps::Ask { request }) => menu::ask(&request, context, output),
        Some(
            step @ (Apps::Create
            | Apps::Add { .. }
            | Apps::Edit { .. }
            | Apps::Delete { .. }
            | Apps::Policy { .. }),
        ) => change::run(step, context, output),
    }
}

/// Fails inside an agent's process, and records the attempt in the audit chain.
fn owner_only(what: &str, act: Act, app: Option<&str>, context: &Context) -> Result<(), Problem> {
    let Err(refusal) = context.require_owner(what) else { return Ok(()) };
    desk(context)?.barred(act, app, &refusal);
    Err(refusal)
}

/// Opens the desk for the acting agent.
fn desk(context: &Context) -> Result<Desk, Problem> {
    let asker = Asker { agent: context.acting_agent()?.to_string(), session: None };
    let audit = Audit::open(&context.home).map(Arc::new).map_err(Problem::from);
    if let Err(problem) = &audit {
        tracing::warn!(%problem, "the audit chain cannot be used: only a refusal or a stop is possible");
    }
    Ok(Desk::new(&context.home, audit, context.clock.clone(), asker, context.environment.variables()))
}
