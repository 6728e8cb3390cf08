//! Errors of models, by class: what can be retried, and what the user can do.

use std::time::Duration;

use tarsus_protocol::{ErrorCode, NoAnswer, Problem};

/// Characters kept of a server's message.
const MAX_CHARS: usize = 600;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The key is missing or rejected.
    Auth,
    Billing,
    RateLimit,
    Overloaded,
    /// The conversation does not fit in the model's context window.
    ContextTooLong,
    /// The server rejects this request.
    BadRequest,
    TimedOut,
    Network,
    /// The response does not follow the dialect, or is larger than allowed.
    Malformed,
}

impl ErrorClass {
    pub const ALL: [Self; 9] = [
        Self::Auth,
        Self::Billing,
        Self::RateLimit,
        Self::Overloaded,
        Self::ContextTooLong,
        Self::BadRequest,
        Self::TimedOut,
        Self::Network,
        Self::Malformed,
    ];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Billing => "billing",
            Self::RateLimit => "rate-limit",
            Self::Overloaded => "overloaded",
            Self::ContextTooLong => "context-too-long",
            Self::BadRequest => "bad-request",
            Self::TimedOut => "timed-out",
            Self::Network => "network",
            Self::Malformed => "malformed",
        }
    }

    /// Whether the same request to the same model may succeed a little later.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::RateLimit | Self::Overloaded | Self::Network)
    }

    /// Whether the next model of a chain is called. A conversation that is too long is compacted instead.
    #[must_use]
    pub const fn allows_fallback(self) -> bool {
        !matches!(self, Self::ContextTooLong)
    }

    const fn hint(self) -> &'static str {
        match self {
            Self::Auth => "`tarsus models status` shows which key is used; set it anew",
            Self::Billing => "add credit at the provider, or choose another model with `tarsus models set`",
            Self::RateLimit => "wait a moment, or add fallbacks in agents.defaults.model.fallbacks",
            Self::Overloaded => "try again later, or add fallbacks in agents.defaults.model.fallbacks",
            Self::ContextTooLong => "`/compact` shortens the conversation, `/new` starts a new one",
            Self::BadRequest => "`tarsus models status` shows the model and its API; check both",
            Self::TimedOut => "try again, or choose a faster model with `tarsus models set`",
            Self::Network => {
                "check the connection and the provider's address; `tarsus models test` tries again"
            }
            Self::Malformed => {
                "check `api` and `baseUrl` of the provider: another kind of server may answer there"
            }
        }
    }

    const fn no_answer(self) -> NoAnswer {
        match self {
            Self::Auth => NoAnswer::Auth,
            Self::Billing => NoAnswer::Billing,
            Self::RateLimit => NoAnswer::RateLimit,
            Self::Overloaded => NoAnswer::Overloaded,
            Self::ContextTooLong => NoAnswer::ContextTooLong,
            Self::BadRequest => NoAnswer::BadRequest,
            Self::TimedOut => NoAnswer::TimedOut,
            Self::Network => NoAnswer::Network,
            Self::Malformed => NoAnswer::Malformed,
        }
    }

    const fn code(self) -> ErrorCode {
        match self {
            Self::RateLimit | Self::Overloaded => ErrorCode::Busy,
            Self::TimedOut => ErrorCode::TimedOut,
            Self::ContextTooLong => ErrorCode::TooLarge,
            _ => ErrorCode::Failed,
        }
    }
}

/// The reason why a model did not give a complete response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub class: ErrorClass,
    /// One line, without control characters and without keys.
    pub message: String,
    /// The HTTP status of the response, if there was one.
    pub status: Option<u16>,
    pub retry_after: Option<Duration>,
}

impl ModelError {
    /// Shortens the message, which may be a server's, to one line.
    pub fn new(class: ErrorClass, message: impl AsRef<str>) -> Self {
        Self { class, message: one_line(message.as_ref()), status: None, retry_after: None }
    }

    pub(crate) fn malformed(message: impl AsRef<str>) -> Self {
        Self::new(ErrorClass::Malformed, message)
    }
}

impl From<ModelError> for Problem {
    fn from(failure: ModelError) -> Self {
        let ModelError { class, message, .. } = failure;
        Self::new(class.code(), message).no_answer(class.no_answer()).hint(class.hint())
    }
}

/// Collapses white space and control characters, and truncates.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split(|letter: char| letter.is_whitespace() || letter.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
            length += 1;
        }
        for letter in word.chars() {
            if length >= MAX_CHARS {
                line.push('…');
                return line;
            }
            line.push(letter);
            length += 1;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_messages_become_one_short_line() {
        let long = "x".repeat(5_000);
        for (said, line) in [
            ("a\r\n\tb\u{1b}[31m c", "a b [31m c".to_owned()),
            ("  ", String::new()),
            (&long, format!("{}…", "x".repeat(MAX_CHARS))),
        ] {
            assert_eq!(ModelError::malformed(said).message, line);
        }
    }

    #[test]
    fn every_class_has_a_hint() {
        for class in ErrorClass::ALL {
            let problem = Problem::from(ModelError::new(class, "it failed"));
            assert_eq!((problem.message.as_str(), problem.next_step()), ("it failed", class.hint()));
        }
        let retried =
            ErrorClass::ALL.into_iter().filter(|class| class.is_retryable()).map(ErrorClass::as_str);
        assert_eq!(retried.collect::<Vec<_>>(), ["rate-limit", "overloaded", "network"]);
        let stays =
            ErrorClass::ALL.into_iter().filter(|class| !class.allows_fallback()).map(ErrorClass::as_str);
        assert_eq!(stays.collect::<Vec<_>>(), ["context-too-long"]);
    }
}
