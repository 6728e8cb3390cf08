//! A state folder with everything that a call may see, and a guard in front of the tools.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tarsus_agent::tools::{Ctx, Outcome, Roots, StatusFacts, Tokens, Toolbox};
use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_guard::{Activation, Context, Decision, Guard, Places, Said};
use tarsus_home::config::json5::{Dialect, Document};
use tarsus_home::config::{AgentId, Checked, Config, Loaded, check};
use tarsus_home::{Choice, Home, Settings};
use tarsus_host::Clock;
use tarsus_host::path::SearchPath;
use tarsus_host::platform::Platform;
use tarsus_protocol::{Block, Message, Role};
use tarsus_skills::commands::Commands;
use tarsus_skills::snapshot::{Basis, Surroundings};
use tarsus_skills::{Library, Snapshot};
use tarsus_store::{NewMessage, SessionKey, Store};
use tempfile::TempDir;

/// What must never be read.
pub const CANARY: &str = "CANARY-a6f1";

pub struct Scene {
    pub home: Home,
    pub store: Arc<Store>,
    pub audit: Arc<Audit>,
    pub toolbox: Toolbox,
    config: Loaded,
    snapshot: Arc<Snapshot>,
    pub session: SessionKey,
    folder: TempDir,
}

/// A home folder before anything looks at it.
pub struct Start {
    folder: TempDir,
    config: String,
}

impl Start {
    /// An empty workspace, keys and records of ours, and a file that lies outside.
    pub fn new() -> Self {
        let start = Self { folder: TempDir::new().unwrap(), config: "{}".to_owned() };
        fs::create_dir_all(start.path(".openclaw/workspace")).unwrap();
        for file in [
            "outside.txt",
            ".openclaw/tarsus/secrets.json",
            ".openclaw/tarsus/gateway.token",
            ".openclaw/tarsus/hash.txt",
            ".openclaw/tarsus/audit/notes.jsonl",
        ] {
            start.write(file, CANARY);
        }
        start
    }

    /// Where something of the home folder really lies.
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
        let document = Document::parse_object(self.config.as_bytes(), Dialect::Json5).unwrap();
        let Checked { view, issues, warnings } = check(&document, Some(&|_| None));
        assert_eq!(issues, [], "{}", self.config);
        let config = Loaded { exists: true, document, view, issues, warnings };
        let basis = Basis {
            home: home.clone(),
            config: config.clone(),
            settings: Settings::default(),
            surroundings: Arc::new(Surroundings {
                platform: Platform::here().os,
                programs: SearchPath::new("".as_ref(), None),
                variables: Box::new(|_| None),
                nodes: Vec::new(),
            }),
        };
        let clock = Clock::fixed(1_000_000).0;
        let library = Library::open(basis, None, clock.clone());
        let store = Arc::new(Store::open(&home).unwrap());
        let session: SessionKey = "agent:main:main".parse().unwrap();
        begin(&store, &session);
        Scene {
            audit: Arc::new(Audit::open(&home).unwrap()),
            snapshot: library.snapshot(&AgentId::main()).unwrap(),
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
    let choice = Choice {
        state_flag: Some(folder.join(".openclaw")),
        working_dir: folder.to_path_buf(),
        user_home: Some(folder.to_path_buf()),
        ..Choice::default()
    };
    Home::locate(&choice).unwrap()
}

/// Where something below a folder really lies, written as the system writes it.
fn real(folder: &TempDir, below: &str) -> PathBuf {
    let folder = folder.path().canonicalize().unwrap();
    below.split('/').filter(|name| !name.is_empty()).fold(folder, |path, name| path.join(name))
}

pub fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A session that something was said in.
pub fn begin(store: &Store, session: &SessionKey) {
    let content = vec![Block::text("hello")];
    let message = Message { role: Role::User, content, timestamp: None };
    let run = session.as_str().parse().unwrap();
    store.accept(NewMessage { session: session.clone(), run, message, at_ms: 0 }).wait().unwrap();
}

impl Scene {
    /// A workspace with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let start = Start::new();
        for (path, text) in files {
            start.note(path, text);
        }
        start.open()
    }

    pub fn path(&self, below: &str) -> PathBuf {
        real(&self.folder, below)
    }

    pub fn workspace(&self, below: &str) -> PathBuf {
        self.path(&format!(".openclaw/workspace/{below}"))
    }

    pub fn ctx(&self) -> Arc<Ctx> {
        self.ctx_with(|_| {})
    }

    pub fn ctx_with(&self, change: impl FnOnce(&mut Ctx)) -> Arc<Ctx> {
        let commands = Commands::of([], []);
        let (skills, watch) = self.snapshot.for_calls(&commands);
        let config: &Config = &self.config.view;
        let workspace = self.home.workspace(&config.agents, config.agents.default_agent().unwrap());
        let store = Arc::clone(&self.store);
        let mut ctx = Ctx {
            home: self.home.clone(),
            clock: Clock::fixed(1_000_000).0,
            config: Arc::new(config.clone()),
            store: Arc::clone(&self.store),
            audit: Arc::clone(&self.audit),
            environment: environment(),
            language: Language::English,
            session: self.session.clone(),
            is_main_direct: true,
            has_person: true,
            roots: Roots::of(&self.home, config, &workspace),
            snapshot: Arc::clone(&self.snapshot),
            skills: Arc::new(skills),
            watch: Arc::new(watch),
            status: Box::new(move |session| {
                let chosen = store.session(session)?.and_then(|session| session.settings.model);
                Ok(status(session.clone(), chosen.map(|model| model.as_str().to_owned())))
            }),
        };
        change(&mut ctx);
        Arc::new(ctx)
    }

    /// What guard says to a call while these skills have a say.
    pub fn decide(&self, ctx: &Ctx, tool: &str, arguments: &Value, active: &Activation) -> Decision {
        let prepared = self.toolbox.prepare(tool, arguments, None, ctx).unwrap();
        let context = Context {
            agent: ctx.agent().as_str(),
            session: ctx.session.as_str(),
            run: None,
            enforcement: Default::default(),
            skills: &ctx.skills,
            active,
            places: Places { workspace: ctx.roots.workspace(), home: None },
            tool_policy: Said::allow("the agent has every tool"),
            sandbox: None,
            exec_policy: None,
            app_policy: prepared.app_policy,
            budget: None,
            recent: &[],
        };
        Guard::new(Arc::clone(&self.audit)).authorize(prepared.call, &context, ctx.clock.now())
    }

    /// A call from the arguments to its outcome, while no skill has a say.
    pub async fn call_in(&self, ctx: &Arc<Ctx>, tool: &str, arguments: Value) -> Outcome {
        if let Err(problem) = self.toolbox.prepare(tool, &arguments, None, ctx) {
            return problem.into();
        }
        match self.decide(ctx, tool, &arguments, &Activation::default()) {
            Decision::Allowed(authorized) => self.toolbox.run(authorized, ctx).await,
            Decision::Denied(refusal) => tarsus_protocol::Problem::from(refusal).into(),
            Decision::NeedsApproval(pending) => panic!("{pending:?}"),
        }
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        self.call_in(&self.ctx(), tool, arguments).await
    }
}

/// What an app may get of ours.
fn environment() -> Vec<(OsString, OsString)> {
    vec![("PATH".into(), "/usr/bin:/bin".into())]
}

fn status(session: SessionKey, chosen: Option<String>) -> StatusFacts {
    StatusFacts {
        session,
        is_own_model: chosen.is_some(),
        model: chosen.or_else(|| Some("openai/usual".to_owned())),
        tokens: Tokens::default(),
        cost_nano_usd: 0,
        unpriced: 0,
        context: None,
        window: None,
        now: jiff::Timestamp::UNIX_EPOCH.to_zoned(jiff::tz::TimeZone::UTC),
        thinking: "off".to_owned(),
        reasoning: "off".to_owned(),
        verbose: "off".to_owned(),
        elevated: "off".to_owned(),
    }
}

/// The text of an outcome.
pub fn text(outcome: &Outcome) -> String {
    let message = Message { role: Role::User, content: outcome.content.clone(), timestamp: None };
    message.text()
}

/// The text of an outcome that must have worked.
pub fn done(outcome: &Outcome) -> String {
    assert!(!outcome.is_error, "{}", text(outcome));
    text(outcome)
}

/// The first line of what is told of an outcome that must have failed, and has nothing in it that nobody may see.
pub fn failed(outcome: &Outcome) -> String {
    let told = text(outcome);
    assert!(outcome.is_error, "{told}");
    assert!(!told.contains(CANARY), "{told}");
    told.lines().next().unwrap_or_default().to_owned()
}
