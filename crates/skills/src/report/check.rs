//! Groups the skills of a report by state.

use std::collections::BTreeMap;

use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::report::{AcceptedSkill, BlockedSkill};
use tarsus_protocol::skills::{
    BlockedBy, CheckSummary, MissingRequirements, ScanCounts, ScanState, SkillReason, SkillState,
    SkillStatus, SkillsCheck, SkillsReport, UnavailableSkill,
};

/// Groups and counts the skills of a report.
#[must_use]
pub fn check(report: &SkillsReport) -> SkillsCheck {
    let named = |is_meant: &dyn Fn(&SkillStatus) -> bool| -> Vec<String> {
        report.skills.iter().filter(|skill| is_meant(skill)).map(|skill| skill.name.clone()).collect()
    };
    let counts = |skill: &SkillStatus| skill.status != SkillState::Shadowed;
    let is_kept_back =
        |skill: &SkillStatus| matches!(skill.blocked_by, Some(BlockedBy::Security | BlockedBy::Allowlist));

    let eligible = named(&|skill| skill.eligible);
    let model_visible = named(&|skill| skill.model_visible);
    let command_visible = named(&|skill| skill.command_visible);
    let disabled = named(&|skill| counts(skill) && skill.disabled);
    let blocked = named(&|skill| counts(skill) && is_kept_back(skill));
    let found: Vec<_> = report.skills.iter().filter_map(BlockedSkill::from_status).collect();
    let agent_filtered = named(&|skill| counts(skill) && skill.blocked_by_agent_filter);
    let invalid = named(&|skill| skill.status == SkillState::Invalid);
    let degraded = named(&|skill| skill.status == SkillState::Degraded);
    let shadowed = named(&|skill| skill.status == SkillState::Shadowed);
    let not_injected: Vec<String> = report.not_injected.iter().map(|left| left.name.clone()).collect();
    let shortened: Vec<String> = report.shortened.clone();
    let missing_requirements: Vec<MissingRequirements> = report
        .skills
        .iter()
        .filter(|skill| {
            let other = skill.disabled || is_kept_back(skill);
            counts(skill) && !skill.eligible && !other && skill.missing != Default::default()
        })
        .map(|skill| MissingRequirements {
            name: skill.name.clone(),
            missing: skill.missing.clone(),
            install: skill.install.clone(),
        })
        .collect();

    let unavailable: Vec<UnavailableSkill> = report
        .skills
        .iter()
        .filter(|skill| skill.status == SkillState::Unavailable)
        .map(|skill| {
            let about_tools = |reason: &&SkillReason| reason.state == SkillState::Unavailable;
            let reasons = skill.reasons.iter().filter(about_tools).cloned().collect();
            UnavailableSkill { name: skill.name.clone(), reasons }
        })
        .collect();

    SkillsCheck {
        agent_id: report.agent_id.clone(),
        workspace_dir: report.workspace_dir.clone(),
        managed_skills_dir: report.managed_skills_dir.clone(),
        summary: CheckSummary {
            total: report.skills.len() - shadowed.len(),
            eligible: eligible.len(),
            model_visible: model_visible.len(),
            command_visible: command_visible.len(),
            disabled: disabled.len(),
            blocked: blocked.len(),
            blocked_by_security: found.len(),
            agent_filtered: agent_filtered.len(),
            not_injected: not_injected.len(),
            missing_requirements: missing_requirements.len(),
            unavailable: unavailable.len(),
            shortened: shortened.len(),
            invalid: invalid.len(),
            degraded: degraded.len(),
            shadowed: shadowed.len(),
        },
        states: states(report),
        eligible,
        model_visible,
        command_visible,
        disabled,
        blocked,
        agent_filtered,
        not_injected,
        missing_requirements,
        unavailable,
        shortened,
        invalid,
        degraded,
        shadowed,
        diagnostics: report.diagnostics.clone(),
        capabilities: capabilities(report),
        policy: report.policy.clone(),
        scan: scanned(report),
        found,
        accepted: report.skills.iter().filter_map(AcceptedSkill::from_status).collect(),
    }
}

/// Counts the skills by state.
fn states(report: &SkillsReport) -> BTreeMap<String, usize> {
    let mut states: BTreeMap<String, usize> =
        SkillState::ALL.iter().map(|state| (state.as_str().to_owned(), 0)).collect();
    for skill in &report.skills {
        *states.entry(skill.status.as_str().to_owned()).or_default() += 1;
    }
    states
}

/// Community skills by declared capability, including blocked ones, but not shadowed ones.
fn capabilities(report: &SkillsReport) -> BTreeMap<String, Vec<String>> {
    let mut skills: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for skill in &report.skills {
        let counts = skill.trust == TrustTier::Community && skill.status != SkillState::Shadowed;
        for capability in skill.capabilities.iter().filter(|_| counts).flat_map(|own| &own.declared) {
            skills.entry(capability.name().to_owned()).or_default().push(skill.name.clone());
        }
    }
    skills
}

fn scanned(report: &SkillsReport) -> ScanCounts {
    let mut counts = ScanCounts::default();
    let skills = report.skills.iter();
    // Invalid and shadowed skills are not counted.
    for skill in skills.filter(|skill| !matches!(skill.status, SkillState::Shadowed | SkillState::Invalid)) {
        match skill.scan.state {
            ScanState::Pending => counts.pending += 1,
            ScanState::Clean => counts.clean += 1,
            ScanState::Warning => counts.warning += 1,
            ScanState::Blocked => counts.blocked += 1,
        }
    }
    counts
}
