//! Installing what a skill needs, by one of the ways that its report lists.
//!
//! Promises: what is run is the command that the report shows; a skill that must not be used gets nothing; nothing runs
//! that could not be written down; stopping always works. Leaves to others: how it runs (`installs`).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tarsus_agent::reply::Secrets;
use tarsus_agent::secrets;
use tarsus_audit::{Entry, Severity};
use tarsus_host::process::{EndedBy, Exit, Outcome, ProcessError};
use tarsus_protocol::event::{Event, InstallOutcome, SkillsInstallEnded};
use tarsus_protocol::rpc::skills::{
    SetUpRemark, SkillInstallParams, SkillInstallStopParams, SkillInstallStopped, SkillSetUp, SkillsParams,
};
use tarsus_protocol::skills::{InstallBy, SkillState, SkillStatus, SkillsReport};
use tarsus_protocol::{ErrorCode, ErrorShape, Problem, RpcCode};
use tarsus_skills::eligibility::command::NoCommand;
use tarsus_skills::report::clean;
use tarsus_skills::{Found, Source};

use super::apps::carried_out;
use super::config::unknown_agent;
use super::failure::{Failure, echoed};
use super::skills;
use super::table::Caller;
use crate::gateway::{Gateway, Use};
use crate::installs::{self, Installer, Taken, Told};

/// How long an installation may take when nobody says.
const USUAL_TIME: Duration = Duration::from_secs(300);
/// The least that may be asked for.
const LEAST_TIME: Duration = Duration::from_secs(1);
/// The most that may be asked for.
const MOST_TIME: Duration = Duration::from_secs(900);
/// Characters of what a program said last, in an error.
const LONGEST_SAID: usize = 300;

/// What is going to run, and what has to be known of it afterwards.
struct Planned {
    installer: Installer,
    /// Its line in the audit chain.
    line: Entry,
    /// The programs that it brings.
    bins: Vec<String>,
    source: Source,
}

pub(super) async fn install(
    gateway: Arc<Gateway>,
    _: Caller,
    params: SkillInstallParams,
) -> Result<SkillSetUp, Failure> {
    let planned = carried_out(gateway.working(Use::Change, move |gateway| plan(gateway, &params)).await)?;
    let outcome = installs::run(&gateway, &planned.installer).await;
    carried_out(gateway.working(Use::Change, move |gateway| concluded(gateway, planned, outcome)).await)
}

/// Not in turn with what changes files: whatever waits there, a program is ended at once.
pub(super) async fn stop(
    gateway: Arc<Gateway>,
    caller: Caller,
    params: SkillInstallStopParams,
) -> Result<SkillInstallStopped, Failure> {
    let SkillInstallStopParams { name, install_id } = params;
    let by = echoed(&clean(caller.member.called()));
    if !gateway.installs.stop(&name, &install_id, &by) {
        let message = format!("nothing is being installed for {} by {}", echoed(&name), echoed(&install_id));
        return Err(Problem::new(ErrorCode::NotFound, message).hint("it may have ended by itself").into());
    }
    Ok(SkillInstallStopped { ok: true, name, install_id })
}

/// Looks into the skill once more, checks what is asked for, and writes down that it is going to run.
fn plan(gateway: &Gateway, params: &SkillInstallParams) -> Result<Planned, Failure> {
    let whose = SkillsParams { agent_id: None };
    let place = find(gateway, &whose, &params.name)?.at().to_path_buf();
    gateway.skills.look_at(&BTreeSet::from([place]));
    let found = find(gateway, &whose, &params.name)?;
    let snapshot = skills::of(gateway, &whose)?;
    let report: SkillsReport<'_> = serde_json::from_str(&snapshot.judgement().report)
        .map_err(|error| Problem::new(ErrorCode::Failed, format!("the report cannot be read: {error}")))?;
    let file = clean(found.file().to_string_lossy());
    let skill = report.skills.iter().find(|skill| skill.file_path == file);
    let skill = skill.ok_or_else(|| unknown("Skill", &params.name))?;
    let way = skill.install.iter().find(|way| way.id == params.install_id);
    let way = way.ok_or_else(|| unknown("Installer", &params.install_id))?;

    let mut line = Entry::security("skill.setup", Severity::Info);
    line.skill = Some(found.name().into_owned());
    line.agent_id = Some(snapshot.agent().to_string());
    line.detail.insert("installer".to_owned(), params.install_id.clone().into());
    line.detail.insert("surface".to_owned(), "gateway".into());
    if skill.status == SkillState::Blocked {
        return Err(refused(gateway, line, skill));
    }
    let Some(wanted) = way.command.first() else {
        let why = match way.kind {
            InstallBy::Download => NoCommand::Download,
            InstallBy::Go => NoCommand::Version,
            InstallBy::Brew | InstallBy::Node | InstallBy::Uv => NoCommand::Name,
        };
        return Err(Problem::new(ErrorCode::Failed, format!("\"{}\" cannot be run: {why}", way.label)).into());
    };
    let command = way.command.to_vec();
    let shown = command.join(" ");
    let program = (gateway.given.programs)().find(wanted).ok_or_else(|| {
        let message = format!("`{shown}` cannot be run: {wanted} is not on the gateway's PATH");
        Problem::new(ErrorCode::Failed, message)
            .hint(format!("install {wanted} first, or choose another way"))
    })?;
    let config = gateway.config();
    let agent =
        config.agents.get(snapshot.agent()).ok_or_else(|| unknown_agent(snapshot.agent().as_str()))?;
    let folder = gateway.given.home.workspace(&config.agents, agent);

    let told = Told {
        name: skill.name.clone().into_owned(),
        skill_key: skill.skill_key.clone().into_owned(),
        install_id: params.install_id.clone(),
    };
    let place = gateway.installs.begin(&command, &told).map_err(|taken| {
        let message = match taken {
            Taken::Running => format!("`{shown}` is running already"),
            Taken::Many => "too much is being installed already".to_owned(),
        };
        Problem::new(ErrorCode::Busy, message).hint("wait until it has ended")
    })?;
    line.detail.insert("command".to_owned(), json!(command));
    line.detail.insert("folder".to_owned(), folder.to_string_lossy().into());
    line.decision = Some("run".to_owned());
    gateway.given.audit.record(line.clone(), gateway.now()).map_err(Problem::from)?;
    let timeout = params.timeout_ms.map_or(USUAL_TIME, Duration::from_millis).clamp(LEAST_TIME, MOST_TIME);
    let secrets = known_secrets(gateway);
    let installer = Installer { program, command, folder, timeout, secrets, told, place };
    Ok(Planned { installer, line, bins: way.bins.to_vec(), source: found.source })
}

fn find(gateway: &Gateway, whose: &SkillsParams, name: &str) -> Result<Arc<Found>, Failure> {
    skills::of(gateway, whose)?.catalog.shown_as(name).cloned().ok_or_else(|| unknown("Skill", name))
}

/// In the words that clients know.
fn unknown(what: &str, name: &str) -> Failure {
    Failure::shaped(ErrorShape {
        code: RpcCode::Unavailable.into(),
        message: format!("{what} not found: {}", echoed(name)),
        details: Some(json!({ "code": ErrorCode::NotFound })),
        retryable: None,
    })
}

fn refused(gateway: &Gateway, mut line: Entry, skill: &SkillStatus<'_>) -> Failure {
    line.decision = Some("deny".to_owned());
    line.reason = Some("the skill is blocked".to_owned());
    line.severity = Severity::Warning;
    gateway.given.audit.record_best_effort(line, gateway.now());
    let message = format!("{} is blocked, so nothing is installed for it", skill.name);
    let hint = "what was found in it is in its report; `tarsus skills info` shows it";
    Problem::new(ErrorCode::Denied, message).hint(hint).into()
}

fn known_secrets(gateway: &Gateway) -> Secrets {
    let (given, document) = (&gateway.given, &gateway.in_force.now().config.document);
    let known = secrets::known(&given.home, document, &given.environment, &given.variables);
    Secrets::new(known.iter().map(|secret| secret.expose().trim()))
}

/// Writes down what came of it, looks at the skills again, and answers.
fn concluded(
    gateway: &Gateway,
    planned: Planned,
    outcome: Result<Outcome, ProcessError>,
) -> Result<SkillSetUp, Failure> {
    let Planned { installer, mut line, bins, source } = planned;
    let (came, problem) = judged(&installer, &outcome);
    let by = installer.place.stopped_by().filter(|_| came == InstallOutcome::Stopped);
    let text = |bytes: &[u8]| installer.secrets.hide(&String::from_utf8_lossy(bytes));
    let (stdout, stderr, cut, code) = match &outcome {
        Ok(Outcome { stdout, stderr, exit, .. }) => {
            let code = if let Exit::Code(code) = exit { Some(*code) } else { None };
            (text(&stdout.bytes), text(&stderr.bytes), stdout.is_cut() || stderr.is_cut(), code)
        }
        Err(_) => (String::new(), String::new(), false, None),
    };
    line.decision = Some(came.as_str().to_owned());
    line.reason = problem.as_ref().map(|problem| problem.message.clone());
    line.detail.insert("code".to_owned(), json!(code));
    if let Some(by) = &by {
        line.detail.insert("by".to_owned(), by.as_str().into());
    }
    gateway.given.audit.record_best_effort(line, gateway.now());
    // Also what failed may have left something behind.
    let _ = gateway.skills.refresh();
    // It is told, and can begin again: before its answer, which is the last of it.
    let Installer { told: Told { name, skill_key, install_id }, place, .. } = installer;
    drop(place);
    let ended = SkillsInstallEnded { name, skill_key, install_id, outcome: came, by };
    gateway.events.tell(Event::SkillsInstallEnded, &ended);
    if let Some(mut problem) = problem {
        // Of one that somebody stopped, what it said last is no reason.
        let said = last_line(&stderr).or(last_line(&stdout)).filter(|_| ended.by.is_none());
        if let Some(said) = said {
            problem.message = format!("{}: {said}", problem.message);
        }
        let mut shape = ErrorShape::from(problem);
        if let Some(details) = &mut shape.details {
            details["stdout"] = stdout.into();
            details["stderr"] = stderr.into();
            details["exitCode"] = json!(code);
            if let Some(by) = ended.by {
                details["by"] = by.into();
            }
        }
        return Err(Failure::shaped(shape));
    }
    let programs = (gateway.given.programs)();
    let missing = bins.iter().filter(|bin| programs.find(bin).is_none());
    let mut remarks: Vec<SetUpRemark> =
        missing.map(|bin| SetUpRemark::NotOnPath { program: clean(bin.as_str()).into_owned() }).collect();
    if !matches!(source, Source::Bundled | Source::Managed | Source::Extra) {
        remarks.push(SetUpRemark::ChosenByFolder);
    }
    if cut {
        remarks.push(SetUpRemark::OutputCut);
    }
    let warnings = remarks.iter().map(ToString::to_string).collect();
    Ok(SkillSetUp { ok: true, message: "Installed".to_owned(), stdout, stderr, code, warnings, remarks })
}

/// What came of it, and why it is no success.
fn judged(
    installer: &Installer,
    outcome: &Result<Outcome, ProcessError>,
) -> (InstallOutcome, Option<Problem>) {
    let shown = installer.command.join(" ");
    let (came, code, message) = match outcome.as_ref().map(|outcome| (outcome.ended_by, outcome.exit)) {
        Ok((EndedBy::Itself, Exit::Code(0))) => return (InstallOutcome::Installed, None),
        Ok((EndedBy::TimeOut, _)) => {
            let message = format!("`{shown}` was ended: it took longer than {:?}", installer.timeout);
            (InstallOutcome::TimedOut, ErrorCode::TimedOut, message)
        }
        Ok((EndedBy::Stop, _)) => {
            let message = match installer.place.stopped_by() {
                Some(by) => format!("`{shown}` was stopped by {by}"),
                None => format!("`{shown}` was ended, because the gateway stops"),
            };
            (InstallOutcome::Stopped, ErrorCode::Interrupted, message)
        }
        Ok((EndedBy::Itself, exit)) => {
            let how = match exit {
                Exit::Code(code) => format!("exit code {code}"),
                Exit::Signal(signal) => format!("signal {signal}"),
            };
            (InstallOutcome::Failed, ErrorCode::Failed, format!("`{shown}` failed ({how})"))
        }
        Err(error) => {
            (InstallOutcome::Failed, ErrorCode::Failed, format!("`{shown}` cannot be run: {error}"))
        }
    };
    let problem = Problem::new(code, message);
    let problem = match came {
        InstallOutcome::Stopped => problem.hint("what it had done by then stays; run it again to go on"),
        _ => problem,
    };
    (came, Some(problem))
}

/// What was said last, where people look for the reason.
fn last_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    Some(clean(line).chars().take(LONGEST_SAID).collect())
}
