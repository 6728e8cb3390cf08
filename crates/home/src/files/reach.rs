//! Reaching a file of a confined folder step by step, so that it is known where it really lies.
//!
//! Promises: each step is looked up in the open folder before it; links are read, not followed by the system, and stay
//! below the folder; what is opened is what was looked at, whatever is put in its place meanwhile. Leaves to others: what
//! may be read.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::confined::{Confined, without_waiting};
use super::error::{Doing, FileError};

/// Links on the way to one file: more than this lead in a circle.
const MOST_LINKS: usize = 40;

/// A regular file that was reached, open for reading.
#[derive(Debug)]
pub struct Reached {
    /// The file.
    pub file: File,
    /// Where it really lies: no name on the way is a link.
    pub path: PathBuf,
    /// Its length in bytes.
    pub size: u64,
    /// Which file it is, where the system tells.
    pub id: Option<FileId>,
    /// How many names it has, where the system tells; else one.
    pub names: u64,
}

/// Tells a file from every other one on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The file system.
    pub device: u64,
    /// The file in it.
    pub inode: u64,
}

/// One step of a path.
enum Step {
    Up,
    Into(OsString),
}

impl Confined {
    /// Opens a folder at a path that was made free of links before, and refuses it when it has one now.
    ///
    /// # Errors
    /// `Outside` when a link is on the way, or when it is not a folder or the system says no.
    pub fn open_real(path: &Path) -> Result<Self, FileError> {
        let folder = system::open_without_links(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotADirectory if path.is_dir() => FileError::Outside { path: path.to_path_buf() },
            _ => FileError::system(Doing::Read, path)(error),
        })?;
        Ok(Self { folder, path: path.to_path_buf() })
    }

    /// Reaches a regular file below; `None` when there is none. Links are followed as far as they stay below.
    ///
    /// # Errors
    /// `Outside` when the path or a link leads out, or when it is not a file, is replaced meanwhile, or the system says
    /// no.
    pub fn reach(&self, path: &Path) -> Result<Option<Reached>, FileError> {
        let outside = || FileError::Outside { path: path.to_path_buf() };
        let failed = |error| self.failed(Doing::Read, path, error);
        let mut ahead = steps(path).ok_or_else(outside)?;
        let mut way: Vec<(OsString, Dir)> = Vec::new();
        let mut links = 0;
        while let Some(step) = ahead.pop_front() {
            let name = match step {
                Step::Into(name) => name,
                Step::Up if way.pop().is_some() => continue,
                Step::Up => return Err(outside()),
            };
            let folder = way.last().map_or(&self.folder, |(_, folder)| folder);
            let found = match folder.symlink_metadata(&name) {
                Ok(found) => found,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(failed(error)),
            };
            if found.is_symlink() {
                links += 1;
                if links > MOST_LINKS {
                    return Err(failed(io::Error::other("its links lead in a circle")));
                }
                let target = folder.read_link_contents(&name).map_err(failed)?;
                let rest = match target.strip_prefix(&self.path) {
                    Ok(below) => {
                        way.clear();
                        steps(below)
                    }
                    Err(_) => steps(&target),
                };
                for step in rest.ok_or_else(outside)?.into_iter().rev() {
                    ahead.push_front(step);
                }
            } else if found.is_dir() {
                let next = folder.open_dir(&name).map_err(failed)?;
                is_the_same(&found, &next.dir_metadata().map_err(failed)?).map_err(failed)?;
                way.push((name, next));
            } else if ahead.is_empty() {
                self.regular(found.file_type(), Doing::Read, path)?;
                let file = open(folder, &name).map_err(failed)?;
                let opened = file.metadata().map_err(failed)?;
                self.regular(opened.file_type(), Doing::Read, path)?;
                is_the_same(&found, &opened).map_err(failed)?;
                let below: PathBuf = way.iter().map(|(name, _)| name).chain([&name]).collect();
                return Ok(Some(Reached {
                    file: file.into_std(),
                    path: system::as_on_disk(self.path.join(below)),
                    size: opened.len(),
                    id: system::id(&opened),
                    names: system::names(&opened),
                }));
            } else {
                // Nothing lies below a file.
                return Ok(None);
            }
        }
        let path = self.path.join(path);
        Err(FileError::NotAFile { doing: Doing::Read, path, found: "folder" })
    }
}

/// The steps of a relative path; `None` when it is none.
fn steps(path: &Path) -> Option<VecDeque<Step>> {
    let step = |component| match component {
        Component::Normal(name) => Some(Step::Into(name.to_os_string())),
        Component::ParentDir => Some(Step::Up),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    };
    path.components().filter(|component| *component != Component::CurDir).map(step).collect()
}

fn open(folder: &Dir, name: &OsString) -> io::Result<cap_std::fs::File> {
    let mut options = OpenOptions::new();
    options.read(true);
    without_waiting(&mut options);
    folder.open_with(name, &options)
}

/// What was opened under a name is what had this name and was no link.
fn is_the_same(seen: &Metadata, opened: &Metadata) -> io::Result<()> {
    if system::id(seen) == system::id(opened) {
        return Ok(());
    }
    Err(io::Error::other("it was replaced while it was being opened"))
}

#[cfg(unix)]
mod system {
    use std::io;
    use std::path::{Component, Path, PathBuf};

    use cap_std::fs::{Dir, Metadata, MetadataExt};
    use rustix::fs::{CWD, Mode, OFlags, openat};

    use super::FileId;

    const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
    /// A folder on the way need not be one that this account may list.
    #[cfg(target_os = "linux")]
    const ON_THE_WAY: OFlags = FOLDER.union(OFlags::PATH);
    #[cfg(not(target_os = "linux"))]
    const ON_THE_WAY: OFlags = FOLDER;

    /// Folder by folder, so that the system follows no link.
    pub fn open_without_links(path: &Path) -> io::Result<Dir> {
        let mut reached = openat(CWD, "/", ON_THE_WAY, Mode::empty())?;
        for component in path.components() {
            match component {
                Component::RootDir => {}
                Component::Normal(name) => reached = openat(&reached, name, ON_THE_WAY, Mode::empty())?,
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

    /// Names are as they were looked up, except where file systems do not tell cases apart.
    pub fn as_on_disk(path: PathBuf) -> PathBuf {
        if cfg!(target_os = "linux") { path } else { path.canonicalize().unwrap_or(path) }
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;
    use std::path::{Path, PathBuf};

    use cap_std::ambient_authority;
    use cap_std::fs::{Dir, Metadata};

    use super::FileId;

    /// Opened first: what is put in its place afterwards is not what is held.
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

    /// A name is found in any case, and by a short form.
    pub fn as_on_disk(path: PathBuf) -> PathBuf {
        path.canonicalize().unwrap_or(path)
    }
}
