//! `skills trust`: sets the trust tier of a skill. Trusting a blocked skill is confirmed by typing its name.

use std::io;

use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::rpc::skills::TrustConfirmation;
use tarsus_protocol::scan::Severity;
use tarsus_protocol::skills::{SkillState, SkillStatus};
use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::decide::SkillDecision;
use tarsus_skills::gate::ScanScope;

use super::agent_skills::{AgentSkills, find_in_report};
use super::{decide, findings};
use crate::context::Context;
use crate::gateway::OptionalGateway;
use crate::input;
use crate::output::Output;
use crate::text::{count, printable};

/// Sets the trust tier. `typed` is the confirmation for a blocked skill, if it was given on the command line.
pub fn run(
    name: &str,
    tier: TrustTier,
    typed: Option<String>,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let mut gateway = OptionalGateway::connect(context, output)?;
    let report = AgentSkills::new(context)?.report(&mut gateway, ScanScope::Required, output)?;
    let skill = find_in_report(&report, name)?;
    let raises_blocked = skill.status == SkillState::Blocked && tier > skill.trust;
    let hash = skill.scan.hash.as_ref().and_then(|hash| hash.parse().ok()).filter(|_| raises_blocked);
    let confirmed = match hash {
        Some(hash) => {
            let typed = match typed {
                Some(typed) => Some(typed),
                None => ask(skill, &mut gateway, context, output)?,
            };
            typed.map(|name| TrustConfirmation { name, hash })
        }
        None => None,
    };
    drop(gateway);
    decide::run(name, SkillDecision::Trust { tier, confirmed }, context, output)
}

/// Shows the findings and the agents, and reads the typed name. `None` if nobody can be asked.
fn ask(
    skill: &SkillStatus,
    gateway: &mut OptionalGateway,
    context: &Context,
    output: &mut Output,
) -> Result<Option<String>, Problem> {
    if !context.environment.stdin_is_terminal || output.is_json() {
        return Ok(None);
    }
    let name = printable(&skill.name);
    let all = &skill.scan.findings;
    let critical: Vec<_> =
        all.iter().filter(|finding| finding.severity == Severity::Critical).cloned().collect();
    let agents = match agents_that_would_use(skill, gateway, context, output)?.join(", ") {
        none if none.is_empty() => "none".to_owned(),
        agents => agents,
    };
    output.text(&format!(
        "{name} is blocked by {}\n\n{}\nAgents that would use it: {agents}\n\
         As your own skill, findings do not block it, and limits on what it may use are not enforced.\n\
         This holds for its folder as it is now, and every list of skills keeps showing it.\n",
        count(critical.len(), "critical finding"),
        findings::list(&critical, false),
    ))?;
    output.bytes(format!("\nType {name} to trust it as your own: ").as_bytes())?;
    input::read_line(&mut io::stdin().lock())
}

/// Ids of the agents whose list of skills allows it.
fn agents_that_would_use(
    skill: &SkillStatus,
    gateway: &mut OptionalGateway,
    context: &Context,
    output: &mut Output,
) -> Result<Vec<String>, Problem> {
    let mut agents = Vec::new();
    for agent_skills in AgentSkills::for_all_agents(context)? {
        let report = agent_skills.report(gateway, ScanScope::Required, output)?;
        let would_use = |row: &SkillStatus| {
            let is_off = row.disabled || row.blocked_by_allowlist || row.blocked_by_agent_filter;
            row.file_path == skill.file_path && row.shadowed_by.is_none() && !is_off
        };
        if report.skills.iter().any(would_use) {
            agents.push(printable(agent_skills.agent.id.as_str()));
        }
    }
    Ok(agents)
}
