//! Whole folders: made out of sight and put in their place in one step, moved, removed.
//!
//! Promises: a folder is in its place with everything in it, or not there; nothing that is there already is replaced; a
//! removal follows no link. Leaves to others: what belongs into a folder, and who may touch it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::across::move_across;
use super::confined::Confined;
use super::error::{Doing, FileError};
use super::patience::patiently;
use super::plain::{folder_of, make_private_dir};
use super::sync::{self, Durability};

/// A folder that is being made. Unless it is put in its place, it is removed again.
#[derive(Debug)]
pub struct NewFolder {
    at: PathBuf,
    /// Open until the folder is moved: an open folder cannot be, on Windows.
    inside: Option<Confined>,
    /// Folders whose names have to reach the disk.
    folders: BTreeSet<PathBuf>,
}

impl NewFolder {
    /// Begins an empty folder at `at`. What is there was left by whoever was killed, and is removed: the caller holds
    /// the lock for this place.
    ///
    /// # Errors
    /// When the system says no.
    pub fn begin(at: &Path) -> Result<Self, FileError> {
        remove_folder(at)?;
        make_private_dir(at)?;
        let inside = Some(Confined::open(at)?);
        Ok(Self { at: at.to_path_buf(), inside, folders: BTreeSet::from([PathBuf::new()]) })
    }

    /// Where it is being made.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.at
    }

    /// Writes a file below. On Unix a program may be run by its owner.
    ///
    /// # Errors
    /// `Outside` when the path leads out, or when the system says no.
    pub fn write(&mut self, path: &Path, bytes: &[u8], program: bool) -> Result<(), FileError> {
        let Some(inside) = &self.inside else { return Ok(()) };
        inside.write(path, bytes, Durability::PowerSafe)?;
        if program {
            let whole = self.at.join(path);
            allow_running(&whole).map_err(FileError::system(Doing::Write, &whole))?;
        }
        self.folders.extend(path.ancestors().skip(1).map(Path::to_path_buf));
        Ok(())
    }

    /// Puts it in its place, where nothing may be yet. Permanent when this returns.
    ///
    /// # Errors
    /// `Exists` when something is there, or what the system says; then the folder is gone.
    pub fn put(mut self, place: &Path) -> Result<(), FileError> {
        for folder in &self.folders {
            let folder = self.at.join(folder);
            sync::folder(&folder).map_err(FileError::system(Doing::Write, &folder))?;
        }
        self.inside = None;
        move_folder(&self.at, place)
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        self.inside = None;
        // Moved, or of no use: whoever begins the next one clears what cannot be removed now.
        remove_folder(&self.at).ok();
    }
}

/// Moves a folder to a place where nothing is, on another file system too. Permanent when this returns.
///
/// # Errors
/// `Exists` when something is there, or what the system says; then it is where it was, whole.
pub fn move_folder(from: &Path, to: &Path) -> Result<(), FileError> {
    make_private_dir(folder_of(to))?;
    match rename_to_nothing(from, to) {
        Ok(()) => {}
        Err(error) => match error.kind() {
            io::ErrorKind::CrossesDevices => return move_across(from, to),
            io::ErrorKind::AlreadyExists => return Err(FileError::Exists { path: to.to_path_buf() }),
            _ => return Err(FileError::system(Doing::Move, from)(error)),
        },
    }
    for folder in [folder_of(to), folder_of(from)] {
        sync::folder(folder).map_err(FileError::system(Doing::Move, folder))?;
    }
    Ok(())
}

/// Removes a folder with everything in it; a link in its place is removed, not followed. True when there was one.
///
/// # Errors
/// When the system says no.
pub fn remove_folder(path: &Path) -> Result<bool, FileError> {
    let failed = FileError::system(Doing::Remove, path);
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => patiently(|| fs::remove_dir_all(path)).map_err(failed)?,
        Ok(_) => patiently(|| fs::remove_file(path)).map_err(failed)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(failed(error)),
    }
    Ok(true)
}

/// A plain rename would replace an empty folder.
#[cfg(target_os = "linux")]
pub(super) fn rename_to_nothing(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // The file system cannot do it in one step.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => look_and_rename(from, to),
        done => Ok(done?),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn rename_to_nothing(from: &Path, to: &Path) -> io::Result<()> {
    look_and_rename(from, to)
}

fn look_and_rename(from: &Path, to: &Path) -> io::Result<()> {
    if fs::symlink_metadata(to).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    patiently(|| fs::rename(from, to))
}

#[cfg(unix)]
fn allow_running(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))
}

#[cfg(not(unix))]
fn allow_running(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_folder_is_seen_whole_or_not_at_all() {
        let home = tempfile::tempdir().unwrap();
        let (hidden, place) = (home.path().join(".new"), home.path().join("a/b"));
        let mut folder = NewFolder::begin(&hidden).unwrap();
        folder.write(Path::new("x/y.sh"), b"echo", true).unwrap();
        assert!(matches!(folder.write(Path::new("../z"), b"", false), Err(FileError::Outside { .. })));
        assert!(!place.exists());
        folder.put(&place).unwrap();
        assert_eq!(fs::read(place.join("x/y.sh")).unwrap(), b"echo");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(place.join("x/y.sh")).unwrap().permissions().mode() & 0o777, 0o700);
        }
        assert!(!hidden.exists());
    }

    #[test]
    fn what_was_not_put_is_gone_and_what_is_there_stays() {
        let home = tempfile::tempdir().unwrap();
        let (hidden, place) = (home.path().join(".new"), home.path().join("there"));
        fs::create_dir(&place).unwrap();
        fs::create_dir(&hidden).unwrap();
        fs::write(hidden.join("left by a killed one"), "").unwrap();
        let folder = NewFolder::begin(&hidden).unwrap();
        assert_eq!(fs::read_dir(&hidden).unwrap().count(), 0);
        assert!(matches!(folder.put(&place), Err(FileError::Exists { .. })));
        assert!(!hidden.exists());
        assert!(place.is_dir());
    }

    #[cfg(unix)]
    #[test]
    fn removing_follows_no_link() {
        let home = tempfile::tempdir().unwrap();
        let kept = home.path().join("kept");
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "").unwrap();
        let folder = home.path().join("folder");
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(&kept, folder.join("link")).unwrap();
        std::os::unix::fs::symlink(&kept, home.path().join("link")).unwrap();
        assert!(remove_folder(&folder).unwrap());
        assert!(remove_folder(&home.path().join("link")).unwrap());
        assert!(!remove_folder(&folder).unwrap());
        assert!(kept.join("file").exists());
    }
}
