//! Why the desk did not do what it was asked for.

use tarsus_host::processes::ListProcessesError;
use tarsus_protocol::{ErrorCode, Problem};

use crate::access::Denied;
use crate::registry::RegistryError;

/// Why nothing was launched, stopped or saved.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The policy of the app said no.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The registry has no such app, cannot be read, or does not take the change.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The asker may not change the registry.
    #[error("{0}")]
    NoChanges(Problem),
    /// What cannot be written into the audit chain is not done.
    #[error("nothing was done, because it cannot be recorded: {0}")]
    NotRecorded(Problem),
    /// The processes of this machine cannot be listed.
    #[error(transparent)]
    List(#[from] ListProcessesError),
}

impl From<DeskError> for Problem {
    fn from(error: DeskError) -> Self {
        let message = error.to_string();
        match error {
            DeskError::Denied(denied) => denied.into(),
            DeskError::Registry(error) => error.into(),
            DeskError::NotRecorded(mut problem) => {
                problem
                    .notes
                    .insert(0, "nothing was done: what cannot be recorded is not permitted".to_owned());
                problem
            }
            DeskError::NoChanges(problem) => problem,
            DeskError::List(_) => Self::new(ErrorCode::Failed, message),
        }
    }
}
