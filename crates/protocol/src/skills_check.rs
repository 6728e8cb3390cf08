//! Output of `tarsus skills validate`, one line per file: the result of OpenClaw's loader, and diagnostics.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The check of one file. `ok` is the result of OpenClaw's loader. A file that loads has every field; a degraded one has
/// the same fields beside its `error`; a malformed one has only `path`, `ok`, `error`, `degraded` and `diagnostics`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillCheck {
    /// Path of the file, as given.
    pub path: String,
    /// Whether it loads.
    pub ok: bool,
    /// Reason why it does not load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<CheckError>,
    /// Name: from the frontmatter, else the folder's.
    pub name: Option<String>,
    /// When to use it.
    pub description: Option<String>,
    /// Settings key of the skill.
    pub skill_key: Option<String>,
    /// Requirements; null if not declared.
    pub requires: Option<CheckRequires>,
    /// Supported operating systems; null if not declared.
    pub os: Option<Vec<String>>,
    /// Whether it ignores missing requirements; null if not declared.
    pub always: Option<bool>,
    /// Environment variable for its API key.
    pub primary_env: Option<String>,
    /// Emoji for lists.
    pub emoji: Option<String>,
    /// Homepage: from the metadata, else from the frontmatter.
    pub homepage: Option<String>,
    /// Installers; null for a malformed file.
    pub install: Option<Vec<CheckInstall>>,
    /// Whether it has a slash command.
    pub user_invocable: Option<bool>,
    /// Whether it is left out of the prompt.
    pub disable_model_invocation: Option<bool>,
    /// Display name.
    pub display_name: Option<String>,
    /// Slash command before conflicts are resolved.
    pub slash_base: Option<String>,
    /// Whether the name comes from the folder.
    pub name_from_dir: Option<bool>,
    /// Metadata under a vendor key that OpenClaw does not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vendor_metadata: Option<CheckVendor>,
    /// Whether name and description could be read although the file does not load.
    pub degraded: bool,
    /// Problems of the file.
    pub diagnostics: Vec<CheckDiagnostic>,
}

/// Reason why a file does not load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckError {
    /// The code of the problem.
    pub code: String,
    /// Message of OpenClaw's loader.
    pub message: String,
    /// Line in the file, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// A diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckDiagnostic {
    /// The code of the problem.
    pub code: String,
    /// Explanation and remedy.
    pub message: String,
    /// Line in the file, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Requirements of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckRequires {
    /// Programs, all of them.
    pub bins: Vec<String>,
    /// Programs, one of them.
    pub any_bins: Vec<String>,
    /// Environment variables.
    pub env: Vec<String>,
    /// Paths in `openclaw.json`.
    pub config: Vec<String>,
}

/// An installer with its declared fields.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[expect(missing_docs, reason = "each is a field of the file")]
pub struct CheckInstall {
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bins: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub os: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extract: Option<bool>,
    /// A JavaScript number; integers are written without a decimal point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strip_components: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_dir: Option<String>,
}

/// Metadata under a vendor key that OpenClaw does not read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckVendor {
    /// Name of the key.
    pub vendor: String,
    /// Declared requirements.
    pub requires: Option<CheckRequires>,
    /// Declared operating systems.
    pub os: Option<Vec<String>>,
    /// Whether it would ignore missing requirements.
    pub always: Option<bool>,
    /// Environment variable for its API key.
    pub primary_env: Option<String>,
    /// Emoji for lists.
    pub emoji: Option<String>,
    /// The page about the skill.
    pub homepage: Option<String>,
    /// Settings key of the skill.
    pub skill_key: Option<String>,
    /// Ways to install its programs.
    pub install: Vec<CheckInstall>,
}
