//! Searches the web by one of several providers, behind one trait; results are kept for a while.

mod brave;
mod duckduckgo;
mod searxng;
mod tavily;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::civil::Date;
use serde_json::Value;
use tarsus_home::Secret;
use tarsus_host::Clock;
use tarsus_host::egress::{
    Egress, EgressLimits, EgressRequest, EgressResponse, EgressRule, HeaderValue, Url,
};

use crate::cache::Cache;
use crate::error::WebError;
use crate::html::inline_text;

pub use brave::Brave;
pub use duckduckgo::DuckDuckGo;
pub use searxng::Searxng;
pub use tavily::Tavily;

/// Results of one search.
pub const MAX_RESULTS: usize = 10;

const MAX_TITLE_CHARS: usize = 300;
const MAX_SNIPPET_CHARS: usize = 1_000;
const MAX_URL_CHARS: usize = 2_000;
const MAX_DATE_CHARS: usize = 60;
/// Bytes of a provider's answer.
const MAX_ANSWER_BYTES: usize = 2 << 20;
const MAX_REDIRECTS: usize = 2;
const MAX_TIMEOUT: Duration = Duration::from_secs(300);
/// Searches that are kept, and their bytes.
const MAX_KEPT: usize = 128;
const MAX_KEPT_BYTES: usize = 4 << 20;

/// How new results have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// The last 24 hours.
    Day,
    /// The last week.
    Week,
    /// The last month.
    Month,
    /// The last year.
    Year,
}

impl Freshness {
    /// All of them, with their names.
    pub const NAMES: [&'static str; 4] = ["day", "week", "month", "year"];

    /// The one with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Day, Self::Week, Self::Month, Self::Year].into_iter().find(|one| one.name() == name)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }
}

/// What to search for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchQuery {
    /// The words.
    pub query: String,
    /// Number of results, at most [`MAX_RESULTS`].
    pub count: usize,
    /// Two letters.
    pub country: Option<String>,
    /// The language of the results.
    pub language: Option<String>,
    /// How new they have to be.
    pub freshness: Option<Freshness>,
    /// Only results after this day.
    pub date_after: Option<Date>,
    /// Only results before this day.
    pub date_before: Option<Date>,
    /// The language of the results, in the provider's own codes.
    pub search_lang: Option<String>,
    /// The language of the provider's own texts.
    pub ui_lang: Option<String>,
}

/// One result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// The title of the page.
    pub title: String,
    /// Its URL.
    pub url: String,
    /// What the provider quotes of it.
    pub snippet: String,
    /// When it was published, as the provider says it.
    pub published: Option<String>,
}

/// The results of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResults {
    /// The results, best first.
    pub results: Vec<SearchResult>,
    /// Whether they are those of an earlier call.
    pub is_cached: bool,
}

/// A search provider: a request for each query, and the results in its answer.
pub trait SearchProvider: Send + Sync {
    /// Its name in the configuration.
    fn name(&self) -> &'static str;

    /// The address that requests go to.
    fn base_url(&self) -> &Url;

    /// The request for a query.
    ///
    /// # Errors
    /// When the provider does not know a parameter.
    fn request(&self, query: &SearchQuery) -> Result<EgressRequest, WebError>;

    /// The results in an answer with status 200.
    ///
    /// # Errors
    /// When the answer has another form.
    fn parse(&self, answer: &[u8]) -> Result<Vec<SearchResult>, WebError>;
}

/// Sends searches and keeps their results.
#[derive(Debug)]
pub struct SearchClient {
    kept: Mutex<Cache<String, Vec<SearchResult>>>,
}

impl Default for SearchClient {
    fn default() -> Self {
        Self { kept: Mutex::new(Cache::new(MAX_KEPT, MAX_KEPT_BYTES)) }
    }
}

impl SearchClient {
    /// Searches. Results of the same search are the same for `ttl`.
    ///
    /// # Errors
    /// When the provider cannot be asked, or does not answer.
    pub async fn search(
        &self,
        provider: &dyn SearchProvider,
        query: &SearchQuery,
        timeout: Duration,
        ttl: Duration,
        clock: &Clock,
    ) -> Result<SearchResults, WebError> {
        let request = provider.request(query)?;
        let key = format!("{} {} {query:?}", provider.name(), provider.base_url());
        let kept = |cache: &Mutex<Cache<_, _>>| {
            cache.lock().unwrap_or_else(PoisonError::into_inner).get(&key, ttl, clock.monotonic())
        };
        if let Some(results) = kept(&self.kept) {
            return Ok(SearchResults { results, is_cached: true });
        }
        let host = request.url.host().map(|host| host.to_owned());
        let limits = EgressLimits {
            total: timeout.min(MAX_TIMEOUT),
            body: MAX_ANSWER_BYTES,
            redirects: MAX_REDIRECTS,
            ..EgressLimits::default()
        };
        // The provider's own host only, which may be a server in the owner's network.
        let egress = Egress::new(EgressRule::Only(host.into_iter().collect()), limits);
        let response = egress.send(request).await?;
        check_status(provider.name(), &response)?;
        let mut results = provider.parse(&response.body().await?)?;
        results.truncate(query.count.min(MAX_RESULTS));
        results.iter_mut().for_each(shorten);
        let bytes = results.iter().map(size).sum::<usize>() + key.len();
        let mut cache = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        cache.insert(key, results.clone(), bytes, clock.monotonic());
        Ok(SearchResults { results, is_cached: false })
    }
}

fn check_status(provider: &'static str, response: &EgressResponse) -> Result<(), WebError> {
    match response.status {
        200 => Ok(()),
        401 | 403 => Err(WebError::Key { provider }),
        429 => {
            let header = response.headers.get("retry-after").and_then(|value| value.to_str().ok());
            Err(WebError::RateLimit {
                provider,
                retry_after: header.and_then(|value| value.trim().parse().ok()),
            })
        }
        status => Err(WebError::Status { provider, status }),
    }
}

fn size(result: &SearchResult) -> usize {
    let published = result.published.as_ref().map_or(0, String::len);
    result.title.len() + result.url.len() + result.snippet.len() + published
}

/// Titles and snippets are HTML in the answers of some providers.
fn shorten(result: &mut SearchResult) {
    let short = |text: &str, max: usize| inline_text(text).chars().take(max).collect();
    result.title = short(&result.title, MAX_TITLE_CHARS);
    result.snippet = short(&result.snippet, MAX_SNIPPET_CHARS);
    result.published = result.published.take().map(|date| short(&date, MAX_DATE_CHARS));
}

/// Results from a JSON list; entries without an http URL are left out.
fn json_results(
    provider: &'static str,
    answer: &[u8],
    list: &str,
    [title, url, snippet, published]: [&str; 4],
) -> Result<Vec<SearchResult>, WebError> {
    let error = |reason| WebError::Answer { provider, reason };
    let answer: Value = serde_json::from_slice(answer).map_err(|_| error("it is not JSON"))?;
    if !answer.is_object() {
        return Err(error("it is not an object"));
    }
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
    let entries = match answer.pointer(list) {
        Some(Value::Array(entries)) => entries.as_slice(),
        // A provider leaves the list out when nothing was found.
        None | Some(Value::Null) => &[],
        Some(_) => return Err(error("its results are not a list")),
    };
    let result = |entry: &Value| SearchResult {
        title: text(entry, title),
        url: text(entry, url),
        snippet: text(entry, snippet),
        published: entry[published].as_str().map(str::to_owned),
    };
    Ok(entries.iter().map(result).filter(|result| is_web_url(&result.url)).collect())
}

fn is_web_url(url: &str) -> bool {
    let parsed = Url::parse(url);
    url.chars().count() <= MAX_URL_CHARS && parsed.is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// A key as a header, which is not shown in logs.
fn key_header(provider: &'static str, prefix: &str, key: &Secret) -> Result<HeaderValue, WebError> {
    let mut value = HeaderValue::from_str(&format!("{prefix}{}", key.expose()))
        .map_err(|_| WebError::Key { provider })?;
    value.set_sensitive(true);
    Ok(value)
}

/// Refuses parameters that a provider does not know.
fn refuse(provider: &'static str, parameters: &[(&'static str, bool)], reason: &str) -> Result<(), WebError> {
    match parameters.iter().find(|(_, is_set)| *is_set) {
        Some((parameter, _)) => Err(WebError::Unsupported { provider, parameter, reason: reason.to_owned() }),
        None => Ok(()),
    }
}

/// A code such as `de` or `en-gb`: letters, digits and hyphens.
fn code(provider: &'static str, parameter: &'static str, value: &str) -> Result<String, WebError> {
    let is_code = (2..=10).contains(&value.len())
        && value.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'-');
    if is_code {
        return Ok(value.to_owned());
    }
    Err(WebError::Unsupported {
        provider,
        parameter,
        reason: "it takes a code such as de or en-US".to_owned(),
    })
}
