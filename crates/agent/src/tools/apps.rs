//! Shared parts of the app tools: the application manager, finding an app, results.

use std::sync::Arc;

use serde_json::json;
use tarsus_apps::manager::{AppManager, Requester, app_status};
use tarsus_apps::run::Processes;
use tarsus_apps::{AccessDenied, App, AppMatch, LoadedRegistry, RegistryError, authorize_launch, find_app};
use tarsus_guard::PolicyVerdict;
use tarsus_protocol::apps::{AppRunOutcome, AppRunReport};
use tarsus_protocol::event::{AppsAction, AppsChanged};
use tarsus_protocol::{ErrorCode, Problem};

use super::MAX_NAME_CHARS;
use super::check::{Arguments, Field, Kind};
use super::excerpt::truncate_lines;
use super::outcome::ToolOutcome;
use crate::turn_context::TurnContext;

/// Maximum number of names in an error about an ambiguous name.
const MAX_NAMED: usize = 8;

/// The parameter of every app tool.
pub(super) const NAME: Field =
    Field::required("name", Kind::Text(MAX_NAME_CHARS), "The registered name of the app");

/// The application manager for the calling agent.
pub(super) fn manager(context: &TurnContext) -> AppManager {
    let requester =
        Requester { agent: context.agent_id().to_string(), session: Some(context.session.to_string()) };
    AppManager::new(
        &context.services.home,
        Ok(Arc::clone(&context.services.audit)),
        context.services.clock.clone(),
        requester,
        context.services.environment.clone(),
    )
    .by_agent()
}

/// Loads the registry, which must exist.
pub(super) fn load_registry(manager: &AppManager) -> Result<LoadedRegistry, Problem> {
    let loaded = manager.load()?;
    if loaded.exists() {
        return Ok(loaded);
    }
    Err(Problem::from(RegistryError::Missing { path: loaded.path })
        .hint("tell the person to say \"application manager\", which offers to create it"))
}

/// Finds the app that a name means.
pub(super) fn resolve_app<'l>(loaded: &'l LoadedRegistry, name: &str) -> Result<&'l App, Problem> {
    let listed = |names: &[&str]| names.iter().take(MAX_NAMED).copied().collect::<Vec<_>>().join(", ");
    let not_registered = || Problem::new(ErrorCode::NotFound, format!("no app is registered as {name:?}"));
    let found = match find_app(name, loaded.names()) {
        AppMatch::One(found) => found,
        AppMatch::Several(names) => {
            return Err(Problem::new(ErrorCode::Ambiguous, format!("{name:?} may be {}", listed(&names)))
                .hint("nothing was done; ask the person which one is meant, then use its full name"));
        }
        AppMatch::Suggested(names) => {
            return Err(not_registered()
                .note(format!("similar: {}", listed(&names)))
                .hint("nothing was done; ask the person whether that is meant, then use its full name"));
        }
        AppMatch::Nothing => {
            return Err(not_registered().note("nothing was done; do not guess a path").hint(
                "offer the menu (the person says \"application manager\"), or app_propose with a path that the person gives",
            ));
        }
    };
    loaded.app(found).ok_or_else(not_registered)
}

/// The verdict of the launch policy for `guard`. Without an app nothing can happen, so the call itself reports the error.
pub(super) fn policy_verdict(
    arguments: &Arguments,
    context: &TurnContext,
    authorize: impl Fn(&App, &str) -> Result<(), AccessDenied>,
) -> PolicyVerdict {
    let Ok(loaded) = load_registry(&manager(context)) else {
        return PolicyVerdict::allow("there is no readable registry");
    };
    let Ok(app) = resolve_app(&loaded, arguments.text(NAME.name).unwrap_or_default()) else {
        return PolicyVerdict::allow("no app matches this name");
    };
    match authorize(app, context.agent_id().as_str()) {
        Ok(()) => PolicyVerdict::allow(format!(
            "the policy of {} allows the agent {}",
            app.name,
            context.agent_id()
        )),
        Err(denied) => PolicyVerdict { remedy: denied.remedy(), ..PolicyVerdict::deny(denied.to_string()) },
    }
}

/// One app in a line: whether this agent may launch it, and whether it is running.
pub(super) fn line(app: &App, context: &TurnContext, processes: Option<&Processes>) -> String {
    let may = match authorize_launch(app, context.agent_id().as_str()) {
        Ok(_) => "you may launch it".to_owned(),
        Err(denied) => format!("you may not launch it ({denied})"),
    };
    let status = app_status(app, processes);
    let state = match status.running {
        Some(true) => format!("running, {}", pids(&status.pids)),
        Some(false) => "not running".to_owned(),
        None => "nothing is stored to tell whether it is running".to_owned(),
    };
    format!("{}: {may}; {state}", app.name)
}

/// Process ids as text.
pub(super) fn pids(pids: &[u32]) -> String {
    let list: Vec<String> = pids.iter().map(u32::to_string).collect();
    format!("pid {}", list.join(", "))
}

/// The result of a launch or a stop; `hash` is that of the registry.
pub(super) fn run_outcome(report: &AppRunReport, action: AppsAction, hash: Option<String>) -> ToolOutcome {
    let AppRunReport { run, notes, hint, code: _ } = report;
    let app = &run.app;
    let sentence = match run.outcome {
        // Sentences that a small model can repeat to the person unchanged.
        AppRunOutcome::Started => format!("Done. {app} is open now ({}).", pids(&run.pids)),
        AppRunOutcome::Requested => format!("the start of {app} was requested; no process of it was seen"),
        AppRunOutcome::AlreadyRunning => format!("{app} was already running ({}).", pids(&run.pids)),
        AppRunOutcome::Stopped => format!("Done. {app} is closed now ({}).", pids(&run.pids)),
        AppRunOutcome::NotRunning => format!("{app} is not running"),
        AppRunOutcome::NoStopData => format!(
            "{app} can be launched but not stopped: neither process_name nor runtime_exe is stored; \
             app_propose with the action edit adds one that the person gives"
        ),
        AppRunOutcome::Failed | AppRunOutcome::Denied => format!("{app}: that failed"),
    };
    let lines: Vec<&str> = [sentence.as_str()]
        .into_iter()
        .chain(notes.iter().map(String::as_str))
        .chain(hint.as_deref())
        .collect();
    let is_error =
        matches!(run.outcome, AppRunOutcome::Failed | AppRunOutcome::Denied | AppRunOutcome::NoStopData);
    let changed = matches!(
        run.outcome,
        AppRunOutcome::Started
            | AppRunOutcome::Requested
            | AppRunOutcome::AlreadyRunning
            | AppRunOutcome::Stopped
    );
    let apps = changed.then(|| AppsChanged { action, name: Some(app.clone()), hash }).into_iter().collect();
    ToolOutcome {
        is_error,
        apps,
        ..ToolOutcome::text(truncate_lines(lines.join("\n"), "the rest is in the audit log"))
    }
    .with_details(json!(run))
}
