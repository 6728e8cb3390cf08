//! The content hash of a folder.

use sha2::{Digest, Sha256};
use tarsus_text::hex;

/// SHA-256 over names and contents, in order, with lengths: different folders give different input.
#[derive(Debug, Default)]
pub(crate) struct FolderHash(Sha256);

impl FolderHash {
    pub fn add(&mut self, kind: u8, name: &[u8], content: &[u8]) {
        self.0.update([kind]);
        for part in [name, content] {
            self.0.update((part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
    }

    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}
