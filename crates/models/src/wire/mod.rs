//! The ways in which providers are spoken to: a request becomes what is sent, and bytes become deltas.
//!
//! All of it is pure: the same request gives the same bytes, and the same bytes give the same deltas however they
//! were cut. One file a dialect. Leaves to others: sending, time, trying again.

mod anthropic;
mod completions;
mod draft;
mod effort;
mod google;
mod history;
mod reading;
mod responses;
mod seal;

use serde_json::Value;
use tarsus_home::config::view::Api;
use tarsus_host::egress::Url;

pub(crate) use draft::Ids;
pub use reading::Reading;

use crate::catalog::{Model, ToolCalls};
use crate::failure::{Class, Failure};
use crate::request::Request;
use crate::text_calls;

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `POST …/chat/completions`, which nearly every server knows.
    OpenaiCompletions,
    /// `POST …/responses`.
    OpenaiResponses,
    /// `POST …/v1/messages`.
    AnthropicMessages,
    /// `POST …/models/MODEL:streamGenerateContent`.
    GoogleGenerativeAi,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 4] =
        [Self::OpenaiCompletions, Self::OpenaiResponses, Self::AnthropicMessages, Self::GoogleGenerativeAi];

    /// The word of the configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenaiCompletions => "openai-completions",
            Self::OpenaiResponses => "openai-responses",
            Self::AnthropicMessages => "anthropic-messages",
            Self::GoogleGenerativeAi => "google-generative-ai",
        }
    }

    /// The header that carries the key, and what stands before the key in it.
    pub(crate) const fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenaiCompletions | Self::OpenaiResponses => ("authorization", "Bearer "),
            Self::AnthropicMessages => ("x-api-key", ""),
            Self::GoogleGenerativeAi => ("x-goog-api-key", ""),
        }
    }

    /// Headers that are always sent.
    pub(crate) const fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::AnthropicMessages => &[("anthropic-version", "2023-06-01")],
            _ => &[],
        }
    }
}

/// An api that the configuration may name and that is not spoken here is given back.
impl TryFrom<Api> for Dialect {
    type Error = Api;

    fn try_from(api: Api) -> Result<Self, Api> {
        match api {
            Api::OpenaiCompletions => Ok(Self::OpenaiCompletions),
            Api::OpenaiResponses => Ok(Self::OpenaiResponses),
            Api::AnthropicMessages => Ok(Self::AnthropicMessages),
            Api::GoogleGenerativeAi => Ok(Self::GoogleGenerativeAi),
            other => Err(other),
        }
    }
}

/// What is sent to a provider, but for the key.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    /// Where.
    pub url: Url,
    /// What, as JSON.
    pub body: Value,
}

/// The request as the model's provider wants it.
///
/// # Errors
/// When the model's name and its provider's address do not make an address.
pub fn outgoing(model: &Model, request: &Request) -> Result<Outgoing, Failure> {
    let written;
    let request = if model.facts.tool_calls == ToolCalls::Text {
        written = text_calls::written_out(request);
        &written
    } else {
        request
    };
    let (path, query, body) = match model.dialect {
        Dialect::OpenaiCompletions => {
            ("chat/completions".to_owned(), None, completions::body(model, request))
        }
        Dialect::OpenaiResponses => ("responses".to_owned(), None, responses::body(model, request)),
        Dialect::AnthropicMessages => {
            let version =
                if model.base_url.path().trim_end_matches('/').ends_with("/v1") { "" } else { "v1/" };
            (format!("{version}messages"), None, anthropic::body(model, request))
        }
        Dialect::GoogleGenerativeAi => {
            let path = format!("models/{}:streamGenerateContent", model.name.id());
            (path, Some("alt=sse"), google::body(model, request))
        }
    };
    Ok(Outgoing { url: below(&model.base_url, &path, query)?, body })
}

/// An address below another one. No part of the path can lead out of it.
fn below(base: &Url, path: &str, query: Option<&str>) -> Result<Url, Failure> {
    let mut url = base.clone();
    let not_an_address =
        || Failure::new(Class::BadRequest, format!("{path:?} cannot be part of a web address"));
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(not_an_address());
    }
    url.path_segments_mut().map_err(|()| not_an_address())?.pop_if_empty().extend(path.split('/'));
    url.set_query(query);
    url.set_fragment(None);
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_below_the_base_and_nowhere_else() {
        let at = |base: &str, path: &str| {
            below(&Url::parse(base).unwrap(), path, Some("a=b")).map(|url| url.to_string()).map_err(|_| ())
        };
        let ok = |text: &str| Ok(text.to_owned());
        for (base, path, expected) in [
            ("https://a.example/v1", "x/y", ok("https://a.example/v1/x/y?a=b")),
            ("https://a.example/v1/", "x", ok("https://a.example/v1/x?a=b")),
            ("https://a.example", "x", ok("https://a.example/x?a=b")),
            (
                "https://a.example/v1?k=v#f",
                "models/m?n#o:go",
                ok("https://a.example/v1/models/m%3Fn%23o:go?a=b"),
            ),
            ("https://a.example/v1", "models/../../etc", Err(())),
            ("https://a.example/v1", "models//x", Err(())),
        ] {
            assert_eq!(at(base, path), expected, "{base} {path}");
        }
    }
}
