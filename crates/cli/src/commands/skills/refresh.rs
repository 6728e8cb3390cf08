//! Reading all skills again, and saying what changed since the last time.

use serde_json::json;
use tarsus_protocol::skills::SkillsRefreshed;
use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::gate::Depth;
use tarsus_skills::seen::Seen;

use super::look::Asked;
use crate::context::Context;
use crate::gateway::Neighbour;
use crate::output::Output;
use crate::text::{count, printable};

/// Compares with what the last refresh of this agent saw, and remembers what there is now. A running gateway looks
/// too, so that it knows what is told here.
pub fn run(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let asked = Asked::new(context)?;
    asked.say_whose(output)?;
    Neighbour::find(context, output)?.ask("skills.refresh", json!({ "agentId": asked.agent.id }), output);
    let variables = |name: &str| context.variable(name);
    let look = asked.look(&variables, Depth::Everything)?;
    let seen = Seen::of(&look.catalog);
    let changes = seen.remember(&context.home, &asked.agent.id)?;
    let version = u64::try_from(context.clock.wall_ms()).unwrap_or_default();
    let refreshed = SkillsRefreshed {
        ok: true,
        version,
        total: look.catalog.entries.len(),
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
