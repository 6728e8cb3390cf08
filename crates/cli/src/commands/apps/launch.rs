//! Launching and stopping, and the words for what came of it.

use tarsus_apps::desk::{self, DeskError};
use tarsus_apps::run::{How, LaunchError, Launched, Outcome, Stopped};
use tarsus_apps::{App, Denied, Loaded, Mode, Registry, Stopper, Why};
use tarsus_protocol::apps::{AppOutcome, AppRun};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use super::lookup::{self, quoted};
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
        context.refuse_inside_an_agent("--yes")?;
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
    let command = |rest: &str| format!("to allow  tarsus apps {rest}");
    let name = quoted(app);
    match why {
        Why::Off | Why::OffNeedsYes => {
            problem.note("policy    off: nobody").hint(command(&format!("policy {name} --mode full")))
        }
        Why::NotListed { listed } => {
            let agents: String =
                listed.iter().chain([agent]).map(|agent| format!(" --allow {}", quoted(agent))).collect();
            problem
                .note(format!("policy    allowlist: {}", listed.join(", ")))
                .hint(command(&format!("policy {name} --mode allowlist{agents}")))
        }
        Why::Unusable(reasons) => reasons
            .iter()
            .fold(problem, |problem, reason| problem.note(format!("entry     {reason}")))
            .hint(format!("to repair tarsus apps edit {name}")),
    }
}

fn launched_text(app: &App, launched: Launched) -> Result<String, Problem> {
    let name = printable(&app.name);
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
            return Err(Problem { code: ErrorCode::Failed, message, place: None, notes, hint, skill: None });
        }
    };
    let words: Vec<String> =
        launched.launcher.iter().map(|word| quoted(&printable(&word.to_string_lossy()))).collect();
    let warnings =
        app.verdict.reasons.iter().map(|reason| format!("  note  {}\n", printable(&reason.to_string())));
    let retried = launched.retry_of.as_ref().map(LaunchError::reason);
    let retried = retried.map(|reason| format!("  first {}\n", printable(&reason))).unwrap_or_default();
    Ok(format!("{done}\n  ran   {}\n{retried}{}", words.join(" "), warnings.collect::<String>()))
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
