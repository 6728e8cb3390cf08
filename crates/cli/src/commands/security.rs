//! `security audit`: prints weaknesses of the set-up with their fixes. The checks are in `tarsus-health`.

use tarsus_health::security::{self, SecurityInputs};
use tarsus_home::config::AgentId;
use tarsus_protocol::report::{DoctorReport, Level};
use tarsus_protocol::skills::SkillsReport;
use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::gate::ScanScope;

use super::skills::agent_skills::AgentSkills;
use super::{doctor, status};
use crate::args::Security;
use crate::context::Context;
use crate::gateway::OptionalGateway;
use crate::output::Output;

/// Runs all checks and prints the report.
pub fn run(request: &Security, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let Security::Audit { strict } = request;
    let config = context.config();
    let enforcement = status::report(context).ok().and_then(|status| status.enforcement);
    let audit = context.existing_audit().map_err(Problem::from);
    let report = security::report(SecurityInputs {
        home: &context.home,
        config,
        enforcement: enforcement.as_deref(),
        skills: skills_reports(context, output)?,
        audit: audit.as_ref().map(Option::as_ref).map_err(Problem::clone),
    });
    output.show(&report, text)?;
    Ok(match report.level() {
        Level::Error => ExitCode::Failed,
        Level::Warning if *strict => ExitCode::Warnings,
        Level::Ok | Level::Warning => ExitCode::Done,
    })
}

/// The complete skills reports of all agents. The inner error is an unreadable configuration.
fn skills_reports(
    context: &Context,
    output: &mut Output,
) -> Result<Result<Vec<(AgentId, SkillsReport)>, Problem>, Problem> {
    let agents = match AgentSkills::for_all_agents(context) {
        Ok(agents) => agents,
        Err(problem) => return Ok(Err(problem)),
    };
    let mut gateway = OptionalGateway::connect(context, output)?;
    let mut reports = Vec::new();
    for agent_skills in agents {
        let report = agent_skills.report(&mut gateway, ScanScope::All, output)?;
        reports.push((agent_skills.agent.id, report));
    }
    Ok(Ok(reports))
}

fn text(report: &DoctorReport) -> String {
    format!("Security Audit\n\n{}", doctor::checks_text(report, "no action needed"))
}
