//! The configuration file: shown, and changed by the difference to what was shown.
//!
//! A change is in force before it is answered, and then told.

use serde_json::Value;
use tarsus_home::config::json5::{Dialect, Document};
use tarsus_home::config::{
    self as file, ConfigError, ConfigFile, Edited, Loaded, changes, merge_patch, secrets_changed, shown,
    shown_text,
};
use tarsus_home::files::{self, Fingerprints};
use tarsus_protocol::report::{ConfigFault, ConfigIssue};
use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::config::{
    ConfigPatched, ConfigSchema, ConfigSnapshot, ConfigWriteParams, ConfigWritten,
};
use tarsus_protocol::{ErrorCode, Problem};

use super::failure::{Failure, echoed};
use super::secret::Changing;
use crate::gateway::Gateway;
use crate::reload::By;

pub(super) fn get(gateway: &Gateway, _: NoParams) -> Result<ConfigSnapshot, Failure> {
    let file = ConfigFile::of(&gateway.given.home);
    let path = file.path().display().to_string();
    match file.load(&gateway.given.variables) {
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
        Err(ConfigError::Syntax { error, .. }) => broken(gateway, &file, path, &error),
        Err(error) => Err(error.into()),
    }
}

/// How often a change of the gateway's own is made again when the file was changed meanwhile.
const MOST_TRIES: usize = 20;

/// A file that is not JSON5: what is in force instead, and where the mistake is.
fn broken(
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
        config: shown(&gateway.in_force.now().config.document),
        hash: Fingerprints::of(&gateway.given.home).hash(&bytes)?,
        issues: vec![issue],
        warnings: Vec::new(),
    })
}

pub(super) fn set(gateway: &Gateway, params: ConfigWriteParams) -> Result<ConfigWritten, Failure> {
    let incoming = parsed(&params.raw)?;
    let (file, loaded) = seen(gateway, params.base_hash.as_deref(), || {
        "config base hash required; re-run config.get and retry".to_owned()
    })?;
    write(gateway, &file, &loaded, &incoming)
}

pub(super) fn patch(gateway: &Gateway, params: ConfigWriteParams) -> Result<ConfigPatched, Failure> {
    let patch = parsed(&params.raw)?;
    let (file, loaded) = seen(gateway, params.base_hash.as_deref(), || {
        let what = first_path(&patch);
        format!("config base hash required for {what}; re-run config.get and retry with baseHash")
    })?;
    let patched = merge_patch(&loaded.document, &patch);
    let written = write(gateway, &file, &loaded, &patched.view)?;
    Ok(ConfigPatched { written, changed_paths: patched.changed })
}

pub(super) fn schema(_: &Gateway, _: NoParams) -> Result<ConfigSchema, Failure> {
    Ok(ConfigSchema { schema: file::schema(), version: env!("CARGO_PKG_VERSION").to_owned() })
}

/// The text of a client, in the words that clients know when it is not JSON5. It may hold secrets: no line is shown.
fn parsed(raw: &str) -> Result<Value, Failure> {
    Document::parse_object(raw.as_bytes(), Dialect::Json5).map(|document| document.value()).map_err(|error| {
        Failure::invalid(format!("SyntaxError: JSON5: {} at {}:{}", error.label(), error.line, error.column))
    })
}

/// The first place that a patch is about.
fn first_path(patch: &Value) -> String {
    let mut path = Vec::new();
    let mut at = patch;
    while let Some((name, inner)) = at.as_object().and_then(|members| members.iter().next()) {
        path.push(name.as_str());
        at = inner;
    }
    if path.is_empty() { "<root>".to_owned() } else { path.join(".") }
}

/// The file, if it is the one that the client has seen.
fn seen(
    gateway: &Gateway,
    base_hash: Option<&str>,
    required: impl FnOnce() -> String,
) -> Result<(ConfigFile, Loaded), Failure> {
    let file = ConfigFile::of(&gateway.given.home);
    let loaded = file.load(&gateway.given.variables)?;
    match base_hash {
        None if loaded.exists => Err(Failure::invalid(required())),
        Some(base) if base != file.hash(&loaded)? => Err(ConfigError::Stale.into()),
        _ => Ok((file, loaded)),
    }
}

/// Makes the file show `incoming`. Only what differs is edited.
fn write(
    gateway: &Gateway,
    file: &ConfigFile,
    loaded: &Loaded,
    incoming: &Value,
) -> Result<ConfigWritten, Failure> {
    let edits = changes(&loaded.document, incoming)?;
    let mut secrets = Changing::default();
    // Under its lock the file is compared once more with the one that the edits were made for.
    let edited = file.edit_if(Some(&file.hash(loaded)?), &edits, |before, after| {
        secrets = Changing::in_config(secrets_changed(before, after));
        secrets.permit(gateway)
    });
    let edited = edited.map_err(|error| {
        let failure = Failure::config(error);
        secrets.undone(gateway, &failure.shape().message);
        failure
    })?;
    secrets.done(gateway);
    put_in_force(gateway, &edited, false)?;
    Ok(ConfigWritten {
        ok: true,
        path: file.path().display().to_string(),
        hash: edited.hash,
        config: shown(&edited.document),
    })
}

/// Changes the view of the file as `change` does, and once more when somebody else changed it meanwhile.
pub(super) fn change_view(
    gateway: &Gateway,
    mut change: impl FnMut(&Loaded, &mut Value) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let file = ConfigFile::of(&gateway.given.home);
    let mut tries = 0..MOST_TRIES;
    loop {
        let loaded = file.load(&gateway.given.variables)?;
        let mut view = shown(&loaded.document);
        change(&loaded, &mut view)?;
        match write(gateway, &file, &loaded, &view) {
            Err(failure) if failure.is_stale() && tries.next().is_some() => {}
            written => return written.map(|_| ()),
        }
    }
}

/// Has the change in force and told. With `other_secrets`, what the file refers to is another one too.
pub(super) fn put_in_force(gateway: &Gateway, edited: &Edited, other_secrets: bool) -> Result<(), Failure> {
    for problem in &edited.left_undone {
        tracing::warn!(%problem, "the configuration was changed, but something beside it was not");
    }
    Ok(gateway.reload(By::Request, other_secrets)?)
}

/// An agent that the configuration does not have.
pub(super) fn unknown_agent(id: &str) -> Failure {
    let id = echoed(id);
    Problem::new(ErrorCode::NotFound, format!("unknown agent id \"{id}\"")).into()
}
