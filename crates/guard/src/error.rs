//! What can go wrong here.

use tarsus_audit::AuditError;
use tarsus_home::settings::SettingsError;
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::{ErrorCode, Problem};

/// A decision could not be made, kept or found.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// The settings cannot be read or changed.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The chain cannot be read or written.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The settings are not those any more that were to be written down.
    #[error("the settings were changed once more meanwhile")]
    Edited,
    /// No such record.
    #[error("there is no record {id} in the audit chain")]
    NoRecord {
        /// Its number.
        id: u64,
    },
    /// Only what travels in the program is builtin.
    #[error("{name} did not come with the program, so it cannot be {}", TrustTier::Builtin)]
    NotBuiltin {
        /// The skill.
        name: String,
    },
    /// What could not be looked at cannot be trusted more.
    #[error("the folder of {name} could not be looked at, so nothing can be decided about it")]
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
            GuardError::Edited => {
                Self::new(ErrorCode::Stale, message).hint("they are looked at again at once")
            }
            GuardError::NoRecord { .. } => {
                Self::new(ErrorCode::NotFound, message).hint("`tarsus audit tail` shows the newest records")
            }
            GuardError::NotBuiltin { name } => Self::new(ErrorCode::Usage, message)
                .hint(format!("the most that it can be is {}", TrustTier::Local))
                .about_skill(&name),
            GuardError::NoFolder { name } => Self::new(ErrorCode::Denied, message)
                .hint("`tarsus skills info` says why it could not be looked at")
                .about_skill(&name),
        }
    }
}
