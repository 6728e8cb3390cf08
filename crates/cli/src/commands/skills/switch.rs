//! Switching a skill on and off, for every agent.

use serde_json::Value;
use tarsus_home::config::ConfigFile;
use tarsus_home::config::json5::{Edit, Path};
use tarsus_protocol::skills::SkillSwitched;
use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::lookup;

use super::look::Asked;
use crate::context::Context;
use crate::output::Output;
use crate::text::printable;

/// Writes `skills.entries.<key>.enabled`.
pub fn run(name: &str, enabled: bool, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    context.refuse_inside_an_agent("a command that changes the configuration")?;
    let variables = |name: &str| context.variable(name);
    // Read anew each time: what stands in the file decides.
    let find = || {
        Asked::new(context)?.look(&variables)?.view(|report, _| {
            lookup::in_report(report, name)
                .map(|skill| (skill.name.to_string(), skill.skill_key.to_string(), skill.status))
                .map_err(|error| Problem::from(error).about_skill(name))
        })
    };
    let (_, key, _) = find()?;
    let path = Path::key("skills").join("entries").join(key).join("enabled");
    let edit = Edit::Set { path, value: Value::from(enabled) };
    let edited = ConfigFile::of(&context.home).edit(None, &[edit])?;
    let (name, skill_key, status) = find()?;
    let switched = SkillSwitched { ok: true, name, skill_key, enabled, changed: edited.changed, status };
    output.show(&switched, text)?;
    Ok(ExitCode::Done)
}

fn text(switched: &SkillSwitched) -> String {
    let (name, state) = (printable(&switched.name), super::list::state(switched.status));
    let word = if switched.enabled { "on" } else { "off" };
    match switched.changed {
        true => format!("{name} is switched {word} for every agent: {state}"),
        false => format!("{name} is switched {word} already: {state}"),
    }
}
