//! What a handler answers when it cannot do what was asked.

use serde_json::json;
use tarsus_home::config::ConfigError;
use tarsus_protocol::{ErrorCode, ErrorShape, Problem, RpcCode};

/// The error of a reply, made from whatever went wrong below.
#[derive(Debug)]
pub struct Failure(Box<ErrorShape>);

impl Failure {
    /// A request that cannot be carried out, in the words that clients know.
    pub fn invalid(message: impl Into<String>) -> Self {
        let code = RpcCode::InvalidRequest.into();
        Self(Box::new(ErrorShape { code, message: message.into(), details: None, retryable: None }))
    }

    /// A change of the configuration that was refused; what is wrong is listed beside the words.
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

    /// An error that is in its shape already.
    #[must_use]
    pub fn shaped(shape: ErrorShape) -> Self {
        Self(Box::new(shape))
    }

    /// Whether something was changed since it was read.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.0.details.as_ref().is_some_and(|details| details["code"] == ErrorCode::Stale.as_str())
    }

    /// As it is sent.
    #[must_use]
    pub fn shape(&self) -> &ErrorShape {
        &self.0
    }
}

/// What a client sent, as far as an answer repeats it.
pub(super) fn echoed(text: &str) -> String {
    text.chars().take(80).collect()
}

impl<E: Into<Problem>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(Box::new(error.into().into()))
    }
}
