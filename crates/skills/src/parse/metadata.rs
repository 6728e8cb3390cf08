//! Parses the metadata of a skill: the `openclaw` block, or that of another vendor.

use serde_json::{Map, Value};
use tarsus_home::config::json5::{Document, JsonDialect};
use tarsus_protocol::DiagnosticCode;

use super::coerce::{list, text};
use super::install;
use crate::{About, Dependency, Diagnostic, EnvVar, Links, Metadata, Requires, VendorMetadata};

/// Names of the block that OpenClaw reads, in order of preference.
const OWN_NAMES: [&str; 2] = ["openclaw", "clawdbot"];

/// Names of blocks of other vendors, which OpenClaw ignores.
const VENDORS: [&str; 3] = ["moltbot", "clawdis", "clawdhub"];

/// The parsed field `metadata`.
#[derive(Default)]
pub(super) struct Declared {
    pub(super) metadata: Option<Box<Metadata>>,
    pub(super) vendor: Option<Box<VendorMetadata>>,
}

/// Parses the field `metadata`. `known` is its value, if it was parsed already.
pub(super) fn parse(raw: &str, known: Option<Value>, notes: &mut Vec<Diagnostic>) -> Declared {
    if raw.is_empty() {
        return Declared::default();
    }
    let value = match known.map_or_else(|| parse_json(raw), Ok) {
        Ok(value) => value,
        // Only text that looks like an object or a list deserves a diagnostic.
        Err(_) if !raw.starts_with(['{', '[']) => return Declared::default(),
        Err(reason) => {
            let message = format!(
                "the metadata is not valid JSON5, so its requirements are unknown ({reason}); write it as a YAML map or \
                 as JSON"
            );
            notes.push(Diagnostic { code: DiagnosticCode::MetadataUnreadable, message, line: None });
            return Declared::default();
        }
    };
    let block = |name: &str| value.get(name).filter(|block| block.is_object() || block.is_array());
    if let Some(block) = OWN_NAMES.into_iter().find_map(block) {
        return Declared { metadata: Some(Box::new(metadata(block, notes))), vendor: None };
    }
    let vendor = VENDORS.into_iter().find_map(|name| block(name).map(|block| (name, block)));
    let vendor = vendor.map(|(vendor, block)| {
        let message = format!(
            "the metadata is in the block `{vendor}`, which is ignored; rename the block to `openclaw`"
        );
        notes.push(Diagnostic { code: DiagnosticCode::VendorMetadata, message, line: None });
        Box::new(VendorMetadata { vendor, metadata: metadata(block, notes) })
    });
    Declared { metadata: None, vendor }
}

/// Parses JSON, else JSON5.
fn parse_json(raw: &str) -> Result<Value, String> {
    if let Ok(value) = serde_json::from_str(raw) {
        return Ok(value);
    }
    match Document::parse(raw.as_bytes(), JsonDialect::Json5) {
        Ok(document) => Ok(document.value()),
        Err(error) => Err(error.label().to_owned()),
    }
}

fn metadata(block: &Value, notes: &mut Vec<Diagnostic>) -> Metadata {
    let empty = Map::new();
    let raw = block.as_object().unwrap_or(&empty);
    let mut installers = Vec::new();
    for (number, entry) in raw.get("install").and_then(Value::as_array).into_iter().flatten().enumerate() {
        match install::parse(entry) {
            Ok(entry) => installers.push(entry),
            Err(reason) => {
                let number = number + 1;
                let message = format!("installer {number} of the metadata is ignored: {reason}");
                notes.push(Diagnostic { code: DiagnosticCode::InstallerDropped, message, line: None });
            }
        }
    }
    installers.shrink_to_fit();
    let os = list(raw.get("os"));
    Metadata {
        always: raw.get("always").and_then(Value::as_bool),
        emoji: text(raw, "emoji"),
        homepage: text(raw, "homepage"),
        skill_key: text(raw, "skillKey").filter(|key| !super::text::trimmed(key).is_empty()),
        primary_env: text(raw, "primaryEnv"),
        os: (!os.is_empty()).then_some(os),
        requires: raw.get("requires").filter(|value| value.is_object() || value.is_array()).map(requires),
        install: installers,
        capabilities: raw.get("capabilities").cloned(),
        about: about(raw),
    }
}

fn requires(value: &Value) -> Requires {
    Requires {
        bins: list(value.get("bins")),
        any_bins: list(value.get("anyBins")),
        env: list(value.get("env")),
        config: list(value.get("config")),
    }
}

fn about(raw: &Map<String, Value>) -> Option<Box<About>> {
    let objects =
        |key: &str| raw.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    let env_var = |entry: &Map<String, Value>| {
        let required = entry.get("required").and_then(Value::as_bool);
        Some(EnvVar { name: text(entry, "name")?, required, description: text(entry, "description") })
    };
    let dependency = |entry: &Map<String, Value>| {
        Some(Dependency {
            name: text(entry, "name")?,
            kind: text(entry, "type"),
            version: text(entry, "version"),
            url: text(entry, "url"),
            repository: text(entry, "repository"),
        })
    };
    let links = raw.get("links").and_then(Value::as_object).map(|links| Links {
        homepage: text(links, "homepage"),
        repository: text(links, "repository"),
        documentation: text(links, "documentation"),
        changelog: text(links, "changelog"),
    });
    let about = About {
        cli_help: text(raw, "cliHelp"),
        author: text(raw, "author"),
        env_vars: objects("envVars").filter_map(env_var).collect(),
        dependencies: objects("dependencies").filter_map(dependency).collect(),
        links: links.unwrap_or_default(),
    };
    (about != About::default()).then(|| Box::new(about))
}
