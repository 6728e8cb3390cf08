//! The folders that an agent's skills come from, in order of precedence, and what holds for each of them.
//!
//! Promises: the order of the list is the order of precedence, lowest first; the same configuration gives the same
//! list. Touches no file. Leaves to others: what lies in the folders.

use std::path::{Path, PathBuf};

use tarsus_home::Home;
use tarsus_home::config::view::{Agent, Config, SkillsLimits};

use crate::Source;

/// How deep below a root a skill may lie.
const DEPTH: u32 = 6;
/// The same below an extra folder, which may be a whole repository.
const EXTRA_DEPTH: u32 = 2;

/// One folder that skills are looked for in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Root {
    /// What it counts as.
    pub source: Source,
    /// The folder, which need not exist.
    pub path: PathBuf,
    /// Whether each folder in it is a root of its own.
    pub each_child: bool,
    /// Where links to folders may lead.
    pub links: LinkPolicy,
}

/// Where the links to folders below a root may lead.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum LinkPolicy {
    /// Into the root itself, and into these folders.
    Inside(Vec<PathBuf>),
    /// Anywhere; a skill is then shown where it really lies.
    Anywhere,
}

impl Root {
    /// A root as its source has it. `allowed` are the folders of `skills.load.allowSymlinkTargets`.
    #[must_use]
    pub fn new(source: Source, path: PathBuf, allowed: &[PathBuf]) -> Self {
        let links = match source {
            Source::Managed | Source::Personal => LinkPolicy::Anywhere,
            Source::Bundled => LinkPolicy::Inside(Vec::new()),
            Source::Extra | Source::Project | Source::Workspace => LinkPolicy::Inside(allowed.to_vec()),
        };
        Self { source, path, each_child: false, links }
    }

    /// How many folders below `base` a skill may lie. `base` is the root, or a child of it that is a root itself.
    pub(crate) fn depth_below(&self, base: &Path) -> u32 {
        let shallow = self.source == Source::Extra && base.file_name().is_none_or(|name| name != SKILLS);
        if shallow { EXTRA_DEPTH } else { DEPTH }
    }
}

/// A folder of this name in a root is searched as deep as a root.
pub(crate) const SKILLS: &str = "skills";

/// How many folders below a `skills` folder a skill may lie.
pub(crate) const DEPTH_BELOW_SKILLS: u32 = DEPTH;

/// How much is looked at and loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Folders below one root.
    pub candidates: usize,
    /// Skills of one source.
    pub skills: usize,
    /// Bytes of one SKILL.md.
    pub file_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { candidates: 50_000, skills: 20_000, file_bytes: 256_000 }
    }
}

impl From<&SkillsLimits> for Limits {
    fn from(configured: &SkillsLimits) -> Self {
        let default = Self::default();
        let or = |limit: Option<u32>, default: usize| limit.map_or(default, |limit| limit as usize);
        Self {
            candidates: or(configured.max_candidates_per_root, default.candidates),
            skills: or(configured.max_skills_loaded_per_source, default.skills),
            file_bytes: configured.max_skill_file_bytes.map_or(default.file_bytes, u64::from),
        }
    }
}

/// Where skills for every agent are installed.
#[must_use]
pub fn managed(home: &Home) -> PathBuf {
    home.state_dir().join(SKILLS)
}

/// The roots of one agent, lowest precedence first, and the limits that hold in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    /// Lowest precedence first.
    pub list: Vec<Root>,
    /// How much is looked at and loaded.
    pub limits: Limits,
}

impl Roots {
    /// The roots of an agent. `bundled` is the folder of the skills that Tarsus brings along, where there is one.
    #[must_use]
    pub fn for_agent(home: &Home, config: &Config, agent: &Agent, bundled: Option<&Path>) -> Self {
        let load = &config.skills.load;
        let allowed: Vec<_> = load.allow_symlink_targets.iter().map(|path| home.resolve(path)).collect();
        let root = |source, path| Root::new(source, path, &allowed);
        let workspace = home.workspace(&config.agents, agent);

        let mut list: Vec<_> =
            load.extra_dirs.iter().map(|path| root(Source::Extra, home.resolve(path))).collect();
        let plugins = home.state_dir().join("plugin-skills");
        list.push(Root { each_child: true, ..root(Source::Extra, plugins) });
        list.extend(bundled.map(|path| root(Source::Bundled, path.to_path_buf())));
        list.push(root(Source::Managed, managed(home)));
        // With a state folder elsewhere, nothing of the person's home is meant.
        if home.state_dir() == home.resolve("~/.openclaw") {
            list.push(root(Source::Personal, home.resolve("~/.agents/skills")));
        }
        list.push(root(Source::Project, workspace.join(".agents").join(SKILLS)));
        list.push(root(Source::Workspace, workspace.join(SKILLS)));
        Self { list, limits: Limits::from(&config.skills.limits) }
    }
}

/// The roots of all agents of a configuration, each once.
#[must_use]
pub fn for_all_agents(home: &Home, config: &Config, bundled: Option<&Path>) -> Vec<Root> {
    let mut all: Vec<Root> = Vec::new();
    for agent in &config.agents.list {
        for root in Roots::for_agent(home, config, agent, bundled).list {
            if !all.contains(&root) {
                all.push(root);
            }
        }
    }
    all
}
