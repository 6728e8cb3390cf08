//! What a registered app is: how it starts, how its processes are known, who may launch it.
//!
//! Promises: a value of these types is well formed; what may not be empty is not. Leaves to others: reading it from
//! the file ([`crate::validate`]) and deciding by it ([`crate::access`]).

use std::fmt;

use tarsus_home::config::AgentId;
pub use tarsus_protocol::apps::{AppMode as Mode, NotAMode};

/// A registered app that can be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What is launched.
    pub launch_path: LaunchPath,
    /// The program that really runs, where it is known. Never empty.
    pub runtime_exe: Option<String>,
    /// The name of its process, where it is known. Never empty.
    pub process_name: Option<String>,
    /// Who may launch it.
    pub policy: Policy,
}

/// A path, shortcut or bundle to launch, as it was written; never blank.
///
/// ```
/// use tarsus_apps::LaunchPath;
///
/// assert_eq!(LaunchPath::new("/usr/bin/gimp").unwrap().as_str(), "/usr/bin/gimp");
/// assert_eq!(LaunchPath::new(" "), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchPath(String);

impl LaunchPath {
    /// The path as it is given; none when it is blank.
    pub fn new(path: impl Into<String>) -> Option<Self> {
        let path = path.into();
        (!path.trim().is_empty()).then_some(Self(path))
    }

    /// The path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LaunchPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Who may launch an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Policy {
    /// Any agent.
    Full,
    /// Only these agents.
    Allowlist(AllowedAgents),
    /// Nobody.
    Off,
}

impl Policy {
    /// The policy of a mode; none when `allowlist` lacks agents. The other modes list nobody, whoever is given.
    ///
    /// ```
    /// use tarsus_apps::{Mode, Policy};
    ///
    /// assert_eq!(Policy::new(Mode::Off, ["writer"]), Some(Policy::Off));
    /// assert_eq!(Policy::new(Mode::Allowlist, [""]), None);
    /// ```
    pub fn new<I: Into<String>>(mode: Mode, agents: impl IntoIterator<Item = I>) -> Option<Self> {
        match mode {
            Mode::Full => Some(Self::Full),
            Mode::Allowlist => AllowedAgents::new(agents).map(Self::Allowlist),
            Mode::Off => Some(Self::Off),
        }
    }

    /// Its word.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        match self {
            Self::Full => Mode::Full,
            Self::Allowlist(_) => Mode::Allowlist,
            Self::Off => Mode::Off,
        }
    }

    /// The agents that it lists; none unless it is an allowlist.
    #[must_use]
    pub fn agents(&self) -> &[String] {
        match self {
            Self::Allowlist(agents) => agents.as_slice(),
            Self::Full | Self::Off => &[],
        }
    }
}

/// The ids of the agents on an allowlist: at least one, none of them empty, none twice, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedAgents(Vec<String>);

impl AllowedAgents {
    /// These ids without the empty and the repeated ones; none when nothing is left.
    pub fn new<I: Into<String>>(ids: impl IntoIterator<Item = I>) -> Option<Self> {
        let mut agents: Vec<String> = Vec::new();
        for id in ids {
            let id = id.into();
            if !id.is_empty() && !agents.contains(&id) {
                agents.push(id);
            }
        }
        (!agents.is_empty()).then_some(Self(agents))
    }

    /// The ids.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// Those that no agent can be: an id has small letters, digits, `-` and `_`.
    pub fn nobody(&self) -> impl Iterator<Item = &str> {
        let is_id = |id: &str| id.parse::<AgentId>().is_ok_and(|parsed| parsed.as_str() == id);
        self.0.iter().map(String::as_str).filter(move |id| !is_id(id))
    }

    /// Whether an agent is listed. Ids compare exactly.
    #[must_use]
    pub fn lists(&self, agent: &str) -> bool {
        self.0.iter().any(|listed| listed == agent)
    }
}
