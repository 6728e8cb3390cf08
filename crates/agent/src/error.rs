//! Why something that was said is not taken.

use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::StoreError;

use crate::attachments::AttachmentError;
use crate::runtime::TURNS_WAITING;

/// Why something that was asked of the runtime is not done.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// Nothing was said.
    #[error("a message needs some text")]
    NothingSaid,
    /// Something that came with it cannot be used.
    #[error(transparent)]
    Attachment(#[from] AttachmentError),
    /// Too much waits to be answered.
    #[error("{TURNS_WAITING} messages wait for an answer already")]
    Busy,
    /// The store says no.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<RuntimeError> for Problem {
    fn from(error: RuntimeError) -> Self {
        let message = error.to_string();
        match error {
            RuntimeError::NothingSaid => Self::new(ErrorCode::Usage, message).hint("say something"),
            RuntimeError::Busy => {
                Self::new(ErrorCode::Busy, message).hint("nothing was taken; try again in a moment")
            }
            RuntimeError::Attachment(error) => error.into(),
            RuntimeError::Store(error) => error.into(),
        }
    }
}
