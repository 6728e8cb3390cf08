//! A file that is written piece by piece out of sight, and put in its place in one step.
//!
//! Promises: it is in its place whole or not at all, private to the account and permanent; memory does not grow with it.
//! Leaves to others: whether what is there may be replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::error::{Doing, FileError};
use super::folder::rename_to_nothing;
use super::patience::patiently;
use super::plain::{self, folder_of, make_private_dir, private, regular};
use super::sync;

/// A file that is being written. Unless it is put in its place, it is removed again.
#[derive(Debug)]
pub struct NewFile {
    file: BufWriter<File>,
    temporary: PathBuf,
    place: PathBuf,
}

/// What becomes of a file that is in the place already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the new one is refused.
    Kept,
    /// The new one replaces it.
    Replaced,
}

impl NewFile {
    /// Begins a file for a place, in the same folder, which is made if it is missing.
    ///
    /// # Errors
    /// When the system says no.
    pub fn begin(place: &Path) -> Result<Self, FileError> {
        make_private_dir(folder_of(place))?;
        let failed = FileError::system(Doing::Write, place);
        // A name that nobody else has: two that write for one place do not meet before they are done.
        let random = getrandom::u64().map_err(|error| failed(io::Error::from(error)))?;
        let temporary = folder_of(place).join(format!(".{random:016x}.tmp"));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        private(&mut options);
        let file = BufWriter::new(options.open(&temporary).map_err(&failed)?);
        Ok(Self { file, temporary, place: place.to_path_buf() })
    }

    /// Where it will be.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Writes a piece at its end.
    ///
    /// # Errors
    /// When the system says no.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.file.write_all(bytes).map_err(FileError::system(Doing::Write, &self.place))
    }

    /// Puts it in its place. Permanent when this returns.
    ///
    /// # Errors
    /// `Exists` when something is there that is kept, or what the system says; then the new one is gone.
    pub fn put(mut self, existing: Existing) -> Result<(), FileError> {
        let failed = FileError::system(Doing::Write, &self.place);
        self.file.flush().map_err(&failed)?;
        sync::file(self.file.get_ref()).map_err(&failed)?;
        let renamed = match existing {
            Existing::Kept => rename_to_nothing(&self.temporary, &self.place),
            Existing::Replaced => {
                match fs::symlink_metadata(&self.place) {
                    Ok(found) if !found.is_symlink() => {
                        regular(found.file_type(), Doing::Write, &self.place)?
                    }
                    _ => {}
                }
                patiently(|| fs::rename(&self.temporary, &self.place))
            }
        };
        renamed.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => FileError::Exists { path: self.place.clone() },
            _ => failed(error),
        })?;
        sync::folder(folder_of(&self.place)).map_err(&failed)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Moved, or of no use.
        plain::remove_file(&self.temporary).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::open_to_others;

    #[test]
    fn a_new_file_is_seen_whole_and_private_or_not_at_all() {
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
    fn what_is_there_is_replaced_only_where_that_is_said() {
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
