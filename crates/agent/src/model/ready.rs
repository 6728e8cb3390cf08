//! Everything that a turn is made with, found once when it begins.
//!
//! Promises: nothing of it changes while the turn lasts, except what is said and which skills have had a say. Leaves to
//! others: asking.

use std::sync::Arc;

use tarsus_home::config::Config;
use tarsus_models::{Chain, Request, Thinking, Usage};
use tarsus_protocol::exec::Reasoning;
use tarsus_protocol::prompt::PromptReport;
use tarsus_protocol::{Block, Message, Role};
use tarsus_store::{Context, RunId, Session, StoreError, Summary};

use super::bench::{Bench, NoBench};
use super::choose::chosen;
use super::compact::room::{self, Room};
use super::quoted;
use super::shown::{self, Shown};
use super::stream::Hearing;
use crate::guide;
use crate::prompt::chat::Chat;
use crate::prompt::gather::{ModelFacts, Situation};
use crate::prompt::quote::Marker;
use crate::prompt::{self, Group};
use crate::reply::Setting;
use crate::runtime::Runtime;
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
    /// Where its calls are made.
    pub(super) bench: Bench,
    /// How much the model can be told.
    pub(super) room: Room,
    /// Whether what is summarised goes into the agent's notes.
    pub(super) keeps_notes: bool,
    /// The tokens of the request: what a provider has counted last, and an estimate of what came since.
    tokens: u64,
    /// Below this, nothing is gained by making room again.
    worthwhile: u64,
    setting: Setting,
    shows_thoughts: bool,
}

/// Why a turn cannot begin.
pub(super) enum NotReady {
    /// There is no model.
    NoModel,
    /// Not even calls can be made.
    NoBench(NoBench),
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
        Hearing { secrets: &self.bench.secrets, setting: self.setting, shows_thoughts: self.shows_thoughts }
    }

    /// Something more was said, which the next request has at its end.
    pub(super) fn add(&mut self, message: Message) {
        let message = quoted::shown(message, &self.bench.marker);
        self.tokens += room::of_message(&message);
        // Nobody else has it: the stream that was asked with it is gone.
        Arc::make_mut(&mut self.request).messages.push(message);
    }

    /// A person has said something more, which may bring skills in.
    pub(super) fn hear(&mut self, said: &Said) {
        let Bench { ctx, activation, .. } = &mut self.bench;
        ctx.watch.message(&said.text, activation);
        self.add(said.message.clone());
    }

    /// A provider has counted everything up to the last message.
    pub(super) fn counted(&mut self, usage: Option<Usage>) {
        self.tokens = usage.map(|usage| usage.total()).filter(|total| *total > 0).unwrap_or(self.tokens);
    }

    /// Whether the next request would be too large.
    pub(super) fn is_full(&self) -> bool {
        self.room.is_full(self.tokens) && self.tokens >= self.worthwhile
    }

    /// The conversation is told anew, as the store has it now.
    pub(super) fn tell_again(&mut self, context: Context, run: &RunId) {
        let summary = context.summary.clone();
        let request = Arc::make_mut(&mut self.request);
        request.messages = messages(summary.as_ref(), shown::messages(context, run), &self.bench.marker);
        self.tokens = room::of_request(request);
        // An eighth more, so that a conversation that cannot be made smaller is not summarised with each request.
        self.worthwhile = self.tokens + self.tokens / 8;
    }

    /// What text of others stands between.
    pub(super) fn marker(&self) -> &Marker {
        &self.bench.marker
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
    let (bench, agent) = match Bench::of(runtime, said, &config)? {
        Ok(found) => found,
        Err(why) => return Ok(Err(NotReady::NoBench(why))),
    };
    let settings = session.as_ref().map(|session| session.settings.clone()).unwrap_or_default();
    let thinking =
        settings.thinking_level.and_then(|level| Thinking::parse(level.as_str())).unwrap_or_default();
    let reasoning = settings.reasoning.unwrap_or_default();
    let chat = Chat::of(&said.session);
    let lines = runtime.toolbox.lines(|tool| bench.tools.has(tool));
    let docs = guide::folder(&given.home).display().to_string();
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
        marker: &bench.marker,
        docs: Some(&docs),
    };
    let gathered = situation.gather(|chars| bench.ctx.snapshot.prompt_within(chars).text.clone());
    let inputs = gathered.inputs();
    let setting =
        Setting { heartbeat: false, group: chat == Chat::Group, reasoning_tags: inputs.reasoning_tags };
    let context = given.store.context(&said.run)?.unwrap_or_default();
    let last = given.store.last_usage(&said.session)?.filter(|last| last.item > context.remark);
    let summary = context.summary.clone();
    let shown = shown::messages(context, &said.run);
    // What a provider has counted, and what came after that.
    let counted = last.map(|last| {
        let since = shown.iter().filter(|shown| shown.number > last.item);
        last.usage.total() + since.map(|shown| room::of_message(&shown.message)).sum::<u64>()
    });
    let prompt = prompt::build(&inputs);
    let report = prompt.report(&inputs);
    let window = inputs.window;
    let request = Request {
        system: prompt.text(),
        messages: messages(summary.as_ref(), shown, &bench.marker),
        tools: runtime.toolbox.offered(|tool| bench.tools.has(tool)),
        thinking,
        max_tokens: None,
        cache: session.map(|session| session.session_id.to_string()),
    };
    Ok(Ok(Ready {
        chain,
        room: Room::beside(&request, window),
        keeps_notes: matches!(chat, Chat::Main | Chat::Direct),
        tokens: counted.unwrap_or_else(|| room::of_request(&request)),
        worthwhile: 0,
        request: Arc::new(request),
        report,
        bench,
        setting,
        shows_thoughts: reasoning == Reasoning::Stream,
        config,
    }))
}

/// The messages of a request: a summary of what is old, and what is told as it is.
fn messages(summary: Option<&Summary>, shown: Vec<Shown>, marker: &Marker) -> Vec<Message> {
    let summary = summary.map(|summary| {
        let text = marker.quote("what was said before, summarised", &summary.text);
        Message { role: Role::User, content: vec![Block::text(text)], timestamp: None }
    });
    let told = shown.into_iter().map(|shown| quoted::shown(shown.message, marker));
    summary.into_iter().chain(told).collect()
}
