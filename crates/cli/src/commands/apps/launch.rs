//! Launching and stopping, and the words for what came of it.

use tarsus_apps::desk::{self, Act, DeskError};
use tarsus_apps::run::{How, Launched, Outcome, Stopped};
use tarsus_apps::{App, Denied, Loaded, Mode, Registry, Stopper, Why, quoted};
use tarsus_protocol::apps::{AppOutcome, AppRun};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use super::lookup;
use super::show::pids_text;
use crate::args::Consent;
use crate::commands::runtime;
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
    let desk = super::desk(context)?;
    let launched = match runtime()?.block_on(desk.launch(&app.name)) {
        Ok(launched) => launched,
        Err(DeskError::Denied(denied)) => return refused("launch", denied, output),
        Err(error) => return Err(error.into()),
    };
    let run = desk::launched(&app.name, &desk.asker().agent, &launched);
    finish(&run, output, || launched_text(app, launched))
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
    let desk = super::desk(context)?;
    let stopper = match context.inside() {
        Some(_) => Stopper::Agent,
        None => Stopper::Person { confirmed: consent.yes || asked(app, context, output)? },
    };
    let stopped = match runtime()?.block_on(desk.stop(&app.name, stopper)) {
        Ok(stopped) => stopped,
        Err(DeskError::Denied(denied)) => return refused("stop", denied, output),
        Err(error) => return Err(error.into()),
    };
    let run = desk::stopped(&app.name, &desk.asker().agent, &stopped);
    finish(&run, output, || stopped_text(app, &stopped))
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

fn launched_text(app: &App, launched: Launched) -> Result<String, Problem> {
    let name = printable(&app.name);
    let ran = ran(&launched);
    let done = match launched.outcome {
        Outcome::Started { pids } => format!("started {name}, {}", pids_text(&pids)),
        Outcome::Requested => {
            match app.fields.process_name.as_deref().or(app.fields.runtime_exe.as_deref()) {
                Some(process) => {
                    format!("start of {name} requested; no process {} seen after 5 s", printable(process))
                }
                None => format!("start of {name} requested"),
            }
        }
        Outcome::AlreadyRunning { pids } => {
            format!("{name} was already running, {}; asked it to open again", pids_text(&pids))
        }
        Outcome::Failed(error) => {
            // The file that is missing or broken is the app's; the registry is fine.
            let Problem { message, notes, hint, .. } = Problem::from(error);
            let notes = [message].into_iter().chain(notes).chain(ran).collect();
            let message = format!("{name} was not launched");
            return Err(Problem { code: ErrorCode::Failed, message, place: None, notes, hint, skill: None });
        }
    };
    let warnings = app.verdict.reasons.iter().map(|reason| format!("note  {reason}"));
    let lines = ran.into_iter().chain(warnings).map(|line| format!("  {}\n", printable(&line)));
    Ok(format!("{done}\n{}", lines.collect::<String>()))
}

/// What was run, and why what was tried before it was no way.
fn ran(launched: &Launched) -> Vec<String> {
    let words: Vec<String> = launched.launcher.iter().map(|word| quoted(&word.to_string_lossy())).collect();
    let ran = (!words.is_empty()).then(|| format!("ran   {}", words.join(" ")));
    let first = launched.retry_of.as_ref().map(|error| format!("first {}", error.reason()));
    ran.into_iter().chain(first).collect()
}

fn stopped_text(app: &App, stopped: &Stopped) -> Result<String, Problem> {
    let name = printable(&app.name);
    let ended = match stopped {
        Stopped::NotRunning => return Ok(format!("{name} is not running")),
        Stopped::NoStopData => {
            let edit = format!("tarsus apps edit {} --process-name NAME", quoted(&app.name));
            return Err(Problem::new(ErrorCode::Failed, format!("{name} can be launched, but not stopped"))
                .note("neither process_name nor runtime_exe is stored, so its processes cannot be recognised")
                .hint(format!("`{edit}` stores what it takes")));
        }
        Stopped::Ended(ended) => ended,
    };
    let words: Vec<String> = ended
        .iter()
        .map(|process| match &process.how {
            How::Closed => format!("pid {} closed", process.pid),
            How::Killed => format!("pid {} killed, because it did not close", process.pid),
            How::Left(error) => format!("pid {} still runs: {}", process.pid, error.reason()),
        })
        .collect();
    if ended.iter().any(|process| matches!(process.how, How::Left(_))) {
        let problem = Problem::new(ErrorCode::Failed, format!("{name} was not stopped altogether"));
        return Err(words.into_iter().fold(problem, Problem::note));
    }
    Ok(format!("stopped {name}: {}", words.join(", ")))
}
