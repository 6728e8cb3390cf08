//! Brave Search.

use tarsus_home::Secret;
use tarsus_host::egress::{EgressRequest, HeaderMap, HeaderName, Method, Url};

use super::{Freshness, SearchProvider, SearchQuery, SearchResult, code, json_results, key_header};
use crate::error::WebError;

const NAME: &str = "brave";

/// Brave Search.
#[derive(Debug)]
pub struct Brave {
    key: Secret,
    base_url: Url,
}

impl Brave {
    /// The address of its interface.
    pub const BASE_URL: &str = "https://api.search.brave.com/res/v1/web/search";

    /// Searches with this key.
    #[must_use]
    pub fn new(key: Secret, base_url: Url) -> Self {
        Self { key, base_url }
    }
}

impl SearchProvider for Brave {
    fn name(&self) -> &'static str {
        NAME
    }

    fn base_url(&self) -> &Url {
        &self.base_url
    }

    fn request(&self, query: &SearchQuery) -> Result<EgressRequest, WebError> {
        let mut url = self.base_url.clone();
        {
            let mut pairs = url.query_pairs_mut();
            pairs.append_pair("q", &query.query).append_pair("count", &query.count.to_string());
            if let Some(country) = &query.country {
                pairs.append_pair("country", &code(NAME, "country", country)?.to_ascii_uppercase());
            }
            // Both name the language of the results; the provider's own codes are the more exact ones.
            let language = match (&query.search_lang, &query.language) {
                (Some(language), _) => Some(("search_lang", language)),
                (None, language) => language.as_ref().map(|language| ("language", language)),
            };
            if let Some((parameter, language)) = language {
                pairs.append_pair("search_lang", &code(NAME, parameter, language)?);
            }
            if let Some(language) = &query.ui_lang {
                pairs.append_pair("ui_lang", &code(NAME, "ui_lang", language)?);
            }
            if let Some(freshness) = freshness(query)? {
                pairs.append_pair("freshness", &freshness);
            }
        }
        let mut headers = HeaderMap::new();
        headers.insert(HeaderName::from_static("x-subscription-token"), key_header(NAME, "", &self.key)?);
        Ok(EgressRequest { method: Method::GET, url, headers, body: Vec::new() })
    }

    fn parse(&self, answer: &[u8]) -> Result<Vec<SearchResult>, WebError> {
        json_results(NAME, answer, "/web/results", ["title", "url", "description", "age"])
    }
}

/// A period, or a range of days that needs both ends.
fn freshness(query: &SearchQuery) -> Result<Option<String>, WebError> {
    let unsupported = |parameter, reason: &str| {
        Err(WebError::Unsupported { provider: NAME, parameter, reason: reason.to_owned() })
    };
    match (query.freshness, query.date_after, query.date_before) {
        (None, None, None) => Ok(None),
        (Some(freshness), None, None) => Ok(Some(
            match freshness {
                Freshness::Day => "pd",
                Freshness::Week => "pw",
                Freshness::Month => "pm",
                Freshness::Year => "py",
            }
            .to_owned(),
        )),
        (None, Some(after), Some(before)) if after <= before => Ok(Some(format!("{after}to{before}"))),
        (None, Some(_), Some(_)) => unsupported("date_after", "it is later than date_before"),
        (None, Some(_), None) => unsupported("date_after", "it needs date_before, too"),
        (None, None, Some(_)) => unsupported("date_before", "it needs date_after, too"),
        (Some(_), ..) => unsupported("freshness", "it does not go together with date_after and date_before"),
    }
}
