//! The sources of skills, in order of precedence: of two skills with the same name, the one from the later source wins.

/// One of the six sources of skills, lowest precedence first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkillSource {
    /// `skills.load.extraDirs`, then the folders of plugins.
    Extra,
    /// Bundled with Tarsus.
    Bundled,
    /// `<state>/skills`: installed for every agent.
    Managed,
    /// `~/.agents/skills`.
    Personal,
    /// `<workspace>/.agents/skills`.
    Project,
    /// `<workspace>/skills`.
    Workspace,
}

impl SkillSource {
    /// Every source, lowest precedence first.
    pub const ALL: [Self; 6] =
        [Self::Extra, Self::Bundled, Self::Managed, Self::Personal, Self::Project, Self::Workspace];

    /// The id in JSON.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Extra => "openclaw-extra",
            Self::Bundled => "openclaw-bundled",
            Self::Managed => "openclaw-managed",
            Self::Personal => "agents-skills-personal",
            Self::Project => "agents-skills-project",
            Self::Workspace => "openclaw-workspace",
        }
    }

    /// The word in tables that people read.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Extra => "extra",
            Self::Bundled => "bundled",
            Self::Managed => "openclaw-managed",
            Self::Personal => "personal",
            Self::Project => "project",
            Self::Workspace => "workspace",
        }
    }
}
