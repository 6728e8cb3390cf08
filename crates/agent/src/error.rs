//! Why a message is not accepted.

use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::StoreError;

use crate::attachments::AttachmentError;
use crate::runtime::TURNS_WAITING;

#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    #[error("a message needs some text")]
    EmptyMessage,
    #[error(transparent)]
    Attachment(#[from] AttachmentError),
    #[error("{TURNS_WAITING} messages wait for an answer already")]
    Busy,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<RuntimeError> for Problem {
    fn from(error: RuntimeError) -> Self {
        let message = error.to_string();
        match error {
            RuntimeError::EmptyMessage => Self::new(ErrorCode::Usage, message).hint("say something"),
            RuntimeError::Busy => {
                Self::new(ErrorCode::Busy, message).hint("nothing was taken; try again in a moment")
            }
            RuntimeError::Attachment(error) => error.into(),
            RuntimeError::Store(error) => error.into(),
        }
    }
}
