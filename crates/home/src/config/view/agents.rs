//! `agents`: the agents and their shared defaults.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{AgentTools, Ignored};

/// The agents; there is always at least one.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = add_entries_form)]
pub struct Agents {
    /// Defaults for all agents.
    pub defaults: AgentDefaults,
    /// Every agent.
    #[schemars(extend("default" = []))]
    pub list: Vec<Agent>,
}

impl Default for Agents {
    fn default() -> Self {
        Self { defaults: AgentDefaults::default(), list: vec![Agent::named(AgentId::main())] }
    }
}

impl Agents {
    /// The default agent: the marked one, else the first.
    #[must_use]
    pub fn default_agent(&self) -> Option<&Agent> {
        self.list.iter().find(|agent| agent.default).or_else(|| self.list.first())
    }

    /// The id of the default agent; `main` if there is no agent.
    #[must_use]
    pub fn default_id(&self) -> AgentId {
        self.default_agent().map_or_else(AgentId::main, |agent| agent.id.clone())
    }

    /// The model that an agent uses, as `provider/model`.
    #[must_use]
    pub fn model_of<'a>(&'a self, agent: &'a Agent) -> Option<&'a str> {
        let own = agent.model.as_ref().and_then(|model| model.primary.as_deref());
        own.or_else(|| self.defaults.model.as_ref()?.primary.as_deref())
    }

    #[must_use]
    pub fn get(&self, id: &AgentId) -> Option<&Agent> {
        self.list.iter().find(|agent| agent.id == *id)
    }
}

/// Adds the other form of the list: `entries`, an object by id.
fn add_entries_form(schema: &mut Schema) {
    let Some(Value::Object(properties)) = schema.ensure_object().get_mut("properties") else { return };
    let Some(mut agent) = properties.get("list").and_then(|list| list.get("items")).cloned() else { return };
    if let Value::Object(agent) = &mut agent {
        agent.remove("required");
    }
    let description = "The agents by id; an alternative to `list`.";
    let entries =
        json_schema!({ "type": "object", "description": description, "additionalProperties": agent });
    properties.insert("entries".to_owned(), entries.to_value());
}

/// Defaults for all agents.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    agentRuntime blockStreamingBreak blockStreamingChunk blockStreamingCoalesce \
    blockStreamingDefault bootstrapMaxChars bootstrapPromptTruncationWarning \
    bootstrapTotalMaxChars cliBackends compaction contextInjection contextLimits \
    contextPruning contextTokens elevatedDefault embeddedPi envelopeElapsed \
    envelopeTimestamp envelopeTimezone experimental heartbeat humanDelay \
    imageGenerationModel imageMaxDimensionPx imageModel llm maxConcurrent \
    mediaGenerationAutoProviderFallback mediaMaxMb memorySearch models musicGenerationModel \
    params pdfMaxBytesMb pdfMaxPages pdfModel permissionMode promptOverlays reasoningDefault \
    repoRoot runRetries sandbox silentReply skipBootstrap skipOptionalBootstrapFiles \
    startupContext subagents systemPromptOverride thinkingDefault timeFormat timeoutSeconds \
    toolProgressDetail typingIntervalSeconds typingMode verboseDefault videoGenerationModel"))]
pub struct AgentDefaults {
    /// The folder that agents work in.
    pub workspace: Option<String>,
    /// The language model.
    pub model: Option<ModelChoice>,
    /// The skills that an agent may use, by name; all if not set.
    #[schemars(extend("x-when-wrong" = []))]
    pub skills: Option<Vec<String>>,
    /// The user's time zone, such as `Europe/Paris`; the system's if not set.
    pub user_timezone: Option<String>,
    /// Limits on model usage.
    pub budget: Budget,
}

/// Limits on model usage; no limit where not set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Budget {
    /// Tokens per day.
    pub daily_tokens: Option<u64>,
    /// US dollars per day.
    pub daily_usd: Option<f64>,
    /// Tokens per turn.
    pub turn_tokens: Option<u64>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    agentDir agentRuntime bootstrapMaxChars bootstrapTotalMaxChars contextInjection \
    contextLimits contextTokens description embeddedPi experimental fastModeDefault \
    groupChat heartbeat humanDelay memorySearch models owner params permissionMode \
    reasoningDefault runRetries runtime sandbox subagents systemPromptOverride \
    thinkingDefault tts verboseDefault"))]
pub struct Agent {
    /// The id, used in session keys and paths.
    pub id: AgentId,
    /// Makes this the default agent.
    #[serde(default)]
    pub default: bool,
    /// The display name.
    #[serde(default)]
    pub name: Option<String>,
    /// The folder that this agent works in.
    #[serde(default)]
    pub workspace: Option<String>,
    /// The language model.
    #[serde(default)]
    pub model: Option<ModelChoice>,
    /// The skills that this agent may use, by name; none if the list is empty, all if not set.
    #[serde(default)]
    #[schemars(extend("x-when-wrong" = []))]
    pub skills: Option<Vec<String>>,
    /// Limits on the skills in this agent's prompt.
    #[serde(default)]
    pub skills_limits: AgentSkillsLimits,
    /// Restricts the tools of this agent further.
    #[serde(default)]
    pub tools: AgentTools,
    /// The agent's name, picture and character.
    #[serde(default)]
    pub identity: Identity,
}

impl Agent {
    /// An agent with nothing but an id.
    #[must_use]
    pub fn named(id: AgentId) -> Self {
        Self {
            id,
            default: false,
            name: None,
            workspace: None,
            model: None,
            skills: None,
            skills_limits: AgentSkillsLimits::default(),
            tools: AgentTools::default(),
            identity: Identity::default(),
        }
    }
}

/// Limits on the skills in one agent's prompt; the general limits where not set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AgentSkillsLimits {
    /// Characters of the skill list in the prompt.
    pub max_skills_prompt_chars: Option<u32>,
}

/// An agent's name, picture and character.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Identity {
    /// The name.
    pub name: Option<String>,
    /// The theme, in a few words.
    pub theme: Option<String>,
    /// An emoji.
    pub emoji: Option<String>,
    /// A picture in the workspace, or a `data:` address.
    pub avatar: Option<String>,
    /// The address of a picture.
    pub avatar_url: Option<String>,
}

/// A language model and its fallbacks. The file may give a model name instead of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelChoice {
    /// `provider/model`.
    pub primary: Option<String>,
    /// Models to try if it fails, in this order.
    pub fallbacks: Vec<String>,
}

impl<'de> Deserialize<'de> for ModelChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Alone(String),
            Full {
                primary: Option<String>,
                #[serde(default)]
                fallbacks: Vec<String>,
            },
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Alone(primary) => Self { primary: Some(primary), fallbacks: Vec::new() },
            Form::Full { primary, fallbacks } => Self { primary, fallbacks },
        })
    }
}

impl JsonSchema for ModelChoice {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ModelChoice".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": {
                        "primary": { "type": "string", "description": "`provider/model`." },
                        "fallbacks": {
                            "type": "array",
                            "items": { "type": "string" },
                            "description": "Models to try if it fails, in this order."
                        },
                        "timeoutMs": true
                    }
                }
            ]
        })
    }
}

/// The id of an agent: at most 64 lower-case letters, digits, `-` and `_`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct AgentId(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an agent id has 1 to 64 letters, digits, `-` or `_`, and begins with a letter or digit")]
pub struct AgentIdError;

impl AgentId {
    /// The agent that exists if none is configured.
    #[must_use]
    pub fn main() -> Self {
        Self("main".to_owned())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AgentId {
    type Err = AgentIdError;

    /// Accepts upper case and converts it to lower case.
    fn from_str(text: &str) -> Result<Self, AgentIdError> {
        let id = text.trim().to_ascii_lowercase();
        let well_formed = (1..=64).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            && id.as_bytes()[0].is_ascii_alphanumeric();
        if well_formed { Ok(Self(id)) } else { Err(AgentIdError) }
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for AgentId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for AgentId {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AgentId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "agent-id", "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$" })
    }
}
