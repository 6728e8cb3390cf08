//! Why the web gave no answer.

use tarsus_host::egress::{EgressError, EgressRefusal};
use tarsus_protocol::{ErrorCode, Problem};

/// A page or a search that failed.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// The request failed.
    #[error(transparent)]
    Request(#[from] EgressError),
    /// A host or address of the configuration is invalid.
    #[error("{key} has an invalid value: {reason}")]
    Setting {
        /// The configuration key.
        key: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The content is not text.
    #[error("{url} is {content_type}, which cannot be read as text")]
    NotText {
        /// The URL after redirects.
        url: String,
        /// Its media type.
        content_type: String,
    },
    /// The content is compressed in a way that was not requested.
    #[error("{url} is compressed as {encoding:?}, which is not supported")]
    Encoding {
        /// The URL after redirects.
        url: String,
        /// The encoding that the server named.
        encoding: String,
    },
    /// The page could not be read.
    #[error("{url} cannot be read")]
    Unreadable {
        /// The URL after redirects.
        url: String,
    },
    /// A provider does not know a parameter, or not with this value.
    #[error("{provider} does not support {parameter}: {reason}")]
    Unsupported {
        /// The provider.
        provider: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What to do instead.
        reason: String,
    },
    /// A provider refused the key.
    #[error("{provider} does not accept the key")]
    Key {
        /// The provider.
        provider: &'static str,
    },
    /// A provider wants fewer requests.
    #[error("{provider} allows no more searches for now")]
    RateLimit {
        /// The provider.
        provider: &'static str,
        /// Seconds to wait, as the provider said.
        retry_after: Option<u64>,
    },
    /// A provider failed.
    #[error("{provider} answered with HTTP status {status}")]
    Status {
        /// The provider.
        provider: &'static str,
        /// The status.
        status: u16,
    },
    /// The answer of a provider is not what its interface says.
    #[error("the answer of {provider} cannot be read: {reason}")]
    Answer {
        /// The provider.
        provider: &'static str,
        /// What is wrong.
        reason: &'static str,
    },
}

impl From<WebError> for Problem {
    fn from(error: WebError) -> Self {
        let message = error.to_string();
        let problem = |code| Self::new(code, message.clone());
        match &error {
            WebError::Request(request) => from_egress(request, &message),
            WebError::Setting { key, .. } => {
                problem(ErrorCode::Malformed).hint(format!("tell the user to correct {key}"))
            }
            WebError::NotText { .. } => {
                problem(ErrorCode::Usage).hint("look for the same content as a web page or as plain text")
            }
            WebError::Encoding { .. } | WebError::Unreadable { .. } | WebError::Answer { .. } => {
                problem(ErrorCode::Failed).hint("try another source")
            }
            WebError::Unsupported { .. } => {
                problem(ErrorCode::Usage).hint("leave the parameter out, or use another value")
            }
            WebError::Key { .. } => problem(ErrorCode::Denied).hint("tell the user to check the key"),
            WebError::RateLimit { retry_after, .. } => problem(ErrorCode::Busy).hint(match retry_after {
                Some(seconds) => format!("wait {seconds} seconds before the next search"),
                None => "wait a while before the next search".to_owned(),
            }),
            WebError::Status { .. } => problem(ErrorCode::Failed).hint("try again later"),
        }
    }
}

fn from_egress(error: &EgressError, message: &str) -> Problem {
    let problem = |code| Problem::new(code, message.to_owned());
    match error {
        EgressError::Url { source } => problem(ErrorCode::Usage)
            .note(source.to_string())
            .hint("give a whole URL, such as https://example.org/page"),
        EgressError::Refused { source, .. } => {
            let hint = match source {
                EgressRefusal::Scheme { .. } | EgressRefusal::UserInfo | EgressRefusal::NoHost => {
                    "use an http or https URL without a user name"
                }
                _ => {
                    "only public web pages are fetched; the user can make exceptions in tools.web.fetch.ssrfPolicy"
                }
            };
            problem(ErrorCode::Denied).note(source.to_string()).hint(hint)
        }
        EgressError::TooLarge { .. } => problem(ErrorCode::TooLarge).hint("look for a smaller page"),
        EgressError::TimedOut { .. } => {
            problem(ErrorCode::TimedOut).hint("try again later, or another source")
        }
        EgressError::Redirect { .. } | EgressError::TooManyRedirects { .. } => {
            problem(ErrorCode::Failed).hint("try another address of the page")
        }
        EgressError::Failed { .. } | EgressError::Client { .. } => {
            problem(ErrorCode::Failed).hint("check the address, or try another source")
        }
    }
}
