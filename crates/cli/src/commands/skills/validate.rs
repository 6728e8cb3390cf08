//! Checking SKILL.md files wherever they are: as the loader does, or by the rules of the AgentSkills reference.

use std::path::{Path, PathBuf};

use tarsus_protocol::skills_check::{CheckDiagnostic, CheckError, SkillCheck};
use tarsus_protocol::{ExitCode, Problem};
use tarsus_skills::{Found, Limits, Root, Shelf, Skipped, Source, check_line, strict};

use crate::context::Context;
use crate::output::Output;
use crate::text::{count, printable};

/// Checks each path: one line of JSON each, or a line of text with what is wrong below it.
pub fn run(
    by_reference: bool,
    paths: &[PathBuf],
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let mut exit = ExitCode::Done;
    let mut checked = 0;
    for path in paths {
        for line in lines(path, by_reference, context)? {
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

/// What is to be said about everything at a path. A folder without a skill is said to have none.
fn lines(path: &Path, by_reference: bool, context: &Context) -> Result<Vec<SkillCheck>, Problem> {
    let whole = context.environment.working_dir.join(path);
    if whole.is_file() {
        return Ok(vec![one_file(path, &whole, by_reference)?]);
    }
    let root = Root::new(Source::Workspace, whole.clone(), &[]);
    let shelf = Shelf::look(&root, &Limits::default(), None, context.clock.wall_ms());
    let shown =
        |at: &Path| at.strip_prefix(&whole).map_or_else(|_| at.to_path_buf(), |below| path.join(below));
    let mut lines = Vec::new();
    for found in &shelf.found {
        lines.push(of_found(&shown(found.file()), found, by_reference)?);
    }
    lines.extend(shelf.skipped.iter().map(|skipped| of_skipped(&shown(&skipped.path), skipped)));
    if lines.is_empty() {
        lines.push(no_skill(path, whole.exists()));
    }
    Ok(lines)
}

fn one_file(path: &Path, whole: &Path, by_reference: bool) -> Result<SkillCheck, Problem> {
    let limit = Limits::default().file_bytes;
    let name = |path: Option<&Path>| {
        path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let bytes = tarsus_home::files::read(whole, limit)?.unwrap_or_default();
    let parsed = tarsus_skills::parse(&bytes, &name(Some(whole)), &name(whole.parent()));
    finish(check_line(&path.to_string_lossy(), &parsed), whole, by_reference)
}

fn of_found(path: &Path, found: &Found, by_reference: bool) -> Result<SkillCheck, Problem> {
    finish(check_line(&path.to_string_lossy(), &found.parsed), found.file(), by_reference)
}

/// The reference's verdict in place of the loader's, when it was asked for.
fn finish(line: SkillCheck, whole: &Path, by_reference: bool) -> Result<SkillCheck, Problem> {
    if !by_reference {
        return Ok(line);
    }
    let wrong = strict::validate_folder(whole.parent().unwrap_or(whole))?;
    let mut wrong = wrong.into_iter();
    let error = wrong.next().map(|message| CheckError { code: STRICT.to_owned(), message, line: None });
    let more = wrong.map(|message| CheckDiagnostic { code: STRICT.to_owned(), message, line: None });
    Ok(SkillCheck { ok: error.is_none(), error, diagnostics: more.collect(), ..line })
}

/// The code of what the reference does not accept.
const STRICT: &str = "AGENTSKILLS";

fn of_skipped(path: &Path, skipped: &Skipped) -> SkillCheck {
    refused(path, "SKIPPED", skipped.reason.to_string())
}

fn no_skill(path: &Path, exists: bool) -> SkillCheck {
    match exists {
        true => refused(path, "NO_SKILL", "there is no SKILL.md in it, nor in a folder below".to_owned()),
        false => refused(path, "NOT_FOUND", "there is nothing at this path".to_owned()),
    }
}

/// A line about what never came as far as being read.
fn refused(path: &Path, code: &str, message: String) -> SkillCheck {
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
