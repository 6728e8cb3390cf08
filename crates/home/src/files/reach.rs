//! Opens a file of a confined folder step by step and returns its real path.
//!
//! Each step is resolved in the open parent folder. Links are read and resolved here, and must stay below the folder.
//! The opened file is the one that was checked, even if the path is replaced concurrently.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::confined::{Confined, set_nonblocking};
use super::error::{FileError, FileOperation};
use super::plain::read_at_most;

/// Maximum number of links on the way to one file.
const MAX_LINKS: usize = 40;

/// A regular file, open for reading, with its real path.
#[derive(Debug)]
pub struct Reached {
    /// The open file.
    pub file: File,
    /// Real path, without links.
    pub path: PathBuf,
    /// Length in bytes.
    pub size: u64,
    /// Identity of the file, if the system provides one.
    pub id: Option<FileId>,
    /// Number of hard links; 1 if the system does not tell.
    pub names: u64,
}

impl Reached {
    /// Reads the whole file, at most `limit` bytes.
    ///
    /// # Errors
    /// When it is larger, or the system returns an error.
    pub fn read(self, limit: u64) -> Result<Vec<u8>, FileError> {
        read_at_most(limit, self.file, self.size, &self.path)
    }
}

/// Identifies a file on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    /// Device of the file system.
    pub device: u64,
    /// Inode in the file system.
    pub inode: u64,
}

/// One step of a path.
enum Step {
    Parent,
    Child(OsString),
}

impl Confined {
    /// Opens a folder at a canonical path; fails if a component has become a link.
    ///
    /// # Errors
    /// `Outside` when a link is on the way, or when it is not a folder or the system returns an error.
    pub fn open_real(path: &Path) -> Result<Self, FileError> {
        let folder = system::open_without_links(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotADirectory if path.is_dir() => FileError::Outside { path: path.to_path_buf() },
            _ => FileError::system(FileOperation::Read, path)(error),
        })?;
        Ok(Self { folder, path: path.to_path_buf() })
    }

    /// Opens a regular file below the folder; `None` if there is none. Follows links that stay below the folder.
    ///
    /// # Errors
    /// `Outside` when the path or a link leads out, or when it is not a file, is replaced meanwhile, or the system returns
    /// an error.
    pub fn reach(&self, path: &Path) -> Result<Option<Reached>, FileError> {
        let walk = self.walk(path)?;
        match &walk.end {
            WalkEnd::Entry { name, found } => self.open_entry(path, &walk, name, found).map(Some),
            WalkEnd::Missing(_) | WalkEnd::BelowFile => Ok(None),
            WalkEnd::Folder => Err(self.is_folder(FileOperation::Read, path)),
        }
    }

    /// Opens the entry at the end of a walk, if it is the regular file that the walk saw.
    pub(super) fn open_entry(
        &self,
        path: &Path,
        walk: &Walk,
        name: &OsString,
        found: &Metadata,
    ) -> Result<Reached, FileError> {
        let failed = |error| self.failed(FileOperation::Read, path, error);
        self.require_regular(found.file_type(), FileOperation::Read, path)?;
        let file = open(walk.folder(self), name).map_err(failed)?;
        let opened = file.metadata().map_err(failed)?;
        self.require_regular(opened.file_type(), FileOperation::Read, path)?;
        ensure_same_file(found, &opened).map_err(failed)?;
        Ok(Reached {
            file: file.into_std(),
            path: system::real_case(self.path.join(walk.below(name))),
            size: opened.len(),
            id: system::id(&opened),
            names: system::names(&opened),
        })
    }

    /// Goes along a path, each step in the open folder before it. Follows links that stay below this folder.
    ///
    /// # Errors
    /// `Outside` when the path or a link leads out, or when a folder is replaced meanwhile or the system returns an error.
    pub(super) fn walk(&self, path: &Path) -> Result<Walk, FileError> {
        let outside = || FileError::Outside { path: path.to_path_buf() };
        let failed = |error| self.failed(FileOperation::Read, path, error);
        let mut pending = parse_steps(path).ok_or_else(outside)?;
        let mut ancestors: Vec<(OsString, Dir)> = Vec::new();
        let mut links = 0;
        while let Some(step) = pending.pop_front() {
            let name = match step {
                Step::Child(name) => name,
                Step::Parent if ancestors.pop().is_some() => continue,
                Step::Parent => return Err(outside()),
            };
            let folder = ancestors.last().map_or(&self.folder, |(_, folder)| folder);
            let found = match folder.symlink_metadata(&name) {
                Ok(found) => found,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let missing = child_names(std::iter::once(Step::Child(name)).chain(pending));
                    return Ok(Walk { ancestors, end: missing.map_or(WalkEnd::BelowFile, WalkEnd::Missing) });
                }
                Err(error) => return Err(failed(error)),
            };
            if found.is_symlink() {
                links += 1;
                if links > MAX_LINKS {
                    return Err(failed(io::Error::other("its links lead in a circle")));
                }
                let target = folder.read_link_contents(&name).map_err(failed)?;
                let rest = match target.strip_prefix(&self.path) {
                    Ok(below) => {
                        ancestors.clear();
                        parse_steps(below)
                    }
                    Err(_) => parse_steps(&target),
                };
                for step in rest.ok_or_else(outside)?.into_iter().rev() {
                    pending.push_front(step);
                }
            } else if found.is_dir() {
                let next = folder.open_dir(&name).map_err(failed)?;
                ensure_same_file(&found, &next.dir_metadata().map_err(failed)?).map_err(failed)?;
                ancestors.push((name, next));
            } else {
                let end =
                    if pending.is_empty() { WalkEnd::Entry { name, found } } else { WalkEnd::BelowFile };
                return Ok(Walk { ancestors, end });
            }
        }
        Ok(Walk { ancestors, end: WalkEnd::Folder })
    }

    pub(super) fn is_folder(&self, operation: FileOperation, path: &Path) -> FileError {
        FileError::NotAFile { operation, path: self.path.join(path), found: "folder" }
    }
}

/// The way along a path below a confined folder.
pub(super) struct Walk {
    /// The open folders on the way, with their names.
    ancestors: Vec<(OsString, Dir)>,
    pub(super) end: WalkEnd,
}

/// Where a path leads.
pub(super) enum WalkEnd {
    /// To a file, pipe, socket or device.
    Entry {
        name: OsString,
        found: Metadata,
    },
    Folder,
    /// To nothing: the names from the first missing one on.
    Missing(Vec<OsString>),
    /// To nothing that can be created: it leads on behind a file, or back from a missing folder.
    BelowFile,
}

impl Walk {
    /// The last open folder on the way.
    pub(super) fn folder<'a>(&'a self, root: &'a Confined) -> &'a Dir {
        self.ancestors.last().map_or(&root.folder, |(_, folder)| folder)
    }

    /// The path of a name in the last open folder.
    pub(super) fn below(&self, name: &OsString) -> PathBuf {
        self.ancestors.iter().map(|(name, _)| name).chain([name]).collect()
    }
}

/// The names of steps, if all lead downwards.
fn child_names(steps: impl Iterator<Item = Step>) -> Option<Vec<OsString>> {
    let name = |step| match step {
        Step::Child(name) => Some(name),
        Step::Parent => None,
    };
    steps.map(name).collect()
}

/// Splits a relative path into steps; `None` if it is absolute.
fn parse_steps(path: &Path) -> Option<VecDeque<Step>> {
    let step = |component| match component {
        Component::Normal(name) => Some(Step::Child(name.to_os_string())),
        Component::ParentDir => Some(Step::Parent),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    };
    path.components().filter(|component| *component != Component::CurDir).map(step).collect()
}

fn open(folder: &Dir, name: &OsString) -> io::Result<cap_std::fs::File> {
    let mut options = OpenOptions::new();
    options.read(true);
    set_nonblocking(&mut options);
    folder.open_with(name, &options)
}

/// Checks that the opened file is the one that was inspected before.
pub(super) fn ensure_same_file(seen: &Metadata, opened: &Metadata) -> io::Result<()> {
    if system::id(seen) == system::id(opened) {
        return Ok(());
    }
    Err(io::Error::other("it was replaced while it was being opened"))
}

#[cfg(unix)]
pub(super) mod system {
    use std::io;
    use std::path::{Component, Path, PathBuf};

    use cap_std::fs::{Dir, Metadata, MetadataExt};
    use rustix::fs::{CWD, Mode, OFlags, openat};

    use super::FileId;

    const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
    /// Traversed folders need not be readable by this account.
    #[cfg(target_os = "linux")]
    const TRAVERSE: OFlags = FOLDER.union(OFlags::PATH);
    #[cfg(not(target_os = "linux"))]
    const TRAVERSE: OFlags = FOLDER;

    /// Opens folder by folder, so that the system follows no link.
    pub fn open_without_links(path: &Path) -> io::Result<Dir> {
        let mut reached = openat(CWD, "/", TRAVERSE, Mode::empty())?;
        for component in path.components() {
            match component {
                Component::RootDir => {}
                Component::Normal(name) => reached = openat(&reached, name, TRAVERSE, Mode::empty())?,
                Component::CurDir | Component::ParentDir | Component::Prefix(_) => {
                    return Err(io::ErrorKind::InvalidInput.into());
                }
            }
        }
        Ok(Dir::from_std_file(openat(&reached, ".", FOLDER, Mode::empty())?.into()))
    }

    pub fn id(found: &Metadata) -> Option<FileId> {
        Some(FileId { device: found.dev(), inode: found.ino() })
    }

    pub fn names(found: &Metadata) -> u64 {
        found.nlink()
    }

    /// Restores the case of names on case-insensitive file systems.
    pub fn real_case(path: PathBuf) -> PathBuf {
        if cfg!(target_os = "linux") { path } else { path.canonicalize().unwrap_or(path) }
    }
}

#[cfg(not(unix))]
pub(super) mod system {
    use std::io;
    use std::path::{Path, PathBuf};

    use cap_std::ambient_authority;
    use cap_std::fs::{Dir, Metadata};

    use super::FileId;

    /// Opens first and checks then, so that a later replacement has no effect.
    pub fn open_without_links(path: &Path) -> io::Result<Dir> {
        let folder = Dir::open_ambient_dir(path, ambient_authority())?;
        let is_real = path.canonicalize()? == path;
        if is_real { Ok(folder) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    pub fn id(_: &Metadata) -> Option<FileId> {
        None
    }

    pub fn names(_: &Metadata) -> u64 {
        1
    }

    /// Restores the case of names and expands short names.
    pub fn real_case(path: PathBuf) -> PathBuf {
        path.canonicalize().unwrap_or(path)
    }
}
