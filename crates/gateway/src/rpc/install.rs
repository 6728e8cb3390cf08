//! Installs what a skill needs, by one of the options in its report.
//!
//! The command that runs is the one that the report shows. Nothing is installed for a blocked skill, and nothing runs
//! that could not be recorded. Stopping always works. `installs` runs the process.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tarsus_agent::reply::SecretMatcher;
use tarsus_agent::secrets;
use tarsus_audit::{AuditEntry, RecordSeverity};
use tarsus_host::process::{EndCause, ProcessError, ProcessExit, ProcessOutcome};
use tarsus_protocol::event::{Event, InstallOutcome, SkillsInstallEnded};
use tarsus_protocol::rpc::skills::{
    InstallRemark, SkillInstallParams, SkillInstallResult, SkillInstallStopParams, SkillInstallStopped,
    SkillsParams,
};
use tarsus_protocol::skills::{InstallBy, SkillState, SkillStatus};
use tarsus_protocol::{ErrorCode, ErrorShape, Problem, RpcCode};
use tarsus_skills::eligibility::command::InstallCommandError;
use tarsus_skills::report::sanitize;
use tarsus_skills::{SkillFile, SkillSource};

use super::apps::flatten_join;
use super::config::unknown_agent;
use super::failure::{Failure, echoed};
use super::skills;
use super::table::Caller;
use crate::gateway::{Gateway, WorkKind};
use crate::installs::{self, InstallConflict, InstallTarget, Installer};

/// Default time limit of an installation.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);
/// Shortest time limit.
const MIN_TIMEOUT: Duration = Duration::from_secs(1);
/// Longest time limit.
const MAX_TIMEOUT: Duration = Duration::from_secs(900);
/// Characters of the last output in an error.
const MAX_LAST_LINE_CHARS: usize = 300;

/// An installation that is about to run.
struct PlannedInstall {
    installer: Installer,
    /// Its audit record.
    line: AuditEntry,
    /// The programs that it installs.
    bins: Vec<String>,
    source: SkillSource,
}

pub(super) async fn install(
    gateway: Arc<Gateway>,
    _: Caller,
    params: SkillInstallParams,
) -> Result<SkillInstallResult, Failure> {
    let plan =
        flatten_join(gateway.run_blocking(WorkKind::Write, move |gateway| plan(gateway, &params)).await)?;
    let outcome = installs::run(&gateway, &plan.installer).await;
    flatten_join(gateway.run_blocking(WorkKind::Write, move |gateway| finish(gateway, plan, outcome)).await)
}

/// Does not queue with requests that write, so that a program is stopped at once.
pub(super) async fn stop(
    gateway: Arc<Gateway>,
    caller: Caller,
    params: SkillInstallStopParams,
) -> Result<SkillInstallStopped, Failure> {
    let SkillInstallStopParams { name, install_id } = params;
    let by = echoed(&sanitize(caller.member.called()));
    if !gateway.installs.stop(&name, &install_id, &by) {
        let message = format!("no installation of {} for {} is running", echoed(&install_id), echoed(&name));
        return Err(Problem::new(ErrorCode::NotFound, message).hint("it may have ended already").into());
    }
    Ok(SkillInstallStopped { ok: true, name, install_id })
}

/// Scans the skill again, checks the request, and records that the command is going to run.
fn plan(gateway: &Gateway, params: &SkillInstallParams) -> Result<PlannedInstall, Failure> {
    let whose = SkillsParams { agent_id: None };
    let place = find(gateway, &whose, &params.name)?.walked_path().to_path_buf();
    gateway.skills.reload_folders(&BTreeSet::from([place]));
    let found = find(gateway, &whose, &params.name)?;
    let snapshot = skills::find_snapshot(gateway, &whose)?;
    let file = sanitize(found.path().to_string_lossy());
    let skill = snapshot.report().skills.iter().find(|skill| skill.file_path == file);
    let skill = skill.ok_or_else(|| unknown("Skill", &params.name))?;
    let option = skill.install.iter().find(|option| option.id == params.install_id);
    let option = option.ok_or_else(|| unknown("Installer", &params.install_id))?;

    let mut line = AuditEntry::security("skill.setup", RecordSeverity::Info);
    line.skill = Some(found.name().into_owned());
    line.agent_id = Some(snapshot.agent().to_string());
    line.detail.insert("installer".to_owned(), params.install_id.clone().into());
    line.detail.insert("surface".to_owned(), "gateway".into());
    if skill.status == SkillState::Blocked {
        return Err(refused(gateway, line, skill));
    }
    let Some(program_name) = option.command.first() else {
        let why = match option.kind {
            InstallBy::Download => InstallCommandError::Download,
            InstallBy::Go => InstallCommandError::Version,
            InstallBy::Brew | InstallBy::Node | InstallBy::Uv => InstallCommandError::Name,
        };
        return Err(
            Problem::new(ErrorCode::Failed, format!("\"{}\" cannot be run: {why}", option.label)).into()
        );
    };
    let command = option.command.clone();
    let shown = command.join(" ");
    let program = (gateway.context.programs)().find(program_name).ok_or_else(|| {
        let message = format!("`{shown}` cannot be run: {program_name} is not on the gateway's PATH");
        Problem::new(ErrorCode::Failed, message)
            .hint(format!("install {program_name} first, or choose another option"))
    })?;
    let config = gateway.config();
    let agent =
        config.agents.get(snapshot.agent()).ok_or_else(|| unknown_agent(snapshot.agent().as_str()))?;
    let folder = gateway.context.home.workspace(&config.agents, agent);

    let target = InstallTarget {
        name: skill.name.clone(),
        skill_key: skill.skill_key.clone(),
        install_id: params.install_id.clone(),
    };
    let place = gateway.installs.begin(&command, &target).map_err(|conflict| {
        let message = match conflict {
            InstallConflict::Running => format!("`{shown}` is already running"),
            InstallConflict::TooMany => "too many installations are running".to_owned(),
        };
        Problem::new(ErrorCode::Busy, message).hint("wait until it ends")
    })?;
    line.detail.insert("command".to_owned(), json!(command));
    line.detail.insert("folder".to_owned(), folder.to_string_lossy().into());
    line.decision = Some("run".to_owned());
    gateway.context.audit.record(line.clone(), gateway.now()).map_err(Problem::from)?;
    let timeout =
        params.timeout_ms.map_or(DEFAULT_TIMEOUT, Duration::from_millis).clamp(MIN_TIMEOUT, MAX_TIMEOUT);
    let secrets = known_secrets(gateway);
    let installer = Installer { program, command, folder, timeout, secrets, target, place };
    Ok(PlannedInstall { installer, line, bins: option.bins.clone(), source: found.source })
}

fn find(gateway: &Gateway, whose: &SkillsParams, name: &str) -> Result<Arc<SkillFile>, Failure> {
    skills::find_snapshot(gateway, whose)?
        .catalog
        .find_by_display_name(name)
        .cloned()
        .ok_or_else(|| unknown("Skill", name))
}

/// The error in the wording that clients know.
fn unknown(what: &str, name: &str) -> Failure {
    Failure::from_shape(ErrorShape {
        code: RpcCode::Unavailable.into(),
        message: format!("{what} not found: {}", echoed(name)),
        details: Some(json!({ "code": ErrorCode::NotFound })),
        retryable: None,
    })
}

fn refused(gateway: &Gateway, mut line: AuditEntry, skill: &SkillStatus) -> Failure {
    line.decision = Some("deny".to_owned());
    line.reason = Some("the skill is blocked".to_owned());
    line.severity = RecordSeverity::Warning;
    gateway.context.audit.record_best_effort(line, gateway.now());
    let message = format!("{} is blocked, so nothing can be installed for it", skill.name);
    let hint = "`tarsus skills info` shows the findings";
    Problem::new(ErrorCode::Denied, message).hint(hint).into()
}

fn known_secrets(gateway: &Gateway) -> SecretMatcher {
    let (context, document) = (&gateway.context, &gateway.active_config.current().config.document);
    let known = secrets::known(&context.home, document, &context.environment, &context.variables);
    SecretMatcher::new(known.iter().map(|secret| secret.expose().trim()))
}

/// Records the outcome, reloads the skills, and replies.
fn finish(
    gateway: &Gateway,
    plan: PlannedInstall,
    outcome: Result<ProcessOutcome, ProcessError>,
) -> Result<SkillInstallResult, Failure> {
    let PlannedInstall { installer, mut line, bins, source } = plan;
    let (result, problem) = classify_outcome(&installer, &outcome);
    let by = installer.place.stopped_by().filter(|_| result == InstallOutcome::Stopped);
    let text = |bytes: &[u8]| installer.secrets.hide(&String::from_utf8_lossy(bytes));
    let (stdout, stderr, cut, code) = match &outcome {
        Ok(ProcessOutcome { stdout, stderr, exit, .. }) => {
            let code = if let ProcessExit::Code(code) = exit { Some(*code) } else { None };
            (text(&stdout.bytes), text(&stderr.bytes), stdout.is_cut() || stderr.is_cut(), code)
        }
        Err(_) => (String::new(), String::new(), false, None),
    };
    line.decision = Some(result.as_str().to_owned());
    line.reason = problem.as_ref().map(|problem| problem.message.clone());
    line.detail.insert("code".to_owned(), json!(code));
    if let Some(by) = &by {
        line.detail.insert("by".to_owned(), by.as_str().into());
    }
    gateway.context.audit.record_best_effort(line, gateway.now());
    // A failed installation may have changed something, too.
    let _ = gateway.skills.refresh();
    // Published and free to start again before the reply, which comes last.
    let Installer { target: InstallTarget { name, skill_key, install_id }, place, .. } = installer;
    drop(place);
    let ended = SkillsInstallEnded { name, skill_key, install_id, outcome: result, by };
    gateway.events.publish(Event::SkillsInstallEnded, &ended);
    if let Some(mut problem) = problem {
        // The last output does not explain a stop.
        let last_line = last_line(&stderr).or(last_line(&stdout)).filter(|_| ended.by.is_none());
        if let Some(last_line) = last_line {
            problem.message = format!("{}: {last_line}", problem.message);
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
        return Err(Failure::from_shape(shape));
    }
    let programs = (gateway.context.programs)();
    let missing = bins.iter().filter(|bin| programs.find(bin).is_none());
    let mut remarks: Vec<InstallRemark> =
        missing.map(|bin| InstallRemark::NotOnPath { program: sanitize(bin.as_str()) }).collect();
    if !matches!(source, SkillSource::Bundled | SkillSource::Managed | SkillSource::Extra) {
        remarks.push(InstallRemark::ChosenByFolder);
    }
    if cut {
        remarks.push(InstallRemark::OutputCut);
    }
    let warnings = remarks.iter().map(ToString::to_string).collect();
    Ok(SkillInstallResult {
        ok: true,
        message: "Installed".to_owned(),
        stdout,
        stderr,
        code,
        warnings,
        remarks,
    })
}

/// The outcome, and the error if it failed.
fn classify_outcome(
    installer: &Installer,
    outcome: &Result<ProcessOutcome, ProcessError>,
) -> (InstallOutcome, Option<Problem>) {
    let shown = installer.command.join(" ");
    let (result, code, message) = match outcome.as_ref().map(|outcome| (outcome.ended_by, outcome.exit)) {
        Ok((EndCause::Itself, ProcessExit::Code(0))) => return (InstallOutcome::Installed, None),
        Ok((EndCause::TimeOut, _)) => {
            let message = format!("`{shown}` was ended because it took longer than {:?}", installer.timeout);
            (InstallOutcome::TimedOut, ErrorCode::TimedOut, message)
        }
        Ok((EndCause::Stop, _)) => {
            let message = match installer.place.stopped_by() {
                Some(by) => format!("`{shown}` was stopped by {by}"),
                None => format!("`{shown}` was ended because the gateway is stopping"),
            };
            (InstallOutcome::Stopped, ErrorCode::Interrupted, message)
        }
        Ok((EndCause::Itself, exit)) => {
            let how = match exit {
                ProcessExit::Code(code) => format!("exit code {code}"),
                ProcessExit::Signal(signal) => format!("signal {signal}"),
            };
            (InstallOutcome::Failed, ErrorCode::Failed, format!("`{shown}` failed ({how})"))
        }
        Err(error) => {
            (InstallOutcome::Failed, ErrorCode::Failed, format!("`{shown}` cannot be run: {error}"))
        }
    };
    let problem = Problem::new(code, message);
    let problem = match result {
        InstallOutcome::Stopped => problem.hint("its changes so far remain; run it again to continue"),
        _ => problem,
    };
    (result, Some(problem))
}

/// Returns the last line of output, which usually names the reason.
fn last_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    Some(sanitize(line).chars().take(MAX_LAST_LINE_CHARS).collect())
}
