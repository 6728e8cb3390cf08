//! Durable truth in SQLite: sessions, their transcripts, runs and their calls of tools, conversations of the Application
//! Manager, usage.
//!
//! One file, one process, one thread that writes. Promises: what was answered is kill-safe, or power-safe where
//! that was asked for; a change is made whole or not at all; the items of a store are numbered 1, 2, 3, … in the
//! order in which they were written, without a gap, and a number is never given twice; a reader waits for no
//! writer and no writer for a reader; a damaged, foreign or newer file is named and left as it is. Leaves to
//! others: what a message means, who may write it, and telling anybody that it was written.
//!
//! A change is asked for at once and answered later: await the [`Answer`], or [`Answer::wait`] for it. Changes are
//! made in the order in which they were asked for. Reading is a plain call that takes well under a millisecond for a
//! page of a usual transcript.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let choice = tarsus_home::Choice { state_flag: Some(dir.path().into()), ..Default::default() };
//! # let home = tarsus_home::Home::locate(&choice)?;
//! use tarsus_store::{Accepted, History, NewMessage, Store};
//!
//! let store = Store::open(&home)?;
//! let message = NewMessage {
//!     session: "agent:main:main".parse()?,
//!     run: "a-key-of-the-client".parse()?,
//!     message: serde_json::from_str(r#"{"role":"user","content":"hello"}"#)?,
//!     at_ms: 1_001,
//! };
//! let Accepted::New { number, .. } = store.accept(message.clone()).wait()? else { panic!("it is new") };
//! assert_eq!(number, 1);
//! assert!(matches!(store.accept(message).wait()?, Accepted::Already(_)));
//!
//! let page = store.history(&History::of("agent:main:main".parse()?))?;
//! assert_eq!(page.map(|page| page.items.len()), Some(1));
//! # Ok(())
//! # }
//! ```
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod activation;
mod answer;
pub mod backup;
mod call;
mod context;
mod conversation;
mod copy;
mod crash;
mod draft;
mod error;
mod file;
mod message;
mod names;
mod patch;
mod preview;
mod queue;
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

pub use answer::Answer;
pub use call::{Call, CallEnd, NewCall, OpenCall};
pub use context::{Context, ContextItem, Joined, Summary};
pub use conversation::ConversationState;
pub use crash::POINTS as CRASH_POINTS;
pub use draft::Draft;
pub use error::{CallError, SqlError, SqlErrorKind, StoreError};
pub use message::Speaker;
pub use names::{Line, NameError, RunId, SessionId, SessionKey};
pub use patch::Patch;
pub use preview::{MOST_KEYS, Preview, PreviewItem};
pub use run::{Accepted, NewMessage, Outcome, Run, RunState};
pub use run_note::{RunNote, TriedModel};
pub use schema::{Migration, VERSION};
pub use session::{Session, SessionPage, SessionQuery, Transcript};
pub use settings::Settings;
pub use store::{Recovery, Store};
pub use tarsus_home::files::Durability;
pub use transcript::{History, HistoryPage, Item, NewItem, Start};
pub use unfinished::Left;
pub use usage::{DaySpent, LastUsage, Spent, Usage};
pub use writer::Written;
