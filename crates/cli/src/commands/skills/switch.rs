//! Switching a skill on and off, for every agent.

use serde_json::{Value, json};
use tarsus_home::config::ConfigFile;
use tarsus_home::config::json5::{Edit, Node, Path};
use tarsus_protocol::skills::{SkillState, SkillSwitched};
use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::lookup;

use super::look::Asked;
use crate::context::Context;
use crate::gateway::Neighbour;
use crate::output::Output;
use crate::text::printable;

/// Sets `skills.entries.<key>.enabled`: through a running gateway, where it is in force before the answer, else in the
/// file itself.
pub fn run(name: &str, enabled: bool, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    context.refuse_inside_an_agent("a command that changes the configuration")?;
    let mut gateway = Neighbour::find(context, output)?;
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
    Asked::new(context)?.report(gateway, output, |report, _| {
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
