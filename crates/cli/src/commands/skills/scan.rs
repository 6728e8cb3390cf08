//! `skills scan`: scans skills at any path, with the rules for third-party skills.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tarsus_home::files::{FileError, FileOperation};
use tarsus_protocol::scan::{ScanReport, ScanVerdict, Severity};
use tarsus_protocol::{ErrorCode, ExitCode, Problem, SourceLocation};
use tarsus_scan::{Ruleset, sarif};
use tarsus_skills::install::policy;
use tarsus_skills::{gate, install::SKILL_FILE};

use super::findings;
use crate::args::Scan;
use crate::context::Context;
use crate::output::Output;
use crate::text::{count, number, printable};

/// Directory entries visited in a folder of skills.
const MAX_ENTRIES: usize = 1_000_000;
/// Depth of nested folders.
const MAX_DEPTH: usize = 64;

/// Scans each path: one line of JSON each, one SARIF log, or text.
pub fn run(request: &Scan, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    if request.install_policy {
        return answer_install_policy(output);
    }
    let mut reports = Vec::new();
    for path in &request.paths {
        for report in scan_all_at(path, context)? {
            if output.is_json() {
                output.json_line(&report)?;
            } else if !request.sarif {
                output.text(&text(&report, context.verbose > 0))?;
            }
            reports.push(report);
        }
    }
    if request.sarif {
        output.json(&sarif::log(&reports, &Ruleset::bundled(), env!("CARGO_PKG_VERSION")))?;
    } else if !output.is_json() && reports.len() > 1 {
        output.text(&summary(&reports))?;
    }
    Ok(match reports.iter().map(|report| report.verdict).max() {
        Some(ScanVerdict::Blocked) => ExitCode::Failed,
        Some(ScanVerdict::Warning) if request.strict => ExitCode::Warnings,
        _ => ExitCode::Done,
    })
}

/// Scans everything at a path: a file, a skill, or the skills of a folder.
fn scan_all_at(path: &Path, context: &Context) -> Result<Vec<ScanReport>, Problem> {
    let whole = context.environment.working_dir.join(path);
    let shown = path.to_string_lossy();
    if !whole.is_dir()
        && let Some(report) = gate::scan_path(&shown, &whole)?
    {
        return Ok(vec![report]);
    }
    if !whole.is_dir() {
        let message = format!("nothing to scan at {}", printable(&shown));
        return Err(Problem::new(ErrorCode::NotFound, message)
            .at(SourceLocation::file(&whole))
            .hint("check the path"));
    }
    if has_skill_file(&whole) {
        return Ok(vec![gate::scan_folder(&shown, &whole)]);
    }
    let folders = find_skill_folders(&whole)?;
    if folders.is_empty() {
        // Not a skill, but the caller asked for this folder.
        return Ok(vec![gate::scan_folder(&shown, &whole)]);
    }
    let shown = |at: &Path| -> PathBuf {
        at.strip_prefix(&whole).map_or_else(|_| at.to_path_buf(), |below| path.join(below))
    };
    Ok(folders.iter().map(|dir| gate::scan_folder(&shown(dir).to_string_lossy(), dir)).collect())
}

/// Finds every folder below that has a skill file, including hidden and unloadable ones. Symbolic links are
/// checked, but not descended into.
fn find_skill_folders(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let too_large = |what: String| {
        Problem::new(ErrorCode::TooLarge, what)
            .at(SourceLocation::file(folder))
            .hint("scan its subfolders one by one")
    };
    let (mut found, mut entries) = (Vec::new(), 0);
    let mut open = vec![(folder.to_path_buf(), 0)];
    while let Some((at, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            return Err(too_large(format!(
                "folders are nested more than {MAX_DEPTH} deep in {}",
                printable_path(folder)
            )));
        }
        for entry in at.read_dir().map_err(FileError::system(FileOperation::List, &at))? {
            entries += 1;
            if entries > MAX_ENTRIES {
                return Err(too_large(format!(
                    "there are more than {MAX_ENTRIES} names in {}",
                    printable_path(folder)
                )));
            }
            let entry = entry.map_err(FileError::system(FileOperation::List, &at))?;
            let kind = entry.file_type().map_err(FileError::system(FileOperation::List, &at))?;
            let path = entry.path();
            if has_skill_file(&path) {
                found.push(path);
            } else if kind.is_dir() {
                open.push((path, depth + 1));
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

fn has_skill_file(folder: &Path) -> bool {
    let is_skill_file = |name: &OsStr| name.eq_ignore_ascii_case(SKILL_FILE);
    folder.read_dir().is_ok_and(|names| names.flatten().any(|entry| is_skill_file(&entry.file_name())))
}

fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

fn text(report: &ScanReport, all: bool) -> String {
    let word = match report.verdict {
        ScanVerdict::Clean => "+ clean",
        ScanVerdict::Warning => "! warning",
        ScanVerdict::Blocked => "x blocked",
    };
    let remarks = report.findings.iter().filter(|finding| finding.severity == Severity::Info).count();
    let hidden = match remarks {
        0 => String::new(),
        _ if all => String::new(),
        remarks => format!("  ({}: -v shows them)", count(remarks, "remark")),
    };
    format!("{word:<9}  {}{hidden}\n{}", printable(&report.path), findings::list(&report.findings, all))
}

fn summary(reports: &[ScanReport]) -> String {
    let count_of = |verdict| number(reports.iter().filter(|report| report.verdict == verdict).count() as u64);
    format!(
        "\n{} scanned: {} clean, {} with warnings, {} would be blocked",
        count(reports.len(), "skill"),
        count_of(ScanVerdict::Clean),
        count_of(ScanVerdict::Warning),
        count_of(ScanVerdict::Blocked)
    )
}

/// Answers an install policy request of OpenClaw from standard input. Every request gets an answer, even a
/// malformed one.
fn answer_install_policy(output: &mut Output) -> Result<ExitCode, Problem> {
    let mut request = Vec::new();
    io::stdin()
        .lock()
        .take(policy::MAX_REQUEST_BYTES + 1)
        .read_to_end(&mut request)
        .map_err(|error| Problem::new(ErrorCode::Io, format!("cannot read standard input: {error}")))?;
    output.json_line(&policy::respond(&request))?;
    Ok(ExitCode::Done)
}
