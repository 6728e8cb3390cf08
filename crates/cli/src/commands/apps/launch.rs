//! Launching and stopping, and the words for what came of it.

use tarsus_apps::desk::{self, Act};
use tarsus_apps::{App, Denied, Loaded, Mode, Registry, Stopper, Why, quoted};
use tarsus_protocol::apps::{AppActed, AppOutcome, AppRun};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use super::hands::{Came, Hands};
use super::lookup;
use super::show::pids_text;
use crate::args::Consent;
use crate::context::Context;
use crate::input;
use crate::output::Output;
use crate::text::printable;

/// Launches an app.
pub fn launch(
    registry: &Registry,
    words: &str,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let loaded: Loaded = registry.load()?;
    let app = lookup::found(&loaded, words, "launch")?;
    match Hands::find(context, output)?.launch(app)? {
        Came::Acted(acted) => finish(&acted.run, output, || launched_text(app, &acted)),
        Came::Denied(denied) => refused("launch", denied, output),
    }
}

/// Stops an app. `--yes`, or a yes at the terminal, lets a person stop what is off.
pub fn stop(
    registry: &Registry,
    words: &str,
    consent: Consent,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    if consent.yes {
        super::owner_only("--yes", Act::Stop, Some(words), context)?;
    }
    let loaded = registry.load()?;
    let app = lookup::found(&loaded, words, "stop")?;
    let stopper = match context.inside() {
        Some(_) => Stopper::Agent,
        None => Stopper::Person { confirmed: consent.yes || asked(app, context, output)? },
    };
    match Hands::find(context, output)?.stop(app, stopper)? {
        Came::Acted(acted) => finish(&acted.run, output, || stopped_text(app, &acted)),
        Came::Denied(denied) => refused("stop", denied, output),
    }
}

/// Whether the person said yes to stopping an app that is off. The desk refuses without one, and writes that down.
fn asked(app: &App, context: &Context, output: &mut Output) -> Result<bool, Problem> {
    let wanted =
        app.fields.mode == Some(Mode::Off) && context.environment.stdin_is_terminal && !output.is_json();
    if wanted {
        input::confirm(&format!("{} is off. Stop it?", printable(&app.name)), context, output)?;
    }
    Ok(wanted)
}

/// What came of it: the report in JSON; in words what was done, or the problem.
fn finish(
    run: &AppRun,
    output: &mut Output,
    text: impl FnOnce() -> Result<String, Problem>,
) -> Result<ExitCode, Problem> {
    if output.is_json() {
        output.json(run)?;
        return Ok(exit(run.outcome));
    }
    output.text(&text()?)?;
    Ok(exit(run.outcome))
}

/// How the process ends after a launch or a stop.
pub const fn exit(outcome: AppOutcome) -> ExitCode {
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

fn refused(verb: &str, denied: Denied, output: &mut Output) -> Result<ExitCode, Problem> {
    let confirmable = denied.why == Why::OffNeedsYes;
    if output.is_json() && !confirmable {
        output.json(&desk::denied(&denied))?;
        return Ok(ExitCode::Denied);
    }
    Err(if confirmable { denied.into() } else { refusal(verb, &denied) })
}

/// A refusal as people read it: who may not do what, by which policy, and what would allow it.
fn refusal(verb: &str, denied: &Denied) -> Problem {
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
            // The file that is missing or broken is the app's; the registry is fine.
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
