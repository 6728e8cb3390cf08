//! Creates folders atomically (hidden, then renamed), moves and removes them.
//!
//! A folder appears with all its files or not at all and never replaces an existing one. Removal follows no links.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::confined::Confined;
use super::crash;
use super::cross_device::move_across_devices;
use super::error::{FileError, FileOperation};
use super::plain::{make_private_dir, parent_folder};
use super::retry::retry_while_open;
use super::sync::{self, Durability};

/// A folder that is being created. Dropped without [`NewFolder::put`], it is removed.
#[derive(Debug)]
pub struct NewFolder {
    at: PathBuf,
    /// Closed before the folder is moved: Windows cannot move an open folder.
    inside: Option<Confined>,
    /// Subfolders to sync.
    folders: BTreeSet<PathBuf>,
}

impl NewFolder {
    /// Creates an empty folder at `at` and removes what a killed process left there. The caller holds the lock for this
    /// path.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn begin(at: &Path) -> Result<Self, FileError> {
        remove_folder(at)?;
        make_private_dir(at)?;
        let inside = Some(Confined::open(at)?);
        Ok(Self { at: at.to_path_buf(), inside, folders: BTreeSet::from([PathBuf::new()]) })
    }

    /// The temporary path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.at
    }

    /// Writes a file below the folder. On Unix, `program` makes it executable for its owner.
    ///
    /// # Errors
    /// `Outside` when the path leads out, or when the system returns an error.
    pub fn write(&mut self, path: &Path, bytes: &[u8], program: bool) -> Result<(), FileError> {
        let Some(inside) = &self.inside else { return Ok(()) };
        inside.write(path, bytes, Durability::PowerSafe)?;
        if program {
            let whole = self.at.join(path);
            make_executable(&whole).map_err(FileError::system(FileOperation::Write, &whole))?;
        }
        self.folders.extend(path.ancestors().skip(1).map(Path::to_path_buf));
        Ok(())
    }

    /// Moves the folder to `place`, which must not exist. Durable on return.
    ///
    /// # Errors
    /// `Exists` if the path exists, or an I/O error; the folder is removed then.
    pub fn put(mut self, place: &Path) -> Result<(), FileError> {
        for folder in &self.folders {
            let folder = self.at.join(folder);
            sync::folder(&folder).map_err(FileError::system(FileOperation::Write, &folder))?;
        }
        self.inside = None;
        move_folder(&self.at, place)
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        self.inside = None;
        // Already moved, or not wanted. Best effort: `begin` removes leftovers.
        remove_folder(&self.at).ok();
    }
}

/// Moves a folder to a path that does not exist, also across file systems. Durable on return.
///
/// # Errors
/// `Exists` if the target exists, or an I/O error; the folder stays where it was.
pub fn move_folder(from: &Path, to: &Path) -> Result<(), FileError> {
    match move_file(from, to) {
        Err(FileError::System { source, .. }) if source.kind() == io::ErrorKind::CrossesDevices => {
            move_across_devices(from, to)
        }
        done => done,
    }
}

/// Moves a file to a path that does not exist, on the same file system. Durable on return.
///
/// # Errors
/// `Exists` if the target exists, or an I/O error; the file stays where it was.
pub fn move_file(from: &Path, to: &Path) -> Result<(), FileError> {
    make_private_dir(parent_folder(to))?;
    rename_no_replace(from, to).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => FileError::Exists { path: to.to_path_buf() },
        _ => FileError::system(FileOperation::Move, from)(error),
    })?;
    crash::point("move.renamed");
    for folder in [parent_folder(to), parent_folder(from)] {
        sync::folder(folder).map_err(FileError::system(FileOperation::Move, folder))?;
    }
    Ok(())
}

/// Removes a folder with its contents; a link is removed, not followed. Returns true if there was one.
///
/// # Errors
/// On an I/O error.
pub fn remove_folder(path: &Path) -> Result<bool, FileError> {
    let failed = FileError::system(FileOperation::Remove, path);
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => retry_while_open(|| fs::remove_dir_all(path)).map_err(failed)?,
        Ok(_) => retry_while_open(|| fs::remove_file(path)).map_err(failed)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(failed(error)),
    }
    Ok(true)
}

/// Renames without replacing: a plain rename would replace an empty folder.
#[cfg(target_os = "linux")]
pub(super) fn rename_no_replace(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Not supported by this file system.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => check_and_rename(from, to),
        done => Ok(done?),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn rename_no_replace(from: &Path, to: &Path) -> io::Result<()> {
    check_and_rename(from, to)
}

fn check_and_rename(from: &Path, to: &Path) -> io::Result<()> {
    if fs::symlink_metadata(to).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    retry_while_open(|| fs::rename(from, to))
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_folder_appears_complete() {
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
    fn an_existing_folder_is_never_replaced() {
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
