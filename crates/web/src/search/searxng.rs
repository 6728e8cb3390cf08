//! A SearXNG server, which the owner runs or knows.

use tarsus_host::egress::{EgressRequest, HeaderMap, Method, Url};

use super::{SearchProvider, SearchQuery, SearchResult, code, json_results, refuse};
use crate::error::WebError;

const NAME: &str = "searxng";

/// A SearXNG server.
#[derive(Debug)]
pub struct Searxng {
    base_url: Url,
}

impl Searxng {
    /// Searches at this address, which may have a path.
    #[must_use]
    pub fn new(base_url: Url) -> Self {
        Self { base_url }
    }
}

impl SearchProvider for Searxng {
    fn name(&self) -> &'static str {
        NAME
    }

    fn base_url(&self) -> &Url {
        &self.base_url
    }

    fn request(&self, query: &SearchQuery) -> Result<EgressRequest, WebError> {
        let dates =
            [("date_after", query.date_after.is_some()), ("date_before", query.date_before.is_some())];
        refuse(NAME, &dates, "use freshness")?;
        refuse(NAME, &[("ui_lang", query.ui_lang.is_some())], "use language")?;
        let language = query.search_lang.as_ref().or(query.language.as_ref());
        let country = [("country", query.country.is_some() && language.is_none())];
        refuse(NAME, &country, "it needs language, too")?;
        let mut url = self.base_url.clone();
        let path = format!("{}/search", url.path().trim_end_matches('/').trim_end_matches("/search"));
        url.set_path(&path);
        {
            let mut pairs = url.query_pairs_mut();
            pairs.clear().append_pair("q", &query.query).append_pair("format", "json");
            if let Some(language) = language {
                let mut language = code(NAME, "language", language)?;
                if let Some(country) = query.country.as_ref().filter(|_| !language.contains('-')) {
                    language = format!("{language}-{}", code(NAME, "country", country)?.to_ascii_uppercase());
                }
                pairs.append_pair("language", &language);
            }
            if let Some(freshness) = query.freshness {
                pairs.append_pair("time_range", freshness.name());
            }
        }
        Ok(EgressRequest { method: Method::GET, url, headers: HeaderMap::new(), body: Vec::new() })
    }

    fn parse(&self, answer: &[u8]) -> Result<Vec<SearchResult>, WebError> {
        json_results(NAME, answer, "/results", ["title", "url", "content", "publishedDate"])
    }
}
