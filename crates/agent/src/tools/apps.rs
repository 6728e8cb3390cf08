//! What the tools about apps have in common: the desk they come to, and the app that a name means.

use std::sync::Arc;

use serde_json::json;
use tarsus_apps::desk::{Asker, Desk, recognised};
use tarsus_apps::run::Processes;
use tarsus_apps::{Allowed, App, Denied, Found, Loaded, RegistryError, find, may_launch};
use tarsus_guard::PolicyVerdict;
use tarsus_protocol::apps::{AppActed, AppOutcome};
use tarsus_protocol::event::{AppsAction, AppsChanged};
use tarsus_protocol::{ErrorCode, Problem};

use super::LONGEST_NAME;
use super::cap::capped;
use super::check::{Arguments, Field, Kind};
use super::outcome::Outcome;
use crate::turn_context::TurnContext;

/// Names that are told when one is not clear.
const MOST_NAMED: usize = 8;

/// The parameter that every one of them has.
pub(super) const NAME: Field =
    Field::required("name", Kind::Text(LONGEST_NAME), "The app, by the name that it is registered under");

/// The desk, for the agent that calls.
pub(super) fn desk(context: &TurnContext) -> Desk {
    let asker = Asker { agent: context.agent_id().to_string(), session: Some(context.session.to_string()) };
    Desk::new(
        &context.services.home,
        Ok(Arc::clone(&context.services.audit)),
        context.services.clock.clone(),
        asker,
        context.services.environment.clone(),
    )
}

/// The registry, which has to be there.
pub(super) fn registry(desk: &Desk) -> Result<Loaded, Problem> {
    let loaded = desk.load()?;
    if loaded.exists() {
        return Ok(loaded);
    }
    Err(Problem::from(RegistryError::Missing { path: loaded.path })
        .hint("tell the person to say \"application manager\", which offers to create it"))
}

/// The app that a name means.
pub(super) fn meant<'l>(loaded: &'l Loaded, name: &str) -> Result<&'l App, Problem> {
    let listed = |names: &[&str]| names.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
    let not_registered = || Problem::new(ErrorCode::NotFound, format!("no app is registered as {name:?}"));
    let found = match find(name, loaded.names()) {
        Found::One(found) => found,
        Found::Several(names) => {
            return Err(Problem::new(ErrorCode::Ambiguous, format!("{name:?} may be {}", listed(&names)))
                .hint("nothing was done; ask the person which one is meant, then use its full name"));
        }
        Found::Suggested(names) => {
            return Err(not_registered()
                .note(format!("similar: {}", listed(&names)))
                .hint("nothing was done; ask the person whether that is meant, then use its full name"));
        }
        Found::Nothing => {
            return Err(not_registered().note("nothing was done; do not guess a path").hint(
                "offer the menu (the person says \"application manager\"), or app_propose with a path that the person gives",
            ));
        }
    };
    loaded.app(found).ok_or_else(not_registered)
}

/// What the policy of the app that is named says to guard. Where no app is meant nothing can happen either: what is wrong
/// with the name is the answer of the call.
pub(super) fn policy(
    arguments: &Arguments,
    context: &TurnContext,
    ask: impl Fn(&App, &str) -> Result<Allowed, Denied>,
) -> PolicyVerdict {
    let Ok(loaded) = registry(&desk(context)) else {
        return PolicyVerdict::allow("no registry is there to find an app in");
    };
    let Ok(app) = meant(&loaded, arguments.text(NAME.name).unwrap_or_default()) else {
        return PolicyVerdict::allow("no app is meant by this name");
    };
    match ask(app, context.agent_id().as_str()) {
        Ok(_) => {
            PolicyVerdict::allow(format!("the policy of {} lets the agent {}", app.name, context.agent_id()))
        }
        Err(denied) => PolicyVerdict { remedy: denied.remedy(), ..PolicyVerdict::deny(denied.to_string()) },
    }
}

/// One app in a line: what this agent may do with it, and whether it runs.
pub(super) fn line(app: &App, context: &TurnContext, processes: Option<&Processes>) -> String {
    let may = match may_launch(app, context.agent_id().as_str()) {
        Ok(_) => "you may launch it".to_owned(),
        Err(denied) => format!("you may not launch it ({denied})"),
    };
    let status = recognised(app, processes);
    let state = match status.running {
        Some(true) => format!("running, {}", pids(&status.pids)),
        Some(false) => "not running".to_owned(),
        None => "nothing is stored to tell whether it runs".to_owned(),
    };
    format!("{}: {may}; {state}", app.name)
}

/// Processes in words.
pub(super) fn pids(pids: &[u32]) -> String {
    let list: Vec<String> = pids.iter().map(u32::to_string).collect();
    format!("pid {}", list.join(", "))
}

/// What came of a launch or a stop.
pub(super) fn acted(acted: &AppActed, desk: &Desk, action: AppsAction) -> Outcome {
    let AppActed { run, notes, hint, code: _ } = acted;
    let app = &run.app;
    let sentence = match run.outcome {
        // Words that a small model can repeat to the person as they are.
        AppOutcome::Started => format!("Done. {app} is open now ({}).", pids(&run.pids)),
        AppOutcome::Requested => format!("the start of {app} was requested; no process of it was seen"),
        AppOutcome::AlreadyRunning => {
            format!("{app} was already running, {}; it was asked to open again", pids(&run.pids))
        }
        AppOutcome::Stopped => format!("Done. {app} is closed now ({}).", pids(&run.pids)),
        AppOutcome::NotRunning => format!("{app} is not running"),
        AppOutcome::NoStopData => format!(
            "{app} can be launched but not stopped: neither process_name nor runtime_exe is stored; \
             app_propose with the action edit adds one that the person gives"
        ),
        AppOutcome::Failed | AppOutcome::Denied => format!("{app}: that failed"),
    };
    let lines: Vec<&str> = [sentence.as_str()]
        .into_iter()
        .chain(notes.iter().map(String::as_str))
        .chain(hint.as_deref())
        .collect();
    let is_error = matches!(run.outcome, AppOutcome::Failed | AppOutcome::Denied | AppOutcome::NoStopData);
    let changed = matches!(
        run.outcome,
        AppOutcome::Started | AppOutcome::Requested | AppOutcome::AlreadyRunning | AppOutcome::Stopped
    );
    let apps = changed.then(|| told(action, app, desk)).into_iter().collect();
    Outcome { is_error, apps, ..Outcome::text(capped(lines.join("\n"), "the rest is in the audit chain")) }
        .with_details(json!(run))
}

/// What everybody is told after something was done to an app.
fn told(action: AppsAction, name: &str, desk: &Desk) -> AppsChanged {
    // Another process may have broken the file meanwhile; what was done is told all the same.
    let hash = desk.load().ok().and_then(|loaded| loaded.hash);
    AppsChanged { action, name: Some(name.to_owned()), hash }
}
