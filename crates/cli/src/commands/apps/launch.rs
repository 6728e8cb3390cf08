//! Launches and stops apps, and formats the results.

use tarsus_apps::manager;
use tarsus_apps::{AccessDenied, App, AppMode, DenialReason, Registry, Stopper, quoted};
use tarsus_protocol::apps::{AppRun, AppRunOutcome, AppRunReport};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use super::backend::{ActResult, AppBackend};
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
    let loaded = registry.load()?;
    let app = super::find_app(&loaded, query, "launch")?;
    match AppBackend::connect(context, output)?.launch(app)? {
        ActResult::Completed(report) => finish(&report.run, output, || launched_text(app, &report)),
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
    let loaded = registry.load()?;
    let app = super::find_app(&loaded, query, "stop")?;
    let stopper = match context.inside() {
        Some(_) => Stopper::Agent,
        None => Stopper::Person { confirmed: consent.yes || confirm_stop_when_off(app, context, output)? },
    };
    match AppBackend::connect(context, output)?.stop(app, stopper)? {
        ActResult::Completed(report) => finish(&report.run, output, || stopped_text(app, &report)),
        ActResult::Denied(denied) => report_denied("stop", denied, output),
    }
}

/// Asks for confirmation if the app is off and a person can answer. Otherwise the stop is refused and recorded.
fn confirm_stop_when_off(app: &App, context: &Context, output: &mut Output) -> Result<bool, Problem> {
    let needs_confirmation =
        app.mode == Some(AppMode::Off) && context.environment.stdin_is_terminal && !output.is_json();
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
pub const fn exit_code(outcome: AppRunOutcome) -> ExitCode {
    match outcome {
        AppRunOutcome::Started
        | AppRunOutcome::Requested
        | AppRunOutcome::AlreadyRunning
        | AppRunOutcome::Stopped
        | AppRunOutcome::NotRunning => ExitCode::Done,
        AppRunOutcome::Failed | AppRunOutcome::NoStopData => ExitCode::Failed,
        AppRunOutcome::Denied => ExitCode::Denied,
    }
}

fn report_denied(verb: &str, denied: AccessDenied, output: &mut Output) -> Result<ExitCode, Problem> {
    let confirmable = denied.reason == DenialReason::OffNeedsYes;
    if output.is_json() && !confirmable {
        output.json(&manager::denied_run(&denied))?;
        return Ok(ExitCode::Denied);
    }
    Err(if confirmable { denied.into() } else { denied_problem(verb, &denied) })
}

/// The problem for a denial: who may not do what, by which policy, and the command that would allow it.
fn denied_problem(verb: &str, denied: &AccessDenied) -> Problem {
    let AccessDenied { app, agent, reason } = denied;
    let problem = Problem::new(ErrorCode::Denied, format!("{agent} may not {verb} {app:?}"));
    let (problem, to) = match reason {
        DenialReason::Off | DenialReason::OffNeedsYes => {
            (problem.note("policy    off: no agent"), "to allow ")
        }
        DenialReason::NotListed { listed } => {
            (problem.note(format!("policy    allowlist: {}", listed.join(", "))), "to allow ")
        }
        DenialReason::Unusable(faults) => {
            let entry = |problem: Problem, fault| problem.note(format!("entry     {fault}"));
            (faults.iter().fold(problem, entry), "to repair")
        }
    };
    match denied.remedy() {
        Some(command) => problem.hint(format!("{to} {command}")),
        None => problem,
    }
}

fn launched_text(app: &App, report: &AppRunReport) -> Result<String, Problem> {
    let name = printable(&app.name);
    let AppRunReport { run, notes, hint, code: _ } = report;
    let done = match run.outcome {
        AppRunOutcome::Started => format!("started {name}, {}", pids_text(&run.pids)),
        AppRunOutcome::AlreadyRunning => format!("{name} was already running, {}", pids_text(&run.pids)),
        AppRunOutcome::Requested => match app.process_name.as_deref().or(app.runtime_exe.as_deref()) {
            Some(process) => {
                format!("start of {name} requested; no process {} seen after 5 s", printable(process))
            }
            None => format!("start of {name} requested"),
        },
        _ => {
            let (notes, hint) = (notes.clone(), hint.clone());
            // The file that is missing or broken belongs to the app; the registry is fine.
            let problem = Problem::new(ErrorCode::Failed, format!("{name} was not launched"));
            return Err(Problem { notes, hint, ..problem });
        }
    };
    let warnings = app.faults.iter().map(|fault| format!("note  {fault}"));
    let lines = notes.iter().cloned().chain(warnings).map(|line| format!("  {}\n", printable(&line)));
    Ok(format!("{done}\n{}", lines.collect::<String>()))
}

fn stopped_text(app: &App, report: &AppRunReport) -> Result<String, Problem> {
    let name = printable(&app.name);
    match report.run.outcome {
        AppRunOutcome::NotRunning => Ok(format!("{name} is not running")),
        AppRunOutcome::NoStopData => {
            let edit = format!("tarsus apps edit {} --process-name NAME", quoted(&app.name));
            Err(Problem::new(ErrorCode::Failed, format!("{name} can be launched, but not stopped"))
                .note("neither process_name nor runtime_exe is stored, so its processes cannot be recognised")
                .hint(format!("`{edit}` stores the name")))
        }
        AppRunOutcome::Stopped => Ok(format!("stopped {name}: {}", printable(&report.notes.join(", ")))),
        _ => {
            let problem = Problem::new(ErrorCode::Failed, format!("{name} was not stopped completely"));
            Err(report.notes.iter().cloned().fold(problem, Problem::note))
        }
    }
}
