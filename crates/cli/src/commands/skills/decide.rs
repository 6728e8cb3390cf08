//! What the owner decides about one skill: grants, findings that are lived with, trust.

use serde_json::{Value, json};
use tarsus_audit::Audit;
use tarsus_home::settings::{self, Change};
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::grants::ContentHash;
use tarsus_protocol::skills::SkillStatus;
use tarsus_protocol::skills_acts::{SkillDecided, SkillForgotten};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tarsus_skills::decide::{Decision, decide};
use tarsus_skills::gate::{Depth, guarded};
use tarsus_skills::report::clean;

use super::install::by;
use super::look::Asked;
use super::{findings, list};
use crate::context::Context;
use crate::gateway::Neighbour;
use crate::output::Output;
use crate::text::printable;

/// Makes a decision: through a running gateway, where it is in force before the answer, else in the settings.
pub fn run(
    name: &str,
    wanted: Decision,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    context.refuse_inside_an_agent("a command that decides about skills")?;
    let decided = match make(name, wanted.clone(), context, output) {
        Err(problem) if problem.code == ErrorCode::NotFound => match of_the_gone(name, &wanted) {
            Some(change) if is_on_record(&change, context)? => return take_back(&change, context, output),
            _ => return Err(problem),
        },
        decided => decided?,
    };
    output.show(&decided, |decided| text(decided, &wanted))?;
    Ok(ExitCode::Done)
}

/// What takes something away needs no skill: one that is gone may come back.
fn of_the_gone(name: &str, wanted: &Decision) -> Option<Change> {
    let name = name.to_owned();
    match wanted {
        Decision::Revoke(capabilities) => {
            Some(Change::Revoke { name, capabilities: capabilities.iter().copied().collect() })
        }
        Decision::Unaccept { rule } => Some(Change::Unaccept { name, rule: rule.clone() }),
        _ => None,
    }
}

/// Whether anything was decided about the skill.
fn is_on_record(change: &Change, context: &Context) -> Result<bool, Problem> {
    let records = settings::load(&context.home)?.skills;
    let name = change.skill();
    Ok(records.grants.contains_key(name)
        || records.seen.contains_key(name)
        || records.accepted.contains_key(name))
}

fn take_back(change: &Change, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let changed = keep(change, context, output)?;
    super::install::tell_gateway(context, output)?;
    let forgotten = SkillForgotten { ok: true, name: change.skill().to_owned(), changed };
    output.show(&forgotten, |forgotten| {
        let name = printable(&forgotten.name);
        match forgotten.changed {
            true => format!("taken back; no skill is called {name} now"),
            false => format!("nothing to take back; no skill is called {name} now"),
        }
    })?;
    Ok(ExitCode::Done)
}

/// The same, without a word about it.
pub fn make(
    name: &str,
    wanted: Decision,
    context: &Context,
    output: &mut Output,
) -> Result<SkillDecided, Problem> {
    let asked = Asked::new(context)?;
    let mut gateway = Neighbour::find(context, output)?;
    // By its whole name: what is meant must not depend on what else is there when it is done.
    let name = asked.report(&mut gateway, Depth::Needed, output, |report, _| {
        let found = tarsus_skills::lookup::in_report(report, name);
        found.map(|skill| skill.name.to_string()).map_err(|error| Problem::from(error).about_skill(name))
    })?;
    let (method, params) = request(&name, &asked, &wanted);
    if let Some(told) = gateway.hear_of(method, params, output) {
        return serde_json::from_value(told?).map_err(|error| {
            Problem::new(ErrorCode::Failed, format!("the gateway's answer is not understood: {error}"))
        });
    }
    by_itself(&name, wanted, &asked, context, output)
}

/// Writes a change into the settings. What takes away works without the audit chain, too. Whether anything is other than
/// before.
fn keep(change: &Change, context: &Context, output: &mut Output) -> Result<bool, Problem> {
    let audit = Audit::open(&context.home);
    let changed = tarsus_guard::change(&context.home, audit.as_ref(), change, &by(), context.now())?;
    if let Some(why) = changed.unrecorded {
        output.note(&format!("this is not in the audit record: {why}"));
    }
    Ok(changed.before != changed.after)
}

fn by_itself(
    name: &str,
    wanted: Decision,
    asked: &Asked<'_>,
    context: &Context,
    output: &mut Output,
) -> Result<SkillDecided, Problem> {
    let variables = |name: &str| context.variable(name);
    let mut look = asked.look(&variables, Depth::Needed)?;
    let file = asked.find(&look, name)?.file().to_path_buf();
    look.look_into_one(&file);
    let found = asked.find(&look, name)?;
    let change = decide(&found, &guarded(&found, &look.settings().skills), wanted)?;
    let changed = keep(&change, context, output)?;
    let mut look = asked.look(&variables, Depth::Needed)?;
    look.look_into_one(&file);
    look.view(|report, _| {
        let shown = clean(file.to_string_lossy());
        let skill = report.skills.iter().find(|skill| skill.file_path == shown);
        let gone = || Problem::new(ErrorCode::Stale, "the skill is not there any more");
        skill.map(|skill| SkillDecided::of(skill, changed)).ok_or_else(gone)
    })
}

/// The same as a request to the gateway.
fn request(name: &str, asked: &Asked<'_>, wanted: &Decision) -> (&'static str, Value) {
    let (method, mut params) = match wanted {
        Decision::Grant(capabilities) => ("skills.grant", json!({ "capabilities": capabilities })),
        Decision::Revoke(capabilities) => ("skills.revoke", json!({ "capabilities": capabilities })),
        Decision::See { hash } => ("skills.seen", json!({ "hash": hash })),
        Decision::Accept { rule, reason } => ("skills.accept", json!({ "rule": rule, "reason": reason })),
        Decision::Unaccept { rule } => ("skills.accept", json!({ "rule": rule })),
        Decision::Trust(tier) => ("skills.trust", json!({ "tier": tier })),
    };
    params["name"] = name.into();
    params["agentId"] = asked.agent.id.as_str().into();
    (method, params)
}

fn text(decided: &SkillDecided, wanted: &Decision) -> String {
    let name = printable(&decided.name);
    let quoted = super::quoted(&decided.name);
    let already = if decided.changed { "" } else { " already" };
    let granted = decided.capabilities.as_ref().map(|held| held.granted.as_slice()).unwrap_or_default();
    let state = list::state(decided.status);
    match wanted {
        Decision::Grant(_) => format!(
            "{name} is granted {}{already}, as its folder is: {state}\nwhen a file in it changes, this does not count any more; `tarsus skills revoke {quoted}` takes it back",
            findings::named(granted)
        ),
        Decision::Revoke(_) if granted.is_empty() => {
            format!("{name} is granted nothing{}: {state}", if decided.changed { " any more" } else { "" })
        }
        Decision::Revoke(_) => format!("{name} is granted {} still: {state}", findings::named(granted)),
        Decision::See { .. } => format!("{name} may use what it asks for: {state}"),
        Decision::Accept { rule, .. } => format!(
            "{} in {name} is accepted{already}, as its folder is: {state}\n`tarsus skills accept {quoted} --rule {} --undo` takes it back",
            printable(rule),
            printable(rule)
        ),
        Decision::Unaccept { rule } if decided.changed => {
            format!("{} in {name} is not accepted any more: {state}", printable(rule))
        }
        Decision::Unaccept { rule } => format!("{} in {name} was not accepted: {state}", printable(rule)),
        Decision::Trust(TrustTier::Community) => format!("{name} is {}{already}: {state}", decided.trust),
        Decision::Trust(_) => format!(
            "{name} is {}{already}: {state}\nmore trust than its source gives counts for the folder as it is; `tarsus skills trust {quoted} community` takes it back",
            decided.trust
        ),
    }
}

/// Shows what a community skill asks for and what was found in it, when nobody has seen that yet, and asks for a yes.
/// Gives the folder that was shown.
pub fn see_first(
    skill: &SkillStatus<'_>,
    yes: bool,
    context: &Context,
    output: &mut Output,
) -> Result<Option<ContentHash>, Problem> {
    let Some(capabilities) = skill.capabilities.as_ref().filter(|held| held.enforced) else {
        return Ok(None);
    };
    if capabilities.seen {
        return Ok(None);
    }
    let Some(hash) = skill.scan.hash.as_ref().and_then(|hash| hash.parse().ok()) else { return Ok(None) };
    if !output.is_json() {
        output.text(&format!(
            "{}\n\nCapabilities\n{}\nSecurity\n  Scan  {}\n{}",
            printable(&skill.name),
            findings::capabilities(capabilities, &skill.scan.uses),
            findings::state(&skill.scan),
            findings::list(&skill.scan.findings, context.verbose > 0)
        ))?;
    }
    if !yes {
        let question = match capabilities.declared.as_slice() {
            [] => "\nMay it be used?",
            _ => "\nMay it use these?",
        };
        crate::input::confirm(question, context, output)?;
    }
    Ok(Some(hash))
}
