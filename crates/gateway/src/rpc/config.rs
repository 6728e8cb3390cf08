//! Reads the configuration file, and edits it by the difference to what the client saw.
//!
//! A change is active before its reply is sent, and then published.

use serde_json::Value;
use tarsus_home::config::json5::{Document, JsonDialect};
use tarsus_home::config::{
    self as file, ConfigError, ConfigFile, Edited, LoadedConfig, changes, merge_patch, secrets_changed,
    shown, shown_text,
};
use tarsus_home::files::{self, Fingerprints};
use tarsus_protocol::report::{ConfigFault, ConfigIssue};
use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::config::{
    ConfigPatched, ConfigSchema, ConfigSnapshot, ConfigWriteParams, ConfigWritten,
};
use tarsus_protocol::{ErrorCode, Problem};

use super::failure::{Failure, echoed};
use super::secret::SecretAudit;
use crate::gateway::Gateway;
use crate::reload::ReloadTrigger;

pub(super) fn get(gateway: &Gateway, _: NoParams) -> Result<ConfigSnapshot, Failure> {
    let file = ConfigFile::for_home(&gateway.context.home);
    let path = file.path().display().to_string();
    match file.load(&gateway.context.variables) {
        Ok(loaded) => Ok(ConfigSnapshot {
            path,
            exists: loaded.exists,
            raw: loaded.exists.then(|| shown_text(&loaded.document)),
            valid: loaded.issues.is_empty(),
            config: shown(&loaded.document),
            hash: file.hash(&loaded)?,
            issues: loaded.issues,
            warnings: loaded.warnings,
        }),
        Err(ConfigError::Syntax { error, .. }) => broken_snapshot(gateway, &file, path, &error),
        Err(error) => Err(error.into()),
    }
}

/// Attempts of an internal change when the file changes meanwhile.
const MAX_ATTEMPTS: usize = 20;

/// The snapshot of a file that is not JSON5: the active configuration, and the syntax error.
fn broken_snapshot(
    gateway: &Gateway,
    file: &ConfigFile,
    path: String,
    error: &file::json5::SyntaxError,
) -> Result<ConfigSnapshot, Failure> {
    let bytes = files::read(file.path(), file::json5::MAX_BYTES)?.unwrap_or_default();
    let issue = ConfigIssue {
        path: String::new(),
        message: error.label().to_owned(),
        line: Some(error.line),
        column: Some(error.column),
        code: Some(ConfigFault::Unreadable),
    };
    Ok(ConfigSnapshot {
        path,
        exists: true,
        raw: None,
        valid: false,
        config: shown(&gateway.active_config.current().config.document),
        hash: Fingerprints::for_home(&gateway.context.home).hash(&bytes)?,
        issues: vec![issue],
        warnings: Vec::new(),
    })
}

pub(super) fn set(gateway: &Gateway, params: ConfigWriteParams) -> Result<ConfigWritten, Failure> {
    let incoming = parse_json5(&params.raw)?;
    let (file, loaded) = load_if_unchanged(gateway, params.base_hash.as_deref(), || {
        "config base hash required; re-run config.get and retry".to_owned()
    })?;
    write(gateway, &file, &loaded, &incoming)
}

pub(super) fn patch(gateway: &Gateway, params: ConfigWriteParams) -> Result<ConfigPatched, Failure> {
    let patch = parse_json5(&params.raw)?;
    let (file, loaded) = load_if_unchanged(gateway, params.base_hash.as_deref(), || {
        let what = first_patch_path(&patch);
        format!("config base hash required for {what}; re-run config.get and retry with baseHash")
    })?;
    let patched = merge_patch(&loaded.document, &patch);
    let written = write(gateway, &file, &loaded, &patched.view)?;
    Ok(ConfigPatched { written, changed_paths: patched.changed })
}

pub(super) fn schema(_: &Gateway, _: NoParams) -> Result<ConfigSchema, Failure> {
    Ok(ConfigSchema { schema: file::schema(), version: env!("CARGO_PKG_VERSION").to_owned() })
}

/// Parses a client's JSON5, with the error that clients know. It may hold secrets, so the error shows no line.
fn parse_json5(raw: &str) -> Result<Value, Failure> {
    Document::parse_object(raw.as_bytes(), JsonDialect::Json5).map(|document| document.value()).map_err(
        |error| {
            Failure::invalid(format!(
                "SyntaxError: JSON5: {} at {}:{}",
                error.label(),
                error.line,
                error.column
            ))
        },
    )
}

/// The first path that a patch changes.
fn first_patch_path(patch: &Value) -> String {
    let mut path = Vec::new();
    let mut at = patch;
    while let Some((name, inner)) = at.as_object().and_then(|members| members.iter().next()) {
        path.push(name.as_str());
        at = inner;
    }
    if path.is_empty() { "<root>".to_owned() } else { path.join(".") }
}

/// Loads the file if its hash is the one that the client saw.
fn load_if_unchanged(
    gateway: &Gateway,
    base_hash: Option<&str>,
    required: impl FnOnce() -> String,
) -> Result<(ConfigFile, LoadedConfig), Failure> {
    let file = ConfigFile::for_home(&gateway.context.home);
    let loaded = file.load(&gateway.context.variables)?;
    match base_hash {
        None if loaded.exists => Err(Failure::invalid(required())),
        Some(base) if base != file.hash(&loaded)? => Err(ConfigError::Stale.into()),
        _ => Ok((file, loaded)),
    }
}

/// Edits the file to match `incoming`; only differences are edited.
fn write(
    gateway: &Gateway,
    file: &ConfigFile,
    loaded: &LoadedConfig,
    incoming: &Value,
) -> Result<ConfigWritten, Failure> {
    let edits = changes(&loaded.document, incoming)?;
    let mut secrets = SecretAudit::default();
    // Compared again under the lock with the version that the edits were made for.
    let edited = file.edit_if(Some(&file.hash(loaded)?), &edits, |before, after| {
        secrets = SecretAudit::for_config(secrets_changed(before, after));
        secrets.record_set(gateway)
    });
    let edited = edited.map_err(|error| {
        let failure = Failure::config(error);
        secrets.record_failed(gateway, &failure.shape().message);
        failure
    })?;
    secrets.record_removed(gateway);
    apply_edit(gateway, &edited, false)?;
    Ok(ConfigWritten {
        ok: true,
        path: file.path().display().to_string(),
        hash: edited.hash,
        config: shown(&edited.document),
    })
}

/// Applies `change` to the view of the file, and retries if the file changed meanwhile.
pub(super) fn edit_config(
    gateway: &Gateway,
    mut change: impl FnMut(&LoadedConfig, &mut Value) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let file = ConfigFile::for_home(&gateway.context.home);
    let mut tries = 0..MAX_ATTEMPTS;
    loop {
        let loaded = file.load(&gateway.context.variables)?;
        let mut view = shown(&loaded.document);
        change(&loaded, &mut view)?;
        match write(gateway, &file, &loaded, &view) {
            Err(failure) if failure.is_stale() && tries.next().is_some() => {}
            written => return written.map(|_| ()),
        }
    }
}

/// Activates and publishes an edit. `other_secrets`: values that the file refers to changed, too.
pub(super) fn apply_edit(gateway: &Gateway, edited: &Edited, other_secrets: bool) -> Result<(), Failure> {
    for problem in &edited.left_undone {
        tracing::warn!(%problem, "the configuration was changed, but something beside it was not");
    }
    Ok(gateway.reload(ReloadTrigger::Request, other_secrets)?)
}

pub(super) fn unknown_agent(id: &str) -> Failure {
    let id = echoed(id);
    Problem::new(ErrorCode::NotFound, format!("unknown agent id \"{id}\"")).into()
}
