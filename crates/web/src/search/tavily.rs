//! Tavily, a search engine for agents.

use serde_json::json;
use tarsus_home::Secret;
use tarsus_host::egress::{EgressRequest, HeaderMap, HeaderName, HeaderValue, Method, Url};

use super::{SearchProvider, SearchQuery, SearchResult, json_results, key_header, refuse};
use crate::error::WebError;

const NAME: &str = "tavily";

/// Tavily, a search engine for agents.
#[derive(Debug)]
pub struct Tavily {
    key: Secret,
    base_url: Url,
}

impl Tavily {
    /// The address of its interface.
    pub const BASE_URL: &str = "https://api.tavily.com/search";

    /// Searches with this key.
    #[must_use]
    pub fn new(key: Secret, base_url: Url) -> Self {
        Self { key, base_url }
    }
}

impl SearchProvider for Tavily {
    fn name(&self) -> &'static str {
        NAME
    }

    fn base_url(&self) -> &Url {
        &self.base_url
    }

    fn request(&self, query: &SearchQuery) -> Result<EgressRequest, WebError> {
        let unknown = [
            ("country", query.country.is_some()),
            ("language", query.language.is_some()),
            ("search_lang", query.search_lang.is_some()),
            ("ui_lang", query.ui_lang.is_some()),
        ];
        refuse(NAME, &unknown, "name the country or the language in the query")?;
        let mut body = json!({ "query": query.query, "max_results": query.count });
        let dates = [("start_date", query.date_after), ("end_date", query.date_before)];
        for (name, date) in dates {
            if let Some(date) = date {
                body[name] = date.to_string().into();
            }
        }
        if let Some(freshness) = query.freshness {
            body["time_range"] = freshness.name().into();
        }
        let mut headers = HeaderMap::new();
        headers.insert(HeaderName::from_static("authorization"), key_header(NAME, "Bearer ", &self.key)?);
        headers.insert(HeaderName::from_static("content-type"), HeaderValue::from_static("application/json"));
        let body = body.to_string().into_bytes();
        Ok(EgressRequest { method: Method::POST, url: self.base_url.clone(), headers, body })
    }

    fn parse(&self, answer: &[u8]) -> Result<Vec<SearchResult>, WebError> {
        json_results(NAME, answer, "/results", ["title", "url", "content", "published_date"])
    }
}
