//! The names by which things are known: a session's key and id, a run's id, a line of text. Each is parsed once, at
//! the edge, and is bounded from then on.

use std::fmt;
use std::str::FromStr;

use tarsus_home::config::AgentId;
use tarsus_protocol::{ErrorCode, Problem};

/// Characters of a session's key.
const LONGEST_KEY: usize = 512;
/// Characters of a run's id.
const LONGEST_RUN: usize = 256;
/// Characters of a label or of the name of a model.
const LONGEST_LINE: usize = 200;

/// Why a text is not the name that it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Not a session's key.
    #[error("a session key is `agent:<agent id>:<name>` with at most {LONGEST_KEY} printable characters")]
    SessionKey,
    /// Not a run's id.
    #[error("a run id has 1 to {LONGEST_RUN} printable characters")]
    RunId,
    /// Not a line of text.
    #[error("a label or model has 1 to {LONGEST_LINE} printable characters")]
    Line,
}

impl From<NameError> for Problem {
    fn from(error: NameError) -> Self {
        Self::new(ErrorCode::Usage, error.to_string()).hint("nothing was changed; correct the name")
    }
}

/// The key of a session: `agent:<agent id>:<name>`, as in `agent:main:main` or `agent:ops:cron:nightly`.
///
/// ```
/// use tarsus_store::SessionKey;
///
/// let key: SessionKey = "agent:Main:cron:nightly".parse()?;
/// assert_eq!((key.as_str(), key.agent().as_str(), key.name()), ("agent:main:cron:nightly", "main", "cron:nightly"));
/// assert!("main".parse::<SessionKey>().is_err());
/// # Ok::<(), tarsus_store::NameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    text: String,
    agent: AgentId,
}

impl SessionKey {
    /// The key of an agent's session.
    ///
    /// # Errors
    /// When the name is empty, too long, or has characters that cannot be printed.
    pub fn new(agent: &AgentId, name: &str) -> Result<Self, NameError> {
        let text = format!("agent:{agent}:{name}");
        if name.is_empty() || !is_printable(&text, LONGEST_KEY) {
            return Err(NameError::SessionKey);
        }
        Ok(Self { text, agent: agent.clone() })
    }

    /// The key that a person means: a whole one, or a name of one of the agent's sessions.
    ///
    /// # Errors
    /// When it is neither.
    pub fn complete(text: &str, agent: &AgentId) -> Result<Self, NameError> {
        let text = text.trim();
        if text.starts_with("agent:") { text.parse() } else { Self::new(agent, text) }
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The agent whose session it is.
    #[must_use]
    pub fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// What follows the agent.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text.splitn(3, ':').nth(2).unwrap_or_default()
    }
}

impl FromStr for SessionKey {
    type Err = NameError;

    /// The agent's id is made lower case, as everywhere; the name is taken as it is.
    fn from_str(text: &str) -> Result<Self, NameError> {
        let parts: Vec<&str> = text.trim().splitn(3, ':').collect();
        let ["agent", agent, name] = parts.as_slice() else { return Err(NameError::SessionKey) };
        Self::new(&agent.parse().map_err(|_| NameError::SessionKey)?, name)
    }
}

/// The id of a run: the idempotency key of the request that began it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

impl FromStr for RunId {
    type Err = NameError;

    /// Taken as it is: the client expects the same bytes back.
    fn from_str(text: &str) -> Result<Self, NameError> {
        let well_formed = !text.is_empty() && is_printable(text, LONGEST_RUN);
        well_formed.then(|| Self(text.to_owned())).ok_or(NameError::RunId)
    }
}

/// One line of text that a person gave: a label, the name of a model.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line(String);

impl FromStr for Line {
    type Err = NameError;

    /// Without the white space around it.
    fn from_str(text: &str) -> Result<Self, NameError> {
        let text = text.trim();
        let well_formed = !text.is_empty() && is_printable(text, LONGEST_LINE);
        well_formed.then(|| Self(text.to_owned())).ok_or(NameError::Line)
    }
}

/// What tells a session from what it was before a reset. Made by the store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub(crate) String);

impl From<String> for SessionId {
    /// An id as a client repeats it; one that no session had is found nowhere.
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl RunId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Line {
    /// The line as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl SessionId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_printable(text: &str, longest: usize) -> bool {
    text.len() <= longest.saturating_mul(4)
        && text.chars().count() <= longest
        && !text.chars().any(char::is_control)
}
