//! `audit`: shows, verifies and exports the audit chain.

use jiff::tz::TimeZone;
use serde::Serialize;
use tarsus_audit::{
    Audit, AuditError, Record, RecordCategory, RecordFilter, RecordSeverity, Tail, Verification,
};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};

use crate::args::{Audit as Request, AuditFilter, Consent, Level};
use crate::context::Context;
use crate::input;
use crate::output::Output;
use crate::text::{columns, count, printable};
use crate::timestamp;

const DEFAULT_TAIL: usize = 20;

/// Runs one audit command. Never creates a chain.
pub fn run(request: Request, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let audit = context.existing_audit()?;
    let audit = audit.as_ref();
    match request {
        Request::Tail(filter) => tail(audit, &parse_filter(&filter, context)?, output),
        Request::Verify => verify(audit, context, output),
        Request::Export(filter) => export(audit, &parse_filter(&filter, context)?, output),
        Request::Reset { reason, consent } => reset(audit, &reason, consent, context, output),
    }
}

fn parse_filter(filter: &AuditFilter, context: &Context) -> Result<RecordFilter, Problem> {
    Ok(RecordFilter {
        category: filter.category.map(|category| match category {
            crate::args::Category::Security => RecordCategory::Security,
            crate::args::Category::Operation => RecordCategory::Operation,
        }),
        severity: filter.level.map(|level| match level {
            Level::Info => RecordSeverity::Info,
            Level::Warning => RecordSeverity::Warning,
            Level::Critical => RecordSeverity::Critical,
        }),
        since: filter.since.as_deref().map(|text| timestamp::parse_since(text, context.now())).transpose()?,
        limit: filter.limit,
    })
}

#[derive(Serialize)]
struct TailReport {
    records: Vec<Record>,
    unreadable: u64,
}

fn tail(audit: Option<&Audit>, filter: &RecordFilter, output: &mut Output) -> Result<ExitCode, Problem> {
    let filter = RecordFilter { limit: filter.limit.or(Some(DEFAULT_TAIL)), ..filter.clone() };
    let found = audit.map(|audit| audit.tail(&filter)).transpose()?;
    let Tail { records, unreadable } = found.unwrap_or(Tail { records: Vec::new(), unreadable: 0 });
    output.show(&TailReport { records, unreadable }, |shown| {
        let mut text =
            if shown.records.is_empty() { "no records\n".to_owned() } else { table(&shown.records) };
        if shown.unreadable > 0 {
            text.push_str(&format!(
                "\n{} not readable: `tarsus audit verify` shows the first\n",
                count(usize::try_from(shown.unreadable).unwrap_or(usize::MAX), "line")
            ));
        }
        text
    })?;
    Ok(ExitCode::Done)
}

fn table(records: &[Record]) -> String {
    let zone = TimeZone::system();
    let rows: Vec<[String; 6]> = records
        .iter()
        .map(|record| {
            let entry = &record.entry;
            let severity = match entry.severity {
                RecordSeverity::Info => "info",
                RecordSeverity::Warning => "warning",
                RecordSeverity::Critical => "critical",
            };
            let subject = [&entry.agent_id, &entry.app, &entry.skill, &entry.tool];
            let outcome = [&entry.decision, &entry.reason];
            let join_parts = |parts: &[&Option<String>], between: &str| {
                let parts: Vec<String> =
                    parts.iter().filter_map(|part| part.as_deref()).map(printable).collect();
                parts.join(between)
            };
            [
                record.seq.to_string(),
                record.ts.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
                severity.to_owned(),
                printable(&entry.event),
                join_parts(&subject, " "),
                join_parts(&outcome, ": "),
            ]
        })
        .collect();
    columns(&rows)
}

#[derive(Serialize)]
struct VerifyReport {
    ok: bool,
    #[serde(flatten)]
    verification: Verification,
}

fn verify(audit: Option<&Audit>, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let verification = audit.map(Audit::verify).transpose()?.unwrap_or_default();
    let bad = verification.first_bad.clone();
    let checked = VerifyReport { ok: bad.is_none(), verification };
    match bad {
        Some(bad) if !output.is_json() => Err(Problem::from(AuditError::Tampered(bad))),
        bad => {
            output.show(&checked, |checked| {
                let found = &checked.verification;
                if found.only_earlier_key {
                    return "ok: no records, but an earlier version left its key: if it recorded anything, the \
                            records were removed"
                        .to_owned();
                }
                if found.lines == 0 {
                    return "ok: no records yet".to_owned();
                }
                format!(
                    "ok: {} checked, in {} under {}",
                    count(usize::try_from(found.lines).unwrap_or(usize::MAX), "record"),
                    count(usize::try_from(found.files).unwrap_or(usize::MAX), "file"),
                    context.home.display(&context.home.audit_dir())
                )
            })?;
            Ok(if bad.is_none() { ExitCode::Done } else { ExitCode::Failed })
        }
    }
}

/// Starts a new chain in place of one with a fault.
fn reset(
    audit: Option<&Audit>,
    reason: &str,
    consent: Consent,
    context: &Context,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    if reason.trim().is_empty() {
        return Err(Problem::new(ErrorCode::Usage, "--reason is empty").hint("say why; it is recorded"));
    }
    let audit = audit.ok_or(AuditError::Intact)?;
    let fault = audit.verify()?.first_bad.ok_or(AuditError::Intact)?;
    if !consent.yes {
        let question = format!(
            "{}\n\nKeep the old files in a folder below {} and start a new audit log?",
            printable(&fault.to_string()),
            printable(&context.home.display(&context.home.audit_dir()))
        );
        input::confirm(&question, context, output)?;
    }
    let done = audit.reset(reason.trim(), "the owner, in a terminal", context.now())?;
    output.show(&done, |done| {
        format!(
            "a new audit log has begun; its first record tells of the reset\nthe old files are in {}",
            printable(&context.home.display(&done.kept))
        )
    })?;
    Ok(ExitCode::Done)
}

fn export(audit: Option<&Audit>, filter: &RecordFilter, output: &mut Output) -> Result<ExitCode, Problem> {
    let Some(audit) = audit else { return Ok(ExitCode::Done) };
    match audit.export(output.stream(), filter) {
        // The stream keeps its own failure, and ignores a closed pipe.
        Err(AuditError::Export(_)) => output.finish()?,
        done => {
            done?;
        }
    }
    Ok(ExitCode::Done)
}
