//! Streams a new file to a hidden temporary file and renames it to its path in one step.
//!
//! The file appears complete or not at all, private and durable. Memory use does not grow with its size.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::error::{Doing, FileError};
use super::folder::rename_no_replace;
use super::plain::{self, make_private_dir, parent_folder, require_regular, set_private};
use super::retry::retry_while_open;
use super::sync;

/// A file that is being written. Dropped without [`NewFile::put`], it is removed.
#[derive(Debug)]
pub struct NewFile {
    file: BufWriter<File>,
    temporary: PathBuf,
    place: PathBuf,
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
    /// Creates a temporary file in the folder of `place`; creates the folder if it is missing.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn begin(place: &Path) -> Result<Self, FileError> {
        make_private_dir(parent_folder(place))?;
        let failed = FileError::system(Doing::Write, place);
        // A random name, so that concurrent writers of the same path do not collide.
        let random = getrandom::u64().map_err(|error| failed(io::Error::from(error)))?;
        let temporary = parent_folder(place).join(format!(".{random:016x}.tmp"));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        set_private(&mut options);
        let file = BufWriter::new(options.open(&temporary).map_err(&failed)?);
        Ok(Self { file, temporary, place: place.to_path_buf() })
    }

    /// The final path.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.file.write_all(bytes).map_err(FileError::system(Doing::Write, &self.place))
    }

    /// Renames the file to its final path. Durable on return.
    ///
    /// # Errors
    /// `Exists` with [`Existing::Kept`] if the path exists, or an I/O error; the new file is removed then.
    pub fn put(mut self, existing: Existing) -> Result<(), FileError> {
        let failed = FileError::system(Doing::Write, &self.place);
        self.file.flush().map_err(&failed)?;
        sync::file(self.file.get_ref()).map_err(&failed)?;
        let renamed = match existing {
            Existing::Kept => rename_no_replace(&self.temporary, &self.place),
            Existing::Replaced => {
                match fs::symlink_metadata(&self.place) {
                    Ok(found) if !found.is_symlink() => {
                        require_regular(found.file_type(), Doing::Write, &self.place)?
                    }
                    _ => {}
                }
                retry_while_open(|| fs::rename(&self.temporary, &self.place))
            }
        };
        renamed.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => FileError::Exists { path: self.place.clone() },
            _ => failed(error),
        })?;
        sync::folder(parent_folder(&self.place)).map_err(&failed)
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
