//! What a call may see, gathered once for a turn.

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_guard::{Skills, Watch};
use tarsus_home::Home;
use tarsus_home::config::{AgentId, Config};
use tarsus_host::Clock;
use tarsus_protocol::Problem;
use tarsus_skills::Snapshot;
use tarsus_store::{SessionKey, Store};

use super::roots::Roots;
use super::status::StatusFacts;

/// Finds out how a session stands.
pub type Status = Box<dyn Fn(&SessionKey) -> Result<StatusFacts, Problem> + Send + Sync>;

/// What the calls of one turn may see. Nothing of it changes while the turn lasts, except what is kept in the store.
pub struct Ctx {
    /// The state folder.
    pub home: Home,
    /// The time.
    pub clock: Clock,
    /// The configuration.
    pub config: Arc<Config>,
    /// Where sessions are kept.
    pub store: Arc<Store>,
    /// Where acts are written down.
    pub audit: Arc<Audit>,
    /// Our own environment, from which an app gets what belongs to the desktop.
    pub environment: Vec<(OsString, OsString)>,
    /// The language of what is shown to the person when nothing else tells it.
    pub language: Language,
    /// The session.
    pub session: SessionKey,
    /// Whether it is the agent's main session, in a chat with its owner alone: `MEMORY.md` is for nobody else.
    pub is_main_direct: bool,
    /// Whether a person reads the session who can answer a question.
    pub has_person: bool,
    /// The folders that may be read, beside those of skills.
    pub roots: Roots,
    /// The skills of the turn.
    pub snapshot: Arc<Snapshot>,
    /// The same as guard knows them.
    pub skills: Arc<Skills>,
    /// Notices when one of them is used.
    pub watch: Arc<Watch>,
    /// How a session stands.
    pub status: Status,
}

impl Ctx {
    /// The agent that calls.
    #[must_use]
    pub fn agent(&self) -> &AgentId {
        self.session.agent()
    }
}

/// The environment has secrets in it.
impl fmt::Debug for Ctx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ctx")
            .field("session", &self.session)
            .field("roots", &self.roots)
            .finish_non_exhaustive()
    }
}
