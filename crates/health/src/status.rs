//! The status overview: one report, shown by `tarsus status`, the page and `--json`.

use tarsus_apps::run::Processes;
use tarsus_apps::{Registry, manager};
use tarsus_audit::Audit;
use tarsus_home::config::view::Agent;
use tarsus_home::config::{AgentId, LoadedConfig};
use tarsus_home::{Home, Settings, settings};
use tarsus_protocol::Problem;
use tarsus_protocol::report::{
    AppsStatus, AuditHead, AuditStatus, ConfigFault, ConfigIssue, ConfigStatus, GatewayStatus, HomeStatus,
    SkillsStatus, StatusReport, StoreStatus,
};

/// Counts the skills of an agent by their state.
pub type SkillCounter<'a> = dyn Fn(&LoadedConfig, &Agent) -> Option<SkillsStatus> + 'a;

/// The inputs of a status report beside the files of the state folder.
pub struct StatusInputs<'a> {
    pub home: &'a Home,
    /// The configuration file as it was read.
    pub file: Result<&'a LoadedConfig, Problem>,
    /// The configuration and settings in effect in a running gateway; `None` to use those of the files.
    pub active: Option<(&'a LoadedConfig, &'a Settings)>,
    pub skills: &'a SkillCounter<'a>,
    /// The agent to report about; `None` for the default one.
    pub agent: Option<&'a AgentId>,
    pub store: StoreStatus,
    /// The audit chain, if there is one.
    pub audit: Result<Option<&'a Audit>, Problem>,
    pub gateway: GatewayStatus,
}

/// Builds the report from the current files.
#[must_use]
pub fn report(inputs: StatusInputs<'_>) -> StatusReport {
    let StatusInputs { home, file, active, skills, agent, audit, store, gateway } = inputs;
    let path = home.config_path().display().to_string();
    let active_config = active.map(|(config, _)| config).or(file.as_ref().ok().copied());
    let enforcement = match active {
        Some((_, settings)) => Some(settings.enforcement),
        None => settings::load(home).ok().map(|settings| settings.enforcement),
    };
    let config = active_config.map(|config| config.view.clone()).unwrap_or_default();
    let agents = &config.agents;
    let agent = agent.and_then(|id| agents.get(id)).or_else(|| agents.default_agent());
    let skills = active_config.zip(agent).and_then(|(config, agent)| skills(config, agent));
    let config_status = match file {
        Ok(loaded) => ConfigStatus {
            path,
            exists: loaded.exists,
            valid: loaded.issues.is_empty(),
            issues: loaded.issues.clone(),
            warnings: loaded.warnings.clone(),
        },
        Err(error) => {
            let issues = vec![file_issue(error)];
            ConfigStatus { path, exists: true, valid: false, issues, warnings: Vec::new() }
        }
    };
    StatusReport {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        gateway,
        model: agent.and_then(|agent| agents.model_of(agent)).map(str::to_owned),
        skills,
        apps: apps_status(home),
        config: config_status,
        audit: audit_status(audit),
        store,
        enforcement: enforcement.map(|mode| mode.name().to_owned()),
        home: HomeStatus {
            state_dir: home.state_dir().display().to_string(),
            workspace: agent
                .map_or_else(|| home.default_workspace(), |agent| home.workspace(agents, agent))
                .display()
                .to_string(),
        },
    }
}

fn apps_status(home: &Home) -> AppsStatus {
    match Registry::for_home(home).load() {
        // Without the process list, no app counts as running.
        Ok(loaded) => manager::app_counts(&loaded, Processes::now().ok().as_ref()),
        Err(error) => {
            AppsStatus { exists: true, problem: Some(Problem::from(error).message), ..AppsStatus::default() }
        }
    }
}

/// Converts a problem with a whole file to a configuration issue.
#[must_use]
pub fn file_issue(problem: Problem) -> ConfigIssue {
    let (line, column) = problem.location.as_ref().map_or((None, None), |place| (place.line, place.column));
    let label = problem.location.and_then(|place| place.excerpt).map(|excerpt| excerpt.label);
    let message = label.into_iter().fold(problem.message, |message, label| format!("{message}: {label}"));
    ConfigIssue { path: String::new(), message, line, column, code: Some(ConfigFault::Unreadable) }
}

/// A chain that cannot be read counts as not verified.
fn audit_status(audit: Result<Option<&Audit>, Problem>) -> AuditStatus {
    let audit = match audit {
        Ok(Some(audit)) => audit,
        Ok(None) => return AuditStatus { records: 0, verified: true, head: None, lost: 0, fault: None },
        Err(problem) => return unverified(problem.to_string()),
    };
    let found = match audit.verify_if_changed() {
        Ok(found) => found,
        Err(error) => {
            return AuditStatus { lost: audit.lost(), ..unverified(Problem::from(error).to_string()) };
        }
    };
    let head = found.head.filter(|head| head.seq > 0);
    AuditStatus {
        records: found.lines,
        verified: found.first_bad.is_none(),
        head: head.map(|head| AuditHead { seq: head.seq, hash: head.hash.to_string() }),
        lost: audit.lost(),
        fault: found.first_bad.map(|fault| fault.to_string()),
    }
}

fn unverified(fault: String) -> AuditStatus {
    AuditStatus { records: 0, verified: false, head: None, lost: 0, fault: Some(fault) }
}
