//! Walks the folders below a root breadth first, each level in parallel.
//!
//! A folder with a SKILL.md is a skill, and nothing below it is visited, whether the file loads or not.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::folder::{EntryKind, Folder, Listing, MAX_NAMES, canonical};
use super::origin;
use super::parallel::map_in_order;
use super::read::{Buffer, ReadOutcome, read_skill};
use super::skill_file::{DiscoveryLimit, LimitReached, SkillFile, SkipReason, Skipped};
use crate::roots::{DEPTH_BELOW_SKILLS, LinkPolicy, SKILLS};
use crate::{DiscoveryLimits, SkillRoot};

const SKILL_FILE: &str = "SKILL.md";

/// On case-insensitive file systems a folder must be listed to learn the exact file name.
const CASE_INSENSITIVE: bool = cfg!(any(windows, target_vendor = "apple"));

/// The inputs of one walk.
pub struct Walk<'a> {
    pub root: &'a SkillRoot,
    pub limits: &'a DiscoveryLimits,
    /// Earlier results, by path as reached.
    pub known: HashMap<&'a Path, &'a Arc<SkillFile>>,
    /// Time of the earlier walk.
    pub known_ms: i64,
    /// Allowed link targets, resolved once a link leaves the root.
    link_targets: OnceLock<LinkTargets>,
}

/// The resolved folders of `skills.load.allowSymlinkTargets`, and those that cannot be resolved.
#[derive(Default)]
struct LinkTargets {
    folders: Vec<PathBuf>,
    unknown: Vec<(PathBuf, SkipReason)>,
}

impl LinkTargets {
    fn resolve(targets: &[PathBuf]) -> Self {
        let mut link_targets = Self::default();
        for target in targets {
            match canonical(target) {
                Ok(real) => link_targets.folders.push(real),
                Err(error) => {
                    let reason = SkipReason::LinkTarget(error.to_string());
                    link_targets.unknown.push((target.clone(), reason));
                }
            }
        }
        link_targets
    }
}

impl<'a> Walk<'a> {
    pub fn new(
        root: &'a SkillRoot,
        limits: &'a DiscoveryLimits,
        known: HashMap<&'a Path, &'a Arc<SkillFile>>,
        known_ms: i64,
    ) -> Self {
        Self { root, limits, known, known_ms, link_targets: OnceLock::new() }
    }

    pub fn known(&self, at: &Path) -> Option<&Arc<SkillFile>> {
        self.known.get(at).copied()
    }

    fn skipped(&self, path: PathBuf, reason: SkipReason) -> Skipped {
        Skipped { source: self.root.source, path, reason }
    }
}

/// A folder entered by its path or by a link, with everything below it that is not behind another link.
#[derive(Debug)]
pub struct Base {
    pub folder: Folder,
    /// Whether skills below are shown by their resolved path.
    pub shows_real_path: bool,
    /// Path as reached, links unresolved.
    at: PathBuf,
    /// Resolved folder that links must not leave.
    confines: PathBuf,
    /// The base with the link that led here, and the resolved folder of that link.
    above: Option<(Arc<Base>, PathBuf)>,
}

impl Base {
    /// Opens a root.
    pub fn root(at: &Path) -> io::Result<Self> {
        let real = canonical(at)?;
        let confines = real.clone();
        let folder = Folder::open(real)?;
        Ok(Self { folder, shows_real_path: false, at: at.to_path_buf(), confines, above: None })
    }

    /// Returns a path below as reached, links unresolved.
    pub fn at(&self, below: &Path) -> PathBuf {
        if below.as_os_str().is_empty() { self.at.clone() } else { self.at.join(below) }
    }

    /// Whether the resolved folder contains the link that led here, or an earlier one.
    fn is_reached_from(&self, real: &Path) -> bool {
        let mut above = self.above.as_ref();
        while let Some((base, link)) = above {
            if link.starts_with(real) {
                return true;
            }
            above = base.above.as_ref();
        }
        false
    }
}

/// A folder to visit.
pub struct Job {
    pub base: Arc<Base>,
    /// The folder below the base; empty for the base itself.
    pub below: PathBuf,
    /// Levels of folders below it that may be visited.
    pub depth: u32,
    /// Whether it is a link, to be resolved first.
    pub link: bool,
    /// Whether its folder `skills` is searched as deep as a root.
    pub is_root: bool,
}

/// The result of a walk, in no particular order.
#[derive(Debug, Default)]
pub struct WalkResult {
    pub found: Vec<Arc<SkillFile>>,
    pub skipped: Vec<Skipped>,
    pub limits: Vec<LimitReached>,
    /// Folders beyond the depth limit.
    pub too_deep: usize,
    /// Folders visited.
    pub visited: usize,
}

impl WalkResult {
    /// Visits the folders of `level` and everything below them.
    pub fn walk(&mut self, walk: &Walk<'_>, mut level: Vec<Job>) {
        while !level.is_empty() {
            let room = walk.limits.candidates.saturating_sub(self.visited);
            if level.len() > room {
                let left = level.len() - room;
                self.limit(
                    walk,
                    DiscoveryLimit::Candidates,
                    walk.limits.candidates,
                    left,
                    walk.root.path.clone(),
                );
                level.truncate(room);
            }
            self.visited += level.len();
            let outcomes = map_in_order(&level, |buffer: &mut Buffer, job| visit(walk, job, buffer));
            level = outcomes.into_iter().flat_map(|outcome| self.take(walk, outcome)).collect();
        }
        let refused = self.skipped.iter().any(|skipped| skipped.reason == SkipReason::OutsideRoot);
        if let Some(link_targets) = walk.link_targets.get().filter(|_| refused) {
            let unknown = link_targets.unknown.iter().cloned();
            self.skipped.extend(unknown.map(|(path, reason)| walk.skipped(path, reason)));
        }
    }

    /// Collects an outcome and returns the folders to visit next.
    fn take(&mut self, walk: &Walk<'_>, outcome: Outcome) -> Vec<Job> {
        match outcome {
            Outcome::Skill(found, ignored) => {
                self.skipped.extend(ignored.map(|reason| walk.skipped(origin_path(&found), reason)));
                self.found.push(found);
            }
            Outcome::Skipped(path, reason) => self.skipped.push(walk.skipped(path, reason)),
            Outcome::Nothing => {}
            Outcome::Folder(folder) => {
                self.found.extend(folder.found);
                let skipped = folder.skipped.into_iter();
                self.skipped.extend(skipped.map(|(path, reason)| walk.skipped(path, reason)));
                self.too_deep += folder.too_deep;
                if folder.unread > 0 {
                    self.limit(walk, DiscoveryLimit::Names, MAX_NAMES, folder.unread, folder.at);
                }
                return folder.below;
            }
        }
        Vec::new()
    }

    fn limit(&mut self, walk: &Walk<'_>, limit: DiscoveryLimit, most: usize, left: usize, path: PathBuf) {
        self.limits.push(LimitReached { source: walk.root.source, path: Some(path), limit, most, left });
    }
}

/// Returns the path of a skill's origin file.
fn origin_path(found: &SkillFile) -> PathBuf {
    found.walked_path().with_file_name(origin::ORIGIN_FILE)
}

enum Outcome {
    Skill(Arc<SkillFile>, Option<SkipReason>),
    Skipped(PathBuf, SkipReason),
    Folder(Box<FolderContents>),
    Nothing,
}

/// The contents of a folder that is not a skill.
#[derive(Default)]
struct FolderContents {
    at: PathBuf,
    found: Vec<Arc<SkillFile>>,
    skipped: Vec<(PathBuf, SkipReason)>,
    below: Vec<Job>,
    too_deep: usize,
    unread: usize,
}

fn visit(walk: &Walk<'_>, job: &Job, buffer: &mut Buffer) -> Outcome {
    if !job.link {
        return enter(walk, job, buffer);
    }
    match follow(walk, job) {
        Ok(Some(base)) => {
            let job = Job { base: Arc::new(base), below: PathBuf::new(), link: false, ..*job };
            enter(walk, &job, buffer)
        }
        Ok(None) => Outcome::Nothing,
        Err(reason) => Outcome::Skipped(job.base.at(&job.below), reason),
    }
}

/// Resolves a link; `None` if it does not lead to a folder.
fn follow(walk: &Walk<'_>, job: &Job) -> Result<Option<Base>, SkipReason> {
    let link = job.base.folder.real().join(&job.below);
    let real = canonical(&link).map_err(|_| SkipReason::Unresolved)?;
    if !real.is_dir() {
        return Ok(None);
    }
    let lies_in = link.parent().unwrap_or(&link).to_path_buf();
    if lies_in.starts_with(&real) || job.base.is_reached_from(&real) {
        return Err(SkipReason::LinkLoop);
    }
    let may_lead_there = match &walk.root.links {
        LinkPolicy::Anywhere => true,
        LinkPolicy::Inside(targets) => {
            let link_targets = || walk.link_targets.get_or_init(|| LinkTargets::resolve(targets));
            real.starts_with(&job.base.confines)
                || link_targets().folders.iter().any(|folder| real.starts_with(folder))
        }
    };
    if !may_lead_there {
        return Err(SkipReason::OutsideRoot);
    }
    let folder = Folder::open(real).map_err(|error| SkipReason::Unreadable(error.to_string()))?;
    Ok(Some(Base {
        folder,
        shows_real_path: walk.root.links == LinkPolicy::Anywhere,
        at: job.base.at(&job.below),
        confines: job.base.confines.clone(),
        above: Some((Arc::clone(&job.base), lies_in)),
    }))
}

fn enter(walk: &Walk<'_>, job: &Job, buffer: &mut Buffer) -> Outcome {
    let name = OsStr::new(SKILL_FILE);
    let outcome = if CASE_INSENSITIVE {
        ReadOutcome::Missing
    } else {
        read_skill(walk, &job.base, &job.below, name, buffer)
    };
    match outcome {
        ReadOutcome::SkillFile(found, ignored) => Outcome::Skill(found, ignored),
        ReadOutcome::Skipped(reason) => Outcome::Skipped(job.base.at(&job.below.join(name)), reason),
        ReadOutcome::Missing => match job.base.folder.list(&job.below) {
            Ok(listed) => classify_entries(walk, job, listed, buffer),
            // Deleted since it was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Outcome::Nothing,
            Err(error) => {
                Outcome::Skipped(job.base.at(&job.below), SkipReason::Unreadable(error.to_string()))
            }
        },
    }
}

/// Classifies the entries of a folder without a SKILL.md. A `skill.md` is a skill, but the folders below are still
/// visited, because OpenClaw ignores that file.
fn classify_entries(walk: &Walk<'_>, job: &Job, listed: Listing, buffer: &mut Buffer) -> Outcome {
    let mut inner =
        FolderContents { at: job.base.at(&job.below), unread: listed.left, ..FolderContents::default() };
    for (name, kind) in &listed.names {
        if name.eq_ignore_ascii_case(SKILL_FILE) {
            let whole = name == SKILL_FILE;
            match read_skill(walk, &job.base, &job.below, name, buffer) {
                ReadOutcome::SkillFile(found, ignored) if whole => return Outcome::Skill(found, ignored),
                ReadOutcome::SkillFile(found, ignored) => {
                    inner.skipped.extend(ignored.map(|reason| (origin_path(&found), reason)));
                    inner.found.push(found);
                }
                ReadOutcome::Skipped(reason) if whole => {
                    return Outcome::Skipped(inner.at.join(name), reason);
                }
                ReadOutcome::Skipped(reason) => inner.skipped.push((inner.at.join(name), reason)),
                ReadOutcome::Missing => {}
            }
        } else if kind.may_be_a_folder() {
            if job.depth == 0 {
                inner.too_deep += 1;
                continue;
            }
            let depth = if job.is_root && name == SKILLS { DEPTH_BELOW_SKILLS } else { job.depth - 1 };
            let below = if job.below.as_os_str().is_empty() { name.into() } else { job.below.join(name) };
            let base = Arc::clone(&job.base);
            inner.below.push(Job { base, below, depth, link: *kind == EntryKind::Link, is_root: false });
        }
    }
    Outcome::Folder(Box::new(inner))
}
