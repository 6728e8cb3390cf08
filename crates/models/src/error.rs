//! Errors of models. Their class decides what is retried and what the user is advised to do.

use std::time::Duration;

use tarsus_protocol::{ErrorCode, NoAnswer, Problem};

/// Characters kept of a server's message.
const MAX_CHARS: usize = 600;

const fn code(class: NoAnswer) -> ErrorCode {
    match class {
        NoAnswer::RateLimit | NoAnswer::Overloaded => ErrorCode::Busy,
        NoAnswer::TimedOut => ErrorCode::TimedOut,
        NoAnswer::ContextTooLong => ErrorCode::TooLarge,
        _ => ErrorCode::Failed,
    }
}

const fn hint(class: NoAnswer) -> &'static str {
    match class {
        NoAnswer::Auth => "`tarsus models status` shows which key is used; set it anew",
        NoAnswer::Billing => "add credit at the provider, or choose another model with `tarsus models set`",
        NoAnswer::RateLimit => "wait a moment, or add fallbacks in agents.defaults.model.fallbacks",
        NoAnswer::Overloaded => "try again later, or add fallbacks in agents.defaults.model.fallbacks",
        NoAnswer::ContextTooLong => "`/compact` shortens the conversation, `/new` starts a new one",
        NoAnswer::BadRequest => "`tarsus models status` shows the model and its API; check both",
        NoAnswer::TimedOut => "try again, or choose a faster model with `tarsus models set`",
        NoAnswer::Network => {
            "check the connection and the provider's address; `tarsus models test` tries again"
        }
        NoAnswer::Malformed => {
            "check `api` and `baseUrl` of the provider: another kind of server may answer there"
        }
        // The runtime's reasons; no request to a model fails with them.
        NoAnswer::Declined | NoAnswer::Empty | NoAnswer::NotDone => "try again",
    }
}

/// The reason why a model did not give a complete response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub class: NoAnswer,
    /// One line, without control characters and without keys.
    pub message: String,
    /// The HTTP status of the response, if there was one.
    pub status: Option<u16>,
    pub retry_after: Option<Duration>,
}

impl ModelError {
    /// Shortens the message, which may be a server's, to one line.
    pub fn new(class: NoAnswer, message: impl AsRef<str>) -> Self {
        Self { class, message: one_line(message.as_ref()), status: None, retry_after: None }
    }

    /// Whether the same request to the same model may succeed a little later.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self.class, NoAnswer::RateLimit | NoAnswer::Overloaded | NoAnswer::Network)
    }

    /// Whether the next model of a chain is called. A conversation that is too long is compacted instead.
    #[must_use]
    pub const fn allows_fallback(&self) -> bool {
        !matches!(self.class, NoAnswer::ContextTooLong)
    }

    pub(crate) fn malformed(message: impl AsRef<str>) -> Self {
        Self::new(NoAnswer::Malformed, message)
    }
}

impl From<ModelError> for Problem {
    fn from(failure: ModelError) -> Self {
        let ModelError { class, message, .. } = failure;
        Self::new(code(class), message).no_answer(class).hint(hint(class))
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
pub(crate) mod tests {
    use super::*;

    /// The classes of failed requests.
    pub(crate) const CLASSES: [NoAnswer; 9] = [
        NoAnswer::Auth,
        NoAnswer::Billing,
        NoAnswer::RateLimit,
        NoAnswer::Overloaded,
        NoAnswer::ContextTooLong,
        NoAnswer::BadRequest,
        NoAnswer::TimedOut,
        NoAnswer::Network,
        NoAnswer::Malformed,
    ];

    #[test]
    fn server_messages_become_one_short_line() {
        let long = "x".repeat(5_000);
        for (reason, line) in [
            ("a\r\n\tb\u{1b}[31m c", "a b [31m c".to_owned()),
            ("  ", String::new()),
            (&long, format!("{}…", "x".repeat(MAX_CHARS))),
        ] {
            assert_eq!(ModelError::malformed(reason).message, line);
        }
    }

    #[test]
    fn classes_decide_retry_and_fallback() {
        let error = |class| ModelError::new(class, "it failed");
        for class in CLASSES {
            let problem = Problem::from(error(class));
            assert_eq!((problem.message.as_str(), problem.next_step()), ("it failed", hint(class)));
        }
        let retried: Vec<_> = CLASSES.into_iter().filter(|class| error(*class).is_retryable()).collect();
        assert_eq!(retried, [NoAnswer::RateLimit, NoAnswer::Overloaded, NoAnswer::Network]);
        let final_classes: Vec<_> =
            CLASSES.into_iter().filter(|class| !error(*class).allows_fallback()).collect();
        assert_eq!(final_classes, [NoAnswer::ContextTooLong]);
    }
}
