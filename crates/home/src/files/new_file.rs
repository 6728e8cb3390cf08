//! Streams a new file to a hidden temporary file and renames it to its path in one step.
//!
//! The file appears complete or not at all, private and durable. Memory use does not grow with its size.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::crash::WriteNeed;
use super::error::{FileError, FileOperation};
use super::folder::rename_no_replace;
use super::plain::{self, make_private_dir, parent_folder, require_regular, set_private};
use super::retry::retry_while_open;
use super::{crash, sync};

/// A file that is being written. Dropped without [`NewFile::put`], it is removed.
#[derive(Debug)]
pub struct NewFile {
    file: BufWriter<File>,
    temporary: PathBuf,
    target: PathBuf,
}

/// Handling of a file that exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Keep it and fail.
    Kept,
    /// Replace it.
    Replaced,
}

impl NewFile {
    /// Creates a temporary file in the folder of `target`; creates the folder if it is missing.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn begin(target: &Path) -> Result<Self, FileError> {
        make_private_dir(parent_folder(target))?;
        let failed = FileError::system(FileOperation::Write, target);
        // A random name, so that concurrent writers of the same path do not collide.
        let random = getrandom::u64().map_err(|error| failed(io::Error::from(error)))?;
        let temporary = parent_folder(target).join(format!(".{random:016x}.tmp"));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        set_private(&mut options);
        crash::check_write(WriteNeed::Space).map_err(&failed)?;
        let file = BufWriter::new(options.open(&temporary).map_err(&failed)?);
        Ok(Self { file, temporary, target: target.to_path_buf() })
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.file.write_all(bytes).map_err(FileError::system(FileOperation::Write, &self.target))
    }

    /// Renames the file to its final path. Durable on return.
    ///
    /// # Errors
    /// `Exists` with [`Existing::Kept`] if the path exists, or an I/O error; the new file is removed then.
    pub fn put(mut self, existing: Existing) -> Result<(), FileError> {
        let failed = FileError::system(FileOperation::Write, &self.target);
        self.file.flush().map_err(&failed)?;
        sync::file(self.file.get_ref()).map_err(&failed)?;
        let renamed = match existing {
            Existing::Kept => rename_no_replace(&self.temporary, &self.target),
            Existing::Replaced => {
                match fs::symlink_metadata(&self.target) {
                    Ok(found) if !found.is_symlink() => {
                        require_regular(found.file_type(), FileOperation::Write, &self.target)?
                    }
                    _ => {}
                }
                retry_while_open(|| fs::rename(&self.temporary, &self.target))
            }
        };
        renamed.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => FileError::Exists { path: self.target.clone() },
            _ => failed(error),
        })?;
        sync::folder(parent_folder(&self.target)).map_err(&failed)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Already renamed, or not wanted.
        plain::remove_file(&self.temporary).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::open_to_others;

    #[test]
    fn a_new_file_appears_complete_and_private() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("a/file");
        let mut file = NewFile::begin(&place).unwrap();
        file.write(b"one ").unwrap();
        assert!(!place.exists());
        file.write(b"two").unwrap();
        file.put(Existing::Kept).unwrap();
        assert_eq!(fs::read(&place).unwrap(), b"one two");
        assert_eq!(open_to_others(&place).unwrap(), None);
        let mut left = NewFile::begin(&place).unwrap();
        left.write(b"never").unwrap();
        drop(left);
        assert_eq!(fs::read_dir(home.path().join("a")).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn an_existing_file_is_replaced_only_on_request() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("file");
        fs::write(&place, "old").unwrap();
        let kept = NewFile::begin(&place).unwrap().put(Existing::Kept);
        assert!(matches!(kept, Err(FileError::Exists { path }) if path == place));
        assert_eq!(fs::read(&place).unwrap(), b"old");
        let mut file = NewFile::begin(&place).unwrap();
        file.write(b"new").unwrap();
        file.put(Existing::Replaced).unwrap();
        assert_eq!(fs::read(&place).unwrap(), b"new");
        let folder = home.path().join("folder");
        fs::create_dir(&folder).unwrap();
        let refused = NewFile::begin(&folder).unwrap().put(Existing::Replaced);
        assert!(matches!(refused, Err(FileError::NotAFile { .. })), "{refused:?}");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 2);
    }
}
