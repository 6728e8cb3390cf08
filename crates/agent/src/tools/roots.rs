//! The folders that files may be read from, and the way from a path that a model wrote to an open file.
//!
//! Promises: nothing outside of the folders is opened, whatever links, `..` or a race with another process try; our own
//! keys and records are in none of them, by no name; where the file really lies decides what it is. Leaves to others: what
//! is made of its bytes.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tarsus_guard::Activation;
use tarsus_home::Home;
use tarsus_home::config::Config;
use tarsus_home::files::{Confined, FileId, Reached};
use tarsus_protocol::capability::TrustTier;
use tarsus_scan::{Inventory, ScanLimits};
use tarsus_skills::SkillFile;

use super::not_read::ReadError;
use super::outcome::Origin;
use super::path::{Absolute, Manner, check_names, meant};
use super::protected::{self, Protected};
use crate::guide;
use crate::turn_context::TurnContext;

/// A store whose files have several names by design; skills are found there too.
const SHARED_STORE: &str = "/nix/store";

/// The folders that may be read beside those of skills, as of the beginning of a turn.
#[derive(Debug)]
pub struct Roots {
    workspace: PathBuf,
    list: Vec<Root>,
    home: Option<Absolute>,
    protected: Protected,
}

#[derive(Debug)]
struct Root {
    origin: Origin,
    /// As it is configured and shown.
    shown: String,
    /// The names that it is known by.
    known: Vec<Absolute>,
    /// Where it really lies; nowhere when there is no such folder.
    real: Option<PathBuf>,
}

/// A file that may be read.
pub(super) struct Opened {
    pub(super) content: Content,
    /// Its length in bytes.
    pub(super) size: u64,
    /// Where it really lies.
    pub(super) path: PathBuf,
    pub(super) origin: Origin,
    /// The skills in whose folders it lies: reading it gives them a say.
    pub(super) activated: Activation,
    /// The skill whose SKILL.md it is.
    pub(super) skill: Option<Arc<SkillFile>>,
}

/// The bytes of a file.
pub(super) enum Content {
    /// As they are on disk.
    File(File),
    /// Those that were looked into.
    FolderScan(Cursor<Vec<u8>>),
}

impl Read for Content {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::File(file) => file.read(room),
            Self::FolderScan(bytes) => bytes.read(room),
        }
    }
}

/// A folder that a path lies in.
enum Place<'a> {
    Root(&'a Root),
    Skill(&'a Arc<SkillFile>),
}

impl Roots {
    /// Those of an agent with this workspace: it, the pages of the user guide, and `tools.fs.roots`.
    #[must_use]
    pub fn for_agent(home: &Home, config: &Config, workspace: &Path) -> Self {
        let others = config.tools.fs.roots.iter().map(|root| (Origin::Root, home.resolve(root)));
        let own = [(Origin::Workspace, workspace.to_path_buf()), (Origin::Docs, guide::folder(home))];
        let list =
            own.into_iter().chain(others).map(|(origin, path)| Root::of(origin, &path, home)).collect();
        Self {
            workspace: workspace.to_path_buf(),
            list,
            home: home.user_home().and_then(absolute),
            protected: Protected::of(home),
        }
    }

    /// The folders, as they are shown.
    pub fn shown(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|root| root.shown.as_str())
    }

    /// The workspace.
    #[must_use]
    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Opens the file that a model means.
    pub(super) fn open(&self, written: &str, context: &TurnContext) -> Result<Opened, ReadError> {
        let base = absolute(&self.workspace).ok_or_else(|| self.outside(written))?;
        let path = meant(written, &base, self.home.as_ref(), Manner::HERE).map_err(ReadError::Path)?;
        let places = self.places(&path, context);
        if let Some((below, _)) = places.first() {
            check_names(below, Manner::HERE).map_err(ReadError::Path)?;
        }
        let mut changed = None;
        for (below, place) in places {
            let below: PathBuf = below.iter().collect();
            let opened = match place {
                Place::Root(root) => self.open_in(root, &below, context)?,
                Place::Skill(found) => match self.open_skill(found, &below, context) {
                    // What the owner changes in his own workspace is read there like anything else.
                    Err(ReadError::SkillChanged { name, tier }) if tier != TrustTier::Community => {
                        changed = Some(ReadError::SkillChanged { name, tier });
                        continue;
                    }
                    opened => opened?,
                },
            };
            return opened.ok_or_else(|| ReadError::Missing { path: written.to_owned() });
        }
        Err(changed.unwrap_or_else(|| self.outside(written)))
    }

    /// The folders that a path lies in, the nearest first, with what follows them on the way.
    fn places<'a>(&'a self, path: &'a Absolute, context: &'a TurnContext) -> Vec<(&'a [String], Place<'a>)> {
        let mut places = Vec::new();
        let mut put = |folder: &Absolute, place: Place<'a>| {
            places.extend(path.below(folder, Manner::HERE).map(|below| (below, place)));
        };
        for ready in context.snapshot.evaluation().ready() {
            let found = &ready.file;
            let linked = found.at().parent().filter(|linked| *linked != found.dir());
            for folder in [Some(found.dir()), linked].into_iter().flatten().filter_map(absolute) {
                put(&folder, Place::Skill(found));
            }
        }
        for root in &self.list {
            root.known.iter().for_each(|folder| put(folder, Place::Root(root)));
        }
        places.sort_by_key(|(below, _)| below.len());
        places
    }

    fn open_in(&self, root: &Root, below: &Path, context: &TurnContext) -> Result<Option<Opened>, ReadError> {
        let Some(real) = &root.real else { return Ok(None) };
        let Some(reached) = Confined::open_real(real)?.reach(below)? else { return Ok(None) };
        self.check(&reached, real, &root.origin, context)?;
        let opened = Opened::of(reached, root.origin.clone(), context);
        match from_elsewhere(&opened, context) {
            Some((found, below)) => self.open_skill(found, &below, context),
            None => Ok(Some(opened)),
        }
    }

    fn open_skill(
        &self,
        found: &Arc<SkillFile>,
        below: &Path,
        context: &TurnContext,
    ) -> Result<Option<Opened>, ReadError> {
        let name = found.name().into_owned();
        let standing = context.skills.get(&name);
        let tier = standing.map_or(TrustTier::Community, |standing| standing.tier);
        let changed = || ReadError::SkillChanged { name: name.clone(), tier };
        let real = found.dir().canonicalize().map_err(|_| changed())?;
        let folder = Confined::open_real(&real)?;
        let file = Path::new(found.path().file_name().unwrap_or_default());
        // Another folder in its place does not have the very file that the skill was read from.
        let its_file =
            folder.reach(file)?.filter(|its_file| is_of(found, its_file.id)).ok_or_else(changed)?;
        let Some(reached) = folder.reach(below)? else { return Ok(None) };
        let origin = Origin::Skill { name: name.clone(), tier };
        self.check(&reached, &real, &origin, context)?;
        let is_skill_file = reached.path == its_file.path;
        let mut opened = Opened::of(reached, origin, context);
        opened.skill = is_skill_file.then(|| Arc::clone(found));
        if tier == TrustTier::Community {
            let hash = standing.and_then(|standing| standing.hash.as_ref()).ok_or_else(changed)?;
            let examined = examined(&real, &opened.path, hash.as_str()).ok_or_else(changed)?;
            opened.size = examined.len() as u64;
            opened.content = Content::FolderScan(Cursor::new(examined));
        }
        Ok(Some(opened))
    }

    /// Whether what was reached may be read.
    fn check(
        &self,
        reached: &Reached,
        root: &Path,
        origin: &Origin,
        context: &TurnContext,
    ) -> Result<(), ReadError> {
        let path = &reached.path;
        let may_be_ours = matches!(origin, Origin::Docs | Origin::Skill { .. });
        if self.protected.covers(path, may_be_ours) {
            return Err(ReadError::Protected { path: path.clone() });
        }
        let below = path.strip_prefix(root).unwrap_or(path);
        if protected::is_memory(below) && !context.is_main() {
            return Err(ReadError::Memory);
        }
        if reached.names < 2 {
            return Ok(());
        }
        // It has another name somewhere, which may be that of something else.
        let decides = match origin {
            Origin::Skill { tier, .. } => *tier != TrustTier::Builtin && !path.starts_with(SHARED_STORE),
            Origin::Workspace | Origin::Docs | Origin::Root => protected::is_control_file(below),
        };
        if decides {
            return Err(ReadError::HardLinked { path: path.clone() });
        }
        if self.protected.has(reached.id) {
            return Err(ReadError::Protected { path: path.clone() });
        }
        if !context.is_main() && reached.id.is_some() && reached.id == self.memory_id() {
            return Err(ReadError::Memory);
        }
        Ok(())
    }

    /// The agent's long-term notes.
    fn memory_id(&self) -> Option<FileId> {
        let workspace = self.list.iter().find(|root| root.origin == Origin::Workspace)?;
        let folder = Confined::open_real(workspace.real.as_ref()?).ok()?;
        folder.reach(Path::new(protected::MEMORY)).ok()??.id
    }

    fn outside(&self, written: &str) -> ReadError {
        ReadError::Outside { path: written.to_owned(), roots: self.shown().map(str::to_owned).collect() }
    }
}

impl Root {
    fn of(origin: Origin, path: &Path, home: &Home) -> Self {
        let real = path.canonicalize().ok().filter(|real| real.is_dir());
        let known = [Some(path), real.as_deref()].into_iter().flatten().filter_map(absolute).collect();
        Self { origin, shown: home.display(path), known, real }
    }
}

impl Opened {
    fn of(reached: Reached, origin: Origin, context: &TurnContext) -> Self {
        let mut activated = Activation::default();
        context.watch.detect_read(&reached.path, &mut activated);
        // Another skill's folder may lie here too, one that is blocked or switched off: its text is no less its own.
        let least = activated.skills().min_by_key(|(_, say)| say.tier);
        let origin = match (least, origin) {
            (Some((_, say)), Origin::Skill { name, tier }) if tier <= say.tier => {
                Origin::Skill { name, tier }
            }
            (Some((skill, say)), _) => Origin::Skill { name: skill.name.clone(), tier: say.tier },
            (None, origin) => origin,
        };
        Self {
            content: Content::File(reached.file),
            size: reached.size,
            path: reached.path,
            origin,
            activated,
            skill: None,
        }
    }
}

/// The skill from elsewhere that a file belongs to which was reached by another way, and where in its folder it lies.
fn from_elsewhere<'c>(opened: &Opened, context: &'c TurnContext) -> Option<(&'c Arc<SkillFile>, PathBuf)> {
    let mut active = opened.activated.skills().filter(|(_, say)| say.tier == TrustTier::Community);
    active.find_map(|(skill, _)| {
        let mut ready = context.snapshot.evaluation().ready().map(|ready| &ready.file);
        let found = ready.find(|found| found.name() == skill.name)?;
        let below = opened.path.strip_prefix(found.dir().canonicalize().ok()?).ok()?.to_path_buf();
        Some((found, below))
    })
}

fn absolute(path: &Path) -> Option<Absolute> {
    Absolute::read(path.to_str()?, Manner::HERE).ok()
}

/// Whether a file is the one that a skill was read from, as far as the system tells.
fn is_of(found: &SkillFile, id: Option<FileId>) -> bool {
    id.is_none_or(|id| (id.device, id.inode) == (found.stat.device, found.stat.inode))
}

/// The bytes of a file as they were looked into, when the folder still has exactly the bytes that were.
fn examined(folder: &Path, file: &Path, hash: &str) -> Option<Vec<u8>> {
    let names: Option<Vec<&str>> = file.strip_prefix(folder).ok()?.iter().map(|name| name.to_str()).collect();
    let mut inventory = Inventory::read(folder, &ScanLimits::default());
    if inventory.hash != hash {
        return None;
    }
    inventory.files.remove(&names?.join("/"))
}
