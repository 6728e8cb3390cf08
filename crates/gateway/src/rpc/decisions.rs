//! What the owner decides about skills: grants, lists that were seen, findings that are lived with, trust.

use std::collections::BTreeSet;
use std::sync::Arc;

use tarsus_guard::By;
use tarsus_protocol::rpc::skills::{
    SkillAcceptParams, SkillGrantParams, SkillRevokeParams, SkillSeenParams, SkillTrustParams, SkillsParams,
};
use tarsus_protocol::skills::SkillsReport;
use tarsus_protocol::skills_acts::SkillDecided;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_skills::Found;
use tarsus_skills::decide::{Decision, decide};
use tarsus_skills::gate::guarded;
use tarsus_skills::report::clean;

use super::failure::{Failure, echoed};
use super::skills;
use crate::gateway::Gateway;
use crate::reload;

pub(super) fn grant(gateway: &Gateway, params: SkillGrantParams) -> Result<SkillDecided, Failure> {
    let wanted = Decision::Grant(params.capabilities.into_iter().collect());
    make(gateway, params.agent_id, &params.name, wanted)
}

pub(super) fn revoke(gateway: &Gateway, params: SkillRevokeParams) -> Result<SkillDecided, Failure> {
    let wanted = Decision::Revoke(params.capabilities.into_iter().collect());
    make(gateway, params.agent_id, &params.name, wanted)
}

pub(super) fn seen(gateway: &Gateway, params: SkillSeenParams) -> Result<SkillDecided, Failure> {
    let SkillSeenParams { agent_id, name, hash } = params;
    make(gateway, agent_id, &name, Decision::See { hash })
}

pub(super) fn accept(gateway: &Gateway, params: SkillAcceptParams) -> Result<SkillDecided, Failure> {
    let SkillAcceptParams { agent_id, name, rule, reason } = params;
    let wanted = match reason {
        Some(reason) => Decision::Accept { rule, reason },
        None => Decision::Unaccept { rule },
    };
    make(gateway, agent_id, &name, wanted)
}

pub(super) fn trust(gateway: &Gateway, params: SkillTrustParams) -> Result<SkillDecided, Failure> {
    make(gateway, params.agent_id, &params.name, Decision::Trust(params.tier))
}

/// Looks into the skill's folder once more, makes the decision about it as it is, and puts it in force.
fn make(
    gateway: &Gateway,
    agent_id: Option<String>,
    name: &str,
    wanted: Decision,
) -> Result<SkillDecided, Failure> {
    let whose = SkillsParams { agent_id };
    let place = find(gateway, &whose, name)?.at().to_path_buf();
    gateway.skills.look_at(&BTreeSet::from([place]));
    let found = find(gateway, &whose, name)?;
    let guarded = guarded(&found, &gateway.in_force.now().settings.skills);
    let change = decide(&found, &guarded, wanted).map_err(Problem::from)?;
    let by = By { surface: "gateway".to_owned(), agent: None };
    let changed =
        tarsus_guard::change(&gateway.given.home, Ok(&gateway.given.audit), &change, &by, gateway.now())
            .map_err(Problem::from)?;
    let changed = changed.before != changed.after;
    if changed {
        gateway.reload(reload::By::Owner, false)?;
    }
    let snapshot = skills::of(gateway, &whose)?;
    let report: SkillsReport<'_> = serde_json::from_str(&snapshot.judgement().report)
        .map_err(|error| Problem::new(ErrorCode::Failed, format!("the report cannot be read: {error}")))?;
    let file = clean(found.file().to_string_lossy());
    let skill = report.skills.iter().find(|skill| skill.file_path == file);
    skill.map(|skill| SkillDecided::of(skill, changed)).ok_or_else(|| unknown(name))
}

fn find(gateway: &Gateway, whose: &SkillsParams, name: &str) -> Result<Arc<Found>, Failure> {
    skills::of(gateway, whose)?.catalog.decided_about(name).cloned().ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> Failure {
    Problem::new(ErrorCode::NotFound, format!("unknown skill \"{}\"", echoed(name))).into()
}
