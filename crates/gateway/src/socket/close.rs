//! Close reasons with the code and text that the client receives.

use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// The longest reason that a close frame can carry, in bytes.
const MAX_REASON_BYTES: usize = 123;

/// Why a socket is closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Close {
    /// Normal end.
    Done,
    /// No common version of the protocol.
    Protocol(String),
    /// A text frame that is not UTF-8.
    NotText,
    /// A binary frame.
    Binary,
    /// The client broke a rule or was not admitted.
    Policy(String),
    /// The credentials that admitted the client were replaced.
    CredentialsChanged,
    /// The client's device token was revoked.
    DeviceRevoked,
    /// A frame is too large.
    TooLarge,
    /// The gateway stops.
    Restart,
    /// The client reads too slowly.
    TooSlow,
}

impl Close {
    /// Builds the close frame.
    #[must_use]
    pub fn frame(&self) -> CloseFrame {
        let (code, reason) = match self {
            Self::Done => (CloseCode::Normal, ""),
            Self::Protocol(reason) => (CloseCode::Protocol, reason.as_str()),
            Self::NotText => (CloseCode::Invalid, "text frames are UTF-8"),
            Self::Binary => (CloseCode::Unsupported, "text frames only"),
            Self::Policy(reason) => (CloseCode::Policy, reason.as_str()),
            Self::CredentialsChanged => (CloseCode::Policy, "gateway credentials changed"),
            Self::DeviceRevoked => (CloseCode::Policy, "device token revoked"),
            Self::TooLarge => (CloseCode::Size, "the frame is too large"),
            Self::Restart => (CloseCode::Restart, "service restart"),
            Self::TooSlow => (CloseCode::Again, "slow consumer"),
        };
        let end = reason.floor_char_boundary(MAX_REASON_BYTES);
        CloseFrame { code, reason: reason[..end].into() }
    }
}
