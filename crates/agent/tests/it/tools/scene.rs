//! A test scene: a state folder, the tools, and a guard in front of them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tarsus_agent::file_changes::FileChanges;
use tarsus_agent::prompt::Machine;
use tarsus_agent::prompt::chat::ChatKind;
use tarsus_agent::prompt::quote::Marker;
use tarsus_agent::reply::SecretMatcher;
use tarsus_agent::tools::{FileRoots, ToolOutcome, Toolbox};
use tarsus_agent::{Channel, NoModelSource, RunEvent, RuntimeHost, Services, TurnContext};
use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_guard::{Activation, Authorization, CallContext, Guard, PathBases, PolicyVerdict, ToolPolicy};
use tarsus_home::config::json5::{Document, JsonDialect};
use tarsus_home::config::{AgentId, Checked, Config, LoadedConfig, check};
use tarsus_home::{Home, HomeOptions, Secret, Settings};
use tarsus_host::Clock;
use tarsus_host::path::SearchPath;
use tarsus_host::platform::Platform;
use tarsus_protocol::{Block, Message, Role};
use tarsus_skills::commands::SkillCommands;
use tarsus_skills::eligibility::MachineState;
use tarsus_skills::snapshot::EvaluationInputs;
use tarsus_skills::{Library, SkillsSnapshot};
use tarsus_store::{NewMessage, RunId, SessionKey, Store};
use tempfile::TempDir;

/// Content that no tool may ever return.
pub const CANARY: &str = "CANARY-a6f1";

struct Host(Arc<Config>);

impl RuntimeHost for Host {
    fn config(&self) -> Arc<Config> {
        Arc::clone(&self.0)
    }

    fn settings(&self) -> Settings {
        Settings::default()
    }

    fn refresh_skills(&self) {}

    fn secrets(&self) -> Vec<Secret> {
        Vec::new()
    }

    fn publish(&self, _: RunEvent) {}

    fn has_approver(&self) -> bool {
        false
    }
}

pub struct Scene {
    pub home: Home,
    pub store: Arc<Store>,
    pub audit: Arc<Audit>,
    pub toolbox: Toolbox,
    config: LoadedConfig,
    library: Arc<Library>,
    snapshot: Arc<SkillsSnapshot>,
    pub session: SessionKey,
    folder: TempDir,
}

/// Prepares a home folder before the scene is opened.
pub struct SceneBuilder {
    folder: TempDir,
    config: String,
}

impl SceneBuilder {
    /// An empty workspace, keys and audit records, and a file outside.
    pub fn new() -> Self {
        let builder = Self { folder: TempDir::new().unwrap(), config: "{}".to_owned() };
        fs::create_dir_all(builder.path(".openclaw/workspace")).unwrap();
        for file in [
            "outside.txt",
            ".openclaw/tarsus/secrets.json",
            ".openclaw/tarsus/gateway.token",
            ".openclaw/tarsus/hash.txt",
            ".openclaw/tarsus/audit/notes.jsonl",
        ] {
            builder.write(file, CANARY);
        }
        builder
    }

    /// The real path of an entry of the home folder.
    pub fn path(&self, below: &str) -> PathBuf {
        real(&self.folder, below)
    }

    pub fn write(&self, below: &str, text: impl AsRef<[u8]>) {
        write(&self.path(below), text);
    }

    /// A file of the workspace.
    pub fn note(&self, below: &str, text: impl AsRef<[u8]>) {
        self.write(&format!(".openclaw/workspace/{below}"), text);
    }

    /// A skill in a folder.
    pub fn skill(&self, folder: &str, name: &str, body: &str) {
        let text = format!("---\nname: {name}\ndescription: Says things\n---\n\n{body}\n");
        self.write(&format!("{folder}/SKILL.md"), text);
    }

    pub fn config(mut self, config: impl Into<String>) -> Self {
        self.config = config.into();
        self
    }

    pub fn open(self) -> Scene {
        let folder = self.path("");
        let home = home(&folder);
        let document = Document::parse_object(self.config.as_bytes(), JsonDialect::Json5).unwrap();
        let Checked { view, issues, warnings } = check(&document, Some(&|_| None));
        assert_eq!(issues, [], "{}", self.config);
        let config = LoadedConfig { exists: true, document, view, issues, warnings };
        let inputs = EvaluationInputs {
            home: home.clone(),
            config: config.clone(),
            settings: Settings::default(),
            machine: Arc::new(MachineState {
                platform: Platform::detect().os,
                programs: SearchPath::new("".as_ref(), None),
                variables: Box::new(|_| None),
            }),
            built_tools: Toolbox::new().built(),
        };
        let clock = Clock::fixed(1_000_000).0;
        let library = Library::open(inputs, None, clock.clone());
        let store = Arc::new(Store::open(&home).unwrap());
        let session: SessionKey = "agent:main:main".parse().unwrap();
        create_session(&store, &session);
        Scene {
            audit: Arc::new(Audit::open(&home, None).unwrap()),
            snapshot: library.snapshot(&AgentId::main()).unwrap(),
            library: Arc::new(library),
            toolbox: Toolbox::new(),
            store,
            session,
            home,
            config,
            folder: self.folder,
        }
    }
}

fn home(folder: &Path) -> Home {
    let choice = HomeOptions {
        state_flag: Some(folder.join(".openclaw")),
        working_dir: folder.to_path_buf(),
        user_home: Some(folder.to_path_buf()),
        ..HomeOptions::default()
    };
    Home::locate(&choice).unwrap()
}

/// The real path of an entry below a folder, with the system's separators.
fn real(folder: &TempDir, below: &str) -> PathBuf {
    let folder = folder.path().canonicalize().unwrap();
    below.split('/').filter(|name| !name.is_empty()).fold(folder, |path, name| path.join(name))
}

pub fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Creates a session with one message.
pub fn create_session(store: &Store, session: &SessionKey) {
    let content = vec![Block::text("hello")];
    let message = Message { role: Role::User, content, timestamp: None };
    let run = run_id(session);
    store.accept(NewMessage { session: session.clone(), run, message, at_ms: 0 }).wait().unwrap();
}

/// The run of the message that created a session.
pub fn run_id(session: &SessionKey) -> RunId {
    session.as_str().parse().unwrap()
}

impl Scene {
    /// A workspace with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let builder = SceneBuilder::new();
        for (path, text) in files {
            builder.note(path, text);
        }
        builder.open()
    }

    pub fn path(&self, below: &str) -> PathBuf {
        real(&self.folder, below)
    }

    pub fn workspace(&self, below: &str) -> PathBuf {
        self.path(&format!(".openclaw/workspace/{below}"))
    }

    pub fn context(&self) -> Arc<TurnContext> {
        self.context_with(|_| {})
    }

    pub fn context_with(&self, change: impl FnOnce(&mut TurnContext)) -> Arc<TurnContext> {
        self.context_at(Clock::fixed(1_000_000).0, change)
    }

    /// A context with these environment variables besides.
    pub fn context_in(&self, variables: &[(&str, &str)]) -> Arc<TurnContext> {
        let mut environment = environment();
        environment.extend(variables.iter().map(|(name, value)| (name.into(), value.into())));
        self.build_context(Clock::fixed(1_000_000).0, environment, |_| {})
    }

    pub fn context_at(&self, clock: Clock, change: impl FnOnce(&mut TurnContext)) -> Arc<TurnContext> {
        self.build_context(clock, environment(), change)
    }

    fn build_context(
        &self,
        clock: Clock,
        environment: Vec<(OsString, OsString)>,
        change: impl FnOnce(&mut TurnContext),
    ) -> Arc<TurnContext> {
        let commands = SkillCommands::new([], []);
        let (skills, watch) = self.snapshot.guard_inputs(&commands);
        let config = Arc::new(self.config.view.clone());
        let agent = config.agents.default_agent().unwrap().clone();
        let workspace = self.home.workspace(&config.agents, &agent);
        let services = Services {
            home: self.home.clone(),
            clock,
            audit: Arc::clone(&self.audit),
            environment,
            language: Language::English,
            store: Arc::clone(&self.store),
            library: Arc::clone(&self.library),
            models: Arc::new(NoModelSource),
            machine: Machine { host: None, os: String::new(), shell: None, time_zone: None },
            host: Arc::new(Host(Arc::clone(&config))),
        };
        let mut context = TurnContext {
            channel: Channel::Webchat,
            services: Arc::new(services),
            session: self.session.clone(),
            run: run_id(&self.session),
            chat: ChatKind::Main,
            from_owner: true,
            roots: FileRoots::for_agent(&self.home, &config, &workspace),
            workspace,
            zone: jiff::tz::TimeZone::UTC,
            environment: self.snapshot.environment(),
            snapshot: Arc::clone(&self.snapshot),
            skills: Arc::new(skills),
            watch: Arc::new(watch),
            tool_policy: ToolPolicy::from_config(&config, &agent),
            enforcement: Default::default(),
            secrets: SecretMatcher::new([]),
            file_changes: self.file_changes(),
            marked_files: self.file_changes().marked_files().unwrap(),
            marker: Marker::example(),
            agent,
            config,
        };
        change(&mut context);
        Arc::new(context)
    }

    pub fn file_changes(&self) -> Arc<FileChanges> {
        Arc::new(FileChanges::new(&self.home, Arc::clone(&self.store)))
    }

    /// The guard's decision about a call while these skills are active.
    pub fn decide(
        &self,
        context: &TurnContext,
        tool: &str,
        arguments: &Value,
        active: &Activation,
    ) -> Authorization {
        let prepared = self.toolbox.prepare(tool, arguments, None, context).unwrap();
        let guard_context = guard_context(context, active, prepared.app_policy);
        Guard::new(Arc::clone(&self.audit)).authorize(
            prepared.call,
            &guard_context,
            context.services.clock.now(),
        )
    }

    /// Makes a call while no skill is active.
    pub async fn call_in(&self, context: &Arc<TurnContext>, tool: &str, arguments: Value) -> ToolOutcome {
        if let Err(problem) = self.toolbox.prepare(tool, &arguments, None, context) {
            return problem.into();
        }
        match self.decide(context, tool, &arguments, &Activation::default()) {
            Authorization::Allowed(authorized) => self.toolbox.run(authorized, context).await,
            Authorization::Denied(refusal) => tarsus_protocol::Problem::from(refusal).into(),
            Authorization::NeedsApproval(pending) => panic!("{pending:?}"),
        }
    }

    /// Makes a call while these skills are active; the owner approves it if asked.
    #[cfg(unix)]
    pub async fn call_approved(
        &self,
        context: &Arc<TurnContext>,
        tool: &str,
        arguments: Value,
        active: &Activation,
    ) -> ToolOutcome {
        match self.decide(context, tool, &arguments, active) {
            Authorization::Allowed(authorized) => self.toolbox.run(authorized, context).await,
            Authorization::NeedsApproval(pending) => {
                let guard = Guard::new(Arc::clone(&self.audit));
                let guard_context = guard_context(context, active, None);
                match guard.approve(pending, &guard_context, context.services.clock.now()) {
                    Authorization::Allowed(authorized) => self.toolbox.run(authorized, context).await,
                    other => panic!("{other:?}"),
                }
            }
            Authorization::Denied(refusal) => tarsus_protocol::Problem::from(refusal).into(),
        }
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> ToolOutcome {
        self.call_in(&self.context(), tool, arguments).await
    }
}

fn guard_context<'a>(
    context: &'a TurnContext,
    active: &'a Activation,
    app_policy: Option<PolicyVerdict>,
) -> CallContext<'a> {
    CallContext {
        agent: context.agent_id().as_str(),
        session: context.session.as_str(),
        run: None,
        enforcement: context.enforcement,
        skills: &context.skills,
        active,
        path_bases: PathBases { workspace: context.roots.workspace(), home: None },
        tool_policy: PolicyVerdict::allow("the agent has every tool"),
        app_policy,
        recent: &[],
    }
}

/// The environment that apps inherit from.
fn environment() -> Vec<(OsString, OsString)> {
    vec![("PATH".into(), "/usr/bin:/bin".into())]
}

/// The text of an outcome.
pub fn text(outcome: &ToolOutcome) -> String {
    let message = Message { role: Role::User, content: outcome.content.clone(), timestamp: None };
    message.text()
}

/// The text of a successful outcome.
pub fn success(outcome: &ToolOutcome) -> String {
    assert!(!outcome.is_error, "{}", text(outcome));
    text(outcome)
}

/// The first line of a failed outcome, which must not contain the canary.
pub fn failure(outcome: &ToolOutcome) -> String {
    let text = text(outcome);
    assert!(outcome.is_error, "{text}");
    assert!(!text.contains(CANARY), "{text}");
    text.lines().next().unwrap_or_default().to_owned()
}
