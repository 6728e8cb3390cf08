//! Unix: names are looked up from an open folder, so links created later have no effect.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::{EntryKind, Opened, Stat};

/// Never follow a link where a file or folder was listed, and never block on a pipe.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

#[derive(Debug)]
pub struct Folder(OwnedFd);

impl Folder {
    pub fn open(real: &Path) -> io::Result<Self> {
        Ok(Self(rustix::fs::openat(CWD, real, READ | OFlags::DIRECTORY, Mode::empty())?))
    }

    pub fn file(&self, _: &Path, below: &Path) -> io::Result<Opened> {
        match open_beneath(&self.0, below, READ) {
            Ok(file) => {
                let file = File::from(file);
                let metadata = file.metadata()?;
                Ok(Opened::File(file, metadata))
            }
            Err(Errno::LOOP) => Ok(Opened::Link),
            Err(error) => Err(error.into()),
        }
    }

    pub fn has(&self, _: &Path, below: &Path) -> bool {
        let found = rustix::fs::accessat(&self.0, below, Access::EXISTS, AtFlags::SYMLINK_NOFOLLOW);
        !matches!(found, Err(Errno::NOENT | Errno::NOTDIR))
    }

    pub fn stat(&self, _: &Path, below: &Path) -> Option<Stat> {
        let found = rustix::fs::statat(&self.0, below, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Stat {
            device: found.st_dev as _,
            inode: found.st_ino as _,
            size: u64::try_from(found.st_size).ok()?,
            modified_ns: nanoseconds(found.st_mtime as _, found.st_mtime_nsec as _),
            changed_ns: nanoseconds(found.st_ctime as _, found.st_ctime_nsec as _),
        })
    }

    pub fn each_name(
        &self,
        _: &Path,
        below: &Path,
        mut each: impl FnMut(OsString, EntryKind),
    ) -> io::Result<()> {
        let itself = if below.as_os_str().is_empty() { Path::new(".") } else { below };
        let folder = open_beneath(&self.0, itself, READ | OFlags::DIRECTORY)?;
        for entry in Dir::new(folder)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Directory => EntryKind::Folder,
                FileType::Symlink => EntryKind::Link,
                // Some file systems do not report the type.
                FileType::Unknown => self.kind(&below.join(name)),
                _ => EntryKind::Other,
            };
            each(name.to_os_string(), kind);
        }
        Ok(())
    }

    fn kind(&self, below: &Path) -> EntryKind {
        match rustix::fs::statat(&self.0, below, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => match FileType::from_raw_mode(found.st_mode) {
                FileType::Directory => EntryKind::Folder,
                FileType::Symlink => EntryKind::Link,
                _ => EntryKind::Other,
            },
            // Deleted meanwhile.
            Err(_) => EntryKind::Other,
        }
    }
}

/// Opens a path below a folder without following any link.
fn open_beneath(folder: &OwnedFd, below: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match rustix::fs::openat2(folder, below, flags, Mode::empty(), resolve) {
            // Linux before 5.6, or a container that forbids the call.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return opened,
        }
    }
    open_step_by_step(folder, below, flags)
}

/// Opens folder by folder, on systems that cannot do it in one call.
fn open_step_by_step(folder: &OwnedFd, below: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let steps: Vec<_> = below.components().filter(|step| *step != Component::CurDir).collect();
    let Some((last, parents)) = steps.split_last() else {
        return rustix::fs::openat(folder, ".", flags, Mode::empty());
    };
    let mut reached: Option<OwnedFd> = None;
    for step in parents {
        let from = reached.as_ref().unwrap_or(folder);
        let next = rustix::fs::openat(from, step.as_os_str(), READ | OFlags::DIRECTORY, Mode::empty());
        // Some systems report a link as "not a directory".
        reached = Some(next.map_err(|error| if is_link(from, step) { Errno::LOOP } else { error })?);
    }
    rustix::fs::openat(reached.as_ref().unwrap_or(folder), last.as_os_str(), flags, Mode::empty())
}

fn is_link(folder: &OwnedFd, step: &Component<'_>) -> bool {
    rustix::fs::statat(folder, step.as_os_str(), AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Symlink)
}

/// Unix paths have no prefix.
pub fn plain(path: PathBuf) -> PathBuf {
    path
}

pub fn stat_of(metadata: &Metadata) -> (Stat, u64) {
    let stat = Stat {
        device: metadata.dev(),
        inode: metadata.ino(),
        size: metadata.size(),
        modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
    };
    (stat, metadata.nlink())
}

fn nanoseconds(seconds: i64, rest: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(rest)
}
