//! Changes of a session's model and thinking level by a message: the owner's right, as for `sessions.patch`.

use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{PendingChange, Session, SessionKey, SessionPatch};

use crate::services::Services;

/// The sender may write messages, but not change settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("changing the model or the thinking level of a session needs the scope operator.admin")]
pub(crate) struct NotTheOwner;

impl From<NotTheOwner> for Problem {
    fn from(error: NotTheOwner) -> Self {
        Self::new(ErrorCode::Denied, error.to_string()).hint("nothing was changed; the owner can do it")
    }
}

/// Changes settings of a session for a sender.
///
/// # Errors
/// When the sender is not the owner.
pub(crate) fn change(
    services: &Services,
    session: SessionKey,
    patch: SessionPatch,
    from_owner: bool,
) -> Result<PendingChange<Session>, NotTheOwner> {
    if !from_owner {
        return Err(NotTheOwner);
    }
    Ok(services.store.patch(session, patch, services.clock.wall_ms()))
}
