//! One skill in a report.

use std::borrow::Cow;

use tarsus_protocol::DiagnosticCode;
use tarsus_protocol::skills::{
    BlockedBy, ConfigCheck, Names, ScanState, ShadowedBy, SkillDiagnostic, SkillInstall, SkillNeeds,
    SkillScan, SkillState, SkillStatus,
};
use tarsus_protocol::text::hex;

use super::{Judged, about, clean, is_bundled};
use crate::eligibility::{Eligibility, Rules, declared};
use crate::gate::Guarded;
use crate::{Diagnostic, Found, ParseError, Parsed, Skill};

/// How a skill stands. One whose file cannot be read has the name of its folder and nothing else.
pub(super) fn of<'a>(judged: Judged<'a>, rules: &Rules<'_>) -> SkillStatus<'a> {
    let Judged { found, eligibility, guarded } = judged;
    let mut status = bare(found, &guarded);
    if let Some((skill, eligibility)) = found.skill().zip(eligibility) {
        describe(&mut status, skill, rules.lenient);
        stand(&mut status, eligibility);
        status.capabilities = Some(guarded.standing.report(guarded.used().as_deref()));
        status.diagnostics.extend(waits(&status, &guarded));
    }
    status.scan = clean_scan(guarded.scan());
    status
}

/// Names of files and what stands in them are others' texts.
fn clean_scan(mut scan: SkillScan) -> SkillScan {
    let findings = scan.findings.iter_mut().map(|finding| (&mut finding.file, &mut finding.excerpt));
    let uses = scan.uses.iter_mut().map(|used| (&mut used.file, &mut used.excerpt));
    for (file, excerpt) in findings.chain(uses) {
        for text in [file, excerpt] {
            if let Cow::Owned(cleaned) = clean(text.as_str()) {
                *text = cleaned;
            }
        }
    }
    scan
}

/// A skill that is blocked although nothing was found in it: nobody has looked.
fn waits(status: &SkillStatus<'_>, guarded: &Guarded) -> Option<SkillDiagnostic<'static>> {
    let waits = status.status == SkillState::Blocked && guarded.report.is_none();
    waits.then(|| SkillDiagnostic {
        code: DiagnosticCode::NotLookedInto.as_str().into(),
        message: "its files changed while they were read, and what they say now was not looked into; \
                  `tarsus skills refresh` does that"
            .into(),
        line: None,
        path: None,
    })
}

/// The same for one whose name belongs to another skill.
pub(super) fn shadowed<'a>(status: SkillStatus<'a>, winner: &'a Found) -> SkillStatus<'a> {
    let blocked = status.status == SkillState::Blocked;
    SkillStatus {
        status: if blocked { SkillState::Blocked } else { SkillState::Shadowed },
        eligible: false,
        model_visible: false,
        command_visible: false,
        shadowed_by: Some(ShadowedBy {
            source: winner.source.id().into(),
            file_path: clean(winner.file().to_string_lossy()),
        }),
        ..status
    }
}

/// What is known of a file that cannot be read.
fn bare<'a>(found: &'a Found, guarded: &Guarded) -> SkillStatus<'a> {
    SkillStatus {
        name: clean(found.name()),
        description: Cow::default(),
        source: found.source.id().into(),
        bundled: is_bundled(found.source),
        file_path: clean(found.file().to_string_lossy()),
        base_dir: clean(found.dir().to_string_lossy()),
        skill_key: clean(found.key()),
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
        blocked: false,
        blocked_by: None,
        shadowed_by: None,
        content_hash: None,
        diagnostics: noticed(found),
        trust: guarded.standing.tier,
        capabilities: None,
        scan: SkillScan { state: ScanState::Pending, hash: None, findings: Vec::new(), uses: Vec::new() },
    }
}

/// What the parser noticed.
fn noticed(found: &Found) -> Vec<SkillDiagnostic<'_>> {
    match &*found.parsed {
        Parsed::Loaded(skill) => skill.diagnostics.iter().map(remark).collect(),
        Parsed::Degraded(skill, error) => {
            std::iter::once(fault(error)).chain(skill.diagnostics.iter().map(remark)).collect()
        }
        Parsed::Malformed(error) => {
            std::iter::once(fault(error)).chain(error.diagnostics.iter().map(remark)).collect()
        }
    }
}

fn remark(remark: &Diagnostic) -> SkillDiagnostic<'_> {
    SkillDiagnostic {
        code: remark.code.as_str().into(),
        message: clean(remark.message.as_str()),
        line: remark.line,
        path: None,
    }
}

fn fault(error: &ParseError) -> SkillDiagnostic<'_> {
    SkillDiagnostic {
        code: error.code.as_str().into(),
        message: clean(error.message.as_str()),
        line: error.line,
        path: None,
    }
}

/// What its file says.
fn describe<'a>(status: &mut SkillStatus<'a>, skill: &'a Skill, lenient: bool) {
    let metadata = declared(skill, lenient);
    status.description = clean(skill.description.as_str());
    status.emoji = metadata.and_then(|metadata| metadata.emoji.as_deref()).map(clean);
    let homepage = metadata.and_then(|metadata| metadata.homepage.as_deref());
    status.homepage = homepage.or_else(|| skill.homepage()).map(clean);
    status.primary_env = metadata.and_then(|metadata| metadata.primary_env.as_deref()).map(clean);
    if let Some(said) = metadata.and_then(|metadata| metadata.about.as_deref()) {
        about::describe(status, said);
    }
    status.always = metadata.is_some_and(|metadata| metadata.is_always());
    status.content_hash = Some(hex(&skill.content_hash));
}

/// How it was judged.
fn stand<'a>(status: &mut SkillStatus<'a>, how: Eligibility<'a>) {
    (status.status, status.blocked_by) = state(&how);
    status.blocked = status.blocked_by.is_some();
    status.disabled = how.disabled;
    status.blocked_by_allowlist = how.blocked_by_allowlist;
    status.blocked_by_agent_filter = how.blocked_by_agent_filter;
    status.eligible = how.eligible;
    status.platform_incompatible = how.platform_incompatible;
    status.model_visible = how.model_visible;
    status.user_invocable = how.user_invocable;
    status.command_visible = how.command_visible;
    status.requirements = clean_needs(how.requirements);
    status.missing = clean_needs(how.missing);
    status.config_checks = how
        .config_checks
        .into_iter()
        .map(|check| ConfigCheck { path: clean(check.path), satisfied: check.satisfied })
        .collect();
    status.install = how
        .install
        .into_iter()
        .map(|way| SkillInstall {
            id: clean(way.id),
            kind: way.kind,
            label: clean(way.label),
            bins: clean_names(way.bins),
            command: way.command,
        })
        .collect();
    status.diagnostics.extend(how.unmet.iter().map(|unmet| SkillDiagnostic {
        code: DiagnosticCode::SettingWithoutEffect.as_str().into(),
        message: clean(unmet.to_string()),
        line: None,
        path: None,
    }));
}

/// The word for it, and what blocks it.
fn state(how: &Eligibility<'_>) -> (SkillState, Option<BlockedBy>) {
    let blocked_by = if how.blocked {
        Some(BlockedBy::Security)
    } else if how.blocked_by_allowlist {
        Some(BlockedBy::Allowlist)
    } else if how.blocked_by_agent_filter {
        Some(BlockedBy::Agent)
    } else {
        None
    };
    let state = if how.blocked {
        SkillState::Blocked
    } else if how.disabled {
        SkillState::Disabled
    } else if how.blocked_by_allowlist {
        SkillState::NotAllowed
    } else if how.degraded {
        SkillState::Degraded
    } else if how.blocked_by_agent_filter {
        SkillState::Filtered
    } else if how.eligible {
        SkillState::Ready
    } else {
        SkillState::Missing
    };
    (state, blocked_by)
}

fn clean_needs(needs: SkillNeeds<'_>) -> SkillNeeds<'_> {
    SkillNeeds {
        bins: clean_names(needs.bins),
        any_bins: clean_names(needs.any_bins),
        env: clean_names(needs.env),
        config: clean_names(needs.config),
        os: clean_names(needs.os),
    }
}

fn clean_names(names: Names<'_>) -> Names<'_> {
    if names.iter().all(|name| matches!(clean(name.as_str()), Cow::Borrowed(_))) {
        return names;
    }
    names.iter().map(|name| clean(name.as_str()).into_owned()).collect()
}
