//! A runtime on real files, with a scripted model server behind it.
#![allow(dead_code, reason = "each test takes what it needs")]

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tarsus_agent::prompt::Machine;
use tarsus_agent::tools::Toolbox;
use tarsus_agent::{
    Channel, Inbound, ProviderModels, RunEvent, RunEventKind, RunOutcome, Runtime, RuntimeHost, Services,
    secrets,
};
use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_home::config::{Config, ConfigFile};
use tarsus_home::{Home, HomeOptions, Secret, Settings};
use tarsus_host::Clock;
use tarsus_host::clock::ClockControl;
use tarsus_host::path::SearchPath;
use tarsus_host::platform::Platform;
use tarsus_protocol::{Message, Role};
use tarsus_skills::Library;
use tarsus_skills::eligibility::MachineState;
use tarsus_skills::snapshot::EvaluationInputs;
use tarsus_store::{HistoryQuery, Item, Run, SessionKey, Store};
use tarsus_test_models::{Gate, Reply, Server};
use tempfile::TempDir;
use tokio::sync::mpsc;

pub struct Scene {
    pub runtime: Arc<Runtime>,
    pub store: Arc<Store>,
    pub library: Arc<Library>,
    pub audit: Arc<Audit>,
    pub server: Server,
    pub clock_control: ClockControl,
    events: Mutex<mpsc::UnboundedReceiver<RunEvent>>,
    folder: TempDir,
}

#[derive(Default)]
pub struct Setup {
    /// Configuration besides the model.
    pub config: Value,
    /// Workspace files.
    pub files: Vec<(&'static str, String)>,
    /// Managed skills: name and SKILL.md.
    pub skills: Vec<(&'static str, String)>,
    pub environment: Vec<(String, String)>,
    /// The registry of apps.
    pub apps: Option<Value>,
    pub has_approver: bool,
}

struct Host {
    config: Arc<Config>,
    secrets: Box<dyn Fn() -> Vec<Secret> + Send + Sync>,
    events: mpsc::UnboundedSender<RunEvent>,
    library: Arc<Library>,
    has_approver: bool,
}

impl RuntimeHost for Host {
    fn config(&self) -> Arc<Config> {
        Arc::clone(&self.config)
    }

    fn settings(&self) -> Settings {
        Settings::default()
    }

    fn refresh_skills(&self) {
        let _ = self.library.refresh();
    }

    fn secrets(&self) -> Vec<Secret> {
        (self.secrets)()
    }

    fn publish(&self, event: RunEvent) {
        self.events.send(event).unwrap();
    }

    fn has_approver(&self) -> bool {
        self.has_approver
    }
}

impl Scene {
    /// A model that plays these answers.
    pub fn with_replies(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with(Setup::default(), replies)
    }

    pub fn with(setup: Setup, replies: impl IntoIterator<Item = Reply>) -> Self {
        let folder = TempDir::new().unwrap();
        let state = folder.path().join(".openclaw");
        let choice = HomeOptions {
            state_flag: Some(state.clone()),
            user_home: Some(folder.path().to_path_buf()),
            ..HomeOptions::default()
        };
        let home = Home::locate(&choice).unwrap();
        let server = Server::with_replies(replies);
        let write = |path: PathBuf, text: &str| {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let mut config = json!({
            "agents": { "defaults": { "model": "test/one", "userTimezone": "UTC" } },
            "models": { "providers": { "test": {
                "baseUrl": format!("http://{}/v1", server.address()),
                "api": "openai-completions",
                "apiKey": "key-of-the-provider",
                "models": [{
                    "id": "one", "contextWindow": 64_000,
                    "cost": { "input": 1.0, "output": 2.0, "cacheRead": 0.0, "cacheWrite": 0.0 },
                }],
            } } },
        });
        merge(&mut config, &setup.config);
        write(home.config_path().to_path_buf(), &config.to_string());
        for (name, text) in &setup.files {
            write(state.join("workspace").join(name), text);
        }
        for (name, text) in &setup.skills {
            write(state.join("skills").join(name).join("SKILL.md"), text);
        }
        if let Some(apps) = &setup.apps {
            write(state.join("registries").join("application_registry.json"), &apps.to_string());
        }
        let (clock, clock_control) = Clock::fixed(1_000_000);
        let variables = {
            let environment = setup.environment.clone();
            move |name: &str| {
                environment.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
            }
        };
        let loaded = ConfigFile::for_home(&home).load(&variables).unwrap();
        let store = Arc::new(Store::open(&home).unwrap());
        let inputs = EvaluationInputs {
            home: home.clone(),
            config: loaded.clone(),
            settings: Settings::default(),
            machine: Arc::new(MachineState {
                platform: Platform::detect().os,
                programs: SearchPath::new("".as_ref(), None),
                variables: Box::new(variables.clone()),
            }),
            built_tools: Toolbox::new().built(),
        };
        let environment: Vec<_> =
            setup.environment.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let library = Arc::new(Library::open(inputs, None, clock.clone()));
        let (sender, events) = mpsc::unbounded_channel();
        let audit = Arc::new(Audit::open(&home, None).unwrap());
        let runtime = Runtime::new(Services {
            audit: Arc::clone(&audit),
            library: Arc::clone(&library),
            home: home.clone(),
            models: Arc::new(ProviderModels::new(home.clone(), clock.clone(), Arc::new(variables.clone()))),
            clock,
            environment: environment.clone(),
            language: Language::English,
            store: Arc::clone(&store),
            machine: Machine {
                host: Some("box".to_owned()),
                os: "linux (x86_64)".to_owned(),
                shell: Some("bash".to_owned()),
                time_zone: Some("UTC".to_owned()),
            },
            host: Arc::new(Host {
                config: Arc::new(loaded.view.clone()),
                secrets: Box::new(move || secrets::known(&home, &loaded.document, &environment, &variables)),
                events: sender,
                library: Arc::clone(&library),
                has_approver: setup.has_approver,
            }),
        });
        Self {
            runtime: Arc::new(runtime),
            store,
            library,
            audit,
            server,
            clock_control,
            events: Mutex::new(events),
            folder,
        }
    }

    /// Sends a message to the main session and returns the events of its run.
    pub async fn send(&self, run: &str, text: &str) -> Vec<RunEventKind> {
        self.start(run, text).await;
        self.runtime.idle().await;
        self.take_events()
    }

    /// Sends a message to the main session without waiting.
    pub async fn start(&self, run: &str, text: &str) {
        self.runtime.send(inbound(run, text)).await.unwrap().start_turn();
    }

    /// Takes the events since the last call.
    pub fn take_events(&self) -> Vec<RunEventKind> {
        let mut events = self.events.lock().unwrap();
        std::iter::from_fn(|| events.try_recv().ok()).map(|event| event.kind).collect()
    }

    /// Waits for an event, and returns the events up to it.
    pub async fn wait_for(&self, is_it: impl Fn(&RunEventKind) -> bool) -> Vec<RunEventKind> {
        let mut all = Vec::new();
        loop {
            let next = std::future::poll_fn(|context| self.events.lock().unwrap().poll_recv(context)).await;
            all.push(next.unwrap().kind);
            if all.last().is_some_and(&is_it) {
                return all;
            }
        }
    }

    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join(".openclaw/workspace")
    }

    /// The folder of the managed skills.
    pub fn skills(&self) -> PathBuf {
        self.folder.path().join(".openclaw/skills")
    }

    /// The items of the main session.
    pub fn items(&self) -> Vec<Item> {
        self.store.history(&HistoryQuery::for_session(main())).unwrap().unwrap().items
    }

    pub fn run(&self, id: &str) -> Run {
        self.store.run(&id.parse().unwrap()).unwrap().unwrap()
    }

    /// The bodies of the model's requests.
    pub fn requests(&self) -> Vec<Value> {
        self.server.requests().iter().map(|request| request.body.clone()).collect()
    }
}

/// Waits until the server has reached a gate.
pub async fn wait_until_reached(gate: &Gate) {
    let gate = gate.clone();
    tokio::task::spawn_blocking(move || gate.wait_until_reached()).await.unwrap();
}

pub fn main() -> SessionKey {
    "agent:main:main".parse().unwrap()
}

pub fn inbound(run: &str, text: &str) -> Inbound {
    Inbound {
        session: main(),
        run: run.parse().unwrap(),
        text: text.to_owned(),
        attachments: Vec::new(),
        channel: Channel::Webchat,
        may_change_apps: true,
        is_by_agent: false,
        may_approve: true,
        model: None,
    }
}

/// The outcome of the last run.
pub fn outcome(events: &[RunEventKind]) -> &RunOutcome {
    match events.last() {
        Some(RunEventKind::Finished(outcome)) => outcome,
        other => panic!("the run has not finished: {other:?}"),
    }
}

/// The text of a completed run's answer.
pub fn answer(events: &[RunEventKind]) -> String {
    match outcome(events) {
        RunOutcome::Completed { message, .. } => message.text(),
        other => panic!("there is no answer: {other:?}"),
    }
}

/// Role and text of each item.
pub fn texts(items: &[Item]) -> Vec<(String, String)> {
    let role = |message: &Message| match &message.role {
        Role::Custom { custom_type, .. } => custom_type.clone(),
        role => serde_json::to_value(role).unwrap()["role"].as_str().unwrap().to_owned(),
    };
    items.iter().map(|item| (role(&item.message), item.message.text())).collect()
}

fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (_, Value::Null) => {}
        (into, from) => *into = from.clone(),
    }
}
