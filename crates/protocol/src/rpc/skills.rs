//! The skills of the agents: how they stand, how each is set up, what they need.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{NoParams, methods};
use crate::skills::{SkillsRefreshed, SkillsReport};

methods! {
    #[doc = "How every skill of an agent stands."]
    Status = "skills.status", SkillsParams => SkillsReport<'static>, Read;
    #[doc = "Switches a skill on or off, or sets its key and variables, for every agent."]
    Update = "skills.update", SkillUpdateParams => SkillUpdated, Admin;
    #[doc = "The programs that skills of any agent ask for."]
    Bins = "skills.bins", NoParams => SkillBins, Read | Node;
    #[doc = "Looks at every skill and at the programs of this machine again."]
    Refresh = "skills.refresh", SkillsParams => SkillsRefreshed, Write;
}

/// Whose skills.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillsParams {
    /// The agent; the default one when not set.
    pub agent_id: Option<String>,
}

/// How a skill is to be set up; what is not named stays. Has keys in it, so that it cannot be printed.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillUpdateParams {
    /// The key of its settings.
    #[schemars(length(min = 1))]
    pub skill_key: String,
    /// Whether it is switched on.
    pub enabled: Option<bool>,
    /// The key for its main variable; an empty one takes it away.
    pub api_key: Option<String>,
    /// Variables for its programs; an empty one takes it away.
    pub env: Option<BTreeMap<String, String>>,
}

/// A skill that was set up.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillUpdated {
    /// Always true: a change that fails is an error.
    pub ok: bool,
    /// The key of its settings.
    pub skill_key: String,
    /// Its settings now, as `config.get` shows them.
    pub config: Map<String, Value>,
}

/// Programs by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillBins {
    /// Sorted, each once.
    pub bins: Vec<String>,
}
