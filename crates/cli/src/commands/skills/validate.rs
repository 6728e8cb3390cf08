//! `skills validate`: checks SKILL.md files at any path, as the loader does or by the AgentSkills reference.

use std::path::{Path, PathBuf};

use tarsus_protocol::skills_check::{CheckDiagnostic, CheckError, SkillCheck};
use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::{
    DiscoveredRoot, DiscoveryLimits, SkillFile, SkillRoot, SkillSource, Skipped, check_line, strict,
};

use crate::context::Context;
use crate::output::Output;
use crate::text::{count, printable};

/// Checks each path and prints one line of JSON each, or text with the errors below it.
pub fn run(
    by_reference: bool,
    paths: &[PathBuf],
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let mut exit = ExitCode::Done;
    let mut checked = 0;
    for path in paths {
        for line in check_path(path, by_reference, context)? {
            checked += 1;
            if !line.ok {
                exit = ExitCode::Malformed;
            }
            if output.is_json() { output.json_line(&line)? } else { output.text(&text(&line))? }
        }
    }
    if checked > 1 && !output.is_json() {
        output.text(&format!("{} checked", count(checked, "skill")))?;
    }
    Ok(exit)
}

/// Checks everything at a path. A folder without a skill yields an error line.
fn check_path(path: &Path, by_reference: bool, context: &Context) -> Result<Vec<SkillCheck>, Problem> {
    let whole = context.environment.working_dir.join(path);
    if whole.is_file() {
        return Ok(vec![check_file(path, &whole, by_reference)?]);
    }
    let root = SkillRoot::new(SkillSource::Workspace, whole.clone(), &[]);
    let discovered = DiscoveredRoot::walk(&root, &DiscoveryLimits::default(), None, context.clock.wall_ms());
    let shown =
        |at: &Path| at.strip_prefix(&whole).map_or_else(|_| at.to_path_buf(), |below| path.join(below));
    let mut lines = Vec::new();
    for found in &discovered.skills {
        lines.push(check_found(&shown(found.path()), found, by_reference)?);
    }
    lines.extend(discovered.skipped.iter().map(|skipped| skipped_line(&shown(&skipped.path), skipped)));
    if lines.is_empty() {
        lines.push(no_skill_line(path, whole.exists()));
    }
    Ok(lines)
}

fn check_file(path: &Path, whole: &Path, by_reference: bool) -> Result<SkillCheck, Problem> {
    let limit = DiscoveryLimits::default().file_bytes;
    let name = |path: Option<&Path>| {
        path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let bytes = tarsus_home::files::read(whole, limit)?.unwrap_or_default();
    let parsed = tarsus_skills::parse(&bytes, &name(Some(whole)), &name(whole.parent()));
    apply_reference_rules(check_line(&path.to_string_lossy(), &parsed), whole, by_reference)
}

fn check_found(path: &Path, found: &SkillFile, by_reference: bool) -> Result<SkillCheck, Problem> {
    apply_reference_rules(check_line(&path.to_string_lossy(), &found.parsed), found.path(), by_reference)
}

/// Replaces the loader's result by that of the AgentSkills reference, if requested.
fn apply_reference_rules(line: SkillCheck, whole: &Path, by_reference: bool) -> Result<SkillCheck, Problem> {
    if !by_reference {
        return Ok(line);
    }
    let wrong = strict::validate_folder(whole.parent().unwrap_or(whole))?;
    let mut wrong = wrong.into_iter();
    let error =
        wrong.next().map(|message| CheckError { code: REFERENCE_CODE.to_owned(), message, line: None });
    let more = wrong.map(|message| CheckDiagnostic { code: REFERENCE_CODE.to_owned(), message, line: None });
    Ok(SkillCheck { ok: error.is_none(), error, diagnostics: more.collect(), ..line })
}

/// Error code of violations of the AgentSkills reference.
const REFERENCE_CODE: &str = "AGENTSKILLS";

fn skipped_line(path: &Path, skipped: &Skipped) -> SkillCheck {
    failed_line(path, "SKIPPED", skipped.reason.to_string())
}

fn no_skill_line(path: &Path, exists: bool) -> SkillCheck {
    match exists {
        true => {
            failed_line(path, "NO_SKILL", "it holds no SKILL.md, and neither do the folders below".to_owned())
        }
        false => failed_line(path, "NOT_FOUND", "nothing exists at this path".to_owned()),
    }
}

/// The result for something that could not be read.
fn failed_line(path: &Path, code: &str, message: String) -> SkillCheck {
    let error = CheckError { code: code.to_owned(), message, line: None };
    let nothing = tarsus_skills::parse(b"", "SKILL.md", "");
    SkillCheck { error: Some(error), ..check_line(&path.to_string_lossy(), &nothing) }
}

fn text(line: &SkillCheck) -> String {
    let state = match (line.ok, line.degraded) {
        (true, _) => "ok",
        (false, true) => "degraded",
        (false, false) => "invalid",
    };
    let name = line.name.as_deref().map(|name| format!("{}  ", printable(name))).unwrap_or_default();
    let mut text = format!("{state:<8}  {name}{}\n", printable(&line.path));
    let at = |line: Option<u32>| line.map(|line| format!("line {line}: ")).unwrap_or_default();
    let error = line.error.iter().map(|error| (error.line, &error.message));
    let odd = line.diagnostics.iter().map(|odd| (odd.line, &odd.message));
    for (place, message) in error.chain(odd) {
        text.push_str(&format!("  {}{}\n", at(place), printable(message)));
    }
    text
}
