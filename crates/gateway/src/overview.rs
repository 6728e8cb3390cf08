//! What is there, as one value: `tarsus status`, the page and `--json` all show this report.

use std::net::SocketAddr;
use std::time::Instant;

use tarsus_apps::run::Processes;
use tarsus_apps::{Registry, desk};
use tarsus_audit::Audit;
use tarsus_home::config::view::Agent;
use tarsus_home::config::{AgentId, ConfigFile, Loaded, Lookup};
use tarsus_home::{Home, Settings, settings};
use tarsus_protocol::Problem;
use tarsus_protocol::report::{
    AppsStatus, AuditHead, AuditStatus, ConfigFault, ConfigIssue, ConfigStatus, GatewayStatus, HomeStatus,
    SkillsStatus, StatusReport,
};

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A gateway that runs in this process.
#[derive(Debug, Clone)]
pub struct Running {
    /// This process.
    pub pid: u32,
    /// Where it listens.
    pub addresses: Vec<SocketAddr>,
    /// Since when it answers.
    pub ready_at: Instant,
}

impl Running {
    /// What a report says of it.
    #[must_use]
    pub fn status(&self, now: Instant) -> GatewayStatus {
        let uptime = now.saturating_duration_since(self.ready_at);
        GatewayStatus {
            running: true,
            pid: Some(self.pid),
            port: self.addresses.first().map(SocketAddr::port),
            addresses: self.addresses.iter().map(ToString::to_string).collect(),
            uptime_ms: Some(u64::try_from(uptime.as_millis()).unwrap_or(u64::MAX)),
            version: Some(VERSION.to_owned()),
            config_reload: None,
        }
    }
}

/// Counts the skills of an agent with a configuration, as they stand.
pub type CountedSkills<'a> = dyn Fn(&Loaded, &Agent) -> Option<SkillsStatus> + 'a;

/// Reads everything else fresh. A file that cannot be used is part of the report, not an error. `in_force` is the
/// configuration with the settings that hold where a gateway runs; else they are those of the files.
pub fn gather(
    home: &Home,
    variables: Lookup<'_>,
    in_force: Option<(&Loaded, &Settings)>,
    skills: &CountedSkills<'_>,
    agent: Option<&AgentId>,
    audit: Option<&Audit>,
    gateway: GatewayStatus,
) -> StatusReport {
    let file = ConfigFile::of(home);
    let path = file.path().display().to_string();
    let read = file.load(variables);
    let holding = in_force.map(|(config, _)| config).or(read.as_ref().ok());
    let enforcement = match in_force {
        Some((_, settings)) => Some(settings.enforcement),
        None => settings::load(home).ok().map(|settings| settings.enforcement),
    };
    let config = holding.map(|config| config.view.clone()).unwrap_or_default();
    let agents = &config.agents;
    let agent = agent.and_then(|id| agents.get(id)).or_else(|| agents.default_agent());
    let skills = holding.zip(agent).and_then(|(config, agent)| skills(config, agent));
    let status = match read {
        Ok(loaded) => ConfigStatus {
            path,
            exists: loaded.exists,
            valid: loaded.issues.is_empty(),
            issues: loaded.issues,
            warnings: loaded.warnings,
        },
        Err(error) => {
            let issues = vec![whole_file(error.into())];
            ConfigStatus { path, exists: true, valid: false, issues, warnings: Vec::new() }
        }
    };
    StatusReport {
        version: VERSION.to_owned(),
        gateway,
        model: agent.and_then(|agent| agents.model_of(agent)).map(str::to_owned),
        skills,
        apps: apps_status(home),
        config: status,
        audit: audit_status(audit),
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
    match Registry::of(home).load() {
        // Without a list of processes nothing is known to run.
        Ok(loaded) => desk::counted(&loaded, Processes::now().ok().as_ref()),
        Err(error) => {
            AppsStatus { exists: true, problem: Some(Problem::from(error).message), ..AppsStatus::default() }
        }
    }
}

/// A remark about a whole file.
pub(crate) fn whole_file(problem: Problem) -> ConfigIssue {
    let (line, column) = problem.place.as_ref().map_or((None, None), |place| (place.line, place.column));
    let label = problem.place.and_then(|place| place.excerpt).map(|excerpt| excerpt.label);
    let message = label.into_iter().fold(problem.message, |message, label| format!("{message}: {label}"));
    ConfigIssue { path: String::new(), message, line, column, code: Some(ConfigFault::Unreadable) }
}

/// A chain that cannot be read is not verified.
fn audit_status(audit: Option<&Audit>) -> AuditStatus {
    let Some(audit) = audit else {
        return AuditStatus { records: 0, verified: true, head: None, lost: 0 };
    };
    let verification = audit.verify_if_changed().ok();
    let head = verification.as_ref().and_then(|found| found.head).filter(|head| head.seq > 0);
    AuditStatus {
        records: verification.as_ref().map_or(0, |found| found.lines),
        verified: verification.is_some_and(|found| found.first_bad.is_none()),
        head: head.map(|head| AuditHead { seq: head.seq, hash: head.hash.to_string() }),
        lost: audit.lost(),
    }
}
