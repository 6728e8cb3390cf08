//! The owner's decisions about one skill: grants, accepted findings, trust.

use tarsus_home::settings::{self, SkillRecordChange};
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::grants::ContentHash;
use tarsus_protocol::rpc::skills::{
    Accept, Approve, Grant, Revoke, SkillAcceptParams, SkillApproveParams, SkillGrantParams,
    SkillRevokeParams, SkillTrustParams, Trust,
};
use tarsus_protocol::skills::SkillStatus;
use tarsus_protocol::skills_acts::{SkillDecided, SkillForgotten};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tarsus_skills::decide::{SkillDecision, decide};
use tarsus_skills::gate::{ScanScope, evaluate_trust};
use tarsus_skills::report::sanitize;

use super::agent_skills::{AgentSkills, find_in_report};
use super::install::terminal_actor;
use super::{findings, list};
use crate::context::Context;
use crate::gateway::OptionalGateway;
use crate::output::Output;
use crate::text::printable;

/// Applies and prints a decision: through a running gateway, where it is active before the response, else in the
/// settings.
pub fn run(
    name: &str,
    decision: SkillDecision,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let decided = match apply(name, decision.clone(), context, output) {
        Err(problem) if problem.code == ErrorCode::NotFound => match removal_without_skill(name, &decision) {
            Some(change) if is_on_record(&change, context)? => return withdraw(&change, context, output),
            _ => return Err(problem),
        },
        decided => decided?,
    };
    output.show(&decided, |decided| text(decided, &decision))?;
    Ok(ExitCode::Done)
}

/// The settings change of a decision that only removes rights. It needs no skill: a deleted one may come back.
fn removal_without_skill(name: &str, decision: &SkillDecision) -> Option<SkillRecordChange> {
    let name = name.to_owned();
    match decision {
        SkillDecision::Revoke(capabilities) => {
            Some(SkillRecordChange::Revoke { name, capabilities: capabilities.iter().copied().collect() })
        }
        SkillDecision::WithdrawAcceptance { rule } => {
            Some(SkillRecordChange::Unaccept { name, rule: rule.clone() })
        }
        _ => None,
    }
}

/// Whether the settings hold any decision about the skill.
fn is_on_record(change: &SkillRecordChange, context: &Context) -> Result<bool, Problem> {
    let records = settings::load(&context.home)?.skills;
    let name = change.skill();
    Ok(records.grants.contains_key(name)
        || records.seen.contains_key(name)
        || records.accepted.contains_key(name))
}

fn withdraw(change: &SkillRecordChange, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let changed = save_change(change, context, output)?;
    super::install::refresh_gateway(context, output)?;
    let forgotten = SkillForgotten { ok: true, name: change.skill().to_owned(), changed };
    output.show(&forgotten, |forgotten| {
        let name = printable(&forgotten.name);
        match forgotten.changed {
            true => format!("withdrawn; there is no skill named {name} now"),
            false => format!("nothing to withdraw; there is no skill named {name} now"),
        }
    })?;
    Ok(ExitCode::Done)
}

/// Applies a decision without printing it.
pub fn apply(
    name: &str,
    decision: SkillDecision,
    context: &Context,
    output: &mut Output,
) -> Result<SkillDecided, Problem> {
    let agent_skills = AgentSkills::new(context)?;
    let mut gateway = OptionalGateway::connect(context, output)?;
    // Resolve the full name first, so that the decision does not depend on other skills when it is applied.
    let report = agent_skills.report(&mut gateway, ScanScope::Required, output)?;
    let name = find_in_report(&report, name)?.name.clone();
    if let Some(answer) = apply_via_gateway(&mut gateway, &name, &decision, &agent_skills, output) {
        return answer;
    }
    apply_locally(&name, decision, &agent_skills, context, output)
}

/// Saves a change in the settings and returns whether anything changed. Removing rights works without the audit
/// chain too.
pub(super) fn save_change(
    change: &SkillRecordChange,
    context: &Context,
    output: &mut Output,
) -> Result<bool, Problem> {
    let audit = context.audit();
    let changed =
        tarsus_guard::apply_change(&context.home, audit.as_ref(), change, &terminal_actor(), context.now())?;
    if let Some(why) = changed.unrecorded {
        output.note(&format!("this is not in the audit log: {why}"));
    }
    Ok(changed.before != changed.after)
}

fn apply_locally(
    name: &str,
    decision: SkillDecision,
    agent_skills: &AgentSkills<'_>,
    context: &Context,
    output: &mut Output,
) -> Result<SkillDecided, Problem> {
    let mut loader = agent_skills.load(ScanScope::Required)?;
    let path = agent_skills.find_skill(&loader, name)?.path().to_path_buf();
    loader.scan_skill(&path);
    let file = agent_skills.find_skill(&loader, name)?;
    let change = decide(&file, &evaluate_trust(&file, &loader.settings().skills), decision)?;
    let changed = save_change(&change, context, output)?;
    let mut loader = agent_skills.load(ScanScope::Required)?;
    loader.scan_skill(&path);
    let shown = sanitize(path.to_string_lossy());
    let skill = loader.snapshot().report().skills.iter().find(|skill| skill.file_path == shown);
    let gone = || Problem::new(ErrorCode::Stale, "the skill no longer exists");
    skill.map(|skill| SkillDecided::from_status(skill, changed)).ok_or_else(gone)
}

/// Lets the gateway decide. `None` if there is no gateway or it does not answer.
fn apply_via_gateway(
    gateway: &mut OptionalGateway,
    name: &str,
    decision: &SkillDecision,
    agent_skills: &AgentSkills<'_>,
    output: &mut Output,
) -> Option<Result<SkillDecided, Problem>> {
    let (name, agent_id) = (name.to_owned(), Some(agent_skills.agent.id.to_string()));
    match decision.clone() {
        SkillDecision::Grant(capabilities) => {
            let capabilities = capabilities.into_iter().collect();
            gateway.try_call::<Grant>(&SkillGrantParams { agent_id, name, capabilities }, output)
        }
        SkillDecision::Revoke(capabilities) => {
            let capabilities = capabilities.into_iter().collect();
            gateway.try_call::<Revoke>(&SkillRevokeParams { agent_id, name, capabilities }, output)
        }
        SkillDecision::Approve { hash } => {
            gateway.try_call::<Approve>(&SkillApproveParams { agent_id, name, hash }, output)
        }
        SkillDecision::Accept { rule, reason } => {
            let params = SkillAcceptParams { agent_id, name, rule, reason: Some(reason) };
            gateway.try_call::<Accept>(&params, output)
        }
        SkillDecision::WithdrawAcceptance { rule } => {
            gateway.try_call::<Accept>(&SkillAcceptParams { agent_id, name, rule, reason: None }, output)
        }
        SkillDecision::Trust { tier, confirmed: confirm } => {
            gateway.try_call::<Trust>(&SkillTrustParams { agent_id, name, tier, confirm }, output)
        }
    }
}

fn text(decided: &SkillDecided, decision: &SkillDecision) -> String {
    let name = printable(&decided.name);
    let quoted = super::shell_name(&decided.name);
    let already = if decided.changed { "" } else { " already" };
    let granted = decided.capabilities.as_ref().map(|held| held.granted.as_slice()).unwrap_or_default();
    let state = list::marked_state(decided.status, decided.accepted_findings.as_ref());
    match decision {
        SkillDecision::Grant(_) => format!(
            "{name} is{already} granted {}, for its folder as it is now: {state}\nthe grant ends when a file in it changes; `tarsus skills revoke {quoted}` withdraws it",
            findings::capability_names(granted)
        ),
        SkillDecision::Revoke(_) if granted.is_empty() => {
            format!("{name} is granted nothing{}: {state}", if decided.changed { " now" } else { "" })
        }
        SkillDecision::Revoke(_) => {
            format!("{name} is still granted {}: {state}", findings::capability_names(granted))
        }
        SkillDecision::Approve { .. } => format!("{name} may use the capabilities that it declares: {state}"),
        SkillDecision::Accept { rule, .. } => format!(
            "{} in {name} is{already} accepted, for its folder as it is now: {state}\n`tarsus skills accept {quoted} --rule {} --undo` withdraws it",
            printable(rule),
            printable(rule)
        ),
        SkillDecision::WithdrawAcceptance { rule } if decided.changed => {
            format!("{} in {name} is no longer accepted: {state}", printable(rule))
        }
        SkillDecision::WithdrawAcceptance { rule } => {
            format!("{} in {name} was not accepted: {state}", printable(rule))
        }
        SkillDecision::Trust { tier: TrustTier::Community, .. } => {
            format!("{name} is{already} {}: {state}", decided.trust)
        }
        SkillDecision::Trust { .. } => format!(
            "{name} is{already} {}: {state}\ntrust above that of its source ends when a file in the folder changes; `tarsus skills trust {quoted} community` withdraws it",
            decided.trust
        ),
    }
}

/// Shows the capabilities and findings of a community skill that the owner has not reviewed yet, and asks for
/// confirmation. Returns the content hash that was shown.
pub fn review_capabilities(
    skill: &SkillStatus,
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
            [] => "\nApprove it?",
            _ => "\nApprove these capabilities?",
        };
        crate::input::confirm(question, context, output)?;
    }
    Ok(Some(hash))
}
