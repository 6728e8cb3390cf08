//! The context of one turn: the shared services, and the facts that hold while the turn lasts.
//!
//! Tools, the guard's inspectors and the prompt read from it. Nothing in it changes during the turn, except that fewer
//! skills contribute to the environment once a community skill is active; what changes is in the store and in the turn's
//! own state.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::tz::TimeZone;
use tarsus_guard::{Activation, SkillDetector, SkillSet, ToolPolicy};
use tarsus_home::config::view::Agent;
use tarsus_home::config::{AgentId, Config};
use tarsus_home::files::{self, Confined, FileError};
use tarsus_home::settings::Enforcement;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_skills::SkillsSnapshot;
use tarsus_skills::environment::SkillEnvironment;
use tarsus_store::{RunId, SessionKey, StoreError};

use crate::file_changes::{FileChanges, MAX_FILE_BYTES};
use crate::prompt::chat::{Channel, ChatKind};
use crate::prompt::files::WORKSPACE_FILES;
use crate::prompt::quote::Marker;
use crate::reply::SecretMatcher;
use crate::runtime::Runtime;
use crate::services::Services;
use crate::tools::FileRoots;
use crate::turn::AcceptedMessage;

#[derive(Clone)]
pub struct TurnContext {
    pub services: Arc<Services>,
    pub config: Arc<Config>,
    pub session: SessionKey,
    pub run: RunId,
    /// Where the message came from.
    pub channel: Channel,
    pub chat: ChatKind,
    /// Whether the owner sent the message that is answered.
    pub from_owner: bool,
    pub agent: Agent,
    /// The agent's folder, with every link resolved.
    pub workspace: PathBuf,
    /// The folders that tools may read, besides those of skills.
    pub roots: FileRoots,
    /// The user's time zone.
    pub zone: TimeZone,
    pub snapshot: Arc<SkillsSnapshot>,
    /// The skills as the guard's inspectors use them.
    pub skills: Arc<SkillSet>,
    /// Detects that a skill is used.
    pub watch: Arc<SkillDetector>,
    /// Which tools the agent has.
    pub tool_policy: ToolPolicy,
    /// When the limits on community skills apply.
    pub enforcement: Enforcement,
    /// The variables that skills set for the tools that take them. Programs of apps get none.
    pub environment: SkillEnvironment,
    pub secrets: SecretMatcher,
    /// The files that turns change.
    pub file_changes: Arc<FileChanges>,
    /// Files that skills of others have shaped, with some content.
    pub marked_files: BTreeSet<String>,
    /// The tag around text of others in this session.
    pub marker: Marker,
}

/// Why a turn cannot be set up or completed.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    #[error("no model is configured, and none was found")]
    NoModel,
    #[error("the agent {0} was removed from the configuration")]
    UnknownAgent(AgentId),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Blocking work of the turn panicked.
    #[error("the answer failed unexpectedly")]
    Panicked,
}

impl From<TurnError> for Problem {
    fn from(error: TurnError) -> Self {
        let message = error.to_string();
        match error {
            TurnError::NoModel => Self::new(ErrorCode::NotFound, message).hint("run `tarsus models set`"),
            TurnError::UnknownAgent(_) => Self::new(ErrorCode::NotFound, message)
                .hint("use another agent, or add it to agents.list again"),
            TurnError::File(error) => error.into(),
            TurnError::Store(error) => error.into(),
            TurnError::Panicked => Self::new(ErrorCode::Failed, message),
        }
    }
}

impl TurnContext {
    /// Collects the facts of a turn. Reads files, so it may block.
    ///
    /// # Errors
    /// When the agent is not configured, or the key of the markers can be neither read nor created.
    pub(crate) fn load(
        runtime: &Runtime,
        accepted: &AcceptedMessage,
        config: Arc<Config>,
    ) -> Result<Self, TurnError> {
        let session = &accepted.session;
        let services = Arc::clone(&runtime.services);
        let agent = config.agents.get(session.agent()).cloned();
        let snapshot = services.library.snapshot(session.agent());
        let (Some(agent), Some(snapshot)) = (agent, snapshot) else {
            return Err(TurnError::UnknownAgent(session.agent().clone()));
        };
        let marker = runtime.marker(session)?;
        let (skills, watch) = runtime.watch_cache.for_snapshot(&snapshot);
        let workspace = services.home.workspace(&config.agents, &agent);
        Ok(Self {
            session: session.clone(),
            run: accepted.run.clone(),
            channel: accepted.channel,
            chat: ChatKind::for_session(session),
            from_owner: accepted.is_from_owner(),
            roots: FileRoots::for_agent(&services.home, &config, &workspace),
            // A folder that does not exist has no links.
            workspace: workspace.canonicalize().unwrap_or(workspace),
            zone: runtime.zone(&config),
            environment: snapshot.environment(),
            snapshot,
            skills,
            watch,
            tool_policy: ToolPolicy::from_config(&config, &agent),
            enforcement: services.host.settings().enforcement,
            secrets: SecretMatcher::new(services.host.secrets().iter().map(|secret| secret.expose())),
            file_changes: Arc::clone(&runtime.file_changes),
            marked_files: runtime.file_changes.marked_files()?,
            marker,
            agent,
            config,
            services,
        })
    }

    #[must_use]
    pub fn agent_id(&self) -> &AgentId {
        self.session.agent()
    }

    /// Whether the user is alone with the agent: `MEMORY.md` is for nobody else.
    #[must_use]
    pub fn is_main(&self) -> bool {
        self.chat == ChatKind::Main
    }

    /// Whether a file is part of the prompt.
    #[must_use]
    pub(crate) fn is_injected(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default();
        let is_named = path.parent() == Some(self.workspace.as_path())
            && WORKSPACE_FILES.iter().any(|file| name.eq_ignore_ascii_case(file));
        is_named || self.is_linked_into_the_prompt(path)
    }

    /// Whether a file of the prompt is a link to this file.
    fn is_linked_into_the_prompt(&self, path: &Path) -> bool {
        let Ok(workspace) = Confined::open_real(&self.workspace) else { return false };
        let leads_here = |file: &&str| matches!(workspace.reach(Path::new(file)), Ok(Some(reached)) if reached.path == path);
        WORKSPACE_FILES.iter().any(leads_here)
    }

    /// Activates the skills that shaped the content of a file.
    pub(crate) fn detect_marks(&self, path: &Path, active: &mut Activation) {
        if !self.marked_files.contains(&*path.to_string_lossy()) {
            return;
        }
        match files::read(path, MAX_FILE_BYTES) {
            Ok(None) => {}
            Ok(Some(content)) => match self.file_changes.marked_by(path, &content) {
                Ok(Some(shaped_by)) => active.join(&shaped_by),
                Ok(None) => {}
                Err(_) => active.join(&Activation::unknown()),
            },
            // What cannot be compared cannot be ruled out.
            Err(_) => active.join(&Activation::unknown()),
        }
    }

    /// Whether one person reads the session who can answer a question.
    #[must_use]
    pub fn has_person(&self) -> bool {
        matches!(self.chat, ChatKind::Main | ChatKind::Direct)
    }
}

/// Leaves out the environment, which may hold secrets.
impl fmt::Debug for TurnContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnContext")
            .field("session", &self.session)
            .field("roots", &self.roots)
            .finish_non_exhaustive()
    }
}
