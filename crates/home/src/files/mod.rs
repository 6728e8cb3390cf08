//! All disk access: bounded reads, atomic writes, cross-process locks, append-only and rotating files, confined
//! folders, and the space reserve for a full disk.
//!
//! A replaced file is old or new, never partial; reads do not block and never exceed their limit. New files and folders
//! are private to the account (0600 and 0700; on Windows the access list of the profile folder protects them).
#![allow(clippy::disallowed_methods, reason = "this module wraps the disallowed functions")]

mod append;
mod bundled_files;
mod confined;
pub mod crash;
mod cross_device;
mod error;
mod fingerprint;
mod folder;
mod key;
mod lock;
mod locked;
mod new_file;
mod permissions;
mod plain;
mod reach;
mod reserve;
mod retry;
mod rewrite;
mod rotate;
mod sync;

pub use append::Append;
pub use bundled_files::bring;
pub use confined::{Confined, FileKind, FolderEntry};
pub use error::{FileError, FileOperation};
pub use fingerprint::Fingerprints;
pub use folder::{NewFolder, move_file, move_folder, remove_folder};
pub use key::{read_key, read_or_create_key, write_key};
pub use lock::Lock;
pub use locked::Locked;
pub use new_file::{Existing, NewFile};
pub use permissions::open_to_others;
pub use plain::{list_names, make_private_dir, open, read, remove_file};
pub use reach::{FileId, Reached};
pub use reserve::Reserve;
pub use rewrite::{FileMode, WriteTarget};
pub use rotate::Rotating;
pub use sync::{Durability, syncs};
