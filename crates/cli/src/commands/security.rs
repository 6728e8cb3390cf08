//! `security audit`: reports weaknesses of the set-up with their fixes. Changes nothing.

mod config;

use std::path::Path;

use tarsus_home::config::AgentId;
use tarsus_home::files;
use tarsus_home::settings;
use tarsus_protocol::report::{Check, DoctorReport, Level};
use tarsus_protocol::skills::{ScanState, SkillState, SkillStatus, SkillsReport};
use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::gate::ScanScope;

use super::skills::agent_skills::AgentSkills;
use super::skills::shell_name;
use super::{doctor, status};
use crate::args::Security;
use crate::context::Context;
use crate::gateway::OptionalGateway;
use crate::output::Output;
use crate::text::{count, printable};

/// Names listed in one line.
const MAX_NAMES: usize = 5;

/// Runs all checks and prints the report.
pub fn run(request: &Security, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let Security::Audit { strict } = request;
    let mut checks = config::checks(context)?;
    checks.extend(private_files(context));
    checks.push(enforcement(context));
    checks.extend(skills(context, output)?);
    checks.push(audit_chain(context));
    let report = DoctorReport { checks };
    output.show(&report, text)?;
    Ok(match report.level() {
        Level::Error => ExitCode::Failed,
        Level::Warning if *strict => ExitCode::Warnings,
        Level::Ok | Level::Warning => ExitCode::Done,
    })
}

fn ok(id: &str, title: &str, message: impl Into<String>) -> Check {
    Check { id: id.into(), title: title.into(), level: Level::Ok, message: message.into(), fix: None }
}

fn warning(id: &str, title: &str, message: impl Into<String>, fix: impl Into<String>) -> Check {
    let (message, fix) = (message.into(), Some(fix.into()));
    Check { id: id.into(), title: title.into(), level: Level::Warning, message, fix }
}

fn error(id: &str, title: &str, message: impl Into<String>, fix: impl Into<String>) -> Check {
    Check { level: Level::Error, ..warning(id, title, message, fix) }
}

/// Checks whether other accounts can access private files.
fn private_files(context: &Context) -> Vec<Check> {
    let home = &context.home;
    let places = [
        ("state folder", home.state_dir().to_path_buf()),
        ("configuration", home.config_path().to_path_buf()),
        ("own settings", home.settings_path()),
        ("gateway token", home.token_path()),
        ("secret store", home.secrets_path()),
        ("audit folder", home.audit_dir()),
    ];
    let mut open: Vec<Check> =
        places.iter().filter_map(|(title, path)| open_to_others(title, path, OTHERS_ANY, context)).collect();
    // Skills are not secret, but whoever can change them controls the agent.
    let skills = home.state_dir().join("skills");
    open.extend(open_to_others("installed skills", &skills, OTHERS_WRITE, context));
    if open.is_empty() {
        return vec![ok("files", "file permissions", "what is private is private to you")];
    }
    open
}

/// Permission bits for others: any access, and write access.
const OTHERS_ANY: u32 = 0o077;
const OTHERS_WRITE: u32 = 0o022;

fn open_to_others(title: &str, path: &Path, bits: u32, context: &Context) -> Option<Check> {
    let shown = printable(&context.home.display(path));
    match files::open_to_others(path) {
        Ok(Some(mode)) if mode & bits != 0 => {
            let wanted = if path.is_dir() { "700" } else { "600" };
            let message = format!("{shown} is open to other accounts (mode {mode:o})");
            Some(warning(
                "files",
                title,
                message,
                format!("chmod {wanted} {}", printable(&path.to_string_lossy())),
            ))
        }
        Ok(_) => None,
        Err(problem) => Some(error("files", title, problem.to_string(), Problem::from(problem).next_step())),
    }
}

/// Checks whether community skills are restricted to their capabilities.
fn enforcement(context: &Context) -> Check {
    const TITLE: &str = "enforcement";
    // A running gateway may still use other settings than the file.
    let in_force = status::report(context).ok().and_then(|status| status.enforcement);
    let read = settings::load(&context.home).map(|settings| settings.enforcement.name().to_owned());
    match in_force.map_or(read, Ok) {
        Ok(mode) if mode == status::OFF => warning(
            TITLE,
            TITLE,
            "off: community skills can use every tool",
            format!(
                "remove skills.security.enforcement from {}",
                printable(&context.home.display(&context.home.settings_path()))
            ),
        ),
        Ok(mode) => ok(TITLE, TITLE, format!("{mode}: community skills are held to their capabilities")),
        Err(problem) => error(TITLE, TITLE, problem.to_string(), Problem::from(problem).next_step()),
    }
}

/// Checks the skills of every agent.
fn skills(context: &Context, output: &mut Output) -> Result<Vec<Check>, Problem> {
    let agents = match AgentSkills::for_all_agents(context) {
        Ok(agents) => agents,
        // An unreadable configuration was already reported.
        Err(problem) => {
            return Ok(vec![error("skills", "skills", problem.message.clone(), problem.next_step())]);
        }
    };
    let mut gateway = OptionalGateway::connect(context, output)?;
    let (has_several, mut scanned, mut checks) = (agents.len() > 1, 0, Vec::new());
    for agent_skills in agents {
        let agent_id = has_several.then(|| agent_skills.agent.id.clone());
        let report = agent_skills.report(&mut gateway, ScanScope::All, output)?;
        scanned += report.skills.len();
        checks.extend(skill_checks(&report, agent_id.as_ref()));
    }
    if checks.is_empty() {
        let message = format!("{} looked into, nothing to do", count(scanned, "skill"));
        checks.push(ok("skills", "skills", message));
    }
    Ok(checks)
}

/// `agent_id` is set if there are several agents.
fn skill_checks(report: &SkillsReport, agent_id: Option<&AgentId>) -> Vec<Check> {
    let names_where = |matches: &dyn Fn(&SkillStatus) -> bool| -> Vec<String> {
        report.skills.iter().filter(|skill| matches(skill)).map(|skill| skill.name.to_string()).collect()
    };
    let used = |status: SkillState| !matches!(status, SkillState::Shadowed | SkillState::Invalid);
    let blocked = names_where(&|skill| skill.status == SkillState::Blocked);
    let marked = names_where(&|skill| used(skill.status) && skill.scan.state == ScanState::Warning);
    let void = names_where(&|skill| {
        let held = skill.capabilities.as_ref();
        used(skill.status) && held.is_some_and(|held| !held.void.is_empty() || held.void_trust.is_some())
    });
    let agent_flag = agent_id.map(|id| format!(" --agent {id}")).unwrap_or_default();
    let agent_suffix = agent_id.map(|id| format!(" (agent {id})")).unwrap_or_default();
    let about = |names: &[String], act: &str| {
        let name = names.first().map(|name| shell_name(name)).unwrap_or_default();
        format!("tarsus skills {act} {name}{agent_flag}")
    };
    let mut checks = Vec::new();
    if !blocked.is_empty() {
        let message = format!("{}{agent_suffix}: {}", count(blocked.len(), "skill"), first_names(&blocked));
        let fix = format!("{}, then {}", about(&blocked, "info"), about(&blocked, "remove"));
        checks.push(warning("skills.blocked", "blocked skills", message, fix));
    }
    if !marked.is_empty() {
        let message = format!("{}{agent_suffix}: {}", count(marked.len(), "skill"), first_names(&marked));
        checks.push(warning("skills.findings", "skills with findings", message, about(&marked, "info")));
    }
    if !void.is_empty() {
        let message = format!("changed since you decided about them{agent_suffix}: {}", first_names(&void));
        let fix = format!("{}, then decide again or {}", about(&void, "info"), about(&void, "revoke"));
        checks.push(warning("skills.void", "changed skills", message, fix));
    }
    checks
}

fn first_names(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MAX_NAMES).map(|name| printable(name)).collect();
    let shown = shown.join(", ");
    let rest = names.len().saturating_sub(MAX_NAMES);
    if rest > 0 { format!("{shown} and {rest} more") } else { shown }
}

/// Verifies the audit chain.
fn audit_chain(context: &Context) -> Check {
    const TITLE: &str = "audit record";
    let verified = tarsus_audit::Audit::open_existing(&context.home)
        .and_then(|audit| audit.map(|audit| audit.verify()).transpose());
    match verified {
        Ok(found) => match found.and_then(|found| found.first_bad) {
            None => ok("audit", TITLE, "every line follows from the one before it"),
            Some(_) => error("audit", TITLE, "the chain does not verify", "tarsus audit verify"),
        },
        Err(problem) => error("audit", TITLE, problem.to_string(), Problem::from(problem).next_step()),
    }
}

fn text(report: &DoctorReport) -> String {
    format!("Security Audit\n\n{}", doctor::checks_text(report, "nothing to do"))
}
