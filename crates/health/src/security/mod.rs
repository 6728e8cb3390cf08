//! The checks of `security audit`: weaknesses of the set-up, each with its fix.

mod config;

use tarsus_audit::Audit;
use tarsus_home::config::{AgentId, LoadedConfig};
use tarsus_home::settings::Enforcement;
use tarsus_home::{Home, settings};
use tarsus_protocol::Problem;
use tarsus_protocol::report::{Check, DoctorReport};
use tarsus_protocol::skills::{ScanState, SkillState, SkillStatus, SkillsReport};
use tarsus_text::{count, printable, shell_quoted};

use crate::UNRESTRICTED;
use crate::check::{
    AUDIT_TITLE, OTHERS_ANY, OTHERS_WRITE, Privacy, audit_fault, failed, ok, privacy, warning,
};

/// Names listed in one message.
const MAX_NAMES: usize = 5;

/// The inputs of a security audit beside the files of the state folder.
pub struct SecurityInputs<'a> {
    pub home: &'a Home,
    pub config: Result<&'a LoadedConfig, Problem>,
    /// The enforcement mode of the status report: a running gateway may use another than the settings file has.
    pub enforcement: Option<&'a str>,
    /// The complete skills reports of all agents.
    pub skills: Result<Vec<(AgentId, SkillsReport)>, Problem>,
    /// The audit chain, if there is one.
    pub audit: Result<Option<&'a Audit>, Problem>,
}

/// Runs all checks.
#[must_use]
pub fn report(inputs: SecurityInputs<'_>) -> DoctorReport {
    let SecurityInputs { home, config, enforcement, skills, audit } = inputs;
    let mut checks = config::checks(config, home);
    checks.extend(private_files(home));
    checks.push(enforcement_check(enforcement, home));
    checks.extend(skills_checks(skills));
    checks.push(audit_chain(audit));
    DoctorReport { checks }
}

/// Checks whether other accounts can access private files.
fn private_files(home: &Home) -> Vec<Check> {
    let places = [
        ("state folder", home.state_dir().to_path_buf(), OTHERS_ANY),
        ("configuration", home.config_path().to_path_buf(), OTHERS_ANY),
        ("own settings", home.settings_path(), OTHERS_ANY),
        ("gateway token", home.token_path(), OTHERS_ANY),
        ("secret store", home.secrets_path(), OTHERS_ANY),
        ("audit folder", home.audit_dir(), OTHERS_ANY),
        ("audit key", home.audit_key_path(), OTHERS_ANY),
        // Skills are not secret, but whoever can change them controls the agent.
        ("installed skills", home.state_dir().join("skills"), OTHERS_WRITE),
    ];
    let open: Vec<Check> = places
        .iter()
        .filter_map(|(title, path, bits)| match privacy("files", title, path, *bits, home) {
            Privacy::Private | Privacy::Missing => None,
            Privacy::Open(check) => Some(check),
            Privacy::Failed(error) => Some(failed("files", title, error)),
        })
        .collect();
    if open.is_empty() {
        return vec![ok("files", "file permissions", "no other account can access private files")];
    }
    open
}

/// Checks whether community skills are restricted to their capabilities.
fn enforcement_check(in_effect: Option<&str>, home: &Home) -> Check {
    const TITLE: &str = "enforcement";
    let mode = match in_effect {
        Some(mode) => Ok(mode.to_owned()),
        None => settings::load(home).map(|settings| settings.enforcement.name().to_owned()),
    };
    match mode {
        Ok(mode) if mode == Enforcement::Off.name() => {
            let settings = printable(&home.display(&home.settings_path()));
            warning(TITLE, TITLE, UNRESTRICTED, format!("remove skills.security.enforcement from {settings}"))
        }
        Ok(mode) => ok(TITLE, TITLE, format!("{mode}: community skills are limited to their capabilities")),
        Err(error) => failed(TITLE, TITLE, error),
    }
}

/// Checks the skills of every agent.
fn skills_checks(reports: Result<Vec<(AgentId, SkillsReport)>, Problem>) -> Vec<Check> {
    let reports = match reports {
        Ok(reports) => reports,
        Err(problem) => return vec![failed("skills", "skills", problem)],
    };
    let has_several = reports.len() > 1;
    let scanned = reports.iter().map(|(_, report)| report.skills.len()).sum();
    let mut checks: Vec<Check> = reports
        .iter()
        .flat_map(|(agent, report)| agent_skills_checks(report, has_several.then_some(agent)))
        .collect();
    if checks.is_empty() {
        let message = format!("{} scanned, no action needed", count(scanned, "skill"));
        checks.push(ok("skills", "skills", message));
    }
    checks
}

/// `agent` is set if there are several agents.
fn agent_skills_checks(report: &SkillsReport, agent: Option<&AgentId>) -> Vec<Check> {
    let names_where = |matches: &dyn Fn(&SkillStatus) -> bool| -> Vec<String> {
        report.skills.iter().filter(|skill| matches(skill)).map(|skill| skill.name.to_string()).collect()
    };
    let is_used = |status: SkillState| !matches!(status, SkillState::Shadowed | SkillState::Invalid);
    let blocked = names_where(&|skill| skill.status == SkillState::Blocked);
    let with_findings = names_where(&|skill| {
        let is_warning = skill.scan.state == ScanState::Warning && skill.accepted_findings.is_none();
        is_used(skill.status) && is_warning
    });
    let accepted = names_where(&|skill| skill.accepted_findings.is_some());
    let changed = names_where(&|skill| {
        let held = skill.capabilities.as_ref();
        is_used(skill.status) && held.is_some_and(|held| !held.void.is_empty() || held.void_trust.is_some())
    });
    let agent_flag = agent.map(|id| format!(" --agent {id}")).unwrap_or_default();
    let agent_suffix = agent.map(|id| format!(" (agent {id})")).unwrap_or_default();
    let command = |names: &[String], command: &str| {
        let name = names.first().map(|name| shell_quoted(&printable(name))).unwrap_or_default();
        format!("tarsus skills {command} {name}{agent_flag}")
    };
    let mut checks = Vec::new();
    if !blocked.is_empty() {
        let message = format!("{}{agent_suffix}: {}", count(blocked.len(), "skill"), first_names(&blocked));
        let fix = format!("{}, then {}", command(&blocked, "info"), command(&blocked, "remove"));
        checks.push(warning("skills.blocked", "blocked skills", message, fix));
    }
    if !with_findings.is_empty() {
        let skills = count(with_findings.len(), "skill");
        let message = format!("{skills}{agent_suffix}: {}", first_names(&with_findings));
        let fix = command(&with_findings, "info");
        checks.push(warning("skills.findings", "skills with findings", message, fix));
    }
    if !accepted.is_empty() {
        let skills = count(accepted.len(), "skill");
        let message = format!(
            "{skills}{agent_suffix} with critical findings accepted by you: {}",
            first_names(&accepted)
        );
        let fix = format!("{}, then {}", command(&accepted, "info"), command(&accepted, "remove"));
        checks.push(warning("skills.accepted", "accepted findings", message, fix));
    }
    if !changed.is_empty() {
        let message = format!("changed since your decision{agent_suffix}: {}", first_names(&changed));
        let fix =
            format!("{}, then decide again or {}", command(&changed, "info"), command(&changed, "revoke"));
        checks.push(warning("skills.void", "changed skills", message, fix));
    }
    checks
}

/// The first names, and how many more there are.
fn first_names(names: &[String]) -> String {
    let first: Vec<String> = names.iter().take(MAX_NAMES).map(|name| printable(name)).collect();
    let first = first.join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => first,
        rest => format!("{first} and {rest} more"),
    }
}

/// Verifies the audit chain.
fn audit_chain(audit: Result<Option<&Audit>, Problem>) -> Check {
    let verified = audit.and_then(|audit| Ok(audit.map(Audit::verify).transpose()?));
    match verified {
        Ok(found) => match found.and_then(|found| found.first_bad) {
            None => ok("audit", AUDIT_TITLE, "the chain is intact"),
            Some(fault) => audit_fault(&fault.to_string()),
        },
        Err(problem) => failed("audit", AUDIT_TITLE, problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_five_names_are_listed() {
        let names =
            |count: usize| (1..=count).map(|number| format!("skill-{number}\u{1b}")).collect::<Vec<_>>();
        assert_eq!(first_names(&names(2)), "skill-1, skill-2");
        assert_eq!(first_names(&names(7)), "skill-1, skill-2, skill-3, skill-4, skill-5 and 2 more");
    }
}
