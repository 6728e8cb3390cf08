//! `config`: reads, checks and changes openclaw.json.

use serde::Serialize;
use serde_json::Value;
use tarsus_audit::{AuditEntry, RecordSeverity};
use tarsus_home::config::json5::{Document, Edit, Path, PathStep};
use tarsus_home::config::{ConfigFile, LoadedConfig, json5, schema, shown, shown_text};
use tarsus_home::credentials;
use tarsus_protocol::report::{ConfigIssue, ConfigReload};
use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::config::{ConfigWriteParams, Get, Set};
use tarsus_protocol::{ErrorCode, ExitCode, Problem, REDACTED, SourceLocation};
use tarsus_skills::environment::refused_in_config;

use crate::args::Config as Request;
use crate::context::Context;
use crate::gateway::{self, ACT_TIMEOUT, OptionalGateway, client::Client};
use crate::output::Output;
use crate::text::{columns, count, printable};

pub fn run(request: Request, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    match request {
        Request::Path => path(context, output),
        Request::Get { key } => get(key.as_deref(), context, output),
        Request::Set { key, value, string } => {
            let value = if string { Value::from(value) } else { parse_value(value) };
            let path = parse_path(&key)?;
            change(Edit::Set { path, value }, context, output)
        }
        Request::Unset { key } => change(Edit::Unset { path: parse_path(&key)? }, context, output),
        Request::Validate { strict } => validate(strict, context, output),
        Request::Schema => {
            output.json(&schema())?;
            Ok(ExitCode::Done)
        }
    }
}

fn parse_path(key: &str) -> Result<Path, Problem> {
    key.parse().map_err(|error: json5::ConfigPathError| {
        Problem::new(ErrorCode::Usage, error.to_string())
            .hint("write names joined by dots, as in agents.list[0].name")
    })
}

/// Parses JSON5; anything else is a string.
fn parse_value(text: String) -> Value {
    match Document::parse(text.as_bytes(), json5::JsonDialect::Json5) {
        Ok(document) => document.value(),
        Err(_) => Value::from(text),
    }
}

fn path(context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let path = context.home.config_path();
    let value = serde_json::json!({ "path": path, "exists": path.exists() });
    output.show(&value, |_| path.display().to_string())?;
    Ok(ExitCode::Done)
}

/// Prints the whole file or one value, with secrets redacted.
fn get(key: Option<&str>, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let (all, text) = load_redacted(context, output)?;
    match key {
        None => output.show(&all, |_| text)?,
        Some(key) => {
            let value = value_at(&all, &parse_path(key)?).ok_or_else(|| {
                Problem::new(ErrorCode::NotFound, format!("{key} is not set")).hint(
                    "`tarsus config get` prints the values that are set; `tarsus config schema` lists all keys with their defaults",
                )
            })?;
            output.show(value, |value| match value {
                Value::String(text) => text.clone(),
                value => serde_json::to_string_pretty(value).unwrap_or_default(),
            })?;
        }
    }
    Ok(ExitCode::Done)
}

/// The redacted file as a value and as text: from the gateway, else from disk.
fn load_redacted(context: &Context, output: &mut Output) -> Result<(Value, String), Problem> {
    let mut gateway = OptionalGateway::connect(context, output)?;
    if let Some(snapshot) = gateway.query::<Get>(&NoParams {}, output)
        && let Some(text) = snapshot.raw
    {
        return Ok((snapshot.config, text));
    }
    let document = &context.config()?.document;
    Ok((shown(document), shown_text(document)))
}

fn value_at<'v>(root: &'v Value, path: &Path) -> Option<&'v Value> {
    path.steps().iter().try_fold(root, |value, step| match (step, value) {
        (PathStep::Index(index), value) => value.get(index),
        (PathStep::Key(key), Value::Array(items)) => items.get(key.parse::<usize>().ok()?),
        (PathStep::Key(key), value) => value.get(key),
    })
}

#[derive(Serialize)]
struct ChangeReport {
    ok: bool,
    path: std::path::PathBuf,
    key: String,
    before: Option<Value>,
    after: Option<Value>,
    changed: bool,
    hash: String,
    notes: Vec<String>,
}

/// Applies one edit, through a running gateway if possible.
pub(super) fn change(edit: Edit, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let (file, path) = (ConfigFile::for_home(&context.home), edit.path().clone());
    // Connect before the edit, which may change the credentials.
    let mut gateway = OptionalGateway::connect(context, output)?;
    let (before, applied) = loop {
        let loaded = context.reload_config()?;
        let new = loaded.document.edited(&edit).map_err(Problem::from)?;
        check_skill_variables(&loaded.document, &new)?;
        let applied = match apply_via_gateway(&mut gateway, &file, &loaded, &new, &path) {
            // Another process changed the file meanwhile; try again.
            Some(Err(problem)) if problem.code == ErrorCode::Stale => continue,
            Some(applied) => applied?,
            None => apply_locally(&file, &loaded.document, &new, &edit, context)?,
        };
        break (redacted_at(&loaded.document, &path), applied);
    };
    tracing::info!(key = %path, changed = applied.changed, hash = applied.hash, "configuration edited");
    let mut notes = applied.notes;
    if let (Some(gateway), true) = (gateway.into_client(), applied.changed) {
        notes.extend(pending_note(gateway, &applied.hash, &path, file.path(), context));
    }
    let change = ChangeReport {
        ok: true,
        path: file.path().to_path_buf(),
        key: path.to_string(),
        before,
        after: applied.after,
        changed: applied.changed,
        hash: applied.hash,
        notes,
    };
    output.show(&change, change_text)?;
    Ok(ExitCode::Done)
}

/// Refuses to add a variable that no skill may set.
fn check_skill_variables(old: &Document, new: &Document) -> Result<(), Problem> {
    let added = refused_in_config(&new.value()).into_iter().find(|(path, ..)| old.get(path).is_none());
    added.map_or(Ok(()), |(_, name, refusal)| Err(refusal.problem(&name)))
}

/// The result of an edit.
struct AppliedEdit {
    /// The new value, with secrets redacted.
    after: Option<Value>,
    hash: String,
    changed: bool,
    notes: Vec<String>,
}

/// Applies the edit through the gateway, which records changed secrets and reloads before it responds.
fn apply_via_gateway(
    gateway: &mut OptionalGateway,
    file: &ConfigFile,
    loaded: &LoadedConfig,
    new: &Document,
    path: &Path,
) -> Option<Result<AppliedEdit, Problem>> {
    let base_hash = match loaded.exists.then(|| file.hash(loaded)).transpose() {
        Ok(hash) => hash,
        Err(error) => return Some(Err(error.into())),
    };
    let params = ConfigWriteParams { raw: new.text().to_owned(), base_hash: base_hash.clone() };
    let written = gateway.execute::<Set>(&params, ACT_TIMEOUT)?;
    Some(written.map(|written| AppliedEdit {
        after: redacted_at(new, path),
        changed: base_hash.as_deref() != Some(written.hash.as_str()),
        hash: written.hash,
        notes: Vec::new(),
    }))
}

/// Applies the edit without a gateway.
fn apply_locally(
    file: &ConfigFile,
    old: &Document,
    new: &Document,
    edit: &Edit,
    context: &Context,
) -> Result<AppliedEdit, Problem> {
    let path = edit.path();
    if touches_secret(old, path) || touches_secret(new, path) {
        record_secret_change(path, context)?;
    }
    let edited = file.edit(None, std::slice::from_ref(edit))?;
    Ok(AppliedEdit {
        after: redacted_at(&edited.document, path),
        hash: edited.hash,
        changed: edited.changed,
        notes: edited.left_undone.iter().map(ToString::to_string).collect(),
    })
}

/// Waits until the gateway has reloaded the file. Returns a note if the edit is not active.
fn pending_note(
    gateway: Client,
    hash: &str,
    path: &Path,
    file: &std::path::Path,
    context: &Context,
) -> Option<String> {
    let reload_state = gateway::poll_health(gateway, context, |answer| match answer {
        Ok(health) => {
            let reload = health.config_reload;
            (reload.hash.as_deref() == Some(hash)).then_some(reload)
        }
        // The edit revoked our own credentials, so it is active.
        Err(_) => Some(ConfigReload::default()),
    });
    let Some(reload_state) = reload_state else {
        return Some("the running gateway has not loaded it yet; `tarsus gateway restart` does".to_owned());
    };
    let key = path.to_string();
    let is_within = |part: &str, whole: &str| {
        part.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let waits = |section: &String| is_within(&key, section) || is_within(section, &key);
    let is_refused =
        reload_state.rejected.iter().any(|rejected| std::path::Path::new(&rejected.path) == file);
    if is_refused {
        Some("the running gateway rejected the file: `tarsus config validate`".to_owned())
    } else if reload_state.needs_restart.iter().any(waits) {
        Some("it takes effect after `tarsus gateway restart`".to_owned())
    } else {
        None
    }
}

fn change_text(change: &ChangeReport) -> String {
    let key = &change.key;
    let display = |value: &Value| {
        let text = value.to_string();
        if text.contains(REDACTED) { "(hidden)".to_owned() } else { text }
    };
    let was = change.before.as_ref().map(|before| format!(" (was {})", display(before))).unwrap_or_default();
    let mut text = match &change.after {
        _ if !change.changed => format!("{key} already has this value; nothing was changed\n"),
        Some(after) if display(after) == "(hidden)" => format!("set {key} (hidden)\n"),
        Some(after) => format!("set {key} to {}{was}\n", display(after)),
        None => format!("removed {key}{was}\n"),
    };
    for note in &change.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text
}

/// The value at a path, with secrets redacted.
fn redacted_at(document: &Document, path: &Path) -> Option<Value> {
    document.get(path).and_then(|_| value_at(&shown(document), path).cloned())
}

fn touches_secret(document: &Document, path: &Path) -> bool {
    redacted_at(document, path).is_some_and(|value| value.to_string().contains(REDACTED))
}

/// Records a changed secret. If that fails, the secret is not changed.
fn record_secret_change(path: &Path, context: &Context) -> Result<(), Problem> {
    let mut entry = AuditEntry::security("secret.changed", RecordSeverity::Info);
    entry.reason = Some(format!("{path} in the configuration, on the command line"));
    context.audit()?.record(entry, context.now())?;
    Ok(())
}

#[derive(Serialize)]
struct ValidationReport {
    ok: bool,
    path: std::path::PathBuf,
    exists: bool,
    issues: Vec<ConfigIssue>,
    warnings: Vec<ConfigIssue>,
}

fn validate(strict: bool, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let path = context.home.config_path();
    let loaded = context.config()?.clone();
    let remote = credentials::unused_remote_setting(&loaded.view.gateway)
        .map(|(key, why)| (key.to_owned(), why.to_owned()));
    let variables = refused_in_config(&loaded.document.value())
        .into_iter()
        .map(|(path, _, refusal)| (path.to_string(), format!("it has no effect: {refusal}")));
    let unused = remote.into_iter().chain(variables).map(|(path, message)| ConfigIssue {
        path,
        message,
        line: None,
        column: None,
        code: None,
    });
    let report = ValidationReport {
        ok: loaded.issues.is_empty(),
        path: path.to_path_buf(),
        exists: loaded.exists,
        issues: loaded.issues,
        warnings: loaded.warnings.into_iter().chain(unused).collect(),
    };
    let exit = match (report.issues.first(), report.warnings.is_empty()) {
        (Some(_), _) => ExitCode::Malformed,
        (None, false) if strict => ExitCode::Warnings,
        (None, _) => ExitCode::Done,
    };
    if let (Some(first), false) = (report.issues.first(), output.is_json()) {
        return Err(issues_problem(&report.issues, first, path));
    }
    output.show(&report, |report| report_text(report, &context.home.display(path)))?;
    Ok(exit)
}

fn issues_problem(issues: &[ConfigIssue], first: &ConfigIssue, path: &std::path::Path) -> Problem {
    let message = format!("openclaw.json has {} that cannot be used", count(issues.len(), "value"));
    let location = SourceLocation { line: first.line, column: first.column, ..SourceLocation::file(path) };
    let problem = Problem::new(ErrorCode::Malformed, message).at(location);
    let problem = issues.iter().fold(problem, |problem, issue| {
        problem.note(printable(&format!("{}{}: {}", line_prefix(issue), issue.path, issue.message)))
    });
    problem.hint("everything else in the file applies; `tarsus config schema` shows the type of each key")
}

fn line_prefix(issue: &ConfigIssue) -> String {
    issue.line.map(|line| format!("line {line}: ")).unwrap_or_default()
}

fn report_text(report: &ValidationReport, path: &str) -> String {
    if !report.exists {
        return format!("ok: there is no {path}; the defaults are in effect");
    }
    let rows: Vec<_> = report
        .warnings
        .iter()
        .map(|warning| {
            [
                "  warning".to_owned(),
                printable(&format!("{}{}", line_prefix(warning), warning.path)),
                printable(&warning.message),
            ]
        })
        .collect();
    format!("ok: {path}\n{}", columns(&rows))
}
