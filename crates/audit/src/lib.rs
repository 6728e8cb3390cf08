//! The tamper-evident chain of what was decided and done.
//!
//! One JSON line a record, one file a month, each line sealed with a keyed hash over itself and the line
//! before; a small head file says where the chain ends. Promises: a record that was acknowledged is on disk;
//! an edited, removed, reordered or cut-off line is found and named. It does not protect against someone
//! who has this account and the key: an export kept elsewhere does. Leaves to others: what is worth a
//! record, and masking secrets before they come here.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let choice = tarsus_home::Choice { state_flag: Some(dir.path().into()), ..Default::default() };
//! # let home = tarsus_home::Home::locate(&choice)?;
//! use tarsus_audit::{Audit, Entry, Severity};
//!
//! let audit = Audit::open(&home)?;
//! let entry = Entry { app: Some("notes".into()), ..Entry::security("app.launch", Severity::Info) };
//! let recorded = audit.record(entry, "2026-11-15T12:00:00Z".parse()?)?;
//! assert_eq!(recorded.seq, 1);
//! assert!(audit.verify()?.first_bad.is_none());
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod bound;
mod chain;
mod error;
mod head;
mod line;
mod month;
mod read;
mod record;
mod seal;
mod verify;

pub use chain::Audit;
pub use error::AuditError;
pub use head::Head;
pub use line::{LONGEST_LINE, LineError, check_line};
pub use month::Month;
pub use read::{Filter, Tail};
pub use record::{Category, Entry, Record, Recorded, Severity};
pub use seal::Hash;
pub use verify::{Bad, Verification};
