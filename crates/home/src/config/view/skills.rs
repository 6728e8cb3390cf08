//! `skills`: where they come from and how each is set up.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Ignored, SecretInput};

/// Where skills come from and how each is set up.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("curator library workshop"))]
pub struct Skills {
    /// Set-up by skill key.
    pub entries: BTreeMap<String, SkillEntry>,
    /// The bundled skills that may be used, by name or key; all when empty or not set.
    pub allow_bundled: Option<Vec<String>>,
    /// Where skills are looked for.
    pub load: SkillsLoad,
    /// How what a skill needs is installed.
    pub install: SkillsInstall,
    /// How much is read and shown to the model.
    pub limits: SkillsLimits,
}

/// How one skill is set up.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SkillEntry {
    /// False switches it off.
    pub enabled: Option<bool>,
    /// The key for its main variable.
    pub api_key: Option<SecretInput>,
    /// Variables for its programs.
    pub env: BTreeMap<String, SecretInput>,
    /// What the skill itself reads.
    pub config: Map<String, Value>,
}

/// Where skills are looked for.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SkillsLoad {
    /// More folders, lowest precedence first.
    pub extra_dirs: Vec<String>,
    /// Folders that a link inside a skill folder may lead to.
    pub allow_symlink_targets: Vec<String>,
    /// Whether changes on disk are noticed at once.
    pub watch: bool,
    /// How long changes settle before they are read, in milliseconds.
    pub watch_debounce_ms: u32,
}

impl Default for SkillsLoad {
    fn default() -> Self {
        Self {
            extra_dirs: Vec::new(),
            allow_symlink_targets: Vec::new(),
            watch: true,
            watch_debounce_ms: 250,
        }
    }
}

/// How what a skill needs is installed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("allowUploadedArchives"))]
pub struct SkillsInstall {
    /// Homebrew first, where it is there.
    pub prefer_brew: Option<bool>,
    /// Who installs Node packages.
    pub node_manager: NodeManager,
}

/// Who installs Node packages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "each is the name of a program")]
pub enum NodeManager {
    #[default]
    Npm,
    Pnpm,
    Yarn,
    Bun,
}

/// How much of the skills is read and shown to the model; what is not set has a default of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SkillsLimits {
    /// Folders looked at below one root.
    pub max_candidates_per_root: Option<u32>,
    /// Skills loaded from one source.
    pub max_skills_loaded_per_source: Option<u32>,
    /// Skills listed in the prompt.
    pub max_skills_in_prompt: Option<u32>,
    /// Characters of that list.
    pub max_skills_prompt_chars: Option<u32>,
    /// Bytes of one SKILL.md.
    pub max_skill_file_bytes: Option<u32>,
}
