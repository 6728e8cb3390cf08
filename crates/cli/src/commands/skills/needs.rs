//! What a skill needs, in words.

use tarsus_protocol::skills::SkillNeeds;

use crate::text::printable;

/// `ffmpeg, one of brew or apt, GH_TOKEN`.
pub fn in_a_word(needs: &SkillNeeds<'_>) -> String {
    printable(&needs.named())
}

/// `bins: ffmpeg; env: GH_TOKEN`.
pub fn by_kind(needs: &SkillNeeds<'_>) -> String {
    kinds(needs)
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(kind, names)| format!("{}: {}", kind.key(), printable(&names.join(", "))))
        .collect::<Vec<_>>()
        .join("; ")
}

/// A kind of need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A program.
    Bin,
    /// One of several programs.
    AnyBin,
    /// An environment variable.
    Env,
    /// A place in the configuration.
    Config,
    /// One of several systems.
    Os,
}

impl Kind {
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

    /// The word in front of one need.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Bin => "bin",
            Self::AnyBin => "any bin",
            Self::Env => "env",
            Self::Config => "config",
            Self::Os => "os",
        }
    }

    /// Whether one of the names is enough.
    pub const fn one_is_enough(self) -> bool {
        matches!(self, Self::AnyBin | Self::Os)
    }
}

/// The needs, kind by kind.
pub fn kinds<'n>(needs: &'n SkillNeeds<'_>) -> [(Kind, &'n [String]); 5] {
    [
        (Kind::Bin, &needs.bins),
        (Kind::AnyBin, &needs.any_bins),
        (Kind::Env, &needs.env),
        (Kind::Config, &needs.config),
        (Kind::Os, &needs.os),
    ]
}
