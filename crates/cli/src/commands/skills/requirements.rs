//! Formats the requirements of a skill.

use tarsus_protocol::skills::SkillNeeds;

use crate::text::printable;

/// `ffmpeg, one of brew or apt, GH_TOKEN`.
pub fn summary(needs: &SkillNeeds) -> String {
    printable(&needs.named())
}

/// `bins: ffmpeg; env: GH_TOKEN`.
pub fn summary_by_kind(needs: &SkillNeeds) -> String {
    by_kind(needs)
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(kind, names)| format!("{}: {}", kind.key(), printable(&names.join(", "))))
        .collect::<Vec<_>>()
        .join("; ")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequirementKind {
    Bin,
    AnyBin,
    Env,
    /// A configuration key.
    Config,
    /// One of several operating systems.
    Os,
}

impl RequirementKind {
    /// The key in a SKILL.md.
    const fn key(self) -> &'static str {
        match self {
            Self::Bin => "bins",
            Self::AnyBin => "anyBins",
            Self::Env => "env",
            Self::Config => "config",
            Self::Os => "os",
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Bin => "bin",
            Self::AnyBin => "any bin",
            Self::Env => "env",
            Self::Config => "config",
            Self::Os => "os",
        }
    }

    pub const fn is_alternative(self) -> bool {
        matches!(self, Self::AnyBin | Self::Os)
    }
}

/// Groups the names by kind.
pub fn by_kind(needs: &SkillNeeds) -> [(RequirementKind, &[String]); 5] {
    [
        (RequirementKind::Bin, &needs.bins),
        (RequirementKind::AnyBin, &needs.any_bins),
        (RequirementKind::Env, &needs.env),
        (RequirementKind::Config, &needs.config),
        (RequirementKind::Os, &needs.os),
    ]
}
