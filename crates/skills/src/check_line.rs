//! Builds the result of `tarsus skills validate` for one file.

use serde_json::Value;
use tarsus_protocol::skills_check::{
    CheckDiagnostic, CheckError, CheckInstall, CheckRequires, CheckVendor, SkillCheck,
};

use crate::{Diagnostic, InstallKind, InstallSpec, Metadata, ParseError, Parsed, Requires, Skill};

/// Returns the result for one parsed file.
#[must_use]
pub fn check_line(path: &str, parsed: &Parsed) -> SkillCheck {
    let (skill, error) = match parsed {
        Parsed::Loaded(skill) => (Some(skill), None),
        Parsed::Degraded(skill, error) => (Some(skill), Some(error)),
        Parsed::Malformed(error) => (None, Some(error)),
    };
    let metadata = skill.and_then(|skill| skill.metadata.as_deref());
    let text = |of: fn(&Skill) -> &str| skill.map(|skill| of(skill).to_owned());
    let flag = |of: fn(&Skill) -> bool| skill.map(of);
    let of_skill = skill.into_iter().flat_map(|skill| &skill.diagnostics);
    let of_error = error.into_iter().flat_map(|error| &error.diagnostics);
    SkillCheck {
        path: path.to_owned(),
        ok: error.is_none(),
        error: error.map(error_line),
        name: text(|skill| &skill.name),
        description: text(|skill| &skill.description),
        skill_key: text(Skill::key),
        requires: metadata.and_then(|metadata| metadata.requires.as_ref()).map(requires_line),
        os: metadata.and_then(|metadata| metadata.os.clone()),
        always: metadata.and_then(|metadata| metadata.always),
        primary_env: metadata.and_then(|metadata| metadata.primary_env.clone()),
        emoji: metadata.and_then(|metadata| metadata.emoji.clone()),
        homepage: skill.and_then(Skill::homepage).map(str::to_owned),
        install: skill.map(|_| metadata.map(install_lines).unwrap_or_default()),
        user_invocable: flag(|skill| skill.invocation.user_invocable),
        disable_model_invocation: flag(|skill| skill.invocation.disable_model_invocation),
        display_name: text(|skill| &skill.display_name),
        slash_base: text(|skill| &skill.slash_base),
        name_from_dir: flag(|skill| skill.name_from_dir),
        vendor_metadata: skill
            .and_then(|skill| skill.vendor_metadata.as_deref())
            .map(|vendor| vendor_line(vendor.vendor, &vendor.metadata)),
        degraded: matches!(parsed, Parsed::Degraded(..)),
        diagnostics: of_skill.chain(of_error).map(diagnostic_line).collect(),
    }
}

fn error_line(error: &ParseError) -> CheckError {
    CheckError { code: error.code.to_string(), message: error.message.clone(), line: error.line }
}

fn diagnostic_line(diagnostic: &Diagnostic) -> CheckDiagnostic {
    CheckDiagnostic {
        code: diagnostic.code.to_string(),
        message: diagnostic.message.clone(),
        line: diagnostic.line,
    }
}

fn requires_line(requires: &Requires) -> CheckRequires {
    CheckRequires {
        bins: requires.bins.clone(),
        any_bins: requires.any_bins.clone(),
        env: requires.env.clone(),
        config: requires.config.clone(),
    }
}

fn vendor_line(vendor: &str, metadata: &Metadata) -> CheckVendor {
    CheckVendor {
        vendor: vendor.to_owned(),
        requires: metadata.requires.as_ref().map(requires_line),
        os: metadata.os.clone(),
        always: metadata.always,
        primary_env: metadata.primary_env.clone(),
        emoji: metadata.emoji.clone(),
        homepage: metadata.homepage.clone(),
        skill_key: metadata.skill_key.clone(),
        install: install_lines(metadata),
    }
}

fn install_lines(metadata: &Metadata) -> Vec<CheckInstall> {
    metadata.install.iter().map(install_line).collect()
}

fn install_line(install: &InstallSpec) -> CheckInstall {
    let extra = install.extra.as_deref().cloned().unwrap_or_default();
    let mut line = CheckInstall {
        kind: install.kind.word().to_owned(),
        id: install.id.clone(),
        label: install.label.clone(),
        bins: install.bins.clone(),
        os: install.os.clone(),
        formula: extra.formula,
        module: extra.module,
        url: extra.url,
        archive: extra.archive,
        extract: extra.extract,
        strip_components: extra.strip_components.map(whole_or_float),
        target_dir: extra.target_dir,
        ..CheckInstall::default()
    };
    match install.kind.clone() {
        InstallKind::Brew { formula } => line.formula = Some(formula),
        InstallKind::Node { package } | InstallKind::Uv { package } => line.package = Some(package),
        InstallKind::Go { module } => line.module = Some(module),
        InstallKind::Download { url, sha256 } => {
            line.url = Some(url);
            line.sha256 = sha256;
        }
    }
    line
}

/// JavaScript has one kind of number and writes a whole one without a point.
fn whole_or_float(number: f64) -> Value {
    let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
    if is_whole { Value::from(number as i64) } else { Value::from(number) }
}
