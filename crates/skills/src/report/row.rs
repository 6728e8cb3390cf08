//! Evaluates one skill and builds its row of the report.

use std::sync::Arc;

use tarsus_protocol::DiagnosticCode;
use tarsus_protocol::scan::Finding;
use tarsus_protocol::skills::{
    BlockedBy, ConfigCheck, ScanState, ShadowedBy, SkillDiagnostic, SkillInstall, SkillNeeds, SkillReason,
    SkillReasonKind, SkillScan, SkillState, SkillStatus,
};
use tarsus_text::hex;

use super::{about, sanitize};
use crate::eligibility::{
    Candidate, Eligibility, EligibilityRules, UnavailableTools, declared, evaluate as evaluate_eligibility,
};
use crate::gate::{SkillTrust, evaluate_trust};
use crate::snapshot::EvaluatedSkill;
use crate::{Diagnostic, ParseError, Parsed, Shadowed, Skill, SkillFile, SkillSource};

/// Evaluates the skill that holds its name.
pub(crate) fn evaluate(file: &Arc<SkillFile>, rules: &EligibilityRules<'_>) -> (EvaluatedSkill, SkillStatus) {
    let trust = evaluate_trust(file, rules.records);
    let mut row = empty_row(file, &trust);
    if let Some(skill) = file.skill() {
        let candidate = Candidate {
            skill,
            key: file.key(),
            capabilities: &trust.permissions.declared,
            source: file.source,
            degraded: matches!(&*file.parsed, Parsed::Degraded(..)),
            blocked: trust.is_blocked(),
        };
        let eligibility = evaluate_eligibility(&candidate, rules);
        describe(&mut row, skill, rules.lenient);
        row.capabilities = Some(trust.permissions.report(trust.used().as_deref()));
        row.reasons = reasons(&eligibility, trust.deciding_finding());
        apply_eligibility(&mut row, eligibility);
        row.diagnostics.extend(not_scanned_diagnostic(&row));
    }
    row.status = state(&row.reasons);
    row.accepted_findings = trust.accepted_findings();
    let (permissions, scan) = trust.into_parts();
    row.scan = sanitize_scan(scan);
    let (state, model_visible) = (row.status, row.model_visible);
    (EvaluatedSkill { file: Arc::clone(file), permissions, state, model_visible }, row)
}

/// Evaluates a skill that lost its name to another one. A blocked one stays blocked.
pub(crate) fn evaluate_shadowed(
    shadow: &Shadowed,
    rules: &EligibilityRules<'_>,
) -> (EvaluatedSkill, SkillStatus) {
    let (skill, mut row) = evaluate(&shadow.loser, rules);
    let blocking = row.reasons.iter().take_while(|reason| reason.state == SkillState::Blocked).count();
    row.reasons.insert(blocking, reason(SkillState::Shadowed, SkillReasonKind::Shadowed, Vec::new()));
    let state = state(&row.reasons);
    let row = SkillStatus {
        status: state,
        eligible: false,
        model_visible: false,
        command_visible: false,
        shadowed_by: Some(ShadowedBy {
            source: shadow.winner.source.id().to_owned(),
            file_path: sanitize(shadow.winner.path().to_string_lossy()),
        }),
        ..row
    };
    (EvaluatedSkill { state, model_visible: false, ..skill }, row)
}

/// File names and excerpts come from the skill.
fn sanitize_scan(mut scan: SkillScan) -> SkillScan {
    let findings = scan.findings.iter_mut().map(|finding| (&mut finding.file, &mut finding.excerpt));
    let uses = scan.uses.iter_mut().map(|used| (&mut used.file, &mut used.excerpt));
    for (file, excerpt) in findings.chain(uses) {
        for text in [file, excerpt] {
            *text = sanitize(text.as_str());
        }
    }
    scan
}

/// Explains a block without findings: the files changed while they were read.
fn not_scanned_diagnostic(row: &SkillStatus) -> Option<SkillDiagnostic> {
    let is_unscanned = row.reasons.iter().any(|reason| reason.kind == SkillReasonKind::NotScanned);
    is_unscanned.then(|| SkillDiagnostic {
        code: DiagnosticCode::NotLookedInto.as_str().to_owned(),
        message: "its files changed while they were read, so the new contents have not been scanned; \
                  run `tarsus skills refresh`"
            .to_owned(),
        line: None,
        path: None,
    })
}

/// The row of a file that cannot be read; it has the name of its folder.
fn empty_row(file: &SkillFile, trust: &SkillTrust) -> SkillStatus {
    SkillStatus {
        name: sanitize(file.name()),
        description: String::new(),
        source: file.source.id().to_owned(),
        bundled: file.source == SkillSource::Bundled,
        file_path: sanitize(file.path().to_string_lossy()),
        base_dir: sanitize(file.dir().to_string_lossy()),
        skill_key: sanitize(file.key()),
        emoji: None,
        homepage: None,
        primary_env: None,
        author: None,
        cli_help: None,
        links: None,
        env_vars: Vec::new(),
        dependencies: Vec::new(),
        always: false,
        disabled: false,
        blocked_by_allowlist: false,
        blocked_by_agent_filter: false,
        eligible: false,
        platform_incompatible: false,
        model_visible: false,
        user_invocable: false,
        command_visible: false,
        requirements: SkillNeeds::default(),
        missing: SkillNeeds::default(),
        config_checks: Vec::new(),
        install: Vec::new(),
        status: SkillState::Invalid,
        reasons: vec![reason(SkillState::Invalid, SkillReasonKind::Unreadable, Vec::new())],
        blocked: false,
        blocked_by: None,
        shadowed_by: None,
        content_hash: None,
        diagnostics: parse_diagnostics(file),
        trust: trust.permissions.tier,
        capabilities: None,
        scan: SkillScan { state: ScanState::Pending, hash: None, findings: Vec::new(), uses: Vec::new() },
        accepted_findings: None,
    }
}

fn parse_diagnostics(file: &SkillFile) -> Vec<SkillDiagnostic> {
    let (error, diagnostics) = match &*file.parsed {
        Parsed::Loaded(skill) => (None, &skill.diagnostics),
        Parsed::Degraded(skill, error) => (Some(error), &skill.diagnostics),
        Parsed::Malformed(error) => (Some(error), &error.diagnostics),
    };
    error.map(from_error).into_iter().chain(diagnostics.iter().map(from_diagnostic)).collect()
}

fn from_diagnostic(diagnostic: &Diagnostic) -> SkillDiagnostic {
    SkillDiagnostic {
        code: diagnostic.code.as_str().to_owned(),
        message: sanitize(&diagnostic.message),
        line: diagnostic.line,
        path: None,
    }
}

fn from_error(error: &ParseError) -> SkillDiagnostic {
    SkillDiagnostic {
        code: error.code.as_str().to_owned(),
        message: sanitize(&error.message),
        line: error.line,
        path: None,
    }
}

/// Fills in the fields that the file declares.
fn describe(row: &mut SkillStatus, skill: &Skill, lenient: bool) {
    let metadata = declared(skill, lenient);
    row.description = sanitize(&skill.description);
    row.emoji = metadata.and_then(|metadata| metadata.emoji.as_ref()).map(sanitize);
    let homepage = metadata.and_then(|metadata| metadata.homepage.as_deref());
    row.homepage = homepage.or_else(|| skill.homepage()).map(sanitize);
    row.primary_env = metadata.and_then(|metadata| metadata.primary_env.as_ref()).map(sanitize);
    if let Some(about) = metadata.and_then(|metadata| metadata.about.as_deref()) {
        about::describe(row, about);
    }
    row.always = metadata.is_some_and(|metadata| metadata.is_always());
    row.content_hash = Some(hex(&skill.content_hash));
}

fn apply_eligibility(row: &mut SkillStatus, eligibility: Eligibility) {
    row.blocked_by = blocked_by(&eligibility);
    row.blocked = row.blocked_by.is_some();
    row.disabled = eligibility.disabled;
    row.blocked_by_allowlist = eligibility.blocked_by_allowlist;
    row.blocked_by_agent_filter = eligibility.blocked_by_agent_filter;
    row.eligible = eligibility.eligible;
    row.platform_incompatible = eligibility.platform_incompatible;
    row.model_visible = eligibility.model_visible;
    row.user_invocable = eligibility.user_invocable;
    row.command_visible = eligibility.command_visible;
    row.requirements = sanitize_needs(eligibility.requirements);
    row.missing = sanitize_needs(eligibility.missing);
    let checks = eligibility.config_checks.into_iter();
    row.config_checks =
        checks.map(|check| ConfigCheck { path: sanitize(check.path), satisfied: check.satisfied }).collect();
    let install = eligibility.install.into_iter().map(|option| SkillInstall {
        id: sanitize(option.id),
        kind: option.kind,
        label: sanitize(option.label),
        bins: sanitize_names(option.bins),
        command: option.command,
        destination: option.destination,
    });
    row.install = install.collect();
    row.diagnostics.extend(eligibility.ineffective_settings.iter().map(|setting| SkillDiagnostic {
        code: DiagnosticCode::SettingWithoutEffect.as_str().to_owned(),
        message: sanitize(setting.to_string()),
        line: None,
        path: None,
    }));
}

fn blocked_by(eligibility: &Eligibility) -> Option<BlockedBy> {
    if eligibility.blocked {
        Some(BlockedBy::Security)
    } else if eligibility.blocked_by_allowlist {
        Some(BlockedBy::Allowlist)
    } else {
        eligibility.blocked_by_agent_filter.then_some(BlockedBy::Agent)
    }
}

/// Returns the state that follows from the reasons.
fn state(reasons: &[SkillReason]) -> SkillState {
    reasons.first().map_or(SkillState::Ready, |reason| reason.state)
}

fn reason(state: SkillState, kind: SkillReasonKind, names: Vec<String>) -> SkillReason {
    SkillReason { state, kind, names: sanitize_names(names), keys: Vec::new() }
}

fn tools_reason(unavailable: &UnavailableTools) -> SkillReason {
    let (kind, tools, keys) = match unavailable {
        UnavailableTools::NotBuilt(tools) => (SkillReasonKind::ToolNotBuilt, tools, Vec::new()),
        UnavailableTools::Denied { tools, keys } => {
            (SkillReasonKind::ToolDenied, tools, keys.iter().map(sanitize).collect())
        }
    };
    let names = tools.iter().map(|tool| tool.name().to_owned()).collect();
    SkillReason { state: SkillState::Unavailable, kind, names, keys }
}

/// Returns every reason why a skill is not ready, in the order of precedence of [`SkillState`]. `finding` is the
/// one that blocks it.
fn reasons(eligibility: &Eligibility, finding: Option<&Finding>) -> Vec<SkillReason> {
    use SkillReasonKind as Kind;
    let mut reasons = Vec::new();
    let mut add = |state, kind, names: Vec<String>| reasons.push(reason(state, kind, names));
    if eligibility.blocked {
        match finding {
            Some(finding) => add(SkillState::Blocked, Kind::Finding, vec![finding.rule.clone()]),
            None => add(SkillState::Blocked, Kind::NotScanned, Vec::new()),
        }
    }
    for (applies, state, kind) in [
        (eligibility.disabled, SkillState::Disabled, Kind::Disabled),
        (eligibility.blocked_by_allowlist, SkillState::NotAllowed, Kind::NotAllowed),
        (eligibility.degraded, SkillState::Degraded, Kind::Unreadable),
        (eligibility.blocked_by_agent_filter, SkillState::Filtered, Kind::Filtered),
    ] {
        if applies {
            add(state, kind, Vec::new());
        }
    }
    let SkillNeeds { bins, any_bins, env, config, os } = &eligibility.missing;
    if !os.is_empty() {
        add(SkillState::Unsupported, Kind::System, os.clone());
    }
    reasons.extend(eligibility.unavailable_tools.iter().map(tools_reason));
    let mut add = |state, kind, names: Vec<String>| reasons.push(reason(state, kind, names));
    let mut add_missing = |kind, names: Vec<String>| add(SkillState::Missing, kind, names);
    bins.iter().for_each(|bin| add_missing(Kind::Program, vec![bin.clone()]));
    if !any_bins.is_empty() {
        add_missing(Kind::AnyProgram, any_bins.clone());
    }
    env.iter().for_each(|name| add_missing(Kind::Variable, vec![name.clone()]));
    config.iter().for_each(|path| add_missing(Kind::Config, vec![path.clone()]));
    reasons
}

fn sanitize_needs(needs: SkillNeeds) -> SkillNeeds {
    SkillNeeds {
        bins: sanitize_names(needs.bins),
        any_bins: sanitize_names(needs.any_bins),
        env: sanitize_names(needs.env),
        config: sanitize_names(needs.config),
        os: sanitize_names(needs.os),
    }
}

fn sanitize_names(names: Vec<String>) -> Vec<String> {
    names.into_iter().map(sanitize).collect()
}
