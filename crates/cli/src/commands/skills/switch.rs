//! Enables and disables a skill for every agent.

use serde_json::Value;
use tarsus_home::config::ConfigFile;
use tarsus_home::config::json5::{Edit, Node, Path};
use tarsus_home::settings::{self, SkillRecordChange};
use tarsus_protocol::rpc::skills::{SkillUpdateParams, Update};
use tarsus_protocol::skills::{SkillState, SkillSwitched};
use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::decide::SkillDecision;
use tarsus_skills::gate::ScanScope;

use super::agent_skills::{AgentSkills, find_in_report};
use super::decide;
use super::install::refresh_gateway;
use crate::args::Consent;
use crate::context::Context;
use crate::gateway::OptionalGateway;
use crate::output::Output;
use crate::text::printable;

/// Enables a skill. A community skill that was not reviewed yet is shown and confirmed first.
pub fn enable(
    name: &str,
    consent: Consent,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let mut gateway = OptionalGateway::connect(context, output)?;
    let agent_skills = AgentSkills::new(context)?;
    let report = agent_skills.report(&mut gateway, ScanScope::Required, output)?;
    let skill = find_in_report(&report, name)?;
    let reviewed = match skill.status {
        SkillState::Blocked => None,
        _ => decide::review_capabilities(skill, consent.yes, context, output)?,
    };
    if let Some(hash) = reviewed {
        decide::apply(name, SkillDecision::Approve { hash }, context, output)?;
    }
    run(name, true, gateway, context, output)
}

pub fn disable(name: &str, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    run(name, false, OptionalGateway::connect(context, output)?, context, output)
}

/// Sets `skills.entries.<key>.enabled`: through a running gateway, where it is active before the response, else in
/// the file.
fn run(
    name: &str,
    enabled: bool,
    mut gateway: OptionalGateway,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let (_, key, _) = find(name, AgentSkills::new(context)?, &mut gateway, output)?;
    let path = Path::key("skills").join("entries").join(&key).join("enabled");
    let before = context.config()?.document.get(&path).map(Node::to_value);
    let is_disabled = settings::load(&context.home)?.skills.is_disabled(&key);
    let is_as_asked = before == Some(Value::from(enabled));
    let changed = if enabled { !is_as_asked || is_disabled } else { !is_as_asked && !is_disabled };
    if context.uses_fallback_config() {
        // The file that says so otherwise cannot be edited.
        decide::save_change(&SkillRecordChange::Disable { name: key }, context, output)?;
        refresh_gateway(context, output)?;
    } else {
        let params =
            SkillUpdateParams { skill_key: key.clone(), enabled: Some(enabled), api_key: None, env: None };
        if gateway.query::<Update>(&params, output).is_none() {
            let edit = Edit::Set { path, value: Value::from(enabled) };
            match ConfigFile::for_home(&context.home).edit(None, &[edit]) {
                // Turning off works also where the file has something else than a table of skills.
                Err(problem) if !enabled => {
                    output.note_in_result(&format!("{problem}; kept in tarsus.json5 instead"));
                    decide::save_change(&SkillRecordChange::Disable { name: key.clone() }, context, output)?;
                }
                edited => drop(edited?),
            }
            if enabled {
                decide::save_change(&SkillRecordChange::Enable { name: key }, context, output)?;
            }
        }
    }
    let after = AgentSkills::with_config(context, context.reload_config()?)?;
    let (name, skill_key, status) = find(name, after, &mut gateway, output)?;
    let switched = SkillSwitched { ok: true, name, skill_key, enabled, changed, status };
    output.show(&switched, text)?;
    Ok(ExitCode::Done)
}

fn find(
    name: &str,
    agent_skills: AgentSkills<'_>,
    gateway: &mut OptionalGateway,
    output: &mut Output,
) -> Result<(String, String, SkillState), Problem> {
    let report = agent_skills.report(gateway, ScanScope::Required, output)?;
    let skill = find_in_report(&report, name)?;
    Ok((skill.name.clone(), skill.skill_key.clone(), skill.status))
}

fn text(switched: &SkillSwitched) -> String {
    let (name, state) = (printable(&switched.name), super::list::state_label(switched.status));
    let word = if switched.enabled { "on" } else { "off" };
    match switched.changed {
        true => format!("{name} is turned {word} for every agent: {state}"),
        false => format!("{name} is already turned {word}: {state}"),
    }
}
