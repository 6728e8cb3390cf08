//! Finds the values that a prompt is made of: from the configuration, the kind of session, the model and the workspace.
//!
//! Promises: what `tarsus prompt show` prints and what a model is sent come through here. Leaves to others: the text
//! ([`build`](super::build)), and everything that a turn alone knows.

use std::path::PathBuf;

use jiff::tz::TimeZone;
use tarsus_home::Home;
use tarsus_home::config::Config;
use tarsus_home::config::view::Agent;
use tarsus_host::platform::{Platform, host_name};
use tarsus_models::Thinking;
use tarsus_protocol::exec::Reasoning;
use tarsus_store::SessionKey;

use super::budget::skills_within;
use super::chat::Chat;
use super::files::{self, ProjectFile};
use super::inputs::{Group, InboundMeta, Mode, PromptInputs, RuntimeFacts, ToolLine};
use super::quote::Marker;

/// What a heartbeat says when nothing else is configured.
pub const HEARTBEAT: &str = "Heartbeat. Look into HEARTBEAT.md, if it is there, and do exactly what it asks for; take up \
    no old task from earlier talk. With nothing to do or to tell, answer HEARTBEAT_OK.";

/// Models that can look at less than this get the minimal prompt.
const SMALL_WINDOW: u32 = 8_000;
/// What is assumed when there is no model.
const USUAL_WINDOW: u32 = 128_000;

/// What is known of this machine, asked once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// What it is called.
    pub host: Option<String>,
    /// The system and the processor.
    pub os: String,
    /// The user's shell.
    pub shell: Option<String>,
    /// The time zone.
    pub time_zone: Option<String>,
}

impl Machine {
    /// Looks at this machine. `shell` is what the environment names.
    #[must_use]
    pub fn here(shell: Option<PathBuf>) -> Self {
        let Platform { os, arch, .. } = Platform::here();
        let name = shell.and_then(|shell| Some(shell.file_stem()?.to_string_lossy().into_owned()));
        Self {
            host: host_name(),
            os: format!("{os} ({arch})"),
            shell: name,
            time_zone: TimeZone::system().iana_name().map(str::to_owned),
        }
    }
}

/// What is to be known of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelFacts<'a> {
    /// `provider/model`.
    pub name: &'a str,
    /// How many tokens it can look at.
    pub window: u32,
    /// Whether it can be asked to think.
    pub reasons: bool,
}

/// Who talks to whom, where and how.
#[derive(Clone, Copy)]
pub struct Situation<'a> {
    /// The state folder.
    pub home: &'a Home,
    /// The configuration.
    pub config: &'a Config,
    /// The agent.
    pub agent: &'a Agent,
    /// The session.
    pub session: &'a SessionKey,
    /// How much is said; what suits the session and the model when nobody says.
    pub mode: Option<Mode>,
    /// Where the messages come from.
    pub channel: &'a str,
    /// Which messages are shown, should this be a group.
    pub group: Group,
    /// The tools that are offered.
    pub tools: &'a [ToolLine<'a>],
    /// The model, where there is one.
    pub model: Option<ModelFacts<'a>>,
    /// How hard it thinks.
    pub thinking: Thinking,
    /// Whether that is shown.
    pub reasoning: Reasoning,
    /// The machine.
    pub machine: &'a Machine,
    /// What quoted text stands between.
    pub marker: &'a Marker,
    /// The folder of the user guide, where it lies on disk.
    pub docs: Option<&'a str>,
}

/// What was found.
pub struct Gathered<'a> {
    situation: Situation<'a>,
    mode: Mode,
    window: u32,
    workspace: String,
    is_repository: bool,
    files: Vec<ProjectFile>,
    skills: String,
    model: Option<String>,
}

impl<'a> Situation<'a> {
    /// Reads the workspace and asks `skills` for what is told of them in so many characters.
    #[must_use]
    pub fn gather(self, skills: impl Fn(u32) -> String) -> Gathered<'a> {
        let chat = Chat::of(self.session);
        let window = self.model.map_or(USUAL_WINDOW, |model| model.window);
        let small = chat == Chat::Subagent || window < SMALL_WINDOW;
        let mode = self.mode.unwrap_or(if small { Mode::Minimal } else { Mode::Full });
        let workspace = self.home.workspace(&self.config.agents, self.agent);
        Gathered {
            mode,
            window,
            files: files::read(&workspace, mode, chat),
            is_repository: workspace.join(".git").exists(),
            workspace: workspace.display().to_string(),
            skills: if mode == Mode::None { String::new() } else { skills_within(window, skills) },
            model: self.model.map(|model| model.name.to_owned()),
            situation: self,
        }
    }
}

impl Gathered<'_> {
    /// The same as the prompt takes it.
    #[must_use]
    pub fn inputs(&self) -> PromptInputs<'_> {
        let Situation { config, agent, session, tools, machine, .. } = self.situation;
        let (channel, chat) = (self.situation.channel, Chat::of(session));
        let zone = config.agents.defaults.user_timezone.as_deref();
        let native = self.situation.model.is_some_and(|model| model.reasons);
        PromptInputs {
            mode: self.mode,
            agent: agent.id.as_str(),
            tools,
            skills: &self.skills,
            workspace: &self.workspace,
            docs: self.situation.docs,
            time_zone: zone.or(machine.time_zone.as_deref()),
            files: &self.files,
            inbound: Some(InboundMeta {
                channel,
                provider: channel,
                surface: channel,
                chat_type: chat.as_str(),
            }),
            group: (chat == Chat::Group).then_some(self.situation.group),
            reasoning_tags: !native && self.situation.thinking != Thinking::Off,
            heartbeat: (chat == Chat::Main).then_some(HEARTBEAT),
            runtime: RuntimeFacts {
                host: machine.host.as_deref(),
                repo: self.is_repository.then_some(&*self.workspace),
                os: Some(&machine.os),
                model: self.model.as_deref(),
                default_model: config.agents.model_of(agent),
                shell: machine.shell.as_deref(),
                capabilities: &[],
                thinking: self.situation.thinking,
                reasoning: self.situation.reasoning,
            },
            window: self.window,
            marker: Some(self.situation.marker),
        }
    }
}
