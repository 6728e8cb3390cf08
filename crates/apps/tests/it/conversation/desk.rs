//! A person at a desk: a registry in a temporary folder, a conversation, and a caller that carries out what it asks for.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use tarsus_apps::conversation::{
    Conversation, Effect, Event, Input, Language, Outcome, Stepped, TypedPath, World, step,
};
use tarsus_apps::run::{self, Ended, How};
use tarsus_apps::{Loaded, Registry, RegistryError, Seen};
use tarsus_home::Home;
use tarsus_home::layout::Choice;
use tarsus_protocol::Problem;

/// Where the screens say that the registry is.
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

/// Apps of every kind: usable, off, without stop data, and one of each wrong group.
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

pub struct Desk {
    /// Removed with the desk.
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
    /// What another hand writes right before the next save.
    pub interloper: Option<String>,
    /// Every effect so far, in order.
    pub effects: Vec<Effect>,
    pub transcript: String,
}

impl Desk {
    /// A desk without a registry file.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let choice = Choice {
            state_flag: Some(folder.path().to_path_buf()),
            working_dir: folder.path().to_path_buf(),
            ..Choice::default()
        };
        let registry = Registry::of(&Home::locate(&choice).unwrap());
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
            interloper: None,
            effects: Vec::new(),
            transcript: String::new(),
        }
    }

    pub fn with(text: &str) -> Self {
        let desk = Self::new();
        desk.write(text);
        desk
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

    /// One step with the world as it is now. Carries nothing out.
    pub fn step(&mut self, event: Event<'_>) -> Stepped {
        let loaded: Result<Loaded, Problem> = self.registry.load().map_err(Problem::from);
        let typed_path = match event {
            Event::Line(line) => self.conversation.path_in(line).and_then(|_| self.typed_path.clone()),
            Event::Open | Event::Ended | Event::Done(_) => None,
        };
        let world = World {
            registry: loaded.as_ref(),
            path: SHOWN,
            running: &self.running,
            agent: self.agent,
            person: self.person,
            model: self.model,
            locale: self.locale,
            typed_path,
        };
        let stepped = step(self.conversation.clone(), &Input { at_ms: self.at_ms, event }, &world);
        self.conversation = stepped.conversation.clone();
        let page = stepped.reply.page().to_string().replace(&self.path().display().to_string(), "REGISTRY");
        self.transcript.push_str(&page);
        stepped
    }

    /// One line, and whatever follows from it until the next line is wanted.
    pub fn say(&mut self, line: &str) -> Stepped {
        let _ = writeln!(self.transcript, "\n> {line}\n");
        let stepped = self.step(Event::Line(line));
        self.carry_out(stepped)
    }

    pub fn open(&mut self) -> Stepped {
        self.step(Event::Open)
    }

    fn carry_out(&mut self, stepped: Stepped) -> Stepped {
        let effect = stepped.effect.clone();
        if effect != Effect::Nothing {
            self.effects.push(effect.clone());
        }
        match effect {
            Effect::Nothing | Effect::Refused { .. } => stepped,
            Effect::PassOn => {
                self.transcript.push_str("[passed on]\n");
                stepped
            }
            Effect::Save { change, base } => {
                if let Some(text) = self.interloper.take() {
                    self.write(&text);
                }
                let seen = base.as_deref().map_or(Seen::NoFile, Seen::Hash);
                let outcome = match self.registry.save(&change, seen) {
                    Ok(_) => Outcome::Saved,
                    Err(RegistryError::Stale { .. }) => Outcome::Stale,
                    Err(error) => Outcome::Failed(error.into()),
                };
                self.step(Event::Done(outcome))
            }
            Effect::Launch { name, allowed } => {
                let launcher = vec![allowed.entry().launch_path.as_str().into()];
                let outcome = run::Outcome::Started { pids: vec![4711] };
                let launched = run::Launched { launcher, retry_of: None, outcome };
                self.step(Event::Done(Outcome::Launched { name: &name, launched: &launched }))
            }
            Effect::Stop { name, allowed } => {
                let known = allowed.entry().process_name.is_some() || allowed.entry().runtime_exe.is_some();
                let stopped = if known {
                    run::Stopped::Ended(vec![
                        Ended { pid: 4711, how: How::Closed },
                        Ended { pid: 4712, how: How::Killed },
                    ])
                } else {
                    run::Stopped::NoStopData
                };
                self.step(Event::Done(Outcome::Stopped { name: &name, stopped: &stopped }))
            }
        }
    }

    /// Every line of a script in turn, from the opened menu on; the transcript of it all.
    pub fn play(mut self, lines: &[&str]) -> String {
        self.open();
        for line in lines {
            self.say(line);
        }
        self.transcript
    }
}
