//! Switching a skill on and off, for every agent.

use serde_json::{Value, json};
use tarsus_home::config::ConfigFile;
use tarsus_home::config::json5::{Edit, Node, Path};
use tarsus_protocol::skills::{SkillState, SkillSwitched};
use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::decide::Decision;
use tarsus_skills::gate::Depth;
use tarsus_skills::lookup;

use super::decide;
use super::look::Asked;
use crate::args::Consent;
use crate::context::Context;
use crate::gateway::Neighbour;
use crate::output::Output;
use crate::text::printable;

/// Switches a skill on. A community skill whose capabilities nobody has seen shows them first, and is asked about.
pub fn enable(
    name: &str,
    consent: Consent,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    context.refuse_inside_an_agent("a command that changes the configuration")?;
    let mut gateway = Neighbour::find(context, output)?;
    let asked = Asked::new(context)?;
    let saw = asked.report(&mut gateway, Depth::Needed, output, |report, output| {
        let skill =
            lookup::in_report(report, name).map_err(|error| Problem::from(error).about_skill(name))?;
        match skill.status {
            SkillState::Blocked => Ok(None),
            _ => decide::see_first(skill, consent.yes, context, output),
        }
    })?;
    if let Some(hash) = saw {
        decide::make(name, Decision::See { hash }, context, output)?;
    }
    run(name, true, gateway, context, output)
}

/// Switches a skill off.
pub fn disable(name: &str, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    context.refuse_inside_an_agent("a command that changes the configuration")?;
    run(name, false, Neighbour::find(context, output)?, context, output)
}

/// Sets `skills.entries.<key>.enabled`: through a running gateway, where it is in force before the answer, else in the
/// file itself.
fn run(
    name: &str,
    enabled: bool,
    mut gateway: Neighbour,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let (_, key, _) = find(name, &mut gateway, context, output)?;
    let path = Path::key("skills").join("entries").join(&key).join("enabled");
    let before = context.load_config()?.document.get(&path).map(Node::to_value);
    let changed = before != Some(Value::from(enabled));
    let told = gateway.ask("skills.update", json!({ "skillKey": key, "enabled": enabled }), output);
    if told.is_none() {
        let edit = Edit::Set { path, value: Value::from(enabled) };
        ConfigFile::of(&context.home).edit(None, &[edit])?;
    }
    let (name, skill_key, status) = find(name, &mut gateway, context, output)?;
    let switched = SkillSwitched { ok: true, name, skill_key, enabled, changed, status };
    output.show(&switched, text)?;
    Ok(ExitCode::Done)
}

/// The skill as it stands; read anew each time, because what stands in the file decides.
fn find(
    name: &str,
    gateway: &mut Neighbour,
    context: &Context,
    output: &mut Output,
) -> Result<(String, String, SkillState), Problem> {
    Asked::new(context)?.report(gateway, Depth::Needed, output, |report, _| {
        lookup::in_report(report, name)
            .map(|skill| (skill.name.to_string(), skill.skill_key.to_string(), skill.status))
            .map_err(|error| Problem::from(error).about_skill(name))
    })
}

fn text(switched: &SkillSwitched) -> String {
    let (name, state) = (printable(&switched.name), super::list::state(switched.status));
    let word = if switched.enabled { "on" } else { "off" };
    match switched.changed {
        true => format!("{name} is switched {word} for every agent: {state}"),
        false => format!("{name} is switched {word} already: {state}"),
    }
}
