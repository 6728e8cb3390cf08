//! Launches and stops apps, and formats the results.

use tarsus_apps::desk::{self, Act};
use tarsus_apps::{App, Denied, Loaded, Mode, Registry, Stopper, Why, quoted};
use tarsus_protocol::apps::{AppActed, AppOutcome, AppRun};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use super::backend::{ActResult, AppBackend};
use super::lookup;
use super::show::pids_text;
use crate::args::Consent;
use crate::context::Context;
use crate::input;
use crate::output::Output;
use crate::text::printable;

pub fn launch(
    registry: &Registry,
    query: &str,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let loaded: Loaded = registry.load()?;
    let app = lookup::find_app(&loaded, query, "launch")?;
    match AppBackend::connect(context, output)?.launch(app)? {
        ActResult::Completed(acted) => finish(&acted.run, output, || launched_text(app, &acted)),
        ActResult::Denied(denied) => report_denied("launch", denied, output),
    }
}

/// Stops an app. An app whose mode is off needs confirmation, by `--yes` or at the terminal.
pub fn stop(
    registry: &Registry,
    query: &str,
    consent: Consent,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    if consent.yes {
        super::owner_only("--yes", Act::Stop, Some(query), context)?;
    }
    let loaded = registry.load()?;
    let app = lookup::find_app(&loaded, query, "stop")?;
    let stopper = match context.inside_agent() {
        Some(_) => Stopper::Agent,
        None => Stopper::Person { confirmed: consent.yes || confirm_stop_when_off(app, context, output)? },
    };
    match AppBackend::connect(context, output)?.stop(app, stopper)? {
        ActResult::Completed(acted) => finish(&acted.run, output, || stopped_text(app, &acted)),
        ActResult::Denied(denied) => report_denied("stop", denied, output),
    }
}

/// Asks for confirmation if the app is off and a person can answer. Without it the desk refuses, and records that.
fn confirm_stop_when_off(app: &App, context: &Context, output: &mut Output) -> Result<bool, Problem> {
    let needs_confirmation =
        app.fields.mode == Some(Mode::Off) && context.environment.stdin_is_terminal && !output.is_json();
    if needs_confirmation {
        input::confirm(&format!("{} is off. Stop it?", printable(&app.name)), context, output)?;
    }
    Ok(needs_confirmation)
}

/// Prints the result: the report as JSON, else the text or the problem.
fn finish(
    run: &AppRun,
    output: &mut Output,
    text: impl FnOnce() -> Result<String, Problem>,
) -> Result<ExitCode, Problem> {
    if output.is_json() {
        output.json(run)?;
        return Ok(exit_code(run.outcome));
    }
    output.text(&text()?)?;
    Ok(exit_code(run.outcome))
}

/// The exit code for the outcome of a launch or a stop.
pub const fn exit_code(outcome: AppOutcome) -> ExitCode {
    match outcome {
        AppOutcome::Started
        | AppOutcome::Requested
        | AppOutcome::AlreadyRunning
        | AppOutcome::Stopped
        | AppOutcome::NotRunning => ExitCode::Done,
        AppOutcome::Failed | AppOutcome::NoStopData => ExitCode::Failed,
        AppOutcome::Denied => ExitCode::Denied,
    }
}

fn report_denied(verb: &str, denied: Denied, output: &mut Output) -> Result<ExitCode, Problem> {
    let confirmable = denied.why == Why::OffNeedsYes;
    if output.is_json() && !confirmable {
        output.json(&desk::denied(&denied))?;
        return Ok(ExitCode::Denied);
    }
    Err(if confirmable { denied.into() } else { denied_problem(verb, &denied) })
}

/// The problem for a denial: who may not do what, by which policy, and the command that would allow it.
fn denied_problem(verb: &str, denied: &Denied) -> Problem {
    let Denied { app, agent, why } = denied;
    let problem = Problem::new(ErrorCode::Denied, format!("{agent} may not {verb} {app:?}"));
    let (problem, to) = match why {
        Why::Off | Why::OffNeedsYes => (problem.note("policy    off: nobody"), "to allow "),
        Why::NotListed { listed } => {
            (problem.note(format!("policy    allowlist: {}", listed.join(", "))), "to allow ")
        }
        Why::Unusable(reasons) => {
            let entry = |problem: Problem, reason| problem.note(format!("entry     {reason}"));
            (reasons.iter().fold(problem, entry), "to repair")
        }
    };
    match denied.remedy() {
        Some(command) => problem.hint(format!("{to} {command}")),
        None => problem,
    }
}

fn launched_text(app: &App, acted: &AppActed) -> Result<String, Problem> {
    let name = printable(&app.name);
    let AppActed { run, notes, hint, code: _ } = acted;
    let done = match run.outcome {
        AppOutcome::Started => format!("started {name}, {}", pids_text(&run.pids)),
        AppOutcome::AlreadyRunning => {
            format!("{name} was already running, {}; asked it to open again", pids_text(&run.pids))
        }
        AppOutcome::Requested => {
            match app.fields.process_name.as_deref().or(app.fields.runtime_exe.as_deref()) {
                Some(process) => {
                    format!("start of {name} requested; no process {} seen after 5 s", printable(process))
                }
                None => format!("start of {name} requested"),
            }
        }
        _ => {
            let (notes, hint) = (notes.clone(), hint.clone());
            // The file that is missing or broken belongs to the app; the registry is fine.
            let problem = Problem::new(ErrorCode::Failed, format!("{name} was not launched"));
            return Err(Problem { notes, hint, ..problem });
        }
    };
    let warnings = app.verdict.reasons.iter().map(|reason| format!("note  {reason}"));
    let lines = notes.iter().cloned().chain(warnings).map(|line| format!("  {}\n", printable(&line)));
    Ok(format!("{done}\n{}", lines.collect::<String>()))
}

fn stopped_text(app: &App, acted: &AppActed) -> Result<String, Problem> {
    let name = printable(&app.name);
    match acted.run.outcome {
        AppOutcome::NotRunning => Ok(format!("{name} is not running")),
        AppOutcome::NoStopData => {
            let edit = format!("tarsus apps edit {} --process-name NAME", quoted(&app.name));
            Err(Problem::new(ErrorCode::Failed, format!("{name} can be launched, but not stopped"))
                .note("neither process_name nor runtime_exe is stored, so its processes cannot be recognised")
                .hint(format!("`{edit}` stores what it takes")))
        }
        AppOutcome::Stopped => Ok(format!("stopped {name}: {}", printable(&acted.notes.join(", ")))),
        _ => {
            let problem = Problem::new(ErrorCode::Failed, format!("{name} was not stopped altogether"));
            Err(acted.notes.iter().cloned().fold(problem, Problem::note))
        }
    }
}
