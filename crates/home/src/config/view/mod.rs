//! The typed configuration of `openclaw.json`, with a default for every value.
//!
//! Reading, warnings, redaction and the published schema are all derived from these types. Keys that OpenClaw knows
//! and we do not use are listed in `Ignored`, so that they are neither read nor reported.

mod agents;
mod gateway;
mod messages;
mod models;
mod secret_input;
mod skills;
mod tools;
mod web;

pub use agents::{
    Agent, AgentDefaults, AgentId, AgentIdError, AgentSkillsLimits, Agents, Budget, Identity, ModelChoice,
};
pub use gateway::{Auth, AuthMode, Bind, ControlUi, Gateway, Mode, Reload, ReloadMode, Remote};
pub use messages::{Messages, Queue, QueueMode};
pub use models::{Api, Cost, Input, Model, Models, Provider, ToolCalls};
pub use secret_input::SecretInput;
pub use skills::{NodeManager, SkillEntry, Skills, SkillsInstall, SkillsLimits, SkillsLoad};
pub use tools::{AgentToAgent, AgentTools, Elevated, Exec, Fs, ToolOffer, ToolProfile, Tools};
pub use web::{BraveSearch, SearxngSearch, SsrfPolicy, TavilySearch, Web, WebFetch, WebSearch, minutes};

use schemars::transform::Transform;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::{Value, json};

/// `openclaw.json`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(title = "openclaw.json", transform = Ignored(OPENCLAW_SECTIONS))]
pub struct Config {
    /// The server for front ends and channels.
    pub gateway: Gateway,
    /// The agents and their shared defaults.
    pub agents: Agents,
    /// Language models beyond the built-in ones.
    pub models: Models,
    /// Sources and set-up of skills.
    pub skills: Skills,
    /// The tools and their limits.
    pub tools: Tools,
    /// Handling of incoming messages.
    pub messages: Messages,
}

const OPENCLAW_SECTIONS: &str = "\
    $schema accessGroups acp approvals audio auth bindings broadcast browser canvasHost channels \
    cli commands commitments cron diagnostics discovery env hooks logging mcp media memory \
    meta nodeHost plugins proxy secrets session surfaces talk ui update web wizard";

/// Adds keys that are allowed and ignored to a schema; separated by spaces.
struct Ignored(&'static str);

impl Transform for Ignored {
    fn transform(&mut self, schema: &mut Schema) {
        let properties = schema.ensure_object().entry("properties").or_insert_with(|| json!({}));
        if let Value::Object(properties) = properties {
            for key in self.0.split_whitespace() {
                properties.insert(key.to_owned(), Value::Bool(true));
            }
        }
    }
}
