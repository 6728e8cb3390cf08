//! `sessions undo`: puts back the files that a turn changed, after confirmation.

use tarsus_protocol::rpc::files::{UndoOutcome, UndoReport, UndoneFile};
use tarsus_protocol::{ExitCode, Problem};

use super::source::SessionSource;
use crate::args::Consent;
use crate::input;
use crate::output::Output;
use crate::text::{count, printable};

pub(super) fn run(
    key: &str,
    run: Option<String>,
    dry_run: bool,
    consent: Consent,
    source: &mut SessionSource<'_>,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let context = source.context;
    let key = source.key(key)?;
    let planned = source.undo(&key, run.as_deref(), true)?;
    if dry_run || planned.files.is_empty() {
        output.show(&planned, |report| text(report, true))?;
        return Ok(ExitCode::Done);
    }
    let possible = planned.files.iter().filter(|file| is_put_back(file)).count();
    if !consent.yes && possible > 0 {
        let question = format!("{}Put back {}?", text(&planned, true), count(possible, "file"));
        input::confirm(&question, context, output)?;
    }
    // The turn that was shown, even if another one ended meanwhile.
    let report = source.undo(&key, planned.run_id.as_deref(), false)?;
    output.show(&report, |report| text(report, false))?;
    let refused = report.files.iter().any(|file| matches!(file.outcome, UndoOutcome::Refused { .. }));
    Ok(if refused { ExitCode::Failed } else { ExitCode::Done })
}

fn is_put_back(file: &UndoneFile) -> bool {
    matches!(file.outcome, UndoOutcome::Restored | UndoOutcome::Removed)
}

fn text(report: &UndoReport, planned: bool) -> String {
    let Some(run) = report.run_id.as_deref().filter(|_| !report.files.is_empty()) else {
        return "no turn of this session has changed files that can be put back\n".to_owned();
    };
    let line = |file: &UndoneFile| {
        let outcome = match (&file.outcome, planned) {
            (UndoOutcome::Restored, true) => "would be restored".to_owned(),
            (UndoOutcome::Restored, false) => "restored".to_owned(),
            (UndoOutcome::Removed, true) => "would be removed".to_owned(),
            (UndoOutcome::Removed, false) => "removed".to_owned(),
            (UndoOutcome::Unchanged, _) => "is as before the turn".to_owned(),
            (UndoOutcome::Refused { reason }, true) => {
                format!("would be left as it is: {}", printable(reason))
            }
            (UndoOutcome::Refused { reason }, false) => format!("left as it is: {}", printable(reason)),
        };
        format!("  {}  {outcome}\n", printable(&file.path))
    };
    let lines: String = report.files.iter().map(line).collect();
    format!("turn {}\n{lines}", printable(run))
}
