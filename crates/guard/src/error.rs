//! Errors of decisions about skills and of their records.

use tarsus_audit::AuditError;
use tarsus_home::settings::SettingsError;
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::{ErrorCode, Problem};

/// A decision could not be made, stored or found.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// The settings cannot be read or changed.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The audit chain cannot be read or written.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The settings changed again before they were recorded.
    #[error("the settings file changed again in the meantime")]
    Edited,
    /// The audit chain has no such record.
    #[error("there is no record {id} in the audit chain")]
    NoRecord {
        /// Sequence number of the record.
        id: u64,
    },
    /// Only bundled skills can be builtin.
    #[error("{name} is not bundled with Tarsus, so it cannot be {}", TrustTier::Builtin)]
    NotBuiltin {
        /// The skill.
        name: String,
    },
    /// Trust cannot be raised without a hash of the folder.
    #[error("the folder of {name} could not be read, so its trust cannot be raised")]
    NoFolder {
        /// The skill.
        name: String,
    },
}

impl From<GuardError> for Problem {
    fn from(error: GuardError) -> Self {
        let message = error.to_string();
        match error {
            GuardError::Settings(error) => error.into(),
            GuardError::Audit(error) => error.into(),
            GuardError::Edited => Self::new(ErrorCode::Stale, message).hint("it is read again right away"),
            GuardError::NoRecord { .. } => {
                Self::new(ErrorCode::NotFound, message).hint("`tarsus audit tail` shows the newest records")
            }
            GuardError::NotBuiltin { name } => Self::new(ErrorCode::Usage, message)
                .hint(format!("the highest tier possible is {}", TrustTier::Local))
                .about_skill(&name),
            GuardError::NoFolder { name } => Self::new(ErrorCode::Denied, message)
                .hint("`tarsus skills info` shows why")
                .about_skill(&name),
        }
    }
}
