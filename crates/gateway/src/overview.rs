//! What is there, as one value: `tarsus status`, the page and `--json` all show this report.

use std::net::SocketAddr;
use std::time::Instant;

use tarsus_audit::Audit;
use tarsus_home::Home;
use tarsus_home::config::{AgentId, Config, ConfigFile, Lookup};
use tarsus_protocol::Problem;
use tarsus_protocol::report::{
    AuditHead, AuditStatus, ConfigIssue, ConfigStatus, GatewayStatus, HomeStatus, StatusReport,
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
        }
    }
}

/// Reads everything fresh. A file that cannot be used is part of the report, not an error.
pub fn gather(
    home: &Home,
    variables: Lookup<'_>,
    agent: Option<&AgentId>,
    audit: Option<&Audit>,
    gateway: GatewayStatus,
) -> StatusReport {
    let file = ConfigFile::of(home);
    let path = file.path().display().to_string();
    let (config, status) = match file.load(variables) {
        Ok(loaded) => {
            let status = ConfigStatus {
                path,
                exists: loaded.exists,
                valid: loaded.issues.is_empty(),
                issues: loaded.issues,
                warnings: loaded.warnings,
            };
            (loaded.view, status)
        }
        Err(error) => {
            let issues = vec![whole_file(error.into())];
            (
                Config::default(),
                ConfigStatus { path, exists: true, valid: false, issues, warnings: Vec::new() },
            )
        }
    };
    let agents = &config.agents;
    let agent = agent.and_then(|id| agents.get(id)).or_else(|| agents.default_agent());
    StatusReport {
        version: VERSION.to_owned(),
        gateway,
        model: agent.and_then(|agent| agents.model_of(agent)).map(str::to_owned),
        config: status,
        audit: audit_status(audit),
        home: HomeStatus {
            state_dir: home.state_dir().display().to_string(),
            workspace: agent
                .map_or_else(|| home.default_workspace(), |agent| home.workspace(agents, agent))
                .display()
                .to_string(),
        },
    }
}

fn whole_file(problem: Problem) -> ConfigIssue {
    let (line, column) = problem.place.as_ref().map_or((None, None), |place| (place.line, place.column));
    let label = problem.place.and_then(|place| place.excerpt).map(|excerpt| excerpt.label);
    let message = label.into_iter().fold(problem.message, |message, label| format!("{message}: {label}"));
    ConfigIssue { path: String::new(), message, line, column }
}

/// A chain that cannot be read is not verified.
fn audit_status(audit: Option<&Audit>) -> AuditStatus {
    let Some(audit) = audit else {
        return AuditStatus { records: 0, verified: true, head: None, lost: 0 };
    };
    let verification = audit.verify().ok();
    let head = verification.as_ref().and_then(|found| found.head).filter(|head| head.seq > 0);
    AuditStatus {
        records: verification.as_ref().map_or(0, |found| found.lines),
        verified: verification.is_some_and(|found| found.first_bad.is_none()),
        head: head.map(|head| AuditHead { seq: head.seq, hash: head.hash.to_string() }),
        lost: audit.lost(),
    }
}
