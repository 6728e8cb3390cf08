//! `config`: reads, checks and changes openclaw.json.

use serde::Serialize;
use serde_json::{Value, json};
use tarsus_audit::{Audit, Entry, Severity};
use tarsus_home::config::json5::{Document, Edit, Path, Step};
use tarsus_home::config::{ConfigFile, Loaded, json5, schema, shown, shown_text};
use tarsus_protocol::report::{ConfigIssue, ConfigReload};
use tarsus_protocol::{ErrorCode, ExitCode, Place, Problem, REDACTED};

use crate::args::Config as Request;
use crate::context::Context;
use crate::gateway::{self, ACTING, Neighbour, client::Client};
use crate::output::Output;
use crate::text::{columns, count, printable};

/// Carries out one configuration command.
pub fn run(request: Request, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    match request {
        Request::Path => path(context, output),
        Request::Get { key } => get(key.as_deref(), context, output),
        Request::Set { key, value, string } => {
            let value = if string { Value::from(value) } else { read_value(value) };
            let path = read_path(&key)?;
            change(Edit::Set { path, value }, context, output)
        }
        Request::Unset { key } => change(Edit::Unset { path: read_path(&key)? }, context, output),
        Request::Validate { strict } => validate(strict, context, output),
        Request::Schema => {
            output.json(&schema())?;
            Ok(ExitCode::Done)
        }
    }
}

fn read_path(key: &str) -> Result<Path, Problem> {
    key.parse().map_err(|error: json5::PathError| {
        Problem::new(ErrorCode::Usage, error.to_string())
            .hint("write names joined by dots, as in agents.list[0].name")
    })
}

/// JSON5 is taken as such, anything else as text.
fn read_value(text: String) -> Value {
    match Document::parse(text.as_bytes(), json5::Dialect::Json5) {
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

/// The whole file as it stands, or one value; secrets are covered either way.
fn get(key: Option<&str>, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let (all, text) = as_shown(context, output)?;
    match key {
        None => output.show(&all, |_| text)?,
        Some(key) => {
            let value = value_at(&all, &read_path(key)?).ok_or_else(|| {
                Problem::new(ErrorCode::NotFound, format!("{key} is not set")).hint(
                    "`tarsus config get` prints what is set, `tarsus config schema` what there is, with its defaults",
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

/// The file as values and as text: from a running gateway, or read here where there is none or it has no good file.
fn as_shown(context: &Context, output: &mut Output) -> Result<(Value, String), Problem> {
    let mut gateway = Neighbour::find(context, output)?;
    if let Some(Value::Object(mut answer)) = gateway.ask("config.get", json!({}), output)
        && let (Some(all), Some(Value::String(text))) = (answer.remove("config"), answer.remove("raw"))
    {
        return Ok((all, text));
    }
    let document = context.load_config()?.document;
    Ok((shown(&document), shown_text(&document)))
}

fn value_at<'v>(root: &'v Value, path: &Path) -> Option<&'v Value> {
    path.steps().iter().try_fold(root, |value, step| match (step, value) {
        (Step::Index(index), value) => value.get(index),
        (Step::Key(key), Value::Array(items)) => items.get(key.parse::<usize>().ok()?),
        (Step::Key(key), value) => value.get(key),
    })
}

#[derive(Serialize)]
struct Change {
    ok: bool,
    path: std::path::PathBuf,
    key: String,
    before: Option<Value>,
    after: Option<Value>,
    changed: bool,
    hash: String,
    notes: Vec<String>,
}

/// Makes one change of the file, through a running gateway where there is one.
pub(super) fn change(edit: Edit, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    context.refuse_inside_an_agent("a command that changes the configuration")?;
    let (file, path) = (ConfigFile::of(&context.home), edit.path().clone());
    // Connected before the change, which may be one of what opens it.
    let mut gateway = Neighbour::find(context, output)?;
    let (before, made) = loop {
        let loaded = context.load_config()?;
        let new = loaded.document.edited(&edit).map_err(Problem::from)?;
        let made = match through(&mut gateway, &file, &loaded, &new, &path) {
            // Somebody else changed something else meanwhile.
            Some(Err(problem)) if problem.code == ErrorCode::Stale => continue,
            Some(made) => made?,
            None => here(&file, &loaded.document, &new, &edit, context)?,
        };
        break (shown_at(&loaded.document, &path), made);
    };
    tracing::info!(key = %path, changed = made.changed, hash = made.hash, "configuration edited");
    let mut notes = made.notes;
    if let (Some(gateway), true) = (gateway.into_client(), made.changed) {
        notes.extend(not_in_force(gateway, &made.hash, &path, file.path())?);
    }
    let change = Change {
        ok: true,
        path: file.path().to_path_buf(),
        key: path.to_string(),
        before,
        after: made.after,
        changed: made.changed,
        hash: made.hash,
        notes,
    };
    output.show(&change, change_text)?;
    Ok(ExitCode::Done)
}

/// A change that was made, by whomever.
struct Made {
    /// What stands there now, secrets covered.
    after: Option<Value>,
    hash: String,
    changed: bool,
    notes: Vec<String>,
}

/// Has a running gateway make the change: it writes down which secrets are others, and has it in force when it answers.
fn through(
    gateway: &mut Neighbour,
    file: &ConfigFile,
    loaded: &Loaded,
    new: &Document,
    path: &Path,
) -> Option<Result<Made, Problem>> {
    let base_hash = match loaded.exists.then(|| file.hash(loaded)).transpose() {
        Ok(hash) => hash,
        Err(error) => return Some(Err(error.into())),
    };
    let mut params = json!({ "raw": new.text() });
    if let Some(hash) = &base_hash {
        params["baseHash"] = Value::from(hash.clone());
    }
    let answer = gateway.have_done("config.set", params, ACTING)?;
    Some(answer.map(|answer| Made {
        after: shown_at(new, path),
        changed: base_hash.as_deref() != answer["hash"].as_str(),
        hash: answer["hash"].as_str().unwrap_or_default().to_owned(),
        notes: Vec::new(),
    }))
}

/// Makes the change where no gateway does.
fn here(
    file: &ConfigFile,
    old: &Document,
    new: &Document,
    edit: &Edit,
    context: &Context,
) -> Result<Made, Problem> {
    let path = edit.path();
    if touches_secret(old, path) || touches_secret(new, path) {
        record_secret_change(path, context)?;
    }
    let edited = file.edit(None, std::slice::from_ref(edit))?;
    Ok(Made {
        after: shown_at(&edited.document, path),
        hash: edited.hash,
        changed: edited.changed,
        notes: edited.left_undone.iter().map(ToString::to_string).collect(),
    })
}

/// Waits until a running gateway has looked at the file; says what keeps the change from being in force.
fn not_in_force(
    gateway: Client,
    hash: &str,
    path: &Path,
    file: &std::path::Path,
) -> Result<Option<String>, Problem> {
    let looked = gateway::ask_until(gateway, |answer| match answer {
        Ok(health) => {
            let reload: ConfigReload = serde_json::from_value(health.get("configReload")?.clone()).ok()?;
            (reload.hash.as_deref() == Some(hash)).then_some(reload)
        }
        // Whoever came in by what was changed is shut out: it is in force.
        Err(_) => Some(ConfigReload::default()),
    })?;
    let Some(looked) = looked else {
        return Ok(Some(
            "the running gateway has not taken it over; `tarsus gateway restart` does".to_owned(),
        ));
    };
    let key = path.to_string();
    let is_within = |part: &str, whole: &str| {
        part.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let waits = |section: &String| is_within(&key, section) || is_within(section, &key);
    let is_refused = looked.rejected.iter().any(|rejected| std::path::Path::new(&rejected.path) == file);
    Ok(if is_refused {
        Some("the running gateway refuses the file as it is: `tarsus config validate`".to_owned())
    } else if looked.needs_restart.iter().any(waits) {
        Some("it is in force after `tarsus gateway restart`".to_owned())
    } else {
        None
    })
}

fn change_text(change: &Change) -> String {
    let key = &change.key;
    let words = |value: &Value| {
        let text = value.to_string();
        if text.contains(REDACTED) { "(hidden)".to_owned() } else { text }
    };
    let was = change.before.as_ref().map(|before| format!(" (was {})", words(before))).unwrap_or_default();
    let mut text = match &change.after {
        _ if !change.changed => format!("{key} is so already; nothing was changed\n"),
        Some(after) if words(after) == "(hidden)" => format!("set {key} (hidden)\n"),
        Some(after) => format!("set {key} to {}{was}\n", words(after)),
        None => format!("removed {key}{was}\n"),
    };
    for note in &change.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text
}

/// What a document itself has at a place, secrets covered.
fn shown_at(document: &Document, path: &Path) -> Option<Value> {
    document.get(path).and_then(|_| value_at(&shown(document), path).cloned())
}

fn touches_secret(document: &Document, path: &Path) -> bool {
    shown_at(document, path).is_some_and(|value| value.to_string().contains(REDACTED))
}

/// A secret that cannot be written down as changed is not changed.
fn record_secret_change(path: &Path, context: &Context) -> Result<(), Problem> {
    let mut entry = Entry::security("secret.changed", Severity::Info);
    entry.reason = Some(format!("{path} of the configuration, on the command line"));
    Audit::open(&context.home)?.record(entry, context.now())?;
    Ok(())
}

#[derive(Serialize)]
struct Verdict {
    ok: bool,
    path: std::path::PathBuf,
    exists: bool,
    issues: Vec<ConfigIssue>,
    warnings: Vec<ConfigIssue>,
}

fn validate(strict: bool, context: &Context, output: &mut Output) -> Result<ExitCode, Problem> {
    let path = context.home.config_path();
    let loaded = context.load_config()?;
    let verdict = Verdict {
        ok: loaded.issues.is_empty(),
        path: path.to_path_buf(),
        exists: loaded.exists,
        issues: loaded.issues,
        warnings: loaded.warnings,
    };
    let exit = match (verdict.issues.first(), verdict.warnings.is_empty()) {
        (Some(_), _) => ExitCode::Malformed,
        (None, false) if strict => ExitCode::Warnings,
        (None, _) => ExitCode::Done,
    };
    if let (Some(first), false) = (verdict.issues.first(), output.is_json()) {
        return Err(mistakes(&verdict.issues, first, path));
    }
    output.show(&verdict, |verdict| verdict_text(verdict, &context.home.display(path)))?;
    Ok(exit)
}

fn mistakes(issues: &[ConfigIssue], first: &ConfigIssue, path: &std::path::Path) -> Problem {
    let message = format!("openclaw.json has {} that cannot be used", count(issues.len(), "value"));
    let place = Place { line: first.line, column: first.column, ..Place::file(path) };
    let problem = Problem::new(ErrorCode::Malformed, message).at(place);
    let problem = issues.iter().fold(problem, |problem, issue| {
        problem.note(printable(&format!("{}{}: {}", line(issue), issue.path, issue.message)))
    });
    problem.hint("everything else in the file holds; `tarsus config schema` shows what each key takes")
}

fn line(issue: &ConfigIssue) -> String {
    issue.line.map(|line| format!("line {line}: ")).unwrap_or_default()
}

fn verdict_text(verdict: &Verdict, path: &str) -> String {
    if !verdict.exists {
        return format!("ok: there is no {path}; the defaults are in force");
    }
    let rows: Vec<_> = verdict
        .warnings
        .iter()
        .map(|warning| {
            [
                "  warning".to_owned(),
                printable(&format!("{}{}", line(warning), warning.path)),
                printable(&warning.message),
            ]
        })
        .collect();
    format!("ok: {path}\n{}", columns(&rows))
}
