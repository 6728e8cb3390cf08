//! What looking through a root gives: skills, what was skipped and why, and the limits that were reached.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tarsus_protocol::capability::TrustTier;

use super::order;
use super::origin::Origin;
use crate::gate::Examined;
use crate::{Parsed, Skill, Source};

/// One SKILL.md that was found and read.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Where it came from.
    pub source: Source,
    /// What its file says.
    pub parsed: Arc<Parsed>,
    /// The slug that it was installed under: the key of its settings when it declares none.
    pub slug: Option<String>,
    /// Whether an installer left a note that it came from elsewhere, as far as its source does not say so.
    pub noted: bool,
    /// What a look into its folder found; nothing while nobody has looked.
    pub examined: Option<Arc<Examined>>,
    /// The file by which it can be known again.
    pub stat: Stat,
    /// The file as it was reached from its root.
    at: PathBuf,
    /// Where it really lies, when it was reached by a link and is shown there.
    real: Option<PathBuf>,
    /// The name's place among names.
    order: Box<[u8]>,
}

impl Found {
    pub(super) fn new(
        source: Source,
        at: PathBuf,
        real: Option<PathBuf>,
        stat: Stat,
        parsed: Parsed,
        origin: Origin,
    ) -> Self {
        let mut found = Self {
            source,
            parsed: Arc::new(parsed),
            slug: origin.slug,
            noted: origin.noted,
            examined: None,
            stat,
            at,
            real,
            order: Box::default(),
        };
        found.order = order::key(&found.name());
        found
    }

    /// SKILL.md, as it is shown and read.
    #[must_use]
    pub fn file(&self) -> &Path {
        self.real.as_deref().unwrap_or(&self.at)
    }

    /// The skill's folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.file().parent().unwrap_or(Path::new(""))
    }

    /// The name of the skill's folder.
    #[must_use]
    pub fn dir_name(&self) -> Cow<'_, str> {
        self.dir().file_name().unwrap_or_default().to_string_lossy()
    }

    /// The file as it was reached from its root, links and all.
    #[must_use]
    pub fn at(&self) -> &Path {
        &self.at
    }

    /// The skill, unless nothing in the file could stand for one.
    #[must_use]
    pub fn skill(&self) -> Option<&Skill> {
        match &*self.parsed {
            Parsed::Loaded(skill) | Parsed::Degraded(skill, _) => Some(skill),
            Parsed::Malformed(_) => None,
        }
    }

    /// The skill's name, else that of its folder.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        self.skill().map_or_else(|| self.dir_name(), |skill| skill.name.as_str().into())
    }

    /// The key of its settings in `skills.entries`: declared, else the slug it was installed under, else its name.
    #[must_use]
    pub fn key(&self) -> Cow<'_, str> {
        let declared = self.skill().and_then(|skill| skill.metadata.as_ref()?.skill_key.as_deref());
        declared.or(self.slug.as_deref()).map_or_else(|| self.name(), Into::into)
    }

    /// How far it is trusted by where it came from.
    #[must_use]
    pub fn natural_tier(&self) -> TrustTier {
        match self.source {
            Source::Bundled => TrustTier::Builtin,
            Source::Managed => TrustTier::Community,
            _ if self.noted => TrustTier::Community,
            _ => TrustTier::Local,
        }
    }

    /// The order of lists: by name as people sort names, then by path.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        self.compare_names(other).then_with(|| self.at.cmp(&other.at))
    }

    /// The same by name alone: equal for equal names only.
    pub(crate) fn compare_names(&self, other: &Self) -> Ordering {
        self.order.cmp(&other.order)
    }
}

/// What tells one version of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stat {
    /// The file system.
    pub device: u64,
    /// The file in it.
    pub inode: u64,
    /// Its length in bytes.
    pub size: u64,
    /// When its contents last changed, in nanoseconds since 1970.
    pub modified_ns: i128,
    /// When anything about it last changed.
    pub changed_ns: i128,
}

impl Stat {
    /// Whether a later change of the file is sure to show: one within the same tick of its clock is not.
    pub(super) fn tells_changes_after(&self, now_ms: i64) -> bool {
        /// The coarsest clock of a file system (FAT).
        const TICK_NS: i128 = 2_000_000_000;
        self.modified_ns.max(self.changed_ns) + TICK_NS < i128::from(now_ms) * 1_000_000
    }
}

/// Something that may have been a skill and was not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Where it would have come from.
    pub source: Source,
    /// What it is about: a SKILL.md, a folder, or a root.
    pub path: PathBuf,
    /// Why.
    pub reason: SkipReason,
}

/// Why something was not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkipReason {
    /// A link leads out of the root, or a SKILL.md out of its folder.
    OutsideRoot,
    /// A link leads to a folder that it lies in.
    LinkLoop,
    /// A link leads nowhere.
    Unresolved,
    /// Another name of the file exists, possibly outside the root.
    HardLinked,
    /// More bytes than the limit.
    TooLarge(u64),
    /// SKILL.md is a folder, pipe, socket or device.
    NotAFile,
    /// A root is not a folder.
    NotAFolder,
    /// What the system said.
    Unreadable(String),
    /// The note of a skill's origin is of no use, and why; the skill itself is loaded.
    Origin(String),
    /// What was found in skills could not be written down, and why; it is looked for again each time.
    NotRemembered(String),
    /// A folder of `skills.load.allowSymlinkTargets` cannot be found, and why. Said where a link was refused.
    LinkTarget(String),
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutsideRoot => f.write_str("Skill path resolves outside its configured root."),
            Self::LinkLoop => f.write_str("Link leads back to a folder that it lies in."),
            Self::Unresolved => f.write_str("Could not resolve skill path."),
            Self::HardLinked => f.write_str("path must not be hardlinked"),
            Self::TooLarge(limit) => write!(f, "File exceeds {limit} bytes"),
            Self::NotAFile => f.write_str("path does not have the required file type"),
            Self::NotAFolder => f.write_str("root is not a folder"),
            Self::Unreadable(why) => write!(f, "Could not read: {why}"),
            Self::Origin(why) => write!(f, "The note of the skill's origin is ignored: {why}"),
            Self::NotRemembered(why) => {
                write!(f, "What was found in skills is looked for again each time; it cannot be kept: {why}")
            }
            Self::LinkTarget(why) => {
                write!(f, "skills.load.allowSymlinkTargets names a folder that cannot be found: {why}")
            }
        }
    }
}

/// A limit that kept something from being looked at or loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitReached {
    /// The source that it is about.
    pub source: Source,
    /// The root, or the folder with too many entries; `None` when it is about a whole source.
    pub path: Option<PathBuf>,
    /// Which.
    pub limit: Limit,
    /// How much it allows.
    pub most: usize,
    /// How many were left out, as far as is known.
    pub left: usize,
}

/// What is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Folders looked at below one root (`skills.limits.maxCandidatesPerRoot`).
    Candidates,
    /// Skills of one source (`skills.limits.maxSkillsLoadedPerSource`).
    Skills,
    /// Folders between a root and a skill.
    Depth,
    /// Names in one folder.
    Names,
}

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, path, limit, most, left } = self;
        let place = path.as_ref().map_or_else(|| source.id().to_owned(), |path| path.display().to_string());
        match limit {
            Limit::Candidates => write!(
                f,
                "{place}: at least {left} folders were not looked at; \
                 skills.limits.maxCandidatesPerRoot is {most}"
            ),
            Limit::Skills => write!(
                f,
                "{place}: {left} skills were not loaded; skills.limits.maxSkillsLoadedPerSource is {most}"
            ),
            Limit::Depth => {
                write!(f, "{place}: {left} folders were not looked at; they lie more than {most} deep")
            }
            Limit::Names => {
                write!(f, "{place}: at least {left} names were not looked at; a folder may have {most}")
            }
        }
    }
}
