//! The folders that tools may read, and opening a file in them from a path that a model wrote.
//!
//! Nothing outside the folders is opened, whatever links, `..` or races with other processes attempt. Keys and audit
//! records are never opened, by any name. The real path of a file decides what it is.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tarsus_guard::Activation;
use tarsus_home::Home;
use tarsus_home::config::Config;
use tarsus_home::files::{Confined, FileId, Reached};
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::grants::ContentHash;
use tarsus_scan::{Inventory, ScanLimits};
use tarsus_skills::SkillFile;
use tarsus_skills::snapshot::CommunityFolder;

use super::outcome::FileOrigin;
use super::path::{AbsolutePath, PathStyle, check_names, resolve};
use super::protected::{self, Protected};
use super::read_error::ReadError;
use crate::guide;
use crate::turn_context::TurnContext;

/// A package store that hard-links files by design; skills may be linked from there.
const SHARED_STORE: &str = "/nix/store";

/// The folders that tools may read, besides those of skills, as of the start of a turn.
#[derive(Debug, Clone)]
pub struct FileRoots {
    workspace: PathBuf,
    list: Vec<Root>,
    home: Option<AbsolutePath>,
    protected: Protected,
}

#[derive(Debug, Clone)]
pub(super) struct Root {
    pub(super) origin: FileOrigin,
    pub(super) display: String,
    /// Its configured path and its real path.
    pub(super) paths: Vec<AbsolutePath>,
    /// The real path, if the folder exists.
    pub(super) real: Option<PathBuf>,
}

/// A file that was opened for reading.
pub(super) struct OpenFile {
    pub(super) content: FileContent,
    /// Size in bytes.
    pub(super) size: u64,
    /// Real path.
    pub(super) path: PathBuf,
    pub(super) origin: FileOrigin,
    /// The skills in whose folders it lies: reading it activates them.
    pub(super) activated: Activation,
    /// The skill, if this is its SKILL.md.
    pub(super) skill: Option<Arc<SkillFile>>,
}

pub(super) enum FileContent {
    OnDisk(File),
    /// Bytes that were scanned before.
    Scanned(Cursor<Vec<u8>>),
}

impl Read for FileContent {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::OnDisk(file) => file.read(buffer),
            Self::Scanned(bytes) => bytes.read(buffer),
        }
    }
}

/// A readable folder that contains a path.
enum Container<'a> {
    Root(&'a Root),
    Skill(&'a Arc<SkillFile>),
}

impl FileRoots {
    /// The workspace, the user guide, and `tools.fs.roots`.
    #[must_use]
    pub fn for_agent(home: &Home, config: &Config, workspace: &Path) -> Self {
        let roots = if config.tools.fs.workspace_only { &[][..] } else { &config.tools.fs.roots[..] };
        let others = roots.iter().map(|root| (FileOrigin::Root, home.resolve(root)));
        let own = [(FileOrigin::Workspace, workspace.to_path_buf()), (FileOrigin::Docs, guide::folder(home))];
        let list =
            own.into_iter().chain(others).map(|(origin, path)| Root::new(origin, &path, home)).collect();
        Self {
            workspace: workspace.to_path_buf(),
            list,
            home: home.user_home().and_then(absolute),
            protected: Protected::for_home(home),
        }
    }

    /// The folders as text.
    pub fn display(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|root| root.display.as_str())
    }

    #[must_use]
    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    pub(super) fn roots(&self) -> impl Iterator<Item = &Root> {
        self.list.iter()
    }

    /// Where relative paths start.
    pub(super) fn base(&self) -> Option<AbsolutePath> {
        absolute(&self.workspace)
    }

    /// Where `~` leads.
    pub(super) fn user_home(&self) -> Option<&AbsolutePath> {
        self.home.as_ref()
    }

    /// Opens a file by the path that a model wrote.
    pub(super) fn open(&self, path_text: &str, context: &TurnContext) -> Result<OpenFile, ReadError> {
        let base = self.base().ok_or_else(|| self.outside(path_text))?;
        let path =
            resolve(path_text, &base, self.home.as_ref(), PathStyle::NATIVE).map_err(ReadError::Path)?;
        let containers = self.containers(&path, context);
        if let Some((below, _)) = containers.first() {
            check_names(below, PathStyle::NATIVE).map_err(ReadError::Path)?;
        }
        let mut changed = None;
        for (below, container) in containers {
            let below: PathBuf = below.iter().collect();
            let opened = match container {
                Container::Root(root) => self.open_in(root, &below, context)?,
                Container::Skill(found) => match self.open_ready(found, &below, context) {
                    // A skill that its owner changed in the workspace is read there like any other file.
                    Err(ReadError::SkillChanged { name, tier }) if tier != TrustTier::Community => {
                        changed = Some(ReadError::SkillChanged { name, tier });
                        continue;
                    }
                    opened => opened?,
                },
            };
            return opened.ok_or_else(|| ReadError::Missing { path: path_text.to_owned() });
        }
        Err(changed.unwrap_or_else(|| self.outside(path_text)))
    }

    /// The folders that contain a path, innermost first, with the rest of the path below each.
    fn containers<'a>(
        &'a self,
        path: &'a AbsolutePath,
        context: &'a TurnContext,
    ) -> Vec<(&'a [String], Container<'a>)> {
        let mut containers = Vec::new();
        let mut add = |folder: &AbsolutePath, container: Container<'a>| {
            let below = path.strip_prefix(folder, PathStyle::NATIVE);
            containers.extend(below.map(|below| (below, container)));
        };
        for ready in context.snapshot.evaluation().ready() {
            let found = &ready.file;
            let linked = found.walked_path().parent().filter(|linked| *linked != found.dir());
            for folder in [Some(found.dir()), linked].into_iter().flatten().filter_map(absolute) {
                add(&folder, Container::Skill(found));
            }
        }
        for root in &self.list {
            root.paths.iter().for_each(|folder| add(folder, Container::Root(root)));
        }
        containers.sort_by_key(|(below, _)| below.len());
        containers
    }

    fn open_in(
        &self,
        root: &Root,
        below: &Path,
        context: &TurnContext,
    ) -> Result<Option<OpenFile>, ReadError> {
        let Some(real) = &root.real else { return Ok(None) };
        let Some(reached) = Confined::open_real(real)?.reach(below)? else { return Ok(None) };
        self.check(&reached, real, &root.origin, context)?;
        match context.snapshot.community_files().find(&reached) {
            Some((folder, below)) => self.open_community(folder, &below, context),
            None => Ok(Some(OpenFile::new(reached, root.origin.clone(), context))),
        }
    }

    /// Opens a file of a skill that is offered.
    fn open_ready(
        &self,
        found: &Arc<SkillFile>,
        below: &Path,
        context: &TurnContext,
    ) -> Result<Option<OpenFile>, ReadError> {
        let guarded = context.skills.get(&found.name());
        let tier = guarded.map_or(TrustTier::Community, |skill| skill.tier);
        self.open_skill(found, tier, guarded.and_then(|skill| skill.hash.as_ref()), below, context)
    }

    /// Opens a file of a community skill that was reached by another path.
    fn open_community(
        &self,
        folder: &CommunityFolder,
        below: &Path,
        context: &TurnContext,
    ) -> Result<Option<OpenFile>, ReadError> {
        let Some(found) = &folder.skill else {
            return Err(ReadError::SkillChanged { name: folder.name.clone(), tier: TrustTier::Community });
        };
        self.open_skill(found, TrustTier::Community, folder.hash.as_ref(), below, context)
    }

    fn open_skill(
        &self,
        found: &Arc<SkillFile>,
        tier: TrustTier,
        hash: Option<&ContentHash>,
        below: &Path,
        context: &TurnContext,
    ) -> Result<Option<OpenFile>, ReadError> {
        let name = found.name().into_owned();
        let changed = || ReadError::SkillChanged { name: name.clone(), tier };
        let real = found.dir().canonicalize().map_err(|_| changed())?;
        let folder = Confined::open_real(&real)?;
        let file = Path::new(found.path().file_name().unwrap_or_default());
        // A folder that replaced it does not contain the very file that the skill was read from.
        let its_file =
            folder.reach(file)?.filter(|its_file| is_file_of(found, its_file.id)).ok_or_else(changed)?;
        let Some(reached) = folder.reach(below)? else { return Ok(None) };
        let origin = FileOrigin::Skill { name: name.clone(), tier };
        self.check(&reached, &real, &origin, context)?;
        let is_skill_file = reached.path == its_file.path;
        let mut opened = OpenFile::new(reached, origin, context);
        opened.skill = is_skill_file.then(|| Arc::clone(found));
        if tier == TrustTier::Community {
            let hash = hash.ok_or_else(changed)?;
            let scanned = scanned_bytes(&real, &opened.path, hash.as_str()).ok_or_else(changed)?;
            opened.size = scanned.len() as u64;
            opened.content = FileContent::Scanned(Cursor::new(scanned));
        }
        Ok(Some(opened))
    }

    /// Whether a file belongs to Tarsus's state, which no tool writes, by its real path.
    pub(super) fn forbids_write(&self, path: &Path) -> bool {
        let workspace = self.list.iter().find(|root| root.origin == FileOrigin::Workspace);
        self.protected.forbids_write(path, workspace.and_then(|root| root.real.as_deref()))
    }

    /// Checks whether a file may be read.
    pub(super) fn check(
        &self,
        reached: &Reached,
        root: &Path,
        origin: &FileOrigin,
        context: &TurnContext,
    ) -> Result<(), ReadError> {
        let path = &reached.path;
        let in_skill_or_guide = matches!(origin, FileOrigin::Docs | FileOrigin::Skill { .. });
        if self.protected.contains_path(path, in_skill_or_guide) {
            return Err(ReadError::Protected { path: path.clone() });
        }
        let skill = context.snapshot.community_files().find(reached).map(|(folder, _)| folder);
        if let Some((folder, reason)) = skill.and_then(|folder| Some((folder, folder.block.as_ref()?))) {
            return Err(ReadError::BlockedSkill { name: folder.name.clone(), reason: reason.to_string() });
        }
        let below = path.strip_prefix(root).unwrap_or(path);
        if protected::is_memory(below) && !context.is_main() {
            return Err(ReadError::Memory);
        }
        if reached.names < 2 {
            return Ok(());
        }
        // Another hard link may be a file that another account may write.
        let is_control_file = match origin {
            // Of a community skill the bytes that were scanned are read, whatever changes the file.
            FileOrigin::Skill { tier, .. } => *tier == TrustTier::Local && !path.starts_with(SHARED_STORE),
            FileOrigin::Workspace | FileOrigin::Docs | FileOrigin::Root => protected::is_control_file(below),
        };
        if is_control_file {
            return Err(ReadError::HardLinked { path: path.clone() });
        }
        if self.protected.contains_file(reached.id) {
            return Err(ReadError::Protected { path: path.clone() });
        }
        if !context.is_main() && reached.id.is_some() && reached.id == self.memory_id() {
            return Err(ReadError::Memory);
        }
        Ok(())
    }

    /// The id of the agent's long-term memory.
    fn memory_id(&self) -> Option<FileId> {
        let workspace = self.list.iter().find(|root| root.origin == FileOrigin::Workspace)?;
        let folder = Confined::open_real(workspace.real.as_ref()?).ok()?;
        folder.reach(Path::new(protected::MEMORY)).ok()??.id
    }

    fn outside(&self, path: &str) -> ReadError {
        ReadError::Outside { path: path.to_owned(), roots: self.display().map(str::to_owned).collect() }
    }
}

impl Root {
    fn new(origin: FileOrigin, path: &Path, home: &Home) -> Self {
        let real = path.canonicalize().ok().filter(|real| real.is_dir());
        let paths = [Some(path), real.as_deref()].into_iter().flatten().filter_map(absolute).collect();
        Self { origin, display: home.display(path), paths, real }
    }
}

impl OpenFile {
    fn new(reached: Reached, origin: FileOrigin, context: &TurnContext) -> Self {
        let mut activated = Activation::default();
        context.watch.detect_read(&reached.path, &mut activated);
        context.detect_marks(&reached.path, &mut activated);
        // The file may belong to another skill too, even to a blocked or disabled one. The least trusted one counts.
        let least = activated.skills().min_by_key(|(_, active)| active.tier);
        let origin = match (least, origin) {
            (Some((_, active)), FileOrigin::Skill { name, tier }) if tier <= active.tier => {
                FileOrigin::Skill { name, tier }
            }
            (Some((skill, active)), _) => FileOrigin::Skill { name: skill.name.clone(), tier: active.tier },
            (None, origin) => origin,
        };
        Self {
            content: FileContent::OnDisk(reached.file),
            size: reached.size,
            path: reached.path,
            origin,
            activated,
            skill: None,
        }
    }
}

fn absolute(path: &Path) -> Option<AbsolutePath> {
    AbsolutePath::parse(path.to_str()?, PathStyle::NATIVE).ok()
}

/// Whether a file is the one that a skill was read from; true where the system has no file ids.
fn is_file_of(found: &SkillFile, id: Option<FileId>) -> bool {
    id.is_none_or(|id| (id.device, id.inode) == (found.stat.device, found.stat.inode))
}

/// The bytes of a file, if its folder is still exactly the one that was scanned.
fn scanned_bytes(folder: &Path, file: &Path, hash: &str) -> Option<Vec<u8>> {
    let names: Option<Vec<&str>> = file.strip_prefix(folder).ok()?.iter().map(|name| name.to_str()).collect();
    let mut inventory = Inventory::read(folder, &ScanLimits::default());
    if inventory.hash != hash {
        return None;
    }
    inventory.files.remove(&names?.join("/"))
}
