//! The line that `tarsus skills validate` prints for one file: what OpenClaw's loader makes of it, and what is odd.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One file. `ok` is what OpenClaw's loader says. A file that loads has every field; a degraded one has the same
/// fields beside its `error`; of a malformed one only `path`, `ok`, `error`, `degraded` and `diagnostics` are not null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillCheck {
    /// The file, as it was named.
    pub path: String,
    /// Whether it loads.
    pub ok: bool,
    /// Why it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<CheckError>,
    /// The name: from the frontmatter, else the folder's.
    pub name: Option<String>,
    /// When to use it.
    pub description: Option<String>,
    /// The key of its settings.
    pub skill_key: Option<String>,
    /// What it needs; null when the metadata does not say.
    pub requires: Option<CheckRequires>,
    /// The systems it runs on; null when none is named.
    pub os: Option<Vec<String>>,
    /// Whether it skips every gate; null when the metadata does not say.
    pub always: Option<bool>,
    /// The variable that its one key goes to.
    pub primary_env: Option<String>,
    /// A sign for lists.
    pub emoji: Option<String>,
    /// Where to read more: from the metadata, else from the frontmatter.
    pub homepage: Option<String>,
    /// How what it needs can be installed; null for a malformed file.
    pub install: Option<Vec<CheckInstall>>,
    /// Whether people may invoke it.
    pub user_invocable: Option<bool>,
    /// Whether the model is not told of it.
    pub disable_model_invocation: Option<bool>,
    /// The title for people.
    pub display_name: Option<String>,
    /// The slash command before clashes are settled.
    pub slash_base: Option<String>,
    /// Whether the name is the folder's.
    pub name_from_dir: Option<bool>,
    /// A block under a name that OpenClaw does not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vendor_metadata: Option<CheckVendor>,
    /// Whether a name and a description could be read although the file does not load.
    pub degraded: bool,
    /// What is odd about it.
    pub diagnostics: Vec<CheckDiagnostic>,
}

/// Why a file does not load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckError {
    /// A word for programs.
    pub code: String,
    /// What OpenClaw's loader says.
    pub message: String,
    /// The line of the file, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Something odd.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckDiagnostic {
    /// A word for programs.
    pub code: String,
    /// What it is, and what to do about it.
    pub message: String,
    /// The line of the file, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// What a skill needs.
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

/// One way to install what a skill needs, with the fields that it declares.
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
    /// A number of JavaScript: whole ones are written without a point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strip_components: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_dir: Option<String>,
}

/// What a block declares under a name that OpenClaw does not read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckVendor {
    /// The name.
    pub vendor: String,
    /// What it says is needed.
    pub requires: Option<CheckRequires>,
    /// The systems it names.
    pub os: Option<Vec<String>>,
    /// Whether it would skip every gate.
    pub always: Option<bool>,
    /// The variable that its one key would go to.
    pub primary_env: Option<String>,
    /// A sign for lists.
    pub emoji: Option<String>,
    /// Where to read more.
    pub homepage: Option<String>,
    /// The key of its settings.
    pub skill_key: Option<String>,
    /// Its installers.
    pub install: Vec<CheckInstall>,
}
