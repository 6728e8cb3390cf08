//! `skills refresh`: reloads all skills and reports changes since the last refresh.

use tarsus_protocol::rpc::skills::{Refresh, SkillsParams};
use tarsus_protocol::skills::SkillsRefreshed;
use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::gate::ScanScope;
use tarsus_skills::last_refresh::RefreshState;

use super::agent_skills::AgentSkills;
use crate::context::Context;
use crate::gateway::OptionalGateway;
use crate::output::Output;
use crate::text::{count, printable};

/// Compares with the last refresh of this agent and stores the new state. A running gateway reloads too.
pub fn run(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let agent_skills = AgentSkills::new(context)?;
    agent_skills.print_agent(output)?;
    let params = SkillsParams { agent_id: Some(agent_skills.agent.id.to_string()) };
    OptionalGateway::connect(context, output)?.query::<Refresh>(&params, output);
    let loader = agent_skills.load(ScanScope::All)?;
    let catalog = &loader.snapshot().catalog;
    let changes = RefreshState::from_catalog(catalog).store(&context.home, &agent_skills.agent.id)?;
    let version = u64::try_from(context.clock.wall_ms()).unwrap_or_default();
    let refreshed = SkillsRefreshed {
        ok: true,
        version,
        total: catalog.entries.len(),
        added: changes.added,
        changed: changes.changed,
        removed: changes.removed,
    };
    output.show(&refreshed, |refreshed| {
        let mut text = format!("{} read\n", count(refreshed.total, "skill"));
        text.push_str(&changes_text(&refreshed.added, &refreshed.changed, &refreshed.removed));
        text
    })?;
    Ok(ExitCode::Done)
}

/// One line a skill: `+ new`, `~ changed`, `- gone`.
pub fn changes_text(added: &[String], changed: &[String], removed: &[String]) -> String {
    let groups = [('+', "new", added), ('~', "changed", changed), ('-', "gone", removed)];
    let lines: Vec<String> = groups
        .iter()
        .flat_map(|(sign, word, names)| {
            names.iter().map(move |name| format!("  {sign} {word}  {}\n", printable(name)))
        })
        .collect();
    if lines.is_empty() { "nothing changed\n".to_owned() } else { lines.concat() }
}
