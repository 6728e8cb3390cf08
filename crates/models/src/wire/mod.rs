//! Wire formats of providers, one file for each dialect: a request becomes JSON, and bytes become deltas.
//!
//! Everything here is pure; sending, timeouts and retries are elsewhere.

mod anthropic;
mod builder;
mod completions;
mod decoder;
mod effort;
mod google;
mod history;
mod responses;
mod signature;

use serde_json::Value;
use tarsus_home::config::view::Api;
use tarsus_host::egress::Url;

pub(crate) use builder::CallIds;
pub use decoder::ResponseDecoder;

use tarsus_protocol::NoAnswer;

use crate::catalog::{Model, ToolCallMode};
use crate::error::ModelError;
use crate::request::ModelRequest;
use crate::text_calls;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `POST …/chat/completions`, supported by nearly every server.
    OpenaiCompletions,
    /// `POST …/responses`.
    OpenaiResponses,
    /// `POST …/v1/messages`.
    AnthropicMessages,
    /// `POST …/models/MODEL:streamGenerateContent`.
    GoogleGenerativeAi,
}

impl Dialect {
    pub const ALL: [Self; 4] =
        [Self::OpenaiCompletions, Self::OpenaiResponses, Self::AnthropicMessages, Self::GoogleGenerativeAi];

    /// The `api` value of the configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenaiCompletions => "openai-completions",
            Self::OpenaiResponses => "openai-responses",
            Self::AnthropicMessages => "anthropic-messages",
            Self::GoogleGenerativeAi => "google-generative-ai",
        }
    }

    /// The header for the key, and the prefix of its value.
    pub(crate) const fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenaiCompletions | Self::OpenaiResponses => ("authorization", "Bearer "),
            Self::AnthropicMessages => ("x-api-key", ""),
            Self::GoogleGenerativeAi => ("x-goog-api-key", ""),
        }
    }

    pub(crate) const fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::AnthropicMessages => &[("anthropic-version", "2023-06-01")],
            _ => &[],
        }
    }
}

/// Fails with an API that the configuration accepts but that is not supported here.
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

/// A provider's request, without the key.
#[derive(Debug, Clone, PartialEq)]
pub struct WireRequest {
    pub url: Url,
    pub body: Value,
}

/// # Errors
/// When the model's id does not form a URL below its provider's base URL.
pub fn encode_request(model: &Model, request: &ModelRequest) -> Result<WireRequest, ModelError> {
    let written;
    let request = if model.info.tool_calls == ToolCallMode::Text {
        written = text_calls::render_as_text(request);
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
    Ok(WireRequest { url: below(&model.base_url, &path, query)?, body })
}

/// A URL below another one. No segment of the path can lead out of it.
fn below(base: &Url, path: &str, query: Option<&str>) -> Result<Url, ModelError> {
    let mut url = base.clone();
    let not_an_address =
        || ModelError::new(NoAnswer::BadRequest, format!("{path:?} cannot be part of a web address"));
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
    fn urls_stay_below_the_base() {
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
