//! Why a socket is closed, as the code and the words that its client sees.

use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// The longest reason that a close frame can carry, in bytes.
const LONGEST_REASON: usize = 123;

/// Why a socket is closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Close {
    /// Nothing is left to say.
    Done,
    /// No common version of the protocol.
    Protocol(String),
    /// A text frame that is no text.
    NotText,
    /// A frame of a kind that is not spoken here.
    Binary,
    /// The client broke a rule, or may not come in.
    Policy(String),
    /// What let the client in does not open the gateway any more.
    CredentialsChanged,
    /// The token of the client's device was taken back.
    DeviceRevoked,
    /// A frame is too large.
    TooLarge,
    /// The gateway ends.
    Restart,
    /// The client takes what it is sent too slowly.
    TooSlow,
}

impl Close {
    /// As it is sent.
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
        let end = reason.floor_char_boundary(LONGEST_REASON);
        CloseFrame { code, reason: reason[..end].into() }
    }
}
