//! Errors of the application manager.

use tarsus_host::processes::ListProcessesError;
use tarsus_protocol::{ErrorCode, Problem};

use crate::access::AccessDenied;
use crate::registry::RegistryError;

/// Nothing was launched, stopped or saved.
#[derive(Debug, thiserror::Error)]
pub enum ManagerError {
    /// The launch policy of the app denied it.
    #[error(transparent)]
    Denied(#[from] AccessDenied),
    /// The registry cannot be read, has no such app, or rejected the change.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The requester may not change the registry.
    #[error("{0}")]
    ReadOnly(Problem),
    /// The audit log cannot be written, so nothing was done.
    #[error("nothing was done, because it cannot be recorded: {0}")]
    NotRecorded(Problem),
    /// The processes of this machine cannot be listed.
    #[error(transparent)]
    List(#[from] ListProcessesError),
}

impl From<ManagerError> for Problem {
    fn from(error: ManagerError) -> Self {
        let message = error.to_string();
        match error {
            ManagerError::Denied(denied) => denied.into(),
            ManagerError::Registry(error) => error.into(),
            ManagerError::NotRecorded(mut problem) => {
                problem.notes.insert(
                    0,
                    "nothing was done: an action that cannot be recorded is not permitted".to_owned(),
                );
                problem
            }
            ManagerError::ReadOnly(problem) => problem,
            ManagerError::List(_) => Self::new(ErrorCode::Failed, message),
        }
    }
}
