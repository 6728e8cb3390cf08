//! Methods of the configuration file: read without secrets, changed by difference.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{NoParams, methods};
use crate::report::ConfigIssue;

methods! {
    #[doc = "Reads the configuration without its secrets, and the hash that a change requires."]
    Get = "config.get", NoParams => ConfigSnapshot, Read;
    #[doc = "Replaces the configuration; only the differences are edited, so that comments are kept."]
    Set = "config.set", ConfigWriteParams => ConfigWritten, Admin;
    #[doc = "Applies a JSON merge patch (RFC 7396) to the configuration."]
    Patch = "config.patch", ConfigWriteParams => ConfigPatched, Admin;
    #[doc = "Returns the JSON schema of the configuration."]
    Schema = "config.schema", NoParams => ConfigSchema, Read;
}

/// Parameters of `config.set` and `config.patch`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfigWriteParams {
    /// The whole configuration, or the patch, as JSON5.
    pub raw: String,
    /// Hash of the version that was read; required if the file exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<String>,
}

/// Result of `config.get`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigSnapshot {
    /// Path of the file.
    pub path: String,
    /// Whether the file exists.
    pub exists: bool,
    /// The text; `null` if it is not valid JSON5.
    pub raw: Option<String>,
    /// Whether every value is valid.
    pub valid: bool,
    /// The values; `agents.list` is always present.
    pub config: Value,
    /// Hash for `baseHash` of a change.
    pub hash: String,
    /// Invalid values.
    pub issues: Vec<ConfigIssue>,
    /// Unknown keys and other harmless oddities.
    pub warnings: Vec<ConfigIssue>,
}

/// Result of `config.set`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigWritten {
    /// Always true; a failure is an error response.
    pub ok: bool,
    /// Path of the file.
    pub path: String,
    /// Hash of the new version.
    pub hash: String,
    /// The new values.
    pub config: Value,
}

/// Result of `config.patch`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigPatched {
    /// The new version.
    #[serde(flatten)]
    pub written: ConfigWritten,
    /// Paths whose values changed.
    pub changed_paths: Vec<String>,
}

/// Result of `config.schema`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigSchema {
    /// The JSON schema.
    pub schema: Value,
    /// Version of the program.
    pub version: String,
}
