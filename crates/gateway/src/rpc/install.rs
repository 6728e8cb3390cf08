//! Installing what a skill needs, by one of the ways that its report lists.
//!
//! Promises: what is run is the command that the report shows; a skill that must not be used gets nothing; nothing runs
//! that could not be written down. Leaves to others: how it runs (`installs`).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tarsus_agent::reply::Secrets;
use tarsus_agent::secrets;
use tarsus_audit::{Entry, Severity};
use tarsus_host::process::{EndedBy, Exit, Outcome, ProcessError};
use tarsus_protocol::rpc::skills::{SetUpRemark, SkillInstallParams, SkillSetUp, SkillsParams};
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
use crate::installs::{self, Installer, Place, Taken};

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
    _place: Place,
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

    let place = gateway.installs.begin(&command).map_err(|taken| {
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
    let told =
        (skill.name.clone().into_owned(), skill.skill_key.clone().into_owned(), params.install_id.clone());
    let installer = Installer { program, command, folder, timeout, secrets: known_secrets(gateway), told };
    Ok(Planned { installer, line, bins: way.bins.to_vec(), source: found.source, _place: place })
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
    let Planned { installer, mut line, bins, source, .. } = planned;
    let shown = installer.command.join(" ");
    let ended = outcome.as_ref().map(|outcome| (outcome.ended_by, outcome.exit));
    let (decision, problem) = match ended {
        Ok((EndedBy::Itself, Exit::Code(0))) => ("installed", None),
        Ok((EndedBy::TimeOut, _)) => {
            let message = format!("`{shown}` was ended: it took longer than {:?}", installer.timeout);
            ("timed-out", Some(Problem::new(ErrorCode::TimedOut, message)))
        }
        Ok((EndedBy::Stop, _)) => {
            let message = format!("`{shown}` was ended, because the gateway stops");
            ("stopped", Some(Problem::new(ErrorCode::Interrupted, message)))
        }
        Ok((EndedBy::Itself, exit)) => {
            let how = match exit {
                Exit::Code(code) => format!("exit code {code}"),
                Exit::Signal(signal) => format!("signal {signal}"),
            };
            ("failed", Some(Problem::new(ErrorCode::Failed, format!("`{shown}` failed ({how})"))))
        }
        Err(error) => {
            ("failed", Some(Problem::new(ErrorCode::Failed, format!("`{shown}` cannot be run: {error}"))))
        }
    };
    let text = |bytes: &[u8]| installer.secrets.hide(&String::from_utf8_lossy(bytes));
    let (stdout, stderr, cut, code) = match &outcome {
        Ok(Outcome { stdout, stderr, exit, .. }) => {
            let code = if let Exit::Code(code) = exit { Some(*code) } else { None };
            (text(&stdout.bytes), text(&stderr.bytes), stdout.is_cut() || stderr.is_cut(), code)
        }
        Err(_) => (String::new(), String::new(), false, None),
    };
    line.decision = Some(decision.to_owned());
    line.reason = problem.as_ref().map(|problem| problem.message.clone());
    line.detail.insert("code".to_owned(), json!(code));
    gateway.given.audit.record_best_effort(line, gateway.now());
    // Also what failed may have left something behind.
    let _ = gateway.skills.refresh();
    if let Some(mut problem) = problem {
        if let Some(said) = last_line(&stderr).or(last_line(&stdout)) {
            problem.message = format!("{}: {said}", problem.message);
        }
        let mut shape = ErrorShape::from(problem);
        if let Some(details) = &mut shape.details {
            details["stdout"] = stdout.into();
            details["stderr"] = stderr.into();
            details["exitCode"] = json!(code);
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

/// What was said last, where people look for the reason.
fn last_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    Some(clean(line).chars().take(LONGEST_SAID).collect())
}
