//! Bringing a skill from this machine into the managed folder: read, checked, looked into, shown, and then put there in
//! one step.
//!
//! Promises: what is put in place is what was looked into, byte for byte; until then nothing that looks for skills sees
//! any of it, whatever happens. Leaves to others: asking the person, and writing down what they said.

pub mod archive;
mod contents;
mod folder;
pub mod policy;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::json;
use tarsus_home::Home;
use tarsus_home::files::{self, FileError, Lock, NewFolder};
use tarsus_protocol::scan::ScanReport;
use tarsus_protocol::text::shell_quoted;
use tarsus_protocol::{ErrorCode, Place, Problem};
use tarsus_scan::{Inventory, ScanLimits};

pub use archive::ArchiveError;
pub use contents::{Contents, NoSkill, SKILL_FILE, ToInstall, Unfit};
pub use folder::FolderError;

use crate::discover::ORIGIN;
use crate::gate::{SCANNER, settle_as_community};
use crate::prompt::text::one_line;
use crate::{DiscoveredRoot, Parsed, Root, Skill, Source, parse, roots};

/// Bytes of an archive as it lies on disk.
pub(crate) const MOST_PACKED: u64 = 50 * 1024 * 1024;
/// Where a skill is made ready, out of sight.
const STAGING: &str = ".installing";
/// Letters of the name of a skill's folder.
const LONGEST_SLUG: usize = 64;

/// A skill that is not installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// There is nothing at the path.
    #[error("there is nothing at {}", .0.display())]
    Nothing(PathBuf),
    /// The archive is of no use.
    #[error("{} is not installed: {error}", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// Why.
        error: ArchiveError,
    },
    /// The folder is of no use.
    #[error("{} is not installed: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        error: Unfit,
    },
    /// There is no one skill in it.
    #[error("{} is not installed: {error}", path.display())]
    NoSkill {
        /// The archive or folder.
        path: PathBuf,
        /// Why.
        error: NoSkill,
    },
    /// Its SKILL.md does not load.
    #[error("{} is not installed: its SKILL.md does not load: {why}", path.display())]
    Unreadable {
        /// The archive or folder.
        path: PathBuf,
        /// What the loader says.
        why: String,
    },
    /// The name for its folder cannot be used.
    #[error("{0:?} cannot be the name of a skill's folder")]
    Slug(String),
    /// A skill of this name, or in a folder of this name, is installed.
    #[error("{name} is installed already, in {}", place.display())]
    Installed {
        /// The name.
        name: String,
        /// Its folder.
        place: PathBuf,
    },
    /// What was looked into is not what is there any more.
    #[error("{slug} is not installed: its files changed after they were looked into")]
    Changed {
        /// The name of its folder.
        slug: String,
    },
    /// Another installation is under way.
    #[error("another installation is under way")]
    Busy,
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<InstallError> for Problem {
    fn from(error: InstallError) -> Self {
        let message = error.to_string();
        let of = |code| Self::new(code, message.clone());
        match error {
            InstallError::Nothing(path) => {
                of(ErrorCode::NotFound).at(Place::file(path)).hint("check that the path exists")
            }
            InstallError::Archive { path, .. }
            | InstallError::Folder { path, .. }
            | InstallError::NoSkill { path, .. } => {
                of(ErrorCode::Malformed).at(Place::file(path)).hint("nothing was installed")
            }
            InstallError::Unreadable { path, .. } => of(ErrorCode::Malformed)
                .at(Place::file(path))
                .hint("nothing was installed; `tarsus skills validate` says what is wrong, with the line"),
            InstallError::Slug(_) => of(ErrorCode::Usage)
                .note(format!("letters, digits, `-` and `_` can stand in it, at most {LONGEST_SLUG} of them"))
                .hint("name it: `tarsus skills install … --as NAME`"),
            InstallError::Installed { name, place } => {
                of(ErrorCode::Stale).at(Place::file(place)).note("nothing was changed").hint(format!(
                    "`tarsus skills remove {}` first: it goes to the trash",
                    shell_quoted(&one_line(&name))
                ))
            }
            InstallError::Changed { .. } => of(ErrorCode::Stale)
                .note("somebody wrote into the folder while you were asked")
                .hint("nothing was installed; repeat this"),
            InstallError::Busy => of(ErrorCode::Busy).hint("answer or end it, then repeat this"),
            InstallError::File(error) => error.into(),
        }
    }
}

/// A skill that was read and looked into and waits to be put in its place. Dropped, it leaves nothing behind.
#[derive(Debug)]
pub struct Staged {
    folder: NewFolder,
    place: PathBuf,
    /// The name of its folder, which is the key of its settings unless it declares one.
    pub slug: String,
    /// What its file says.
    pub skill: Skill,
    /// How many files it has.
    pub files: usize,
    /// How many bytes they have.
    pub bytes: u64,
    /// What was found in the folder as it will be.
    pub report: ScanReport,
    /// Held until it is in its place: one installation at a time.
    _alone: Lock,
}

/// Reads a folder or an archive, checks it, and looks into it, out of sight. `slug` names its folder; without one its
/// own name does.
///
/// # Errors
/// When it is not one whole skill, or cannot be read or written.
pub fn stage(home: &Home, from: &Path, slug: Option<&str>, now: Timestamp) -> Result<Staged, InstallError> {
    let limits = ScanLimits::default();
    let (contents, kind) = read(from, &limits)?;
    let no_skill = |error| InstallError::NoSkill { path: from.to_path_buf(), error };
    let contents = contents.into_skill().map_err(no_skill)?;
    let skill = skill(&contents, from, slug)?;
    let slug = slug.unwrap_or(&skill.name).to_owned();
    if !is_slug(&slug) {
        return Err(InstallError::Slug(slug));
    }
    let managed = roots::managed(home);
    let place = managed.join(&slug);
    let alone = Lock::try_take(&home.own_dir().join("install.lock"))?.ok_or(InstallError::Busy)?;
    if let Some(place) = installed(&managed, &place, &skill.name) {
        let name = if place == managed.join(&slug) { slug } else { skill.name };
        return Err(InstallError::Installed { name, place });
    }
    files::make_private_dir(&managed)?;
    let mut folder = NewFolder::begin(&managed.join(STAGING))?;
    // A note of an earlier installation says nothing about this one.
    for (path, file) in contents.files().iter().filter(|(path, _)| *path != ORIGIN) {
        folder.write(Path::new(path), &file.bytes, file.program)?;
    }
    let hash = Inventory::read(folder.path(), &limits).hash;
    let origin = json!({
        "version": 1,
        "source": kind,
        "spec": from.to_string_lossy(),
        "slug": slug,
        "installedAt": now,
        "contentHash": hash,
    });
    folder.write(Path::new(ORIGIN), format!("{origin:#}\n").as_bytes(), false)?;
    let inventory = Inventory::read(folder.path(), &limits);
    let mut report = SCANNER.scan(&place.to_string_lossy(), &inventory);
    settle_as_community(&mut report, &skill);
    Ok(Staged {
        folder,
        place,
        slug,
        skill,
        files: contents.files().len(),
        bytes: contents.bytes(),
        report,
        _alone: alone,
    })
}

impl Staged {
    /// Puts it in its place, and says where that is.
    ///
    /// # Errors
    /// When something is there by now, its files are not those that were looked into, or the system says no; then
    /// nothing is installed.
    pub fn put(self) -> Result<PathBuf, InstallError> {
        let Self { folder, place, slug, report, .. } = self;
        if Inventory::read(folder.path(), &ScanLimits::default()).hash != report.hash {
            return Err(InstallError::Changed { slug });
        }
        folder.put(&place).map_err(|error| match error {
            FileError::Exists { path } => InstallError::Installed { name: slug, place: path },
            other => other.into(),
        })?;
        Ok(place)
    }
}

/// Clears what an installation left that was killed, where none is under way.
///
/// # Errors
/// When it cannot be removed.
pub fn clear(home: &Home) -> Result<(), FileError> {
    let left = roots::managed(home).join(STAGING);
    if left.symlink_metadata().is_err() {
        return Ok(());
    }
    if let Some(_alone) = Lock::try_take(&home.own_dir().join("install.lock"))? {
        files::remove_folder(&left)?;
    }
    Ok(())
}

/// Where a skill is installed that stands in the way: at its place, or one that has its name, because of two with one
/// name only one is used, and decisions are kept by name.
fn installed(managed: &Path, place: &Path, name: &str) -> Option<PathBuf> {
    if place.symlink_metadata().is_ok() {
        return Some(place.to_path_buf());
    }
    let root = Root::new(Source::Managed, managed.to_path_buf(), &[]);
    let discovered = DiscoveredRoot::walk(&root, &crate::Limits::default(), None, 0);
    discovered.skills.iter().find(|file| file.name() == name).map(|file| file.dir().to_path_buf())
}

/// The files at a path, and what they lay in.
fn read(from: &Path, limits: &ScanLimits) -> Result<(Contents, &'static str), InstallError> {
    let path = from.to_path_buf();
    if from.is_dir() {
        let contents = folder::read(from, limits).map_err(|error| match error {
            FolderError::Unfit(error) => InstallError::Folder { path, error },
            FolderError::File(error) => error.into(),
        })?;
        return Ok((contents, "folder"));
    }
    let Some(bytes) = files::read(from, MOST_PACKED)? else { return Err(InstallError::Nothing(path)) };
    let contents = archive::unpack(&bytes, limits).map_err(|error| InstallError::Archive { path, error })?;
    Ok((contents, "archive"))
}

fn skill(contents: &Contents, from: &Path, slug: Option<&str>) -> Result<Skill, InstallError> {
    let bytes = contents.files().get(SKILL_FILE).map(|file| file.bytes.as_slice()).unwrap_or_default();
    let unreadable = |why| Err(InstallError::Unreadable { path: from.to_path_buf(), why });
    let most = crate::Limits::default().file_bytes;
    if bytes.len() as u64 > most {
        return unreadable(format!("it has more than {most} bytes"));
    }
    // A skill without a name takes that of its folder.
    let stem = from.file_name().unwrap_or_default().to_string_lossy();
    let stem = stem.split('.').next().unwrap_or_default();
    match parse(bytes, SKILL_FILE, slug.unwrap_or(stem)) {
        Parsed::Loaded(skill) => Ok(skill),
        Parsed::Degraded(_, error) | Parsed::Malformed(error) => unreadable(error.message),
    }
}

/// Whether a text can be the name of a folder everywhere, and be typed.
fn is_slug(text: &str) -> bool {
    let fits = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    let edge = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    text.chars().all(fits)
        && edge(text.chars().next())
        && edge(text.chars().next_back())
        && text.chars().count() <= LONGEST_SLUG
        && !contents::is_device(text)
}
