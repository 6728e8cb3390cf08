//! The SQLite store: sessions, transcripts, runs with their tool calls, conversations of the Application Manager, usage.
//!
//! One file, one process, one writer thread. A change is submitted at once and completes later: await its [`PendingChange`], or
//! block with [`PendingChange::wait`]. Changes are applied in the order of submission, each as a whole or not at all; a completed
//! change is kill-safe, or power-safe where that was requested. Items are numbered 1, 2, 3, … without gaps, and a number
//! is never reused. Readers and the writer do not wait for each other. A damaged, foreign or newer file is reported and
//! left unchanged.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let choice = tarsus_home::HomeOptions { state_flag: Some(dir.path().into()), ..Default::default() };
//! # let home = tarsus_home::Home::locate(&choice)?;
//! use tarsus_store::{Accepted, HistoryQuery, NewMessage, Store};
//!
//! let store = Store::open(&home)?;
//! let message = NewMessage {
//!     session: "agent:main:main".parse()?,
//!     run: "a-key-of-the-client".parse()?,
//!     message: serde_json::from_str(r#"{"role":"user","content":"hello"}"#)?,
//!     at_ms: 1_001,
//! };
//! let Accepted::New { number, .. } = store.accept(message.clone()).wait()? else { panic!("the message is new") };
//! assert_eq!(number, 1);
//! assert!(matches!(store.accept(message).wait()?, Accepted::Already(_)));
//!
//! let page = store.history(&HistoryQuery::for_session("agent:main:main".parse()?))?;
//! assert_eq!(page.map(|page| page.items.len()), Some(1));
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod activation;
mod audit_anchor;
pub mod backup;
mod call;
mod check;
mod context;
mod conversation;
mod copy;
mod crash;
mod draft;
mod error;
mod file;
mod file_change;
mod message;
mod names;
mod pending_change;
mod preview;
mod readers;
pub mod report;
mod run;
mod run_note;
mod schema;
mod session;
mod settings;
mod sql;
mod store;
mod transcript;
mod unfinished;
mod usage;
mod writer;

pub use audit_anchor::AuditAnchor;
pub use call::{CallEnd, NewCall, OpenCall, RecordedCall};
pub use check::{CheckExtent, check};
pub use context::{Context, ContextItem, JoinPoint, Summary};
pub use conversation::ConversationState;
pub use crash::POINTS as CRASH_POINTS;
pub use draft::Draft;
pub use error::{CallChangeError, SqlError, SqlErrorKind, StoreError};
pub use file_change::{FileMark, NewFileChange, RecordedChange};
pub use message::Speaker;
pub use names::{IdentifierError, RunId, SessionId, SessionKey, SingleLine};
pub use pending_change::PendingChange;
pub use preview::{ItemPreview, MAX_PREVIEW_KEYS, Preview};
pub use run::{Accepted, NewMessage, Run, RunEnd, RunState};
pub use run_note::{RunNote, TriedModel};
pub use schema::{Migration, VERSION};
pub use session::{Session, SessionPage, SessionQuery, Transcript};
pub use settings::{SessionOverrides, SessionPatch};
pub use store::{Recovery, Store};
pub use tarsus_home::files::Durability;
pub use transcript::{HistoryPage, HistoryQuery, HistoryStart, Item, NewItem};
pub use unfinished::UnfinishedRun;
pub use usage::{DailyUsage, LastUsage, RequestUsage, UsageTotals};
pub use writer::WriterStats;
