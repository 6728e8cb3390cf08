//! `agents`: who they are and what they have in common.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{AgentTools, Ignored};

/// The agents. There is always at least one.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = add_entries_form)]
pub struct Agents {
    /// What holds for every agent that does not say otherwise.
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
    /// The agent that is meant when none is named: the one marked, else the first.
    #[must_use]
    pub fn default_agent(&self) -> Option<&Agent> {
        self.list.iter().find(|agent| agent.default).or_else(|| self.list.first())
    }

    /// Its id; `main` when there is no agent.
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

    /// The agent of an id.
    #[must_use]
    pub fn get(&self, id: &AgentId) -> Option<&Agent> {
        self.list.iter().find(|agent| agent.id == *id)
    }
}

/// A file may name its agents in `entries`, by id, instead of in `list`.
fn add_entries_form(schema: &mut Schema) {
    let Some(Value::Object(properties)) = schema.ensure_object().get_mut("properties") else { return };
    let Some(mut agent) = properties.get("list").and_then(|list| list.get("items")).cloned() else { return };
    if let Value::Object(agent) = &mut agent {
        agent.remove("required");
    }
    let description = "Every agent by its id: the other way to write `list`.";
    let entries =
        json_schema!({ "type": "object", "description": description, "additionalProperties": agent });
    properties.insert("entries".to_owned(), entries.to_value());
}

/// What holds for every agent that does not say otherwise.
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
    /// The skills an agent may use, by name; all when not set.
    #[schemars(extend("x-when-wrong" = []))]
    pub skills: Option<Vec<String>>,
    /// The user's time zone, such as `Europe/Paris`; the system's when not set.
    pub user_timezone: Option<String>,
    /// How much may be spent on models.
    pub budget: Budget,
}

/// How much may be spent on models. What is not set has no bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Budget {
    /// Tokens a day.
    pub daily_tokens: Option<u64>,
    /// Dollars a day.
    pub daily_usd: Option<f64>,
    /// Tokens in one turn.
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
    /// The id in session keys and paths.
    pub id: AgentId,
    /// Whether this is the agent that is meant when none is named.
    #[serde(default)]
    pub default: bool,
    /// The name people see.
    #[serde(default)]
    pub name: Option<String>,
    /// The folder this agent works in.
    #[serde(default)]
    pub workspace: Option<String>,
    /// The language model.
    #[serde(default)]
    pub model: Option<ModelChoice>,
    /// The skills this agent may use, by name: none for an empty list, all when not set.
    #[serde(default)]
    #[schemars(extend("x-when-wrong" = []))]
    pub skills: Option<Vec<String>>,
    /// How much of the skills this agent's model is shown.
    #[serde(default)]
    pub skills_limits: AgentSkillsLimits,
    /// The tools this agent has, of those that every agent has.
    #[serde(default)]
    pub tools: AgentTools,
    /// How the agent presents itself.
    #[serde(default)]
    pub identity: Identity,
}

impl Agent {
    /// An agent of which only the id is known.
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

/// How much of the skills one agent's model is shown; what is not set is as for every agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AgentSkillsLimits {
    /// Characters of the list in the prompt.
    pub max_skills_prompt_chars: Option<u32>,
}

/// How an agent presents itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Identity {
    /// Its name.
    pub name: Option<String>,
    /// Its theme, in a few words.
    pub theme: Option<String>,
    /// One emoji.
    pub emoji: Option<String>,
    /// A picture in the workspace, or a `data:` address.
    pub avatar: Option<String>,
    /// The address of a picture.
    pub avatar_url: Option<String>,
}

/// A language model, and those to try when it fails. In the file a model alone may stand for both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelChoice {
    /// `provider/model`.
    pub primary: Option<String>,
    /// What to try next, in this order.
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
                            "description": "What to try next, in this order."
                        },
                        "timeoutMs": true
                    }
                }
            ]
        })
    }
}

/// The id of an agent: letters, digits, `-` and `_`, at most 64, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct AgentId(String);

/// Why a text is not the id of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an agent id has 1 to 64 letters, digits, `-` or `_`, and begins with a letter or digit")]
pub struct AgentIdError;

impl AgentId {
    /// The agent that is there when none is configured.
    #[must_use]
    pub fn main() -> Self {
        Self("main".to_owned())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AgentId {
    type Err = AgentIdError;

    /// Takes upper case too, and makes it lower.
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
