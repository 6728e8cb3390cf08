//! Why there is no answer, by class: what may be tried again, and what a person can do.

use std::time::Duration;

use tarsus_protocol::{ErrorCode, NoAnswer, Problem};

/// The most characters that are kept of what a server says.
const LONGEST: usize = 600;

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// The key is missing or not accepted.
    Auth,
    /// The account has no credit.
    Billing,
    /// Too many requests.
    RateLimit,
    /// The server cannot answer now.
    Overloaded,
    /// The conversation is longer than the model can look at.
    ContextTooLong,
    /// The server does not take this request.
    BadRequest,
    /// It took too long.
    TimedOut,
    /// The server cannot be reached, or the connection broke.
    Network,
    /// The answer is not what this way of speaking knows, or larger than allowed.
    Malformed,
}

impl Class {
    /// Every class.
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

    /// The word of records.
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
    pub const fn is_retried(self) -> bool {
        matches!(self, Self::RateLimit | Self::Overloaded | Self::Network)
    }

    /// Whether another model is asked instead. A conversation that is too long is made shorter, not carried elsewhere.
    #[must_use]
    pub const fn falls_back(self) -> bool {
        !matches!(self, Self::ContextTooLong)
    }

    const fn hint(self) -> &'static str {
        match self {
            Self::Auth => "`tarsus models status` shows which key is used; set it anew",
            Self::Billing => "add credit at the provider, or choose another model with `tarsus models set`",
            Self::RateLimit => "wait a little, or name fallbacks in agents.defaults.model.fallbacks",
            Self::Overloaded => "try again later, or name fallbacks in agents.defaults.model.fallbacks",
            Self::ContextTooLong => "`/compact` makes the conversation shorter, `/new` begins another",
            Self::BadRequest => "`tarsus models status` shows the model and how it is spoken to; check both",
            Self::TimedOut => "try again, or choose a faster model with `tarsus models set`",
            Self::Network => {
                "check the connection and the provider's address; `tarsus models test` tries it again"
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

/// Why a model gave no whole answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Failure {
    /// The kind.
    pub class: Class,
    /// What happened, in one line without control characters and without a key.
    pub what: String,
    /// The status of the answer, where there was one.
    pub status: Option<u16>,
    /// How long the server wants to be left alone.
    pub retry_after: Option<Duration>,
}

impl Failure {
    /// A failure of a class. What a server said is made one short line.
    pub fn new(class: Class, what: impl AsRef<str>) -> Self {
        Self { class, what: one_line(what.as_ref()), status: None, retry_after: None }
    }

    /// What was not as it has to be in an answer.
    pub(crate) fn malformed(what: impl AsRef<str>) -> Self {
        Self::new(Class::Malformed, what)
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        let Failure { class, what, .. } = failure;
        Self::new(class.code(), what).no_answer(class.no_answer()).hint(class.hint())
    }
}

/// Text of a server as one line: no control characters, no runs of white space, not too long.
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
            if length >= LONGEST {
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
    fn what_a_server_says_is_one_short_line() {
        let long = "x".repeat(5_000);
        for (said, line) in [
            ("a\r\n\tb\u{1b}[31m c", "a b [31m c".to_owned()),
            ("  ", String::new()),
            (&long, format!("{}…", "x".repeat(LONGEST))),
        ] {
            assert_eq!(Failure::malformed(said).what, line);
        }
    }

    #[test]
    fn each_class_says_what_comes_next() {
        for class in Class::ALL {
            let problem = Problem::from(Failure::new(class, "it failed"));
            assert_eq!((problem.message.as_str(), problem.next_step()), ("it failed", class.hint()));
        }
        let retried = Class::ALL.into_iter().filter(|class| class.is_retried()).map(Class::as_str);
        assert_eq!(retried.collect::<Vec<_>>(), ["rate-limit", "overloaded", "network"]);
        let stays = Class::ALL.into_iter().filter(|class| !class.falls_back()).map(Class::as_str);
        assert_eq!(stays.collect::<Vec<_>>(), ["context-too-long"]);
    }
}
