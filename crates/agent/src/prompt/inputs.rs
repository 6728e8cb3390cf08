//! The inputs of the prompt, loaded from the configuration, the session, the model and the workspace. A turn and
//! `tarsus prompt show` load them in the same way.

use std::path::PathBuf;

use jiff::tz::TimeZone;
use serde::Serialize;
use tarsus_guard::ToolPolicy;
use tarsus_home::Home;
use tarsus_home::config::Config;
use tarsus_home::config::view::Agent;
use tarsus_host::platform::{Platform, host_name, os_version};
use tarsus_protocol::exec::{Reasoning, ThinkingLevel};
use tarsus_skills::SkillsSnapshot;
use tarsus_store::SessionKey;

use super::budget::skills_within;
use super::chat::{Channel, ChatKind};
use super::files::{self, ProjectFile};
use super::quote::Marker;
use crate::guide;
use crate::tools::Toolbox;

/// The heartbeat prompt.
pub(super) const HEARTBEAT: &str = "Heartbeat: read HEARTBEAT.md, if it exists, and do exactly what it says. Do not \
    continue tasks from earlier conversations. If nothing needs attention, reply HEARTBEAT_OK.";

/// Models with a smaller window get the minimal prompt and fewer tools.
pub const SMALL_WINDOW: u32 = 8_000;
/// The window that is assumed when there is no model.
const DEFAULT_WINDOW: u32 = 128_000;

/// Facts about this machine, collected once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    pub host: Option<String>,
    /// The operating system, its version and the processor.
    pub os: String,
    pub shell: Option<String>,
    pub time_zone: Option<String>,
}

impl Machine {
    /// Collects the facts about this machine; `shell` is the path that the environment names.
    #[must_use]
    pub fn detect(shell: Option<PathBuf>) -> Self {
        let Platform { os, arch, .. } = Platform::detect();
        let version = os_version().map(|version| format!(" {version}")).unwrap_or_default();
        let name = shell.and_then(|shell| Some(shell.file_stem()?.to_string_lossy().into_owned()));
        Self {
            host: host_name(),
            os: format!("{os}{version} ({arch})"),
            shell: name,
            time_zone: TimeZone::system().iana_name().map(str::to_owned),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelFacts<'a> {
    /// `provider/model`.
    pub name: &'a str,
    /// Context window in tokens.
    pub window: u32,
    /// Whether it has a reasoning mode of its own.
    pub reasons: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PromptMode {
    #[default]
    Full,
    /// For sub-agents and small models.
    Minimal,
    /// The first line only.
    None,
}

impl PromptMode {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Minimal => "minimal",
            Self::None => "none",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolLine<'a> {
    pub name: &'a str,
    /// Description in one line.
    pub line: &'a str,
}

/// The source of the messages of a session. Facts that differ between messages are sent with each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct InboundMeta<'a> {
    pub channel: &'a str,
    pub provider: &'a str,
    pub surface: &'a str,
    /// `direct` or `group`.
    pub chat_type: &'a str,
}

/// Which messages of a group the agent gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupMessages {
    All,
    /// Only messages that are addressed to it.
    Addressed,
}

/// The facts of the prompt's last line. Unknown ones are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuntimeFacts<'a> {
    pub host: Option<&'a str>,
    pub os: Option<&'a str>,
    pub model: Option<&'a str>,
    /// The model of sessions that chose none.
    pub default_model: Option<&'a str>,
    pub shell: Option<&'a str>,
    /// Capabilities of the channel besides text.
    pub capabilities: &'a [&'a str],
    pub thinking: ThinkingLevel,
    pub reasoning: Reasoning,
}

/// The sources of a prompt's inputs.
#[derive(Clone, Copy)]
pub struct PromptSource<'a> {
    pub home: &'a Home,
    pub config: &'a Config,
    pub agent: &'a Agent,
    pub session: &'a SessionKey,
    pub channel: Channel,
    /// `None` for the mode that suits the session and the model.
    pub mode: Option<PromptMode>,
    pub toolbox: &'a Toolbox,
    pub model: Option<ModelFacts<'a>>,
    pub thinking: ThinkingLevel,
    pub reasoning: Reasoning,
    pub machine: &'a Machine,
    pub marker: &'a Marker,
    pub snapshot: &'a SkillsSnapshot,
}

#[derive(Debug, Clone)]
pub struct PromptInputs<'a> {
    pub mode: PromptMode,
    /// The agent's id.
    pub agent: &'a str,
    pub tools: Vec<ToolLine<'a>>,
    /// The list of skills; empty when there are none.
    pub skills: String,
    /// The agent's folder.
    pub workspace: String,
    /// Whether the workspace is a repository.
    pub is_repository: bool,
    /// The folder of the user guide, where it is on disk.
    pub docs: Option<String>,
    pub time_zone: Option<&'a str>,
    /// The workspace files, in order.
    pub files: Vec<ProjectFile>,
    pub inbound: Option<InboundMeta<'a>>,
    /// `None` outside of a group.
    pub group: Option<GroupMessages>,
    /// Whether the model writes its reasoning between tags, because it has no native reasoning.
    pub reasoning_tags: bool,
    pub heartbeat: Option<&'a str>,
    pub runtime: RuntimeFacts<'a>,
    /// Context window of the model in tokens.
    pub window: u32,
    /// The tag around text of others in this session.
    pub marker: Option<&'a Marker>,
}

impl<'a> PromptInputs<'a> {
    /// Reads the workspace, and lists the skills as far as there is room.
    #[must_use]
    pub fn load(source: PromptSource<'a>) -> Self {
        let PromptSource { home, config, agent, session, machine, model, thinking, reasoning, .. } = source;
        let chat = ChatKind::for_session(session);
        let window = model.map_or(DEFAULT_WINDOW, |model| model.window);
        let is_small = chat == ChatKind::Subagent || window < SMALL_WINDOW;
        let mode = source.mode.unwrap_or(if is_small { PromptMode::Minimal } else { PromptMode::Full });
        let workspace = home.workspace(&config.agents, agent);
        let policy = ToolPolicy::from_config(config, agent);
        let zone = config.agents.defaults.user_timezone.as_deref();
        let list = |chars| source.snapshot.prompt_within(chars).text.clone();
        let has_native_reasoning = model.is_some_and(|model| model.reasons);
        Self {
            mode,
            agent: agent.id.as_str(),
            tools: source.toolbox.lines(window, |tool| policy.has(tool)),
            skills: if mode == PromptMode::None { String::new() } else { skills_within(window, list) },
            files: files::read(&workspace, mode, chat, source.snapshot.community_files()),
            is_repository: workspace.join(".git").exists(),
            workspace: workspace.display().to_string(),
            docs: Some(guide::folder(home).display().to_string()),
            time_zone: zone.or(machine.time_zone.as_deref()),
            inbound: Some(InboundMeta {
                channel: source.channel.as_str(),
                provider: source.channel.as_str(),
                surface: source.channel.as_str(),
                chat_type: chat.as_str(),
            }),
            group: (chat == ChatKind::Group).then_some(GroupMessages::Addressed),
            reasoning_tags: !has_native_reasoning && thinking != ThinkingLevel::Off,
            heartbeat: (chat == ChatKind::Main).then_some(HEARTBEAT),
            runtime: RuntimeFacts {
                host: machine.host.as_deref(),
                os: Some(&machine.os),
                model: model.map(|model| model.name),
                default_model: config.agents.model_of(agent),
                shell: machine.shell.as_deref(),
                capabilities: source.channel.capabilities(),
                thinking,
                reasoning,
            },
            window,
            marker: Some(source.marker),
        }
    }

    /// Whether a tool is offered.
    pub(super) fn offers(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }
}
