//! The contents of files before and after a turn changed them, each in a file named by its hash.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tarsus_home::Home;
use tarsus_home::files::{Confined, Durability, FileError, make_private_dir, remove_file};
use tarsus_text::hex;

/// Maximum bytes of a file whose content is kept, compared or undone.
pub const MAX_FILE_BYTES: u64 = 10 << 20;
/// Maximum kept contents that a clean-up looks at; the rest is left to the next one.
const MAX_LISTED: usize = 200_000;

/// The SHA-256 of a content, in hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[derive(Debug)]
pub struct Contents {
    folder: PathBuf,
}

impl Contents {
    pub fn for_home(home: &Home) -> Self {
        Self { folder: home.checkpoints_dir() }
    }

    /// Whether no content was ever kept.
    pub fn is_empty(&self) -> bool {
        !self.folder.is_dir()
    }

    /// Keeps a content.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, hash: &str, bytes: &[u8], durability: Durability) -> Result<(), FileError> {
        make_private_dir(&self.folder)?;
        let folder = Confined::open(&self.folder)?;
        let name = Path::new(hash);
        match folder.read(name, MAX_FILE_BYTES)? {
            // One that was not written through may be cut.
            Some(kept) if kept == bytes && durability == Durability::KillSafe => Ok(()),
            _ => folder.write(name, bytes, durability),
        }
    }

    /// Loads a content; `None` if it is not kept any more, or damaged.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn load(&self, name: &str) -> Result<Option<Vec<u8>>, FileError> {
        if name == hash(b"") {
            return Ok(Some(Vec::new()));
        }
        if self.is_empty() {
            return Ok(None);
        }
        let kept = Confined::open(&self.folder)?.read(Path::new(name), MAX_FILE_BYTES)?;
        Ok(kept.filter(|bytes| hash(bytes) == name))
    }

    /// Removes every content that is not needed.
    ///
    /// # Errors
    /// When the folder cannot be read, or a content cannot be removed.
    pub fn remove_except(&self, needed: &HashSet<String>) -> Result<(), FileError> {
        if self.is_empty() {
            return Ok(());
        }
        for entry in Confined::open(&self.folder)?.list(Path::new(""), MAX_LISTED)? {
            if !needed.contains(&entry.name) {
                remove_file(&self.folder.join(&entry.name))?;
            }
        }
        Ok(())
    }
}
