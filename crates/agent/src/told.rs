//! What is told of a run, in order.

use tarsus_models::Usage;
use tarsus_protocol::approval::{Approval, ApprovalResolved};
use tarsus_protocol::event::{AppsChanged, ChatPhase, ToolResult};
use tarsus_protocol::message::ToolCall;
use tarsus_protocol::{Message, NoAnswer};
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
    /// What is done before a model is asked.
    Prepares(ChatPhase),
    /// The turn has come: somebody answers.
    Began,
    /// A model is asked.
    Asks {
        /// `provider/model`.
        model: String,
        /// Which try of it, from 1.
        attempt: u32,
    },
    /// What is said so far. A later one has all of an earlier one, until a tool is called or it is taken back.
    Says {
        /// All of it.
        message: Message,
        /// What is new.
        new: String,
    },
    /// What the model thinks before it answers, where somebody wants to see it.
    Thinks {
        /// All of it.
        text: String,
        /// What is new.
        new: String,
    },
    /// The answer broke off: what was said and thought of it does not count.
    TakenBack {
        /// Why.
        why: String,
    },
    /// A tool is called.
    Calls(ToolCall),
    /// A call came to this.
    Called {
        /// The call.
        call: ToolCall,
        /// What came of it.
        result: ToolResult,
    },
    /// A model was asked, and it took this.
    Spent {
        /// The model that answered.
        model: String,
        /// Tokens.
        usage: Usage,
        /// Billionths of a dollar, where the price is known.
        cost_nano_usd: Option<u64>,
    },
    /// The run led to another registry of apps, or to an app that runs or has stopped.
    Apps(AppsChanged),
    /// The owner is asked whether a call may happen, and the run waits for that.
    AsksOwner(Approval),
    /// The owner has answered, or will not any more.
    OwnerAnswered(ApprovalResolved),
    /// The run is over.
    Over(Ending),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// With this reply.
    Answered {
        /// What is shown; empty when nothing is to be sent.
        message: Message,
        /// Whether the agent chose to say nothing.
        is_silent: bool,
        /// The message that it replies to, where the agent named one.
        reply_to: Option<String>,
    },
    /// It was called off. What was shown of an answer by then is kept.
    CalledOff {
        /// What was shown.
        shown: Option<Message>,
    },
    /// It came to nothing.
    Failed {
        /// What went wrong, and what to do next.
        why: String,
        /// The same in one word, where there is one.
        no_answer: Option<NoAnswer>,
    },
}
