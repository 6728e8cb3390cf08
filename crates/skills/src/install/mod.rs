//! Installs a skill from a folder or archive of this machine into the managed folder.
//!
//! [`stage`] reads, checks and scans the skill in a hidden folder; [`StagedInstall::install`] moves it into place in one
//! step. The installed bytes are the scanned ones, and discovery never sees a partial installation.

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
use tarsus_protocol::{ErrorCode, Problem, SourceLocation};
use tarsus_scan::{Inventory, ScanLimits};
use tarsus_text::shell_quoted;

pub use archive::ArchiveError;
pub use contents::{Contents, ContentsError, InstallFile, NoSkillError, SKILL_FILE};
pub use folder::FolderError;

use crate::discover::ORIGIN_FILE;
use crate::gate::{SCANNER, settle_as_community};
use crate::prompt::text::one_line;
use crate::{DiscoveredRoot, Parsed, Skill, SkillRoot, SkillSource, parse, roots};

/// Bytes of an archive on disk.
pub(crate) const MAX_ARCHIVE_BYTES: u64 = 50 * 1024 * 1024;
/// Hidden folder in which skills are staged.
const STAGING: &str = ".installing";
/// Characters of the name of a skill's folder.
const MAX_SLUG_CHARS: usize = 64;

/// Why a skill is not installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The path does not exist.
    #[error("nothing exists at {}", .0.display())]
    Nothing(PathBuf),
    /// The archive cannot be installed.
    #[error("{} is not installed: {error}", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// The error of the archive.
        error: ArchiveError,
    },
    /// The folder cannot be installed.
    #[error("{} is not installed: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the contents.
        error: ContentsError,
    },
    /// It does not hold exactly one skill.
    #[error("{} is not installed: {error}", path.display())]
    NoSkill {
        /// The archive or folder.
        path: PathBuf,
        /// The reason why it is not a skill.
        error: NoSkillError,
    },
    /// Its SKILL.md does not load.
    #[error("{} is not installed: its SKILL.md does not load: {why}", path.display())]
    Unreadable {
        /// The archive or folder.
        path: PathBuf,
        /// Message of the loader.
        why: String,
    },
    /// The name for its folder cannot be used.
    #[error("{0:?} cannot be the name of a skill's folder")]
    Slug(String),
    /// A skill of this name, or in a folder of this name, is installed.
    #[error("{name} is already installed in {}", place.display())]
    Installed {
        /// The name.
        name: String,
        /// Its folder.
        place: PathBuf,
    },
    /// Its files changed after the scan.
    #[error("{slug} is not installed: its files changed after they were scanned")]
    Changed {
        /// The name of its folder.
        slug: String,
    },
    /// Another installation is running.
    #[error("another installation is running")]
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
                of(ErrorCode::NotFound).at(SourceLocation::file(path)).hint("check that the path exists")
            }
            InstallError::Archive { path, .. }
            | InstallError::Folder { path, .. }
            | InstallError::NoSkill { path, .. } => {
                of(ErrorCode::Malformed).at(SourceLocation::file(path)).hint("nothing was installed")
            }
            InstallError::Unreadable { path, .. } => of(ErrorCode::Malformed)
                .at(SourceLocation::file(path))
                .hint("nothing was installed; `tarsus skills validate` shows the error and its line"),
            InstallError::Slug(_) => of(ErrorCode::Usage)
                .note(format!("use at most {MAX_SLUG_CHARS} letters, digits, `-` and `_`"))
                .hint("choose a name with `tarsus skills install … --as NAME`"),
            InstallError::Installed { name, place } => of(ErrorCode::Stale)
                .at(SourceLocation::file(place))
                .note("nothing was changed")
                .hint(format!(
                    "run `tarsus skills remove {}` first, which moves it to the trash",
                    shell_quoted(&one_line(&name))
                )),
            InstallError::Changed { .. } => of(ErrorCode::Stale)
                .note("the folder changed while the question was open")
                .hint("nothing was installed; try again"),
            InstallError::Busy => of(ErrorCode::Busy).hint("answer or cancel it, then try again"),
            InstallError::File(error) => error.into(),
        }
    }
}

/// A skill that was checked and scanned and can be installed. Dropping it removes its staged files.
#[derive(Debug)]
pub struct StagedInstall {
    folder: NewFolder,
    place: PathBuf,
    /// Name of its folder, and its settings key unless it declares one.
    pub slug: String,
    /// Its parsed file.
    pub skill: Skill,
    /// Number of files.
    pub files: usize,
    /// Bytes of all files.
    pub bytes: u64,
    /// Scan report of the folder as it will be installed.
    pub report: ScanReport,
    /// Allows one installation at a time.
    _lock: Lock,
}

/// Reads, checks and scans a skill from a folder or an archive. `slug` is the name of its folder; the default is its own
/// name.
///
/// # Errors
/// If it is not exactly one valid skill, is installed already, or cannot be read or written.
pub fn stage(
    home: &Home,
    from: &Path,
    slug: Option<&str>,
    now: Timestamp,
) -> Result<StagedInstall, InstallError> {
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
    let lock = Lock::try_take(&home.own_dir().join("install.lock"))?.ok_or(InstallError::Busy)?;
    if let Some(place) = find_conflict(&managed, &place, &skill.name) {
        let name = if place == managed.join(&slug) { slug } else { skill.name };
        return Err(InstallError::Installed { name, place });
    }
    files::make_private_dir(&managed)?;
    let mut folder = NewFolder::begin(&managed.join(STAGING))?;
    // An origin file in the source belongs to an earlier installation.
    for (path, file) in contents.files().iter().filter(|(path, _)| *path != ORIGIN_FILE) {
        folder.write(Path::new(path), &file.bytes, file.executable)?;
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
    folder.write(Path::new(ORIGIN_FILE), format!("{origin:#}\n").as_bytes(), false)?;
    let inventory = Inventory::read(folder.path(), &limits);
    let mut report = SCANNER.scan(&place.to_string_lossy(), &inventory);
    settle_as_community(&mut report, &skill);
    Ok(StagedInstall {
        folder,
        place,
        slug,
        skill,
        files: contents.files().len(),
        bytes: contents.bytes(),
        report,
        _lock: lock,
    })
}

impl StagedInstall {
    /// Moves the skill into place and returns its folder.
    ///
    /// # Errors
    /// If the folder exists by now, the staged files changed, or they cannot be moved; nothing is installed then.
    pub fn install(self) -> Result<PathBuf, InstallError> {
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

/// Removes what an interrupted installation left, unless one is running.
///
/// # Errors
/// If it cannot be removed.
pub fn clear(home: &Home) -> Result<(), FileError> {
    let left = roots::managed(home).join(STAGING);
    if left.symlink_metadata().is_err() {
        return Ok(());
    }
    if let Some(_lock) = Lock::try_take(&home.own_dir().join("install.lock"))? {
        files::remove_folder(&left)?;
    }
    Ok(())
}

/// Returns the folder of an installed skill that conflicts: in the same folder, or with the same name, because only one
/// skill of a name is used and decisions are stored by name.
fn find_conflict(managed: &Path, place: &Path, name: &str) -> Option<PathBuf> {
    if place.symlink_metadata().is_ok() {
        return Some(place.to_path_buf());
    }
    let root = SkillRoot::new(SkillSource::Managed, managed.to_path_buf(), &[]);
    let discovered = DiscoveredRoot::walk(&root, &crate::DiscoveryLimits::default(), None, 0);
    discovered.skills.iter().find(|file| file.name() == name).map(|file| file.dir().to_path_buf())
}

/// Reads the files at a path, and returns the kind of the source.
fn read(from: &Path, limits: &ScanLimits) -> Result<(Contents, &'static str), InstallError> {
    let path = from.to_path_buf();
    if from.is_dir() {
        let contents = folder::read(from, limits).map_err(|error| match error {
            FolderError::Contents(error) => InstallError::Folder { path, error },
            FolderError::File(error) => error.into(),
        })?;
        return Ok((contents, "folder"));
    }
    let Some(bytes) = files::read(from, MAX_ARCHIVE_BYTES)? else { return Err(InstallError::Nothing(path)) };
    let contents = archive::unpack(&bytes, limits).map_err(|error| InstallError::Archive { path, error })?;
    Ok((contents, "archive"))
}

fn skill(contents: &Contents, from: &Path, slug: Option<&str>) -> Result<Skill, InstallError> {
    let bytes = contents.files().get(SKILL_FILE).map(|file| file.bytes.as_slice()).unwrap_or_default();
    let unreadable = |why| Err(InstallError::Unreadable { path: from.to_path_buf(), why });
    let most = crate::DiscoveryLimits::default().file_bytes;
    if bytes.len() as u64 > most {
        return unreadable(format!("it has more than {most} bytes"));
    }
    // A skill without a name gets that of its folder.
    let stem = from.file_name().unwrap_or_default().to_string_lossy();
    let stem = stem.split('.').next().unwrap_or_default();
    match parse(bytes, SKILL_FILE, slug.unwrap_or(stem)) {
        Parsed::Loaded(skill) => Ok(skill),
        Parsed::Degraded(_, error) | Parsed::Malformed(error) => unreadable(error.message),
    }
}

/// Whether a text can be the name of a folder on every system and is easy to type.
fn is_slug(text: &str) -> bool {
    let fits = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    let edge = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    text.chars().all(fits)
        && edge(text.chars().next())
        && edge(text.chars().next_back())
        && text.chars().count() <= MAX_SLUG_CHARS
        && !contents::is_device(text)
}
