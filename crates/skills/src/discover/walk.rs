//! Going through the folders below a root, level by level: all folders of one depth are looked at together, on all
//! processors, and give the folders of the next one.
//!
//! A folder with a SKILL.md is a skill, and nothing below it is looked at, whether the file loads or not.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::folder::{Folder, Kind, Listed, MOST_NAMES, canonical};
use super::found::{Found, Limit, LimitReached, SkipReason, Skipped};
use super::in_order::in_order;
use super::origin;
use super::read::{Buffer, Looked, look};
use crate::roots::{DEPTH_BELOW_SKILLS, LinkPolicy, SKILLS};
use crate::{Limits, Root};

const SKILL_FILE: &str = "SKILL.md";

/// Where a name may be written in another case than it is, a file must be listed to know its name.
const CASE_IS_LOST: bool = cfg!(any(windows, target_vendor = "apple"));

/// What one walk is for.
pub struct Walk<'a> {
    pub root: &'a Root,
    pub limits: &'a Limits,
    /// What was found before, by where it was reached.
    pub known: HashMap<&'a Path, &'a Arc<Found>>,
    /// When that was.
    pub known_ms: i64,
    /// The folders that links may lead to besides, once a link leads out of the root.
    elsewhere: OnceLock<Elsewhere>,
}

/// The real folders of `skills.load.allowSymlinkTargets`, and those that cannot be found.
#[derive(Default)]
struct Elsewhere {
    folders: Vec<PathBuf>,
    unknown: Vec<(PathBuf, SkipReason)>,
}

impl Elsewhere {
    fn of(targets: &[PathBuf]) -> Self {
        let mut elsewhere = Self::default();
        for target in targets {
            match canonical(target) {
                Ok(real) => elsewhere.folders.push(real),
                Err(error) => {
                    let reason = SkipReason::LinkTarget(error.to_string());
                    elsewhere.unknown.push((target.clone(), reason));
                }
            }
        }
        elsewhere
    }
}

impl<'a> Walk<'a> {
    pub fn new(
        root: &'a Root,
        limits: &'a Limits,
        known: HashMap<&'a Path, &'a Arc<Found>>,
        known_ms: i64,
    ) -> Self {
        Self { root, limits, known, known_ms, elsewhere: OnceLock::new() }
    }

    pub fn known(&self, at: &Path) -> Option<&Arc<Found>> {
        self.known.get(at).copied()
    }

    fn skipped(&self, path: PathBuf, reason: SkipReason) -> Skipped {
        Skipped { source: self.root.source, path, reason }
    }
}

/// A folder that was entered by its path or by a link, with everything below it that no further link leads to.
#[derive(Debug)]
pub struct Base {
    pub folder: Folder,
    /// Whether skills below are shown where they really lie.
    pub shown_where_it_is: bool,
    /// The path that it was reached by.
    at: PathBuf,
    /// The real folder that links must not leave.
    confines: PathBuf,
    /// The base with the link that led here, and the real folder of that link.
    above: Option<(Arc<Base>, PathBuf)>,
}

impl Base {
    /// A root, or a folder that is to be taken as one.
    pub fn root(at: &Path) -> io::Result<Self> {
        let real = canonical(at)?;
        let confines = real.clone();
        let folder = Folder::open(real)?;
        Ok(Self { folder, shown_where_it_is: false, at: at.to_path_buf(), confines, above: None })
    }

    /// A path below as it was reached.
    pub fn at(&self, below: &Path) -> PathBuf {
        if below.as_os_str().is_empty() { self.at.clone() } else { self.at.join(below) }
    }

    /// Whether a real folder holds the link that led here, or one before it.
    fn lies_in(&self, real: &Path) -> bool {
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

/// A folder to look at.
pub struct Job {
    pub base: Arc<Base>,
    /// The folder below the base; empty for the base itself.
    pub below: PathBuf,
    /// How many levels of folders in it may be looked at.
    pub depth: u32,
    /// Whether it is a link, to be resolved first.
    pub link: bool,
    /// Whether its folder `skills` is searched as deep as a root.
    pub is_root: bool,
}

/// What a walk gave, in no particular order.
#[derive(Debug, Default)]
pub struct Gathered {
    pub found: Vec<Arc<Found>>,
    pub skipped: Vec<Skipped>,
    pub limits: Vec<LimitReached>,
    /// Folders that lie too deep.
    pub too_deep: usize,
    /// How many folders were looked at.
    pub looked_at: usize,
}

impl Gathered {
    /// Looks at the folders of `level`, and at those in them.
    pub fn walk(&mut self, walk: &Walk<'_>, mut level: Vec<Job>) {
        while !level.is_empty() {
            let room = walk.limits.candidates.saturating_sub(self.looked_at);
            if level.len() > room {
                let left = level.len() - room;
                self.limit(walk, Limit::Candidates, walk.limits.candidates, left, walk.root.path.clone());
                level.truncate(room);
            }
            self.looked_at += level.len();
            let outcomes = in_order(&level, |buffer: &mut Buffer, job| visit(walk, job, buffer));
            level = outcomes.into_iter().flat_map(|outcome| self.take(walk, outcome)).collect();
        }
        let refused = self.skipped.iter().any(|skipped| skipped.reason == SkipReason::OutsideRoot);
        if let Some(elsewhere) = walk.elsewhere.get().filter(|_| refused) {
            let unknown = elsewhere.unknown.iter().cloned();
            self.skipped.extend(unknown.map(|(path, reason)| walk.skipped(path, reason)));
        }
    }

    /// Keeps an outcome and gives the folders to look at next.
    fn take(&mut self, walk: &Walk<'_>, outcome: Outcome) -> Vec<Job> {
        match outcome {
            Outcome::Skill(found, ignored) => {
                self.skipped.extend(ignored.map(|reason| walk.skipped(note_of(&found), reason)));
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
                    self.limit(walk, Limit::Names, MOST_NAMES, folder.unread, folder.at);
                }
                return folder.below;
            }
        }
        Vec::new()
    }

    fn limit(&mut self, walk: &Walk<'_>, limit: Limit, most: usize, left: usize, path: PathBuf) {
        self.limits.push(LimitReached { source: walk.root.source, path: Some(path), limit, most, left });
    }
}

/// Where the note of a skill's origin lies.
fn note_of(found: &Found) -> PathBuf {
    found.at().with_file_name(origin::PLACE)
}

enum Outcome {
    Skill(Arc<Found>, Option<SkipReason>),
    Skipped(PathBuf, SkipReason),
    Folder(Box<Inner>),
    Nothing,
}

/// A folder that is no skill.
#[derive(Default)]
struct Inner {
    at: PathBuf,
    found: Vec<Arc<Found>>,
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

/// The folder that a link leads to, when it is one.
fn follow(walk: &Walk<'_>, job: &Job) -> Result<Option<Base>, SkipReason> {
    let link = job.base.folder.real().join(&job.below);
    let real = canonical(&link).map_err(|_| SkipReason::Unresolved)?;
    if !real.is_dir() {
        return Ok(None);
    }
    let lies_in = link.parent().unwrap_or(&link).to_path_buf();
    if lies_in.starts_with(&real) || job.base.lies_in(&real) {
        return Err(SkipReason::LinkLoop);
    }
    let may_lead_there = match &walk.root.links {
        LinkPolicy::Anywhere => true,
        LinkPolicy::Inside(targets) => {
            let elsewhere = || walk.elsewhere.get_or_init(|| Elsewhere::of(targets));
            real.starts_with(&job.base.confines)
                || elsewhere().folders.iter().any(|folder| real.starts_with(folder))
        }
    };
    if !may_lead_there {
        return Err(SkipReason::OutsideRoot);
    }
    let folder = Folder::open(real).map_err(|error| SkipReason::Unreadable(error.to_string()))?;
    Ok(Some(Base {
        folder,
        shown_where_it_is: walk.root.links == LinkPolicy::Anywhere,
        at: job.base.at(&job.below),
        confines: job.base.confines.clone(),
        above: Some((Arc::clone(&job.base), lies_in)),
    }))
}

fn enter(walk: &Walk<'_>, job: &Job, buffer: &mut Buffer) -> Outcome {
    let name = OsStr::new(SKILL_FILE);
    let looked = if CASE_IS_LOST { Looked::Missing } else { look(walk, &job.base, &job.below, name, buffer) };
    match looked {
        Looked::Found(found, ignored) => Outcome::Skill(found, ignored),
        Looked::Skipped(reason) => Outcome::Skipped(job.base.at(&job.below.join(name)), reason),
        Looked::Missing => match job.base.folder.list(&job.below) {
            Ok(listed) => sort_out(walk, job, listed, buffer),
            // Gone since it was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Outcome::Nothing,
            Err(error) => {
                Outcome::Skipped(job.base.at(&job.below), SkipReason::Unreadable(error.to_string()))
            }
        },
    }
}

/// What the names in a folder without a SKILL.md stand for. A `skill.md` is a skill of its own, and what lies below
/// is looked at all the same: OpenClaw does not see that file.
fn sort_out(walk: &Walk<'_>, job: &Job, listed: Listed, buffer: &mut Buffer) -> Outcome {
    let mut inner = Inner { at: job.base.at(&job.below), unread: listed.left, ..Inner::default() };
    for (name, kind) in &listed.names {
        if name.eq_ignore_ascii_case(SKILL_FILE) {
            let whole = name == SKILL_FILE;
            match look(walk, &job.base, &job.below, name, buffer) {
                Looked::Found(found, ignored) if whole => return Outcome::Skill(found, ignored),
                Looked::Found(found, ignored) => {
                    inner.skipped.extend(ignored.map(|reason| (note_of(&found), reason)));
                    inner.found.push(found);
                }
                Looked::Skipped(reason) if whole => return Outcome::Skipped(inner.at.join(name), reason),
                Looked::Skipped(reason) => inner.skipped.push((inner.at.join(name), reason)),
                Looked::Missing => {}
            }
        } else if kind.may_be_a_folder() {
            if job.depth == 0 {
                inner.too_deep += 1;
                continue;
            }
            let depth = if job.is_root && name == SKILLS { DEPTH_BELOW_SKILLS } else { job.depth - 1 };
            let below = if job.below.as_os_str().is_empty() { name.into() } else { job.below.join(name) };
            let base = Arc::clone(&job.base);
            inner.below.push(Job { base, below, depth, link: *kind == Kind::Link, is_root: false });
        }
    }
    Outcome::Folder(Box::new(inner))
}
