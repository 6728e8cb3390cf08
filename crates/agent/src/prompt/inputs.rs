//! Everything that a prompt is made of, as plain values.

use serde::Serialize;
use tarsus_models::Thinking;
use tarsus_protocol::exec::Reasoning;

use super::files::ProjectFile;
use super::quote::Marker;

/// How much of the prompt there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// All of it.
    #[default]
    Full,
    /// What a sub-agent or a small model needs.
    Minimal,
    /// One line.
    None,
}

impl Mode {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Minimal => "minimal",
            Self::None => "none",
        }
    }
}

/// A tool that is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolLine<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it does, in one line.
    pub line: &'a str,
}

/// Where the messages of a session come from. What changes from message to message stands with the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct InboundMeta<'a> {
    /// The channel.
    pub channel: &'a str,
    /// Who runs it.
    pub provider: &'a str,
    /// What the person looks at.
    pub surface: &'a str,
    /// `direct` or `group`.
    pub chat_type: &'a str,
}

/// Which messages of a group are shown to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// All of them.
    Every,
    /// Those that are meant for it.
    Addressed,
}

/// What the last line of a prompt says. What is not known is left out of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuntimeFacts<'a> {
    /// The machine.
    pub host: Option<&'a str>,
    /// The repository of the workspace.
    pub repo: Option<&'a str>,
    /// The system.
    pub os: Option<&'a str>,
    /// The model that is asked.
    pub model: Option<&'a str>,
    /// The model that is asked when a session says nothing else.
    pub default_model: Option<&'a str>,
    /// The user's shell.
    pub shell: Option<&'a str>,
    /// What the channel can do beside text.
    pub capabilities: &'a [&'a str],
    /// How hard the model thinks.
    pub thinking: Thinking,
    /// Whether that is shown.
    pub reasoning: Reasoning,
}

/// Everything that a prompt is made of.
#[derive(Debug, Clone, Copy)]
pub struct PromptInputs<'a> {
    /// How much is said.
    pub mode: Mode,
    /// The agent's id.
    pub agent: &'a str,
    /// The tools that are offered.
    pub tools: &'a [ToolLine<'a>],
    /// What `skills` tells of skills; empty when there is none.
    pub skills: &'a str,
    /// The folder the agent works in.
    pub workspace: &'a str,
    /// The folder of the user guide, where it lies on disk.
    pub docs: Option<&'a str>,
    /// The user's time zone.
    pub time_zone: Option<&'a str>,
    /// The files that shape the agent, in order.
    pub files: &'a [ProjectFile],
    /// Where messages come from.
    pub inbound: Option<InboundMeta<'a>>,
    /// Which messages of a group are shown; none when this is no group.
    pub group: Option<Group>,
    /// Whether the model is to write its thoughts between tags, because it has no other way.
    pub reasoning_tags: bool,
    /// What a heartbeat says.
    pub heartbeat: Option<&'a str>,
    /// The last line.
    pub runtime: RuntimeFacts<'a>,
    /// How many tokens the model can look at.
    pub window: u32,
    /// What text of others stands between in this session.
    pub marker: Option<&'a Marker>,
}

impl PromptInputs<'_> {
    /// Whether a tool is offered.
    pub(super) fn offers(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }
}
