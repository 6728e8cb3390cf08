//! Where calls of tools are made in one turn: what they may see, what they are judged by, and what came of them.
//!
//! Promises: nothing of it changes while the turn lasts, except what the calls themselves change; needs no model. Leaves
//! to others: who calls, and what for.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::tz::TimeZone;
use tarsus_guard::{Activation, CallDigest, ToolPolicy};
use tarsus_home::config::Config;
use tarsus_home::config::view::Agent;
use tarsus_home::files::FileError;
use tarsus_home::settings::Enforcement;
use tarsus_protocol::Problem;
use tarsus_store::{RunNote, StoreError};

use crate::prompt::chat::Chat;
use crate::prompt::quote::Marker;
use crate::reply::Secrets;
use crate::runtime::Runtime;
use crate::status;
use crate::tools::{Ctx, Roots};
use crate::turn::{Said, Turn};

/// What calls are made with.
pub(super) struct Bench {
    /// What tools may see.
    pub(super) ctx: Arc<Ctx>,
    /// Which tools the agent has.
    pub(super) tools: ToolPolicy,
    /// When the limits on community skills apply.
    pub(super) enforcement: Enforcement,
    /// The skills that have had a say.
    pub(super) activation: Activation,
    /// The same as the store has it.
    written: Activation,
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
    /// What text of others stands between.
    pub(super) marker: Marker,
    /// The user's time zone.
    pub(super) zone: TimeZone,
}

/// Why no call can be made.
pub(super) enum NoBench {
    /// The agent of the session is not configured.
    NoAgent,
    /// A file of ours cannot be used.
    File(FileError),
}

impl Bench {
    /// Finds everything. Files are looked at, so it may block.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) fn of(
        runtime: &Runtime,
        said: &Said,
        config: &Arc<Config>,
    ) -> Result<Result<(Self, Agent), NoBench>, StoreError> {
        let given = &runtime.given;
        let agent = config.agents.get(said.session.agent()).cloned();
        let snapshot = given.library.snapshot(said.session.agent());
        let (Some(agent), Some(snapshot)) = (agent, snapshot) else { return Ok(Err(NoBench::NoAgent)) };
        let marker = match runtime.marker(&said.session) {
            Ok(marker) => marker,
            Err(error) => return Ok(Err(NoBench::File(error))),
        };
        let chat = Chat::of(&said.session);
        let (skills, watch) = runtime.watches.of(&snapshot);
        let written = given.store.activation(&said.run)?.as_deref().map(Activation::read).unwrap_or_default();
        let mut activation = written.clone();
        watch.message(&said.text, &mut activation);
        if let Some(invoked) = &said.invoked {
            watch.named(&invoked.skill, invoked.how, &mut activation);
        }
        let zone = runtime.zone(config);
        let workspace = given.home.workspace(&config.agents, &agent);
        let ctx = Ctx {
            home: given.home.clone(),
            clock: given.clock.clone(),
            config: Arc::clone(config),
            store: Arc::clone(&given.store),
            audit: Arc::clone(&given.audit),
            environment: given.environment.clone(),
            language: given.language,
            session: said.session.clone(),
            is_main_direct: chat == Chat::Main,
            has_person: matches!(chat, Chat::Main | Chat::Direct),
            roots: Roots::of(&given.home, config, &workspace),
            snapshot,
            skills,
            watch,
            status: Box::new({
                let (config, store) = (Arc::clone(config), Arc::clone(&given.store));
                let (clock, zone) = (given.clock.clone(), zone.clone());
                move |session| {
                    status::of(session, &config, &store, clock.now(), zone.clone()).map_err(Problem::from)
                }
            }),
        };
        let bench = Self {
            ctx: Arc::new(ctx),
            tools: ToolPolicy::of(config, &agent),
            enforcement: (given.settings)().enforcement,
            activation,
            written,
            secrets: Secrets::new((given.secrets)().iter().map(|secret| secret.expose())),
            repeated: Vec::new(),
            results: BTreeMap::new(),
            // One that is not there has no links.
            workspace: workspace.canonicalize().unwrap_or(workspace),
            shows: Vec::new(),
            marker,
            zone,
        };
        Ok(Ok((bench, agent)))
    }

    /// What the record of a run says of its skills.
    pub(super) fn note(&self) -> RunNote {
        let skills_version = self.ctx.snapshot.version.to_string().parse().ok();
        RunNote { skills_version, ..RunNote::default() }
    }

    /// Asks for what is known of the skills that have had a say to be written, where that is news to the store.
    pub(super) fn remember(&mut self, turn: &Turn<'_>) -> Option<tarsus_store::Answer<()>> {
        if self.activation == self.written {
            return None;
        }
        self.written = self.activation.clone();
        // Names and words can always be written.
        let activation = serde_json::to_string(&self.activation).unwrap_or_default();
        Some(turn.runtime.given.store.set_activation(turn.run.clone(), activation))
    }
}
