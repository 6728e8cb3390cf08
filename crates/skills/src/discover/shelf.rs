//! What lies below one root: looked through as a whole, or again only where something changed.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder::{MOST_NAMES, is_passed_over};
use super::found::{Found, Limit, LimitReached, SkipReason, Skipped};
use super::walk::{Base, Gathered, Job, Walk};
use crate::roots::{DEPTH_BELOW_SKILLS, SKILLS};
use crate::{Limits, Root};

/// More changed places than this are looked for by going through the whole root.
const MANY_PATHS: usize = 64;

/// What lies below one root.
#[derive(Debug, Clone)]
pub struct Shelf {
    /// The root.
    pub root: Root,
    /// The skills, in the order of their names, then of their paths.
    pub found: Vec<Arc<Found>>,
    /// What was not loaded, in the order of the paths.
    pub skipped: Vec<Skipped>,
    /// The limits that were reached.
    pub limits: Vec<LimitReached>,
    /// What was in force.
    in_force: Limits,
    /// Every file was read at or after this moment, or not changed for long before it.
    read_ms: i64,
    /// How many folders were looked at, at least.
    looked_at: usize,
}

impl Shelf {
    /// Looks through a root. What `before` holds is not read again where the file is the same. `now_ms` is the time
    /// before the first file is looked at, in milliseconds since 1970.
    ///
    /// A root that is not there is an empty shelf.
    #[must_use]
    pub fn look(root: &Root, limits: &Limits, before: Option<&Self>, now_ms: i64) -> Self {
        let mut shelf = Self {
            root: root.clone(),
            found: Vec::new(),
            skipped: Vec::new(),
            limits: Vec::new(),
            in_force: *limits,
            read_ms: now_ms,
            looked_at: 0,
        };
        let mut gathered = Gathered::default();
        let jobs = shelf.starts();
        let known = before.map(|before| before.found.iter().map(|found| (found.at(), found)).collect());
        let known_ms = before.map_or(now_ms, |before| before.read_ms);
        gathered.walk(&Walk::new(root, limits, known.unwrap_or_default(), known_ms), jobs);
        shelf.keep(gathered);
        shelf
    }

    /// Looks again at the parts of the root that the paths lie in. The result is that of looking through all of it,
    /// as long as nothing else changed.
    #[must_use]
    pub fn look_again(&self, paths: &BTreeSet<PathBuf>, now_ms: i64) -> Self {
        self.look_at_parts(paths)
            .unwrap_or_else(|| Self::look(&self.root, &self.in_force, Some(self), now_ms))
    }

    /// Whether these limits were in force.
    pub(crate) fn is_within(&self, limits: &Limits) -> bool {
        self.in_force == *limits
    }

    /// `None` when the whole root has to be looked at.
    fn look_at_parts(&self, paths: &BTreeSet<PathBuf>) -> Option<Self> {
        // Where something was left out, any change may decide what that is.
        if !self.limits.is_empty() || self.root.each_child || self.skipped.iter().any(is_about_targets) {
            return None;
        }
        let parts = self.parts(paths)?;
        let base = Arc::new(Base::root(&self.root.path).ok()?);
        let is_in_a_part = |path: &Path| parts.iter().any(|part| part.holds(path));

        let mut shelf = self.clone();
        let again: Vec<_> = shelf.found.extract_if(.., |found| is_in_a_part(found.at())).collect();
        shelf.skipped.retain(|skipped| !is_in_a_part(&skipped.path));
        let known: HashMap<_, _> = again.iter().map(|found| (found.at(), found)).collect();
        // The oldest moment stays that of all: a file that was read just now is then read once more.
        let walk = Walk::new(&self.root, &self.in_force, known, self.read_ms);
        let jobs = parts.iter().map(|part| part.job(&base)).collect::<io::Result<Vec<_>>>().ok()?;
        let mut gathered = Gathered::default();
        gathered.walk(&walk, jobs.into_iter().flatten().collect());
        // What is gone stays counted; the count only decides when to look at everything again.
        if shelf.looked_at + gathered.looked_at > self.in_force.candidates
            || gathered.too_deep > 0
            || gathered.skipped.iter().any(is_about_targets)
        {
            return None;
        }
        shelf.keep(gathered);
        Some(shelf)
    }

    /// The smallest parts that can be looked at alone and hold the paths; `None` when that is the whole root, or so
    /// many that looking at all of it is no more work.
    fn parts(&self, paths: &BTreeSet<PathBuf>) -> Option<BTreeSet<Part>> {
        let paths: Vec<&PathBuf> = paths.iter().filter(|path| !self.passes_over(path)).collect();
        if paths.len() > MANY_PATHS {
            return None;
        }
        let skills = self.root.path.join(SKILLS);
        let skills_is_a_link = skills.is_symlink();
        let is_a_skill = |dir: &Path| self.found.iter().any(|found| found.at().parent() == Some(dir));
        let inside_skills = |path: &&PathBuf| path.starts_with(&skills);
        if (self.found.len() < 2 && is_a_skill(&self.root.path))
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
                    // A file of `skills` itself says what all of it is.
                    (!is_skill_file(second))
                        .then(|| (Path::new(first).join(second), DEPTH_BELOW_SKILLS - 1))?
                }
                None if first == SKILLS || is_skill_file(first) => return None,
                _ => (first.into(), depth - 1),
            };
            Some(Part { at: self.root.path.join(&below), below, depth })
        };
        paths.iter().map(part).collect()
    }

    /// Whether a path leads into a folder of the root, or of `skills` in it, that no skill is looked for in. A root that
    /// is a skill itself passes over nothing.
    fn passes_over(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.root.path) else { return false };
        let mut steps = below.iter();
        let first = steps.next();
        let second = steps.next().filter(|_| first.is_some_and(|first| first == SKILLS));
        let is_a_skill = |found: &Arc<Found>| found.at().parent() == Some(&self.root.path);
        first.into_iter().chain(second).any(is_passed_over) && !self.found.iter().any(is_a_skill)
    }

    fn keep(&mut self, gathered: Gathered) {
        if self.found.is_empty() {
            self.found = gathered.found;
            self.found.sort_by(|a, b| a.compare(b));
        } else {
            for found in gathered.found {
                let at = self.found.partition_point(|other| other.compare(&found).is_lt());
                self.found.insert(at, found);
            }
        }
        self.skipped.extend(gathered.skipped);
        self.skipped.sort_by(|a, b| a.path.cmp(&b.path));
        self.limits.extend(gathered.limits);
        self.looked_at += gathered.looked_at;
        if gathered.too_deep > 0 {
            self.limits.push(LimitReached {
                source: self.root.source,
                path: Some(self.root.path.clone()),
                limit: Limit::Depth,
                most: self.root.depth_below(&self.root.path) as usize,
                left: gathered.too_deep,
            });
        }
    }

    /// The root, or the roots in it, as the first folders to look at.
    fn starts(&mut self) -> Vec<Job> {
        let root = self.root.path.clone();
        if !self.root.each_child {
            return self.start(&root).into_iter().collect();
        }
        let listed = match Base::root(&root).and_then(|base| base.folder.list(Path::new(""))) {
            Ok(listed) => listed,
            Err(error) => {
                self.refuse(root, &error);
                return Vec::new();
            }
        };
        if listed.left > 0 {
            self.limits.push(LimitReached {
                source: self.root.source,
                path: Some(root.clone()),
                limit: Limit::Names,
                most: MOST_NAMES,
                left: listed.left,
            });
        }
        let names = listed.names.into_iter().filter(|(_, kind)| kind.may_be_a_folder());
        names.filter_map(|(name, _)| self.start(&root.join(name))).collect()
    }

    fn start(&mut self, at: &Path) -> Option<Job> {
        match Base::root(at) {
            Ok(base) => Some(Job {
                base: Arc::new(base),
                below: PathBuf::new(),
                depth: self.root.depth_below(at),
                link: false,
                is_root: true,
            }),
            Err(error) => {
                self.refuse(at.to_path_buf(), &error);
                None
            }
        }
    }

    /// A root that is not there is not worth a word; a link that leads nowhere is.
    fn refuse(&mut self, path: PathBuf, error: &io::Error) {
        let reason = match error.kind() {
            io::ErrorKind::NotFound if !path.is_symlink() => return,
            io::ErrorKind::NotFound => SkipReason::Unresolved,
            io::ErrorKind::NotADirectory => SkipReason::NotAFolder,
            _ => SkipReason::Unreadable(error.to_string()),
        };
        self.skipped.push(Skipped { source: self.root.source, path, reason });
    }
}

fn is_about_targets(skipped: &Skipped) -> bool {
    matches!(skipped.reason, SkipReason::LinkTarget(_))
}

fn is_skill_file(name: &std::ffi::OsStr) -> bool {
    name.eq_ignore_ascii_case("SKILL.md")
}

/// A part of a root that can be looked at alone.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    at: PathBuf,
    below: PathBuf,
    depth: u32,
}

impl Part {
    /// Whether a path of the root lies in it. Paths of one root are written alike, so that bytes may be compared.
    fn holds(&self, path: &Path) -> bool {
        let rest = path.as_os_str().as_encoded_bytes().strip_prefix(self.at.as_os_str().as_encoded_bytes());
        rest.is_some_and(|rest| rest.first().is_none_or(|next| std::path::is_separator(char::from(*next))))
    }

    /// The folder to look at, unless it is gone.
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
