//! `tools.web`: fetching pages and searching the web.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Ignored, SecretInput};

/// Fetching pages and searching the web.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Web {
    /// Searching the web.
    pub search: WebSearch,
    /// Fetching pages.
    pub fetch: WebFetch,
}

/// Searching the web. `apiKey` is the key of the provider in use, unless that has one of its own.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("gemini grok kimi openaiCodex perplexity"))]
pub struct WebSearch {
    /// False removes the tool `web_search`.
    #[schemars(extend("x-when-wrong" = false))]
    pub enabled: bool,
    /// The provider: `brave`, `tavily`, `searxng` or `duckduckgo`. Chosen by the keys that are set, if not given.
    pub provider: Option<String>,
    /// The provider's key.
    pub api_key: Option<SecretInput>,
    /// Results of a search that does not say how many.
    #[schemars(range(min = 1))]
    pub max_results: u32,
    /// Seconds until a search is given up.
    #[schemars(range(min = 1))]
    pub timeout_seconds: u32,
    /// Minutes for which the results of a search are kept.
    #[schemars(range(min = 0.0))]
    pub cache_ttl_minutes: f64,
    /// Brave Search.
    pub brave: BraveSearch,
    /// Tavily, a search engine for agents.
    pub tavily: TavilySearch,
    /// A SearXNG server.
    pub searxng: SearxngSearch,
}

impl Default for WebSearch {
    fn default() -> Self {
        Self {
            enabled: true,
            provider: None,
            api_key: None,
            max_results: 5,
            timeout_seconds: 30,
            cache_ttl_minutes: 15.0,
            brave: BraveSearch::default(),
            tavily: TavilySearch::default(),
            searxng: SearxngSearch::default(),
        }
    }
}

/// Brave Search.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("mode"))]
pub struct BraveSearch {
    /// The key; `BRAVE_API_KEY` if not set.
    pub api_key: Option<SecretInput>,
}

/// Tavily, a search engine for agents.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct TavilySearch {
    /// The key; `TAVILY_API_KEY` if not set.
    pub api_key: Option<SecretInput>,
}

/// A SearXNG server.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SearxngSearch {
    /// Its address; `SEARXNG_BASE_URL` if not set. It may be in a private network.
    pub base_url: Option<String>,
}

/// Fetching pages.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("firecrawl headers provider useTrustedEnvProxy"))]
pub struct WebFetch {
    /// False removes the tool `web_fetch`.
    #[schemars(extend("x-when-wrong" = false))]
    pub enabled: bool,
    /// Characters of a page's text for a call that does not say how many.
    #[schemars(range(min = 1))]
    pub max_chars: u32,
    /// Characters that a call can ask for.
    #[schemars(range(min = 1))]
    pub max_chars_cap: u32,
    /// Bytes of a response, at most 10 MB.
    #[schemars(range(min = 1))]
    pub max_response_bytes: u32,
    /// Seconds until a page is given up.
    #[schemars(range(min = 1))]
    pub timeout_seconds: u32,
    /// Minutes for which a page is kept.
    #[schemars(range(min = 0.0))]
    pub cache_ttl_minutes: f64,
    /// Redirects that are followed.
    pub max_redirects: u32,
    /// The name that is sent to web servers.
    pub user_agent: Option<String>,
    /// Reduce a page to its article; false returns the whole page.
    pub readability: bool,
    /// The addresses that pages may be fetched from.
    pub ssrf_policy: SsrfPolicy,
}

impl Default for WebFetch {
    fn default() -> Self {
        Self {
            enabled: true,
            max_chars: 50_000,
            max_chars_cap: 50_000,
            max_response_bytes: 10 << 20,
            timeout_seconds: 30,
            cache_ttl_minutes: 15.0,
            max_redirects: 5,
            user_agent: None,
            readability: true,
            ssrf_policy: SsrfPolicy::default(),
        }
    }
}

/// Exceptions to the rule that pages come from public addresses. The metadata services of clouds are never reached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SsrfPolicy {
    /// Allow this machine and private networks.
    pub dangerously_allow_private_network: bool,
    /// Allow 198.18.0.0/15, which some proxies use for every name.
    pub allow_rfc2544_benchmark_range: bool,
    /// Allow fc00::/7, which some proxies use for every name.
    pub allow_ipv6_unique_local_range: bool,
    /// Hosts that may be at a private address.
    pub allowed_hostnames: Vec<String>,
    /// Hosts that are never fetched; `*.example.com` stands for the hosts below it. Takes precedence.
    #[schemars(extend("x-when-wrong" = ["*"]))]
    pub blocked_hostnames: Vec<String>,
}

/// A time in minutes, as the configuration gives it; at most a day.
#[must_use]
pub fn minutes(minutes: f64) -> Duration {
    const MAX_MINUTES: f64 = 24.0 * 60.0;
    Duration::from_secs_f64(minutes.clamp(0.0, MAX_MINUTES) * 60.0)
}
