//! DuckDuckGo's page for browsers without scripts. It needs no key and is no interface: it may change, or refuse.

use tarsus_host::egress::{EgressRequest, HeaderMap, Method, Url};

use super::{Freshness, SearchProvider, SearchQuery, SearchResult, code, is_web_url, refuse};
use crate::error::WebError;
use crate::html::parse_bounded;

const NAME: &str = "duckduckgo";

/// DuckDuckGo, by its page for browsers.
#[derive(Debug)]
pub struct DuckDuckGo {
    base_url: Url,
}

impl DuckDuckGo {
    /// The address of the page.
    pub const BASE_URL: &str = "https://html.duckduckgo.com/html/";

    /// Searches at this address.
    #[must_use]
    pub fn new(base_url: Url) -> Self {
        Self { base_url }
    }
}

impl SearchProvider for DuckDuckGo {
    fn name(&self) -> &'static str {
        NAME
    }

    fn base_url(&self) -> &Url {
        &self.base_url
    }

    fn request(&self, query: &SearchQuery) -> Result<EgressRequest, WebError> {
        let languages = [("search_lang", query.search_lang.is_some()), ("ui_lang", query.ui_lang.is_some())];
        refuse(NAME, &languages, "use language and country")?;
        let mut url = self.base_url.clone();
        {
            let mut pairs = url.query_pairs_mut();
            pairs.append_pair("q", &query.query);
            match (&query.country, &query.language) {
                (Some(country), Some(language)) => {
                    let (country, language) =
                        (code(NAME, "country", country)?, code(NAME, "language", language)?);
                    pairs.append_pair("kl", &format!("{country}-{language}").to_ascii_lowercase());
                }
                (None, None) => {}
                (country, language) => {
                    let one = [("country", country.is_some()), ("language", language.is_some())];
                    refuse(NAME, &one, "country and language go together")?;
                }
            }
            match (query.freshness, query.date_after, query.date_before) {
                (None, None, None) => {}
                (Some(freshness), None, None) => {
                    let word = match freshness {
                        Freshness::Day => "d",
                        Freshness::Week => "w",
                        Freshness::Month => "m",
                        Freshness::Year => "y",
                    };
                    pairs.append_pair("df", word);
                }
                (None, Some(after), Some(before)) => {
                    pairs.append_pair("df", &format!("{after}..{before}"));
                }
                (freshness, after, before) => {
                    let some = [
                        ("freshness", freshness.is_some()),
                        ("date_after", after.is_some()),
                        ("date_before", before.is_some()),
                    ];
                    refuse(NAME, &some, "use freshness alone, or date_after and date_before together")?;
                }
            }
        }
        Ok(EgressRequest { method: Method::GET, url, headers: HeaderMap::new(), body: Vec::new() })
    }

    fn parse(&self, answer: &[u8]) -> Result<Vec<SearchResult>, WebError> {
        let error = |reason| WebError::Answer { provider: NAME, reason };
        let html = String::from_utf8_lossy(answer);
        let document = parse_bounded(&html, &self.base_url).ok_or_else(|| error("the page is too large"))?;
        if document.select(".anomaly-modal__title, #challenge-form").exists() {
            return Err(error("it wants to know whether a person searches; use another provider"));
        }
        let mut results = Vec::new();
        for entry in document.select(".result:not(.result--ad)").iter() {
            let link = entry.select(".result__a");
            let url = link.attr("href").map(|link| target(&self.base_url, &link)).unwrap_or_default();
            if is_web_url(&url) {
                let title = link.text().to_string();
                let snippet = entry.select(".result__snippet").text().to_string();
                results.push(SearchResult { title, url, snippet, published: None });
            }
        }
        if results.is_empty() && !document.select(".no-results").exists() {
            return Err(error("the page has another form than expected; use another provider"));
        }
        Ok(results)
    }
}

/// The target of a link, which leads over a counter.
fn target(base: &Url, link: &str) -> String {
    let Ok(url) = base.join(link) else { return String::new() };
    let target = url.query_pairs().find(|(name, _)| name == "uddg").map(|(_, target)| target.into_owned());
    target.unwrap_or_else(|| url.into())
}
