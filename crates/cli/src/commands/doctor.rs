//! `doctor`: prints problems of the installation with their fixes. The checks are in `tarsus-health`.

use tarsus_health::{UNRESTRICTED, doctor};
use tarsus_protocol::report::{DoctorReport, Level, StoreStatus};
use tarsus_protocol::{ExitCode, Problem};
use tarsus_store::{CheckExtent, check};

use super::status;
use crate::context::Context;
use crate::output::Output;
use crate::text::columns;

/// Runs all checks and prints the report.
pub fn run(strict: bool, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let mut status = status::report(context)?;
    status.store = StoreStatus::from_check(check(&context.home, CheckExtent::Full));
    let config = context.config().ok().map(|loaded| &loaded.view);
    let report = doctor::report(&context.home, config, &status);
    output.show(&report, text)?;
    Ok(match report.level() {
        Level::Error => ExitCode::Failed,
        Level::Warning if strict => ExitCode::Warnings,
        Level::Ok | Level::Warning => ExitCode::Done,
    })
}

fn text(report: &DoctorReport) -> String {
    status::highlight(&checks_text(report, "all is well"), UNRESTRICTED)
}

/// Formats all checks, then the fixes, or `when_ok` if there are none.
pub fn checks_text(report: &DoctorReport, when_ok: &str) -> String {
    let rows: Vec<_> = report
        .checks
        .iter()
        .map(|check| {
            let mark = match check.level {
                Level::Ok => "+ ok",
                Level::Warning => "! warning",
                Level::Error => "x error",
            };
            [mark.to_owned(), check.title.clone(), check.message.clone()]
        })
        .collect();
    let fixes: Vec<_> =
        report.checks.iter().filter_map(|check| Some([check.title.clone(), check.fix.clone()?])).collect();
    let end = if fixes.is_empty() {
        format!("{when_ok}\n")
    } else {
        format!("to do\n{}", indented(&columns(&fixes)))
    };
    format!("{}\n{end}", columns(&rows))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
