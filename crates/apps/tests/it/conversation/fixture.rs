//! A conversation with a registry in a temporary folder, and a caller that carries out its effects.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use tarsus_apps::conversation::{
    Conversation, ConversationEvent, ConversationInput, Effect, EffectResult, Language, StepContext,
    Transition, TypedPath, step,
};
use tarsus_apps::run::{LaunchOutcome, Launched, ProcessEnd, Stopped, StoppedProcess};
use tarsus_apps::{BaseVersion, Registry, RegistryError, UnreadableRegistry};
use tarsus_home::Home;
use tarsus_home::layout::HomeOptions;

/// Path of the registry as the screens show it.
pub const SHOWN: &str = "~/.openclaw/registries/application_registry.json";

/// One app in allowlist mode, for the agent `system_engineer`.
pub const LAST_Z: &str = r#"{
  "Last Z": {
    "launch_path": "C:\\Users\\greg\\Last Z.lnk",
    "runtime_exe": "C:\\Users\\greg\\Last Z\\Game\\Survival.exe",
    "process_name": "Survival.exe",
    "mode": "allowlist",
    "allowed_agents": ["system_engineer"]
  }
}
"#;

/// Apps of every kind: valid, off, without stop data, and one of each invalid group.
pub const MIXED: &str = r#"{
  "Last Z": {"launch_path": "/games/last-z", "process_name": "Survival", "mode": "allowlist", "allowed_agents": ["system_engineer", "main"]},
  "Firefox": {"launch_path": "/usr/bin/firefox", "process_name": "firefox", "mode": "full", "allowed_agents": []},
  "Steam": {"launch_path": "/usr/bin/steam", "process_name": "steam", "mode": "off", "allowed_agents": []},
  "微信": {"launch_path": "/opt/wechat", "mode": "full", "allowed_agents": []},
  "Broken": {"launch_path": 5, "mode": "sometimes", "allowed_agents": "main"},
  "Half": {"launch_path": "/usr/bin/half"},
  "Odd": {"launch_path": "/usr/bin/odd", "mode": "allowlist", "allowed_agents": []}
}
"#;

pub struct Fixture {
    /// Deleted with the fixture.
    pub _folder: tempfile::TempDir,
    pub registry: Registry,
    pub conversation: Conversation,
    pub at_ms: i64,
    pub agent: &'static str,
    pub person: bool,
    pub model: bool,
    pub locale: Language,
    pub running: BTreeSet<String>,
    pub typed_path: Option<TypedPath>,
    /// Content that another process writes right before the next save.
    pub concurrent_write: Option<String>,
    /// Every effect so far, in order.
    pub effects: Vec<Effect>,
    pub transcript: String,
}

impl Fixture {
    /// A conversation without a registry file.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let choice = HomeOptions {
            state_flag: Some(folder.path().to_path_buf()),
            working_dir: folder.path().to_path_buf(),
            ..HomeOptions::default()
        };
        let registry = Registry::for_home(&Home::locate(&choice).unwrap());
        Self {
            _folder: folder,
            registry,
            conversation: Conversation::default(),
            at_ms: 1_000,
            agent: "main",
            person: true,
            model: false,
            locale: Language::English,
            running: BTreeSet::new(),
            typed_path: Some(TypedPath { exists: true, shortcut_target: None }),
            concurrent_write: None,
            effects: Vec::new(),
            transcript: String::new(),
        }
    }

    pub fn with(text: &str) -> Self {
        let fixture = Self::new();
        fixture.write(text);
        fixture
    }

    pub fn path(&self) -> &Path {
        self.registry.path()
    }

    pub fn write(&self, text: &str) {
        std::fs::create_dir_all(self.path().parent().unwrap()).unwrap();
        std::fs::write(self.path(), text).unwrap();
    }

    pub fn file(&self) -> String {
        std::fs::read_to_string(self.path()).unwrap_or_default()
    }

    /// One step with the current registry, without its effect.
    pub fn step(&mut self, event: ConversationEvent<'_>) -> Transition {
        let loaded = self.registry.load().map_err(UnreadableRegistry::from);
        let typed_path = match event {
            ConversationEvent::Line(line) => {
                self.conversation.path_in(line).and_then(|_| self.typed_path.clone())
            }
            ConversationEvent::Open | ConversationEvent::Ended | ConversationEvent::Done(_) => None,
        };
        let context = StepContext {
            registry: loaded.as_ref(),
            path: SHOWN,
            running: &self.running,
            agent: self.agent,
            person: self.person,
            model: self.model,
            locale: self.locale,
            typed_path,
        };
        let transition =
            step(self.conversation.clone(), &ConversationInput { at_ms: self.at_ms, event }, &context);
        self.conversation = transition.conversation.clone();
        let page =
            transition.reply.page().to_string().replace(&self.path().display().to_string(), "REGISTRY");
        self.transcript.push_str(&page);
        transition
    }

    /// One line with its effects, until the next line is expected.
    pub fn say(&mut self, line: &str) -> Transition {
        let _ = writeln!(self.transcript, "\n> {line}\n");
        let transition = self.step(ConversationEvent::Line(line));
        self.carry_out(transition)
    }

    pub fn open(&mut self) -> Transition {
        self.step(ConversationEvent::Open)
    }

    fn carry_out(&mut self, transition: Transition) -> Transition {
        let effect = transition.effect.clone();
        if effect != Effect::Nothing {
            self.effects.push(effect.clone());
        }
        match effect {
            Effect::Nothing | Effect::Refused { .. } => transition,
            Effect::PassOn => {
                self.transcript.push_str("[passed on]\n");
                transition
            }
            Effect::Save { change, base } => {
                if let Some(text) = self.concurrent_write.take() {
                    self.write(&text);
                }
                let base = base.as_deref().map_or(BaseVersion::NoFile, BaseVersion::Hash);
                let result = match self.registry.save(&change, base) {
                    Ok(_) => EffectResult::Saved,
                    Err(RegistryError::Stale { .. }) => EffectResult::Stale,
                    Err(error) => EffectResult::Failed(error.into()),
                };
                self.step(ConversationEvent::Done(result))
            }
            Effect::Launch(allowed) => {
                let launcher = vec![allowed.entry().launch_path.as_str().into()];
                let outcome = LaunchOutcome::Started { pids: vec![4711] };
                let launched = Arc::new(Launched { launcher, retry_of: None, outcome });
                let app = allowed.app().to_owned();
                self.step(ConversationEvent::Done(EffectResult::Launched { app, launched }))
            }
            Effect::Stop(allowed) => {
                let known = allowed.entry().process_name.is_some() || allowed.entry().runtime_exe.is_some();
                let stopped = if known {
                    Stopped::Processes(vec![
                        StoppedProcess { pid: 4711, end: ProcessEnd::Closed },
                        StoppedProcess { pid: 4712, end: ProcessEnd::Killed },
                    ])
                } else {
                    Stopped::NoStopData
                };
                let (app, stopped) = (allowed.app().to_owned(), Arc::new(stopped));
                self.step(ConversationEvent::Done(EffectResult::Stopped { app, stopped }))
            }
        }
    }

    /// Opens the menu and says every line of a script; returns the transcript.
    pub fn play(mut self, lines: &[&str]) -> String {
        self.open();
        for line in lines {
            self.say(line);
        }
        self.transcript
    }
}
