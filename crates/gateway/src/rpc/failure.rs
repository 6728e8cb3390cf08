//! The error reply of a handler.

use serde_json::json;
use tarsus_home::config::ConfigError;
use tarsus_protocol::{ErrorCode, ErrorShape, Problem, RpcCode};

/// An error reply.
#[derive(Debug)]
pub struct Failure(Box<ErrorShape>);

impl Failure {
    /// An invalid request, in the wording that clients know.
    pub fn invalid(message: impl Into<String>) -> Self {
        let code = RpcCode::InvalidRequest.into();
        Self(Box::new(ErrorShape { code, message: message.into(), details: None, retryable: None }))
    }

    /// A rejected change of the configuration, with its issues.
    pub fn config(error: ConfigError) -> Self {
        let issue = match &error {
            ConfigError::Invalid { issue } => Some(json!({ "path": issue.path, "message": issue.message })),
            ConfigError::UnknownSection { name, .. } => {
                Some(json!({ "path": "", "message": format!("Unrecognized key: \"{name}\"") }))
            }
            _ => None,
        };
        let mut shape = ErrorShape::from(Problem::from(error));
        if let (Some(issue), Some(details)) = (issue, &mut shape.details) {
            details["issues"] = json!([issue]);
        }
        Self(Box::new(shape))
    }

    /// Wraps a finished error shape.
    #[must_use]
    pub fn from_shape(shape: ErrorShape) -> Self {
        Self(Box::new(shape))
    }

    /// Whether the base of a change is stale.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.0.details.as_ref().is_some_and(|details| details["code"] == ErrorCode::Stale.as_str())
    }

    #[must_use]
    pub fn shape(&self) -> &ErrorShape {
        &self.0
    }
}

/// Truncates client input that an error message repeats.
pub(super) fn echoed(text: &str) -> String {
    text.chars().take(80).collect()
}

impl<E: Into<Problem>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(Box::new(error.into().into()))
    }
}
