//! The tamper-evident audit chain.
//!
//! One JSON line per record, one file per month. Each line is sealed with a keyed hash over itself and its predecessor;
//! a head file stores the end of the chain, and an [`Anchor`] stores it again outside of the folder. An acknowledged record
//! is on disk, and an edited, removed, reordered or truncated line is detected, as is a removed, renamed or replaced file.
//! The chain does not protect against someone with access to the account, its key and the anchor; an export that is stored
//! elsewhere does. Callers mask secrets.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let choice = tarsus_home::HomeOptions { state_flag: Some(dir.path().into()), ..Default::default() };
//! # let home = tarsus_home::Home::locate(&choice)?;
//! use tarsus_audit::{Audit, AuditEntry, RecordSeverity};
//!
//! let audit = Audit::open(&home, None)?;
//! let entry = AuditEntry { app: Some("notes".into()), ..AuditEntry::security("app.launch", RecordSeverity::Info) };
//! let recorded = audit.record(entry, "2026-11-15T12:00:00Z".parse()?)?;
//! assert_eq!(recorded.seq, 1);
//! assert!(audit.verify()?.first_bad.is_none());
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod anchor;
mod begin;
mod chain;
mod error;
mod head;
mod line;
mod month;
mod read;
mod record;
mod reset;
mod seal;
mod truncate;
mod verify;

pub use anchor::Anchor;
pub use chain::Audit;
pub use error::AuditError;
pub use head::Head;
pub use line::{LineError, MAX_LINE_BYTES, check_line};
pub use month::Month;
pub use read::{RecordFilter, Tail};
pub use record::{AuditEntry, Record, RecordCategory, RecordSeverity, Recorded};
pub use reset::Reset;
pub use seal::Hash;
pub use verify::{ChainFault, Verification};
