//! The owner's decisions about skills: grants, confirmations, accepted findings and trust.

use std::collections::BTreeSet;
use std::sync::Arc;

use tarsus_guard::ChangeOrigin;
use tarsus_home::settings::SkillRecordChange;
use tarsus_protocol::rpc::skills::{
    SkillAcceptParams, SkillApproveParams, SkillGrantParams, SkillRevokeParams, SkillTrustParams,
    SkillsParams,
};
use tarsus_protocol::skills_acts::SkillDecided;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_skills::SkillFile;
use tarsus_skills::decide::{SkillDecision, decide};
use tarsus_skills::gate::evaluate_trust;
use tarsus_skills::report::sanitize;

use super::failure::{Failure, echoed};
use super::skills;
use crate::gateway::Gateway;
use crate::reload;

pub(super) fn grant(gateway: &Gateway, params: SkillGrantParams) -> Result<SkillDecided, Failure> {
    let decision = SkillDecision::Grant(params.capabilities.into_iter().collect());
    apply(gateway, params.agent_id, &params.name, decision)
}

pub(super) fn revoke(gateway: &Gateway, params: SkillRevokeParams) -> Result<SkillDecided, Failure> {
    let decision = SkillDecision::Revoke(params.capabilities.into_iter().collect());
    apply(gateway, params.agent_id, &params.name, decision)
}

pub(super) fn seen(gateway: &Gateway, params: SkillApproveParams) -> Result<SkillDecided, Failure> {
    let SkillApproveParams { agent_id, name, hash } = params;
    apply(gateway, agent_id, &name, SkillDecision::Approve { hash })
}

pub(super) fn accept(gateway: &Gateway, params: SkillAcceptParams) -> Result<SkillDecided, Failure> {
    let SkillAcceptParams { agent_id, name, rule, reason } = params;
    let decision = match reason {
        Some(reason) => SkillDecision::Accept { rule, reason },
        None => SkillDecision::WithdrawAcceptance { rule },
    };
    apply(gateway, agent_id, &name, decision)
}

pub(super) fn trust(gateway: &Gateway, params: SkillTrustParams) -> Result<SkillDecided, Failure> {
    let SkillTrustParams { agent_id, name, tier, confirm } = params;
    apply(gateway, agent_id, &name, SkillDecision::Trust { tier, confirmed: confirm })
}

/// Scans the skill again, applies the decision to its current hash, and activates it.
fn apply(
    gateway: &Gateway,
    agent_id: Option<String>,
    name: &str,
    decision: SkillDecision,
) -> Result<SkillDecided, Failure> {
    let whose = SkillsParams { agent_id };
    let place = find(gateway, &whose, name)?.walked_path().to_path_buf();
    gateway.skills.reload_folders(&BTreeSet::from([place]));
    let found = find(gateway, &whose, name)?;
    let trust = evaluate_trust(&found, &gateway.active_config.current().settings.skills);
    let change = decide(&found, &trust, decision).map_err(Problem::from)?;
    let changed = save(gateway, &change)?;
    let snapshot = skills::find_snapshot(gateway, &whose)?;
    let file = sanitize(found.path().to_string_lossy());
    let skill = snapshot.report().skills.iter().find(|skill| skill.file_path == file);
    skill.map(|skill| SkillDecided::from_status(skill, changed)).ok_or_else(|| unknown(name))
}

/// Saves a change of the records and activates it. Returns whether anything changed.
pub(super) fn save(gateway: &Gateway, change: &SkillRecordChange) -> Result<bool, Failure> {
    let by = ChangeOrigin { surface: "gateway".to_owned(), agent: None };
    let (home, audit) = (&gateway.context.home, Ok(&*gateway.context.audit));
    let changed =
        tarsus_guard::apply_change(home, audit, change, &by, gateway.now()).map_err(Problem::from)?;
    let changed = changed.before != changed.after;
    if changed {
        gateway.reload(reload::ReloadTrigger::Owner, false)?;
    }
    Ok(changed)
}

fn find(gateway: &Gateway, whose: &SkillsParams, name: &str) -> Result<Arc<SkillFile>, Failure> {
    skills::find_snapshot(gateway, whose)?.catalog.find_decidable(name).cloned().ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> Failure {
    Problem::new(ErrorCode::NotFound, format!("unknown skill \"{}\"", echoed(name))).into()
}
