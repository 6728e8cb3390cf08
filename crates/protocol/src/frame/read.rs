//! Parsing of frames from untrusted clients.
//!
//! Size, depth and number of values are checked before anything is built. An error quotes little of the input.

use serde::de::IgnoredAny;

use super::{Frame, Request};
use crate::error::{ErrorCode, Problem};

/// Maximum nesting of a frame's JSON.
pub const MAX_DEPTH: usize = 100;

/// Maximum number of values in a frame's JSON; each takes far more memory than the byte or two on the wire.
pub const MAX_VALUES: usize = 250_000;

/// Maximum length of a quoted parser error, which may contain the client's text.
const MAX_REASON: usize = 200;

/// Stage of a connection; it determines the maximum size of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Before authentication.
    BeforeHello,
    /// After the handshake.
    AfterHello,
}

impl Stage {
    /// Maximum size of a frame in bytes.
    #[must_use]
    pub const fn max_bytes(self) -> usize {
        match self {
            Self::BeforeHello => 64 * 1024,
            Self::AfterHello => 25 * 1024 * 1024,
        }
    }
}

impl Frame {
    /// Parses a frame.
    ///
    /// # Errors
    /// If the text exceeds a limit, is not JSON, or is not a frame.
    pub fn parse(text: &str, stage: Stage) -> Result<Self, FrameError> {
        let limit = stage.max_bytes();
        if text.len() > limit {
            return Err(FrameError::TooLarge { size: text.len(), limit });
        }
        within_bounds(text)?;
        let refused = match serde_json::from_str(text) {
            // serde reads a list as the fields of a struct in order; on the wire that is no frame.
            Ok(_) if !text.trim_start().starts_with('{') => "a frame is an object".to_owned(),
            Ok(frame) => return Ok(frame),
            Err(error) => cut(&error),
        };
        Err(match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => FrameError::NotAFrame(refused),
            Err(error) => FrameError::NotJson(cut(&error)),
        })
    }
}

impl Request {
    /// Parses a request, the only kind of frame that a client sends.
    ///
    /// # Errors
    /// As [`Frame::parse`], and if it is a response or an event.
    pub fn parse(text: &str, stage: Stage) -> Result<Self, FrameError> {
        match Frame::parse(text, stage)? {
            Frame::Request(request) => Ok(request),
            Frame::Response(_) => Err(FrameError::NotAFrame("a client sends no replies".into())),
            Frame::Event(_) => Err(FrameError::NotAFrame("a client sends no events".into())),
        }
    }
}

/// Reason why a text is not a valid frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Too large for the stage of the connection.
    #[error("the frame has {size} bytes; at most {limit} are read")]
    TooLarge {
        /// Size of the frame.
        size: usize,
        /// Maximum size.
        limit: usize,
    },
    /// Nested deeper than [`MAX_DEPTH`].
    #[error("the frame is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// More values than [`MAX_VALUES`].
    #[error("the frame holds more than {MAX_VALUES} values")]
    TooMany,
    /// Not JSON at all.
    #[error("the frame is not JSON: {0}")]
    NotJson(String),
    /// JSON, but not a frame.
    #[error("invalid request frame: {0}")]
    NotAFrame(String),
}

impl From<FrameError> for Problem {
    fn from(error: FrameError) -> Self {
        let (code, hint) = match error {
            FrameError::TooLarge { .. } | FrameError::TooDeep | FrameError::TooMany => {
                (ErrorCode::TooLarge, "nothing of it was read; send less at a time")
            }
            FrameError::NotJson(_) | FrameError::NotAFrame(_) => {
                (ErrorCode::Usage, "send {\"type\":\"req\",\"id\":…,\"method\":…,\"params\":…}")
            }
        };
        Self::new(code, error.to_string()).hint(hint)
    }
}

fn cut(error: &serde_json::Error) -> String {
    error.to_string().chars().take(MAX_REASON).collect()
}

/// Counts brackets and commas outside strings; needs no valid JSON and no stack.
fn within_bounds(text: &str) -> Result<(), FrameError> {
    let (mut depth, mut values, mut in_string, mut escaped) = (0_usize, 0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                values += 1;
            }
            b',' => values += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(FrameError::TooDeep);
        }
        if values > MAX_VALUES {
            return Err(FrameError::TooMany);
        }
    }
    Ok(())
}
