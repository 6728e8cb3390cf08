//! Everything that a turn is made with, found once when it begins.
//!
//! Promises: nothing of it changes while the turn lasts, except what is said and which skills have had a say. Leaves to
//! others: asking.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::tz::TimeZone;
use tarsus_guard::{Activation, CallDigest};
use tarsus_home::config::Config;
use tarsus_home::files::FileError;
use tarsus_home::settings::Enforcement;
use tarsus_models::{Chain, Request, Thinking};
use tarsus_protocol::exec::Reasoning;
use tarsus_protocol::prompt::PromptReport;
use tarsus_protocol::{Message, Problem};
use tarsus_store::{History, Item, Session, Start, StoreError};

use super::choose::chosen;
use super::stream::Hearing;
use super::{quoted, shown};
use crate::prompt::chat::Chat;
use crate::prompt::gather::{ModelFacts, Situation};
use crate::prompt::quote::Marker;
use crate::prompt::{self, Group};
use crate::reply::{Secrets, Setting};
use crate::runtime::Runtime;
use crate::status;
use crate::tools::{Ctx, Roots};
use crate::turn::Said;

/// What people see of a session that no channel brought.
const CHANNEL: &str = "webchat";

/// What a turn is made with.
pub(super) struct Ready {
    /// The configuration.
    pub(super) config: Arc<Config>,
    /// The models.
    pub(super) chain: Chain,
    /// What they are asked.
    pub(super) request: Arc<Request>,
    /// How large each part of the prompt is.
    pub(super) report: PromptReport,
    /// The user's time zone.
    pub(super) zone: TimeZone,
    /// What tools may see.
    pub(super) ctx: Arc<Ctx>,
    /// When the limits on community skills apply.
    pub(super) enforcement: Enforcement,
    /// The skills that have had a say.
    pub(super) activation: Activation,
    /// What is never shown.
    pub(super) secrets: Secrets,
    /// Calls whose results were the same as the time before.
    pub(super) repeated: Vec<CallDigest>,
    /// What each call came to last.
    pub(super) results: BTreeMap<CallDigest, CallDigest>,
    /// The agent's folder, with every link followed.
    pub(super) workspace: PathBuf,
    /// What the person is shown at the end, word for word.
    pub(super) shows: Vec<String>,
    marker: Marker,
    setting: Setting,
    shows_thoughts: bool,
}

/// Why a turn cannot begin.
pub(super) enum NotReady {
    /// There is no model.
    NoModel,
    /// The agent of the session is not configured.
    NoAgent,
    /// A file of ours cannot be used.
    File(FileError),
}

impl Ready {
    /// Finds everything.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) async fn of(
        runtime: &Arc<Runtime>,
        said: &Said,
    ) -> Result<Result<Self, NotReady>, StoreError> {
        let config = Arc::new((runtime.given.config)());
        let session = runtime.given.store.session(&said.session)?;
        let own = session.as_ref().and_then(|session| session.settings.model.as_ref());
        let own = said.model.as_deref().or(own.map(|model| model.as_str()));
        let names = chosen(&config, said.session.agent(), own);
        let Some(chain) = runtime.given.models.chain(&config, &names).await else {
            return Ok(Err(NotReady::NoModel));
        };
        // The workspace and the transcript are read.
        let (runtime, said) = (Arc::clone(runtime), said.clone());
        let found = tokio::task::spawn_blocking(move || find(&runtime, &said, config, session, chain));
        match found.await {
            Ok(found) => found,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// How an answer is heard.
    pub(super) fn hearing(&self) -> Hearing<'_> {
        Hearing { secrets: &self.secrets, setting: self.setting, shows_thoughts: self.shows_thoughts }
    }

    /// Something more was said, which the next request has at its end.
    pub(super) fn add(&mut self, message: Message) {
        // Nobody else has it: the stream that was asked with it is gone.
        Arc::make_mut(&mut self.request).messages.push(quoted::shown(message, &self.marker));
    }

    /// The version of the skills that the model was told of.
    pub(super) fn skills_version(&self) -> u64 {
        self.ctx.snapshot.version
    }
}

fn find(
    runtime: &Runtime,
    said: &Said,
    config: Arc<Config>,
    session: Option<Session>,
    chain: Chain,
) -> Result<Result<Ready, NotReady>, StoreError> {
    let given = &runtime.given;
    let agent = config.agents.get(said.session.agent()).cloned();
    let snapshot = given.library.snapshot(said.session.agent());
    let (Some(agent), Some(snapshot)) = (agent, snapshot) else { return Ok(Err(NotReady::NoAgent)) };
    let settings = session.as_ref().map(|session| session.settings.clone()).unwrap_or_default();
    let thinking =
        settings.thinking_level.and_then(|level| Thinking::parse(level.as_str())).unwrap_or_default();
    let reasoning = settings.reasoning.unwrap_or_default();
    let chat = Chat::of(&said.session);
    let marker = match runtime.marker(&said.session) {
        Ok(marker) => marker,
        Err(error) => return Ok(Err(NotReady::File(error))),
    };
    let (skills, watch) = runtime.watches.of(&snapshot);
    let mut activation =
        given.store.activation(&said.run)?.as_deref().map(Activation::read).unwrap_or_default();
    watch.message(&said.text, &mut activation);
    let zone = runtime.zone(&config);
    let workspace = given.home.workspace(&config.agents, &agent);
    let ctx = Ctx {
        home: given.home.clone(),
        clock: given.clock.clone(),
        config: Arc::clone(&config),
        store: Arc::clone(&given.store),
        audit: Arc::clone(&given.audit),
        environment: given.environment.clone(),
        language: given.language,
        session: said.session.clone(),
        is_main_direct: chat == Chat::Main,
        has_person: matches!(chat, Chat::Main | Chat::Direct),
        roots: Roots::of(&given.home, &config, &workspace),
        snapshot: Arc::clone(&snapshot),
        skills,
        watch,
        status: Box::new({
            let (config, store) = (Arc::clone(&config), Arc::clone(&given.store));
            let (clock, zone) = (given.clock.clone(), zone.clone());
            move |session| {
                status::of(session, &config, &store, clock.now(), zone.clone()).map_err(Problem::from)
            }
        }),
    };
    let lines = runtime.toolbox.lines();
    let first = chain.links().first().and_then(|link| link.model.as_ref().ok());
    let model = first.map(|model| ModelFacts {
        name: model.name().as_str(),
        window: model.window(),
        reasons: model.facts().reasoning,
    });
    let situation = Situation {
        home: &given.home,
        config: &config,
        agent: &agent,
        session: &said.session,
        mode: None,
        channel: CHANNEL,
        group: Group::Addressed,
        tools: &lines,
        model,
        thinking,
        reasoning,
        machine: &given.machine,
        marker: &marker,
        docs: None,
    };
    let gathered = situation.gather(|chars| snapshot.prompt_within(chars).text.clone());
    let inputs = gathered.inputs();
    let setting =
        Setting { heartbeat: false, group: chat == Chat::Group, reasoning_tags: inputs.reasoning_tags };
    let messages = shown::messages(items(runtime, said)?, &said.run);
    let prompt = prompt::build(&inputs);
    let report = prompt.report(&inputs);
    let request = Request {
        system: prompt.text(),
        messages: messages.into_iter().map(|message| quoted::shown(message, &marker)).collect(),
        tools: runtime.toolbox.offered(|_| true),
        thinking,
        max_tokens: None,
        cache: session.map(|session| session.session_id.to_string()),
    };
    Ok(Ok(Ready {
        chain,
        request: Arc::new(request),
        report,
        zone,
        ctx: Arc::new(ctx),
        enforcement: (given.settings)().enforcement,
        activation,
        secrets: Secrets::new((given.secrets)().iter().map(|secret| secret.expose())),
        repeated: Vec::new(),
        results: BTreeMap::new(),
        // One that is not there has no links.
        workspace: workspace.canonicalize().unwrap_or(workspace),
        shows: Vec::new(),
        marker,
        setting,
        shows_thoughts: reasoning == Reasoning::Stream,
        config,
    }))
}

/// The items of the transcript that the run belongs to.
fn items(runtime: &Runtime, said: &Said) -> Result<Vec<Item>, StoreError> {
    let store = &runtime.given.store;
    let session_id = store.run(&said.run)?.map(|run| run.session_id);
    let mut wanted = History { session_id, start: Start::After(0), ..History::of(said.session.clone()) };
    let mut items: Vec<Item> = Vec::new();
    while let Some(page) = store.history(&wanted)? {
        items.extend(page.items);
        match items.last() {
            Some(last) if page.more => wanted.start = Start::After(last.number),
            _ => break,
        }
    }
    Ok(items)
}
