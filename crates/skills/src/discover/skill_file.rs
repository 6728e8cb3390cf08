//! The results of walking a root: skills, skipped paths with reasons, and limits reached.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tarsus_protocol::capability::TrustTier;

use super::order;
use super::origin::Origin;
use crate::gate::FolderScan;
use crate::{Parsed, Skill, SkillSource};

/// A discovered SKILL.md.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillFile {
    /// Source of the root.
    pub source: SkillSource,
    /// Parsed contents.
    pub parsed: Arc<Parsed>,
    /// Slug that it was installed under; the settings key if the file declares none.
    pub slug: Option<String>,
    /// Whether an installer marked it as third-party; not set if its source implies that.
    pub third_party: bool,
    /// Scan result of its folder; `None` if not scanned.
    pub scan: Option<Arc<FolderScan>>,
    /// Metadata that detects changes of the file.
    pub stat: Stat,
    /// Path as reached from the root, links unresolved.
    at: PathBuf,
    /// Resolved path, if it was reached by a link and is shown there.
    real: Option<PathBuf>,
    /// Sort key of the name.
    order: Box<[u8]>,
}

impl SkillFile {
    pub(super) fn new(
        source: SkillSource,
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
            third_party: origin.third_party,
            scan: None,
            stat,
            at,
            real,
            order: Box::default(),
        };
        found.order = order::key(&found.name());
        found
    }

    /// Returns the path of SKILL.md as it is shown and read.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.real.as_deref().unwrap_or(&self.at)
    }

    /// Returns the skill's folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.path().parent().unwrap_or(Path::new(""))
    }

    /// Returns the name of the skill's folder.
    #[must_use]
    pub fn dir_name(&self) -> Cow<'_, str> {
        self.dir().file_name().unwrap_or_default().to_string_lossy()
    }

    /// Returns the path as reached from the root, links unresolved.
    #[must_use]
    pub fn walked_path(&self) -> &Path {
        &self.at
    }

    /// Returns the skill; `None` if the file is malformed.
    #[must_use]
    pub fn skill(&self) -> Option<&Skill> {
        match &*self.parsed {
            Parsed::Loaded(skill) | Parsed::Degraded(skill, _) => Some(skill),
            Parsed::Malformed(_) => None,
        }
    }

    /// Returns the skill's name, or its folder's name if it is malformed.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        self.skill().map_or_else(|| self.dir_name(), |skill| skill.name.as_str().into())
    }

    /// Returns its key in `skills.entries`: declared key, else installed slug, else name.
    #[must_use]
    pub fn key(&self) -> Cow<'_, str> {
        let declared = self.skill().and_then(|skill| skill.metadata.as_ref()?.skill_key.as_deref());
        declared.or(self.slug.as_deref()).map_or_else(|| self.name(), Into::into)
    }

    /// Returns the default trust tier of its origin.
    #[must_use]
    pub fn natural_tier(&self) -> TrustTier {
        match self.source {
            SkillSource::Bundled => TrustTier::Builtin,
            SkillSource::Managed => TrustTier::Community,
            _ if self.third_party => TrustTier::Community,
            _ => TrustTier::Local,
        }
    }

    /// Compares by collated name, then by path.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        self.compare_names(other).then_with(|| self.at.cmp(&other.at))
    }

    /// Compares by collated name; equal only for equal names.
    pub(crate) fn compare_names(&self, other: &Self) -> Ordering {
        self.order.cmp(&other.order)
    }
}

/// File metadata that detects changes without reading the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stat {
    /// Device number.
    pub device: u64,
    /// Inode number.
    pub inode: u64,
    /// Length in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub modified_ns: i128,
    /// Change time (ctime) in nanoseconds since 1970.
    pub changed_ns: i128,
}

impl Stat {
    /// Whether a change after `now_ms` is sure to alter this. A change in the same clock tick might not.
    pub(super) fn detects_changes_after(&self, now_ms: i64) -> bool {
        /// The coarsest file system clock (FAT).
        const TICK_NS: i128 = 2_000_000_000;
        self.modified_ns.max(self.changed_ns) + TICK_NS < i128::from(now_ms) * 1_000_000
    }
}

/// A path that was not loaded, or a problem with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Source of the root.
    pub source: SkillSource,
    /// A SKILL.md, a folder or a root.
    pub path: PathBuf,
    /// Reason for skipping it.
    pub reason: SkipReason,
}

/// Why a path was not loaded.
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
    /// The I/O error.
    Unreadable(String),
    /// The origin file is invalid; the skill itself is loaded.
    Origin(String),
    /// The scan cache could not be saved; skills are scanned again each time.
    NotRemembered(String),
    /// A folder of `skills.load.allowSymlinkTargets` cannot be resolved. Reported only if a link was refused.
    LinkTarget(String),
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutsideRoot => f.write_str("Skill path resolves outside its configured root."),
            Self::LinkLoop => f.write_str("Link leads back to one of its parent folders."),
            Self::Unresolved => f.write_str("Could not resolve skill path."),
            Self::HardLinked => f.write_str("path must not be hardlinked"),
            Self::TooLarge(limit) => write!(f, "File exceeds {limit} bytes"),
            Self::NotAFile => f.write_str("path does not have the required file type"),
            Self::NotAFolder => f.write_str("root is not a folder"),
            Self::Unreadable(why) => write!(f, "Could not read: {why}"),
            Self::Origin(why) => write!(f, "The skill's origin file is ignored: {why}"),
            Self::NotRemembered(why) => {
                write!(f, "Scan results cannot be saved, so skills are scanned again each time: {why}")
            }
            Self::LinkTarget(why) => {
                write!(f, "skills.load.allowSymlinkTargets names a folder that cannot be found: {why}")
            }
        }
    }
}

/// A limit that left something out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitReached {
    /// The affected source.
    pub source: SkillSource,
    /// The root or the folder with too many entries; `None` if the limit is per source.
    pub path: Option<PathBuf>,
    /// The kind of limit.
    pub limit: DiscoveryLimit,
    /// Value of the limit.
    pub most: usize,
    /// Number left out, at least.
    pub left: usize,
}

/// A discovery limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DiscoveryLimit {
    /// Folders visited below one root (`skills.limits.maxCandidatesPerRoot`).
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
            DiscoveryLimit::Candidates => write!(
                f,
                "{place}: at least {left} folders were not searched; \
                 skills.limits.maxCandidatesPerRoot is {most}"
            ),
            DiscoveryLimit::Skills => write!(
                f,
                "{place}: {left} skills were not loaded; skills.limits.maxSkillsLoadedPerSource is {most}"
            ),
            DiscoveryLimit::Depth => {
                write!(
                    f,
                    "{place}: {left} folders were not searched, because they are more than {most} levels deep"
                )
            }
            DiscoveryLimit::Names => {
                write!(f, "{place}: at least {left} names were not read; the limit for a folder is {most}")
            }
        }
    }
}
