//! `messages`: handling of incoming messages.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Ignored;

/// Handling of incoming messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    ackReaction ackReactionScope groupChat inbound messagePrefix removeAckAfterReply responsePrefix \
    statusReactions suppressToolErrors tts usageTemplate visibleReplies"))]
pub struct Messages {
    /// Messages that arrive during a turn.
    pub queue: Queue,
}

/// Messages that arrive during a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("byChannel cap debounceMs debounceMsByChannel drop"))]
pub struct Queue {
    /// How they are handled.
    pub mode: QueueMode,
}

/// Handling of messages that arrive during a turn, with OpenClaw's names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueMode {
    /// Each waits for its own turn.
    #[default]
    Queue,
    /// As `queue`.
    Followup,
    /// As `queue`; messages are not combined.
    Collect,
    /// As `queue`; only `/stop` aborts a turn.
    Interrupt,
    /// The turn takes them in before its next model request; later ones wait.
    Steer,
    /// As `steer`.
    SteerBacklog,
    /// As `steer`.
    #[serde(rename = "steer+backlog")]
    SteerAndBacklog,
}

impl QueueMode {
    /// Whether a running turn takes messages in.
    #[must_use]
    pub const fn steers(self) -> bool {
        matches!(self, Self::Steer | Self::SteerBacklog | Self::SteerAndBacklog)
    }
}
