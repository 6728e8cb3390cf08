//! `apps`: the Application Manager, as a menu and as commands.

mod backend;
mod change;
mod launch;
mod menu;
mod show;

use std::sync::Arc;

use tarsus_apps::manager::{AppManager, Attempt, Requester};
use tarsus_apps::{App, AppMatch, LoadedRegistry, Registry, RegistryError, quoted};
use tarsus_protocol::apps::AppAction;
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::args::Apps;
use crate::context::Context;
use crate::inside::AgentProcess;
use crate::output::Output;

/// Stands in the audit log for an agent that cannot be confirmed; no id has a space.
const UNKNOWN_AGENT: &str = "unknown agent";

/// Runs one step; without one, the menu, or the list in JSON mode.
pub fn run(step: Option<Apps>, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let registry = Registry::for_home(&context.home);
    if step.as_ref().is_some_and(Apps::takes_away) {
        context.allow_unreadable_config(output);
    }
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

/// Records that a step was refused in a process of an agent.
pub fn record_refused(step: &Apps, refusal: &Problem, context: &Context) -> Result<(), Problem> {
    let (attempt, app) = match step {
        Apps::Create => (Attempt::Change(AppAction::Create), None),
        Apps::Add { name, .. } => (Attempt::Change(AppAction::Add), Some(name)),
        Apps::Edit { name, .. } => (Attempt::Change(AppAction::Edit), Some(name)),
        Apps::Policy { name, .. } => (Attempt::Change(AppAction::Policy), Some(name)),
        Apps::Delete { name, .. } => (Attempt::Change(AppAction::Delete), Some(name)),
        Apps::Launch { name } => (Attempt::Launch, Some(name)),
        Apps::Stop { name, .. } => (Attempt::Stop, Some(name)),
        Apps::Ask { .. } | Apps::List | Apps::Show { .. } | Apps::Status { .. } | Apps::Validate => {
            return Ok(());
        }
    };
    manager(context)?.record_refused(attempt, app.map(String::as_str), refusal);
    Ok(())
}

/// The application manager for the acting agent.
fn manager(context: &Context) -> Result<AppManager, Problem> {
    let agent = match context.inside() {
        Some(AgentProcess::Unknown) => UNKNOWN_AGENT.to_owned(),
        _ => context.acting_agent()?.to_string(),
    };
    let requester = Requester { agent, session: None };
    let audit = context.audit().map(Arc::new).map_err(Problem::from);
    if let Err(problem) = &audit {
        tracing::warn!(%problem, "the audit log cannot be written: only stopping is possible");
    }
    let manager = AppManager::new(
        &context.home,
        audit,
        context.clock.clone(),
        requester,
        context.environment.variables(),
    );
    Ok(if context.inside().is_some() { manager.by_agent() } else { manager })
}

/// Finds an app by name or search query. `command` is used in suggestions.
fn find_app<'l>(loaded: &'l LoadedRegistry, query: &str, command: &str) -> Result<&'l App, Problem> {
    let found = search(loaded, query)?;
    match found {
        AppMatch::One(name) => loaded.app(name).ok_or_else(|| not_registered(query)),
        found => Err(unresolved(query, found, command)),
    }
}

/// Finds an app by its exact name, for changes; other matches are only suggested.
fn find_exact<'l>(loaded: &'l LoadedRegistry, name: &str, command: &str) -> Result<&'l App, Problem> {
    let found = search(loaded, name)?;
    loaded.app_ignoring_case(name).ok_or_else(|| match found {
        AppMatch::One(one) => unresolved(name, AppMatch::Suggested(vec![one]), command),
        found => unresolved(name, found, command),
    })
}

fn search<'l>(loaded: &'l LoadedRegistry, query: &str) -> Result<AppMatch<'l>, Problem> {
    if !loaded.exists() {
        return Err(RegistryError::Missing { path: loaded.path.clone() }.into());
    }
    Ok(tarsus_apps::find_app(query, loaded.names()))
}

fn unresolved(query: &str, found: AppMatch<'_>, command: &str) -> Problem {
    match found {
        AppMatch::Several(names) => {
            let problem = Problem::new(ErrorCode::Ambiguous, format!("{query:?} may be several apps"));
            names.iter().fold(problem, |problem, name| {
                problem.note(format!("tarsus apps {command} {}", quoted(name)))
            })
        }
        AppMatch::Suggested(names) => match names.first() {
            Some(name) => not_registered(query)
                .hint(format!("did you mean {name:?}?   tarsus apps {command} {}", quoted(name))),
            None => not_registered(query),
        },
        AppMatch::One(_) | AppMatch::Nothing => not_registered(query),
    }
}

fn not_registered(query: &str) -> Problem {
    Problem::new(ErrorCode::NotFound, format!("no app called {query:?} is registered"))
        .hint("`tarsus apps list` shows what is registered")
}
