//! The folders that an agent's skills come from, lowest precedence first. Reads no file.

use std::path::{Path, PathBuf};

use tarsus_home::Home;
use tarsus_home::config::view::{Agent, Config, SkillsLimits};

use crate::SkillSource;

/// Folder levels below a root that are searched.
const DEPTH: u32 = 6;
/// Folder levels below an extra folder, which may be a whole repository.
const EXTRA_DEPTH: u32 = 2;

/// A folder to search for skills.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SkillRoot {
    /// Source of the skills in it.
    pub source: SkillSource,
    /// The folder; it need not exist.
    pub path: PathBuf,
    /// Whether each folder in it is a root of its own.
    pub each_child: bool,
    /// Where links to folders may lead.
    pub links: LinkPolicy,
}

/// Where links to folders below a root may lead.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum LinkPolicy {
    /// Into the root itself, and into these folders.
    Inside(Vec<PathBuf>),
    /// Anywhere; a skill is then shown at its resolved path.
    Anywhere,
}

impl SkillRoot {
    /// Creates a root with the link policy of its source. `allowed` are the folders of `skills.load.allowSymlinkTargets`.
    #[must_use]
    pub fn new(source: SkillSource, path: PathBuf, allowed: &[PathBuf]) -> Self {
        let links = match source {
            SkillSource::Managed | SkillSource::Personal => LinkPolicy::Anywhere,
            SkillSource::Bundled => LinkPolicy::Inside(Vec::new()),
            SkillSource::Extra | SkillSource::Project | SkillSource::Workspace => {
                LinkPolicy::Inside(allowed.to_vec())
            }
        };
        Self { source, path, each_child: false, links }
    }

    /// Folder levels below `base` that are searched. `base` is the root, or a child that is a root itself.
    pub(crate) fn depth_below(&self, base: &Path) -> u32 {
        let shallow = self.source == SkillSource::Extra && base.file_name().is_none_or(|name| name != SKILLS);
        if shallow { EXTRA_DEPTH } else { DEPTH }
    }
}

/// A folder with this name in a root is searched as deep as a root.
pub(crate) const SKILLS: &str = "skills";

/// Folder levels below a `skills` folder that are searched.
pub(crate) const DEPTH_BELOW_SKILLS: u32 = DEPTH;

/// Limits of discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DiscoveryLimits {
    /// Folders visited below one root.
    pub candidates: usize,
    /// Skills loaded of one source.
    pub skills: usize,
    /// Bytes of one SKILL.md.
    pub file_bytes: u64,
}

impl Default for DiscoveryLimits {
    fn default() -> Self {
        Self { candidates: 50_000, skills: 20_000, file_bytes: 256_000 }
    }
}

impl From<&SkillsLimits> for DiscoveryLimits {
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

/// Returns the folder of skills that are installed for every agent.
#[must_use]
pub fn managed(home: &Home) -> PathBuf {
    home.state_dir().join(SKILLS)
}

/// The roots of an agent, and the limits that apply to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillRoots {
    /// Lowest precedence first.
    pub list: Vec<SkillRoot>,
    /// Limits of discovery.
    pub limits: DiscoveryLimits,
}

impl SkillRoots {
    /// Returns the roots of an agent. `bundled` is the folder of the bundled skills, if there is one.
    #[must_use]
    pub fn for_agent(home: &Home, config: &Config, agent: &Agent, bundled: Option<&Path>) -> Self {
        let load = &config.skills.load;
        let allowed: Vec<_> = load.allow_symlink_targets.iter().map(|path| home.resolve(path)).collect();
        let root = |source, path| SkillRoot::new(source, path, &allowed);
        let workspace = home.workspace(&config.agents, agent);

        let mut list: Vec<_> =
            load.extra_dirs.iter().map(|path| root(SkillSource::Extra, home.resolve(path))).collect();
        let plugins = home.state_dir().join("plugin-skills");
        list.push(SkillRoot { each_child: true, ..root(SkillSource::Extra, plugins) });
        list.extend(bundled.map(|path| root(SkillSource::Bundled, path.to_path_buf())));
        list.push(root(SkillSource::Managed, managed(home)));
        // A state folder elsewhere is independent of the user's home folder.
        if home.state_dir() == home.resolve("~/.openclaw") {
            list.push(root(SkillSource::Personal, home.resolve("~/.agents/skills")));
        }
        list.push(root(SkillSource::Project, workspace.join(".agents").join(SKILLS)));
        list.push(root(SkillSource::Workspace, workspace.join(SKILLS)));
        Self { list, limits: DiscoveryLimits::from(&config.skills.limits) }
    }
}

/// Returns the roots of all configured agents without duplicates.
#[must_use]
pub fn for_all_agents(home: &Home, config: &Config, bundled: Option<&Path>) -> Vec<SkillRoot> {
    let mut all: Vec<SkillRoot> = Vec::new();
    for agent in &config.agents.list {
        for root in SkillRoots::for_agent(home, config, agent, bundled).list {
            if !all.contains(&root) {
                all.push(root);
            }
        }
    }
    all
}
