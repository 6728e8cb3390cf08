//! The configuration file: shown without secrets, changed by difference.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{NoParams, methods};
use crate::report::ConfigIssue;

methods! {
    #[doc = "The configuration without its secrets, and the hash that a change has to name."]
    Get = "config.get", NoParams => ConfigSnapshot, Read;
    #[doc = "Makes the file say what is given; only the difference is edited."]
    Set = "config.set", ConfigWriteParams => ConfigWritten, Admin;
    #[doc = "Applies a merge patch (RFC 7396) to the file."]
    Patch = "config.patch", ConfigWriteParams => ConfigPatched, Admin;
    #[doc = "The description of the file, as a JSON Schema."]
    Schema = "config.schema", NoParams => ConfigSchema, Read;
}

/// A change of the file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfigWriteParams {
    /// The whole configuration, or the patch, as JSON5.
    pub raw: String,
    /// The hash of the file that was seen; needed when there is a file.
    pub base_hash: Option<String>,
}

/// The file as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ConfigSnapshot {
    /// Where it is.
    pub path: String,
    /// Whether it is there.
    pub exists: bool,
    /// Its text; `null` when it cannot be read as JSON5.
    pub raw: Option<String>,
    /// Whether every value can be used.
    pub valid: bool,
    /// Its values; `agents.list` is always there.
    pub config: Value,
    /// The hash that a change has to name.
    pub hash: String,
    /// What is wrong.
    pub issues: Vec<ConfigIssue>,
    /// What is odd but does no harm.
    pub warnings: Vec<ConfigIssue>,
}

/// The file after a change.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ConfigWritten {
    /// Always true: a change that fails is an error.
    pub ok: bool,
    /// Where it is.
    pub path: String,
    /// Its hash now.
    pub hash: String,
    /// Its values now.
    pub config: Value,
}

/// The file after a patch.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigPatched {
    /// The file.
    #[serde(flatten)]
    pub written: ConfigWritten,
    /// The places that are different now.
    pub changed_paths: Vec<String>,
}

/// The description of the file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ConfigSchema {
    /// The JSON Schema.
    pub schema: Value,
    /// The version of the program that it belongs to.
    pub version: String,
}
