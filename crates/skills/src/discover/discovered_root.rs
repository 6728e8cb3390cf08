//! The contents of one root, walked completely or only where something changed.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder::{MAX_NAMES, is_ignored_name};
use super::skill_file::{DiscoveryLimit, LimitReached, SkillFile, SkipReason, Skipped};
use super::walk::{Base, Job, Walk, WalkResult};
use crate::roots::{DEPTH_BELOW_SKILLS, SKILLS};
use crate::{DiscoveryLimits, SkillRoot};

/// With more changed paths than this, the whole root is walked.
const MANY_PATHS: usize = 64;

/// The contents of one root.
#[derive(Debug, Clone)]
pub struct DiscoveredRoot {
    /// The root.
    pub root: SkillRoot,
    /// Skills, sorted by name, then by path.
    pub skills: Vec<Arc<SkillFile>>,
    /// Skipped paths, sorted.
    pub skipped: Vec<Skipped>,
    /// The limits that were reached.
    pub limits: Vec<LimitReached>,
    /// Limits that the walk used.
    walk_limits: DiscoveryLimits,
    /// Every file was read at or after this time, or was unchanged long before it.
    read_ms: i64,
    /// Number of folders visited, at least.
    visited: usize,
}

impl DiscoveredRoot {
    /// Walks a root. Files unchanged since `before` are not read again. `now_ms` is a time before the first file is
    /// read, in milliseconds since 1970.
    ///
    /// A missing root gives an empty result.
    #[must_use]
    pub fn walk(root: &SkillRoot, limits: &DiscoveryLimits, before: Option<&Self>, now_ms: i64) -> Self {
        let mut discovered = Self {
            root: root.clone(),
            skills: Vec::new(),
            skipped: Vec::new(),
            limits: Vec::new(),
            walk_limits: *limits,
            read_ms: now_ms,
            visited: 0,
        };
        let mut result = WalkResult::default();
        let jobs = discovered.start_jobs();
        let known =
            before.map(|before| before.skills.iter().map(|file| (file.walked_path(), file)).collect());
        let known_ms = before.map_or(now_ms, |before| before.read_ms);
        result.walk(&Walk::new(root, limits, known.unwrap_or_default(), known_ms), jobs);
        discovered.merge(result);
        discovered
    }

    /// Walks the parts of the root that contain the paths again. The result equals a full walk if nothing else
    /// changed.
    #[must_use]
    pub fn walk_again(&self, paths: &BTreeSet<PathBuf>, now_ms: i64) -> Self {
        self.walk_parts(paths)
            .unwrap_or_else(|| Self::walk(&self.root, &self.walk_limits, Some(self), now_ms))
    }

    /// Whether the walk used these limits.
    pub(crate) fn is_within(&self, limits: &DiscoveryLimits) -> bool {
        self.walk_limits == *limits
    }

    /// `None` if the whole root has to be walked.
    fn walk_parts(&self, paths: &BTreeSet<PathBuf>) -> Option<Self> {
        // If something was left out, any change can affect what is left out.
        if !self.limits.is_empty() || self.root.each_child || self.skipped.iter().any(is_link_target_problem)
        {
            return None;
        }
        let parts = self.parts(paths)?;
        let base = Arc::new(Base::root(&self.root.path).ok()?);
        let is_in_a_part = |path: &Path| parts.iter().any(|part| part.contains(path));

        let mut discovered = self.clone();
        let again: Vec<_> =
            discovered.skills.extract_if(.., |file| is_in_a_part(file.walked_path())).collect();
        discovered.skipped.retain(|skipped| !is_in_a_part(&skipped.path));
        let known: HashMap<_, _> = again.iter().map(|file| (file.walked_path(), file)).collect();
        // Keeping the oldest time is safe: a file read just now may be read once more.
        let walk = Walk::new(&self.root, &self.walk_limits, known, self.read_ms);
        let jobs = parts.iter().map(|part| part.job(&base)).collect::<io::Result<Vec<_>>>().ok()?;
        let mut result = WalkResult::default();
        result.walk(&walk, jobs.into_iter().flatten().collect());
        // Deleted folders stay counted; the count only decides when to walk everything again.
        if discovered.visited + result.visited > self.walk_limits.candidates
            || result.too_deep > 0
            || result.skipped.iter().any(is_link_target_problem)
        {
            return None;
        }
        discovered.merge(result);
        Some(discovered)
    }

    /// Returns the smallest parts that contain the paths and can be walked alone; `None` if the whole root must be
    /// walked, or walking it is no more work.
    fn parts(&self, paths: &BTreeSet<PathBuf>) -> Option<BTreeSet<RootPart>> {
        let paths: Vec<&PathBuf> = paths.iter().filter(|path| !self.is_ignored(path)).collect();
        if paths.len() > MANY_PATHS {
            return None;
        }
        let skills = self.root.path.join(SKILLS);
        let skills_is_a_link = skills.is_symlink();
        let is_a_skill = |dir: &Path| self.skills.iter().any(|file| file.walked_path().parent() == Some(dir));
        let inside_skills = |path: &&PathBuf| path.starts_with(&skills);
        if (self.skills.len() < 2 && is_a_skill(&self.root.path))
            || (paths.iter().any(inside_skills) && (skills_is_a_link || is_a_skill(&skills)))
        {
            return None;
        }
        let depth = self.root.depth_below(&self.root.path);
        let part = |path: &&PathBuf| {
            let mut steps = path.strip_prefix(&self.root.path).ok()?.iter();
            let first = steps.next()?;
            let (below, depth) = match steps.next() {
                Some(second) if first == SKILLS => {
                    // A SKILL.md directly in `skills` makes the whole folder one skill.
                    (!is_skill_file(second))
                        .then(|| (Path::new(first).join(second), DEPTH_BELOW_SKILLS - 1))?
                }
                None if first == SKILLS || is_skill_file(first) => return None,
                _ => (first.into(), depth - 1),
            };
            Some(RootPart { at: self.root.path.join(&below), below, depth })
        };
        paths.iter().map(part).collect()
    }

    /// Whether the path is in an ignored folder of the root or of its `skills`. A root that is a skill itself ignores
    /// nothing.
    fn is_ignored(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.root.path) else { return false };
        let mut steps = below.iter();
        let first = steps.next();
        let second = steps.next().filter(|_| first.is_some_and(|first| first == SKILLS));
        let is_a_skill = |file: &Arc<SkillFile>| file.walked_path().parent() == Some(&self.root.path);
        first.into_iter().chain(second).any(is_ignored_name) && !self.skills.iter().any(is_a_skill)
    }

    fn merge(&mut self, result: WalkResult) {
        if self.skills.is_empty() {
            self.skills = result.found;
            self.skills.sort_by(|a, b| a.compare(b));
        } else {
            for found in result.found {
                let at = self.skills.partition_point(|other| other.compare(&found).is_lt());
                self.skills.insert(at, found);
            }
        }
        self.skipped.extend(result.skipped);
        self.skipped.sort_by(|a, b| a.path.cmp(&b.path));
        self.limits.extend(result.limits);
        self.visited += result.visited;
        if result.too_deep > 0 {
            self.limits.push(LimitReached {
                source: self.root.source,
                path: Some(self.root.path.clone()),
                limit: DiscoveryLimit::Depth,
                most: self.root.depth_below(&self.root.path) as usize,
                left: result.too_deep,
            });
        }
    }

    /// Returns the first folders to visit: the root, or its children if each is a root.
    fn start_jobs(&mut self) -> Vec<Job> {
        let root = self.root.path.clone();
        if !self.root.each_child {
            return self.start_job(&root).into_iter().collect();
        }
        let listed = match Base::root(&root).and_then(|base| base.folder.list(Path::new(""))) {
            Ok(listed) => listed,
            Err(error) => {
                self.skip_root(root, &error);
                return Vec::new();
            }
        };
        if listed.left > 0 {
            self.limits.push(LimitReached {
                source: self.root.source,
                path: Some(root.clone()),
                limit: DiscoveryLimit::Names,
                most: MAX_NAMES,
                left: listed.left,
            });
        }
        let names = listed.names.into_iter().filter(|(_, kind)| kind.may_be_a_folder());
        names.filter_map(|(name, _)| self.start_job(&root.join(name))).collect()
    }

    fn start_job(&mut self, at: &Path) -> Option<Job> {
        match Base::root(at) {
            Ok(base) => Some(Job {
                base: Arc::new(base),
                below: PathBuf::new(),
                depth: self.root.depth_below(at),
                link: false,
                is_root: true,
            }),
            Err(error) => {
                self.skip_root(at.to_path_buf(), &error);
                None
            }
        }
    }

    /// Records why a root cannot be opened. A missing root is not reported; a dangling link is.
    fn skip_root(&mut self, path: PathBuf, error: &io::Error) {
        let reason = match error.kind() {
            io::ErrorKind::NotFound if !path.is_symlink() => return,
            io::ErrorKind::NotFound => SkipReason::Unresolved,
            io::ErrorKind::NotADirectory => SkipReason::NotAFolder,
            _ => SkipReason::Unreadable(error.to_string()),
        };
        self.skipped.push(Skipped { source: self.root.source, path, reason });
    }
}

fn is_link_target_problem(skipped: &Skipped) -> bool {
    matches!(skipped.reason, SkipReason::LinkTarget(_))
}

fn is_skill_file(name: &std::ffi::OsStr) -> bool {
    name.eq_ignore_ascii_case("SKILL.md")
}

/// A part of a root that can be walked alone.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RootPart {
    at: PathBuf,
    below: PathBuf,
    depth: u32,
}

impl RootPart {
    /// Whether the part contains the path. Paths of one root have the same form, so bytes can be compared.
    fn contains(&self, path: &Path) -> bool {
        let rest = path.as_os_str().as_encoded_bytes().strip_prefix(self.at.as_os_str().as_encoded_bytes());
        rest.is_some_and(|rest| rest.first().is_none_or(|next| std::path::is_separator(char::from(*next))))
    }

    /// Returns the folder to visit; `None` if it is gone.
    fn job(&self, base: &Arc<Base>) -> io::Result<Option<Job>> {
        let found = match self.at.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => found?,
        };
        let (base, below) = (Arc::clone(base), self.below.clone());
        let link = found.is_symlink();
        Ok((link || found.is_dir()).then_some(Job { base, below, depth: self.depth, link, is_root: false }))
    }
}
