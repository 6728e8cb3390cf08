//! What a model is asked, in no provider's words.

use serde_json::{Map, Value};
use tarsus_protocol::Message;

/// One request. Messages of the runtime itself (`Role::Custom`) are not for the model and are left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// The system prompt.
    pub system: String,
    /// The conversation so far, the oldest first.
    pub messages: Vec<Message>,
    /// The tools that are offered.
    pub tools: Vec<Tool>,
    /// How hard to think, where the model can.
    pub thinking: Thinking,
    /// The most tokens of the answer; the model's own bound when not set.
    pub max_tokens: Option<u32>,
    /// A word that is the same for all requests of a session: the provider may keep what it has seen under it.
    /// Nothing is kept without one.
    pub cache: Option<String>,
}

/// A tool that is offered.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub parameters: Map<String, Value>,
}

/// How hard a model thinks before it answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Thinking {
    /// Not at all, where that can be asked for.
    #[default]
    Off,
    /// As little as possible.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

impl Thinking {
    /// Every level, the least first.
    pub const ALL: [Self; 5] = [Self::Off, Self::Minimal, Self::Low, Self::Medium, Self::High];

    /// The word that people use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// The level of a word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == word)
    }

    /// The level, unless it is off.
    pub(crate) fn wanted(self) -> Option<Self> {
        (self != Self::Off).then_some(self)
    }
}
