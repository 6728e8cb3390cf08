//! What is told of a run, in order.

use tarsus_protocol::Message;
use tarsus_protocol::event::AppsChanged;
use tarsus_store::{RunId, SessionKey};

/// Something that is told of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The run.
    pub run: RunId,
    /// The session.
    pub session: SessionKey,
    /// Counts what is told of the run, from 1.
    pub seq: u64,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// What.
    pub what: What,
}

/// What is told.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A message was written to the transcript.
    Written {
        /// The number of its item.
        number: u64,
        /// The message.
        message: Message,
    },
    /// The turn has come: somebody answers.
    Began,
    /// What is said so far. A later one has all of an earlier one.
    Says(Message),
    /// The run led to another registry of apps, or to an app that runs or has stopped.
    Apps(AppsChanged),
    /// The run is over.
    Over(Ending),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// With this reply.
    Answered(Message),
    /// It was called off before anything was done for it.
    CalledOff,
    /// It came to nothing, for this reason.
    Failed(String),
}
