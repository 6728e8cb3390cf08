//! `skills`: sources and set-up of skills.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Ignored, SecretInput};

/// Sources and set-up of skills.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("curator library workshop"))]
pub struct Skills {
    /// Set-up by skill key.
    pub entries: BTreeMap<String, SkillEntry>,
    /// The bundled skills that may be used, by name or key; all if empty or not set.
    pub allow_bundled: Option<Vec<String>>,
    /// Where skills are found.
    pub load: SkillsLoad,
    /// Installers for the programs that skills need.
    pub install: SkillsInstall,
    /// Limits on loading and on the prompt.
    pub limits: SkillsLimits,
}

/// The set-up of one skill.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SkillEntry {
    /// False disables the skill.
    pub enabled: Option<bool>,
    /// The value of its main environment variable.
    pub api_key: Option<SecretInput>,
    /// Environment variables for its programs.
    pub env: BTreeMap<String, SecretInput>,
    /// Options that the skill defines.
    pub config: Map<String, Value>,
}

/// Where skills are found.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SkillsLoad {
    /// Additional folders, lowest precedence first.
    pub extra_dirs: Vec<String>,
    /// Folders outside that links in skill folders may point to.
    pub allow_symlink_targets: Vec<String>,
    /// Watch the folders for changes.
    pub watch: bool,
    /// Milliseconds without further changes before skills are read again.
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

/// Installers for the programs that skills need.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("allowUploadedArchives"))]
pub struct SkillsInstall {
    /// Prefer Homebrew if it is installed.
    pub prefer_brew: Option<bool>,
    /// The package manager for Node packages.
    pub node_manager: NodeManager,
}

/// The package manager for Node packages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NodeManager {
    #[default]
    Npm,
    Pnpm,
    Yarn,
    Bun,
}

/// Limits on loading skills and on their part of the prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SkillsLimits {
    /// Folders examined below one root.
    pub max_candidates_per_root: Option<u32>,
    /// Skills loaded per source.
    pub max_skills_loaded_per_source: Option<u32>,
    /// Skills listed in the prompt.
    pub max_skills_in_prompt: Option<u32>,
    /// Characters of that list.
    pub max_skills_prompt_chars: Option<u32>,
    /// Bytes of a SKILL.md file.
    pub max_skill_file_bytes: Option<u32>,
}
