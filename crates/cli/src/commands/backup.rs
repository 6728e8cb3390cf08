//! `backup`: copies what cannot be recreated, through the gateway if one runs, else in this process.

use std::path::Path;
use std::time::Duration;

use tarsus_home::config::Config;
use tarsus_protocol::backup::BackupReport;
use tarsus_protocol::rpc::backup::{BackupParams, Make};
use tarsus_protocol::{ErrorCode, ExitCode, Problem, SourceLocation};
use tarsus_store::{Store, backup};

use crate::args::Backup;
use crate::context::Context;
use crate::gateway::OptionalGateway;
use crate::output::Output;
use crate::text::{columns, count, number, printable};

const BACKUP_TIMEOUT: Duration = Duration::from_hours(1);
const PROGRESS_INTERVAL_MS: i64 = 3_000;

/// Creates a backup and prints its contents.
pub fn run(request: &Backup, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let home = &context.home;
    let to = match &request.to {
        Some(to) => context.environment.working_dir.join(to),
        None => home.backups_dir(),
    };
    let Some(named) = to.to_str() else {
        return Err(Problem::new(ErrorCode::Usage, "the name of the folder is not valid Unicode")
            .at(SourceLocation::file(&to)));
    };
    let params = BackupParams { to: Some(named.to_owned()) };
    let report = match OptionalGateway::connect(context, output)?.execute::<Make>(&params, BACKUP_TIMEOUT) {
        Some(answer) => answer?,
        None => back_up_locally(&to, context, output)?,
    };
    output.show(&report, |report| text(report, context))?;
    Ok(ExitCode::Done)
}

fn back_up_locally(to: &Path, context: &Context, output: &mut Output) -> Result<BackupReport, Problem> {
    // A backup must work with a broken configuration.
    let defaults = Config::default();
    let config = match context.config() {
        Ok(loaded) => &loaded.view,
        Err(problem) => {
            output.note(&format!("only the default workspace is included: {problem}"));
            &defaults
        }
    };
    let store = Store::open(&context.home)?;
    let mut last_note_ms = context.clock.wall_ms();
    let mut report_progress = |progress: backup::Progress| {
        let now = context.clock.wall_ms();
        if now.saturating_sub(last_note_ms) >= PROGRESS_INTERVAL_MS && progress.total > 0 {
            last_note_ms = now;
            output.note(&format!("{} % of the sessions copied", progress.done * 100 / progress.total));
        }
    };
    Ok(backup::make(&store, &context.home, config, to, context.clock.wall_ms(), &mut report_progress)?)
}

fn text(report: &BackupReport, context: &Context) -> String {
    let bytes = report.files.iter().map(|file| file.bytes).sum();
    let folder = context.home.display(Path::new(&report.folder));
    let rows: Vec<_> = report
        .files
        .iter()
        .map(|file| {
            [format!("  {}", printable(&file.path)), number(file.bytes), describe_file(&file.path).to_owned()]
        })
        .collect();
    let mut text = format!("{}\n\n{}\n", printable(&folder), columns(&rows));
    for left_out in &report.left_out {
        text.push_str(&format!("x {}\n", printable(&left_out.reason)));
    }
    text.push_str(&format!(
        "{}, {} bytes. Keys that stand in openclaw.json are in it; the secret store, the gateway's token, the audit\n\
         record, logs, skills and other files of workspaces are not. `tarsus docs sessions` says how to put it back.\n",
        count(report.files.len(), "file"),
        number(bytes)
    ));
    text
}

/// Describes a file of a backup.
fn describe_file(path: &str) -> &'static str {
    match path {
        "tarsus/store.db" => "sessions and their costs",
        "openclaw.json" => "the configuration",
        "tarsus/tarsus.json5" => "Tarsus's settings and decisions about skills",
        "registries/application_registry.json" => "the apps",
        path if path.contains("/memory/") || path.ends_with("/MEMORY.md") => "memory",
        _ => "workspace",
    }
}
