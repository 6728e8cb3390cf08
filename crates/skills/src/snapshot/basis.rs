//! What skills are judged by, as a value that a snapshot keeps.

use std::fmt;
use std::sync::Arc;

use tarsus_home::config::Loaded;
use tarsus_home::{Home, Settings};
use tarsus_host::path::SearchPath;

use crate::eligibility::{Machine, RemoteNode};

/// Everything that skills are judged by, but for the agent.
#[derive(Debug, Clone)]
pub struct Basis {
    /// Where the state is.
    pub home: Home,
    /// The configuration.
    pub config: Loaded,
    /// Our own settings.
    pub settings: Settings,
    /// The machine and those connected to it.
    pub surroundings: Arc<Surroundings>,
}

/// Where variables of the environment are looked up.
pub type Variables = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The machine and those connected to it, as of one moment. What changes there calls for another value.
pub struct Surroundings {
    /// The system: `linux`, `darwin` or `win32`.
    pub platform: &'static str,
    /// The programs on PATH; each folder is read once.
    pub programs: SearchPath,
    /// The environment.
    pub variables: Variables,
    /// Connected machines that can run programs.
    pub nodes: Vec<RemoteNode>,
}

impl Surroundings {
    /// The same as it is looked at.
    #[must_use]
    pub fn machine(&self) -> Machine<'_> {
        Machine {
            platform: self.platform,
            programs: &self.programs,
            variables: &*self.variables,
            nodes: &self.nodes,
        }
    }
}

/// Variables are often secrets.
impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { platform, nodes, .. } = self;
        f.debug_struct("Surroundings")
            .field("platform", platform)
            .field("nodes", nodes)
            .finish_non_exhaustive()
    }
}
