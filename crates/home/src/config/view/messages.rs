//! `messages`: what becomes of them.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Ignored;

/// What becomes of messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    ackReaction ackReactionScope groupChat inbound messagePrefix removeAckAfterReply responsePrefix \
    statusReactions suppressToolErrors tts usageTemplate visibleReplies"))]
pub struct Messages {
    /// Those that come while a turn is on its way.
    pub queue: Queue,
}

/// Messages that come while a turn is on its way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("byChannel cap debounceMs debounceMsByChannel drop"))]
pub struct Queue {
    /// What becomes of them.
    pub mode: QueueMode,
}

/// What becomes of messages that come while a turn is on its way, in OpenClaw's words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueMode {
    /// Each waits for a turn of its own.
    #[default]
    Queue,
    /// The same.
    Followup,
    /// They wait; each has a turn of its own here.
    Collect,
    /// They wait: a turn is called off by `/stop` alone.
    Interrupt,
    /// The turn takes them in between two requests to its model; what comes too late for that waits.
    Steer,
    /// The same.
    SteerBacklog,
    /// The same.
    #[serde(rename = "steer+backlog")]
    SteerAndBacklog,
}

impl QueueMode {
    /// Whether a turn takes them in.
    #[must_use]
    pub const fn steers(self) -> bool {
        matches!(self, Self::Steer | Self::SteerBacklog | Self::SteerAndBacklog)
    }
}
