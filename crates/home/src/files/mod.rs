//! The one way to the disk: bounded reads, atomic writes, cross-process locks, append-only and rotating
//! files, confined folders, and the space kept back for a full disk.
//!
//! Promises: a file is old or new, never half; a read never hangs and never passes its limit; what we make
//! is private to the account (0600 and 0700; on Windows the access list of the profile folder protects it).
//! Leaves to others: what the bytes mean.
#![allow(clippy::disallowed_methods, reason = "this is the room behind that wall")]

mod across;
mod append;
mod brought;
mod confined;
pub mod crash;
mod error;
mod fingerprint;
mod folder;
mod key;
mod lock;
mod locked;
mod new_file;
mod patience;
mod permissions;
mod plain;
mod reach;
mod reserve;
mod rotate;
mod sync;

pub use append::Append;
pub use brought::bring;
pub use confined::{Confined, Kind, Listed};
pub use error::{Doing, FileError};
pub use fingerprint::Fingerprints;
pub use folder::{NewFolder, move_folder, remove_folder};
pub use key::read_or_create_key;
pub use lock::Lock;
pub use locked::Locked;
pub use new_file::{Existing, NewFile};
pub use permissions::open_to_others;
pub use plain::{list_names, make_private_dir, open, read, remove_file};
pub use reach::{FileId, Reached};
pub use reserve::Reserve;
pub use rotate::Rotating;
pub use sync::{Durability, syncs};
