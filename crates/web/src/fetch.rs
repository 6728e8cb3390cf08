//! Fetches pages: one GET under the owner's rule, read as text on a blocking thread, kept for a while.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tarsus_home::config::view::{SsrfPolicy, WebFetch, minutes};
use tarsus_host::Clock;
use tarsus_host::egress::{
    Egress, EgressExceptions, EgressLimits, EgressRefusal, EgressRequest, EgressResponse, EgressRule,
    HeaderName, HeaderValue, Url,
};
use tokio::sync::Semaphore;

use crate::cache::Cache;
use crate::content::{Body, TextFormat, read_body};
use crate::error::WebError;

/// Pages that are read at the same time; each uses a thread and a few times its size of memory.
const MAX_READERS: usize = 4;
/// Pages that are kept, and their bytes.
const MAX_PAGES: usize = 64;
const MAX_KEPT_BYTES: usize = 16 << 20;
/// Bytes of a response, whatever the configuration says.
const MAX_RESPONSE_BYTES: usize = 10 << 20;
const MAX_TIMEOUT_SECONDS: u32 = 300;
const MAX_REDIRECTS: usize = 20;
/// Bytes of a URL after redirects.
const MAX_URL_BYTES: usize = 4 * 1024;

const ACCEPT: HeaderValue = HeaderValue::from_static(
    "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.9,application/json;q=0.9,*/*;q=0.5",
);

/// Why a host may not be contacted, beyond the owner's rule; `None` if it may.
pub type HostCheck<'a> = &'a (dyn Fn(&str) -> Option<String> + Send + Sync);

/// A page to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// The URL.
    pub url: String,
    /// The form of the text.
    pub format: TextFormat,
    /// Characters of the text; the rest is cut.
    pub max_chars: usize,
}

/// A page as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The URL after redirects.
    pub url: String,
    /// The HTTP status.
    pub status: u16,
    /// The title, empty if there is none.
    pub title: String,
    /// When it was fetched.
    pub fetched_at: Timestamp,
    /// Whether it was fetched for an earlier call.
    pub is_cached: bool,
    /// The text, cut to the requested number of characters.
    pub text: String,
    /// Characters of the whole text.
    pub chars: usize,
    /// What a reader should know about the text.
    pub note: Option<&'static str>,
}

/// Fetches pages and keeps them.
#[derive(Debug)]
pub struct PageFetcher {
    state: Mutex<Option<Arc<Connections>>>,
    readers: Arc<Semaphore>,
}

/// What depends on the settings; new settings begin with an empty cache.
struct Connections {
    settings: WebFetch,
    egress: Egress,
    pages: Mutex<Cache<PageKey, Arc<KeptPage>>>,
}

impl std::fmt::Debug for Connections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connections").field("settings", &self.settings).finish_non_exhaustive()
    }
}

type PageKey = (String, TextFormat);

struct KeptPage {
    page: Page,
    /// Every host that was contacted: a later call may have other limits.
    hosts: Vec<String>,
}

impl Default for PageFetcher {
    fn default() -> Self {
        Self { state: Mutex::default(), readers: Arc::new(Semaphore::new(MAX_READERS)) }
    }
}

impl PageFetcher {
    /// Fetches a page. `check` is asked about its host, and about those of redirects.
    ///
    /// # Errors
    /// When the request fails or is refused, or the content is not text. A page with an HTTP error is a page.
    pub async fn fetch(
        &self,
        settings: &WebFetch,
        request: &PageRequest,
        clock: &Clock,
        check: HostCheck<'_>,
    ) -> Result<Page, WebError> {
        let connections = self.connections(settings)?;
        let mut get = EgressRequest::get(&request.url)?;
        get.url.set_fragment(None);
        let key = (get.url.to_string(), request.format);
        let ttl = minutes(settings.cache_ttl_minutes);
        let kept = lock(&connections.pages).get(&key, ttl, clock.monotonic());
        if let Some(kept) = kept.filter(|kept| kept.hosts.iter().all(|host| check(host).is_none())) {
            return Ok(cut(Page { is_cached: true, ..kept.page.clone() }, request.max_chars));
        }
        get.headers.insert(HeaderName::from_static("accept"), ACCEPT);
        if let Some(agent) = &settings.user_agent {
            let value = HeaderValue::from_str(agent).map_err(|_| WebError::Setting {
                key: "tools.web.fetch.userAgent",
                reason: "it cannot be sent".to_owned(),
            })?;
            get.headers.insert(HeaderName::from_static("user-agent"), value);
        }
        let hosts = Mutex::new(Vec::new());
        let checked = |url: &Url| {
            let host = url.host_str().unwrap_or_default();
            lock(&hosts).push(host.to_owned());
            let refusal = (url.as_str().len() > MAX_URL_BYTES).then(|| "its URL is too long".to_owned());
            match refusal.or_else(|| check(host)) {
                Some(reason) => Err(EgressRefusal::Caller { reason }),
                None => Ok(()),
            }
        };
        let response = connections.egress.send_checked(get, &checked).await?;
        let page = self.read(response, request.format, !settings.readability, clock).await?;
        if (200..300).contains(&page.status) {
            let hosts = std::mem::take(&mut *lock(&hosts));
            let bytes = page.text.len() + page.title.len() + page.url.len() + key.0.len();
            let kept = Arc::new(KeptPage { page: page.clone(), hosts });
            lock(&connections.pages).insert(key, kept, bytes, clock.monotonic());
        }
        Ok(cut(page, request.max_chars))
    }

    fn connections(&self, settings: &WebFetch) -> Result<Arc<Connections>, WebError> {
        let mut state = lock(&self.state);
        if let Some(connections) = state.as_ref().filter(|one| one.settings == *settings) {
            return Ok(Arc::clone(connections));
        }
        let connections = Arc::new(Connections {
            settings: settings.clone(),
            egress: Egress::new(rule(&settings.ssrf_policy)?, limits(settings)),
            pages: Mutex::new(Cache::new(MAX_PAGES, MAX_KEPT_BYTES)),
        });
        *state = Some(Arc::clone(&connections));
        Ok(connections)
    }

    async fn read(
        &self,
        response: EgressResponse,
        format: TextFormat,
        whole: bool,
        clock: &Clock,
    ) -> Result<Page, WebError> {
        let (url, status) = (response.url.clone(), response.status);
        let header = |name: &str| {
            let value = response.headers.get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let (content_type, encoding) = (header("content-type"), header("content-encoding"));
        if !matches!(encoding.to_ascii_lowercase().as_str(), "" | "identity") {
            return Err(WebError::Encoding { url: url.to_string(), encoding });
        }
        let bytes = response.body().await?;
        let unreadable = || WebError::Unreadable { url: url.to_string() };
        let reader = Arc::clone(&self.readers).acquire_owned().await.map_err(|_| unreadable())?;
        let (base, thread_clock) = (url.clone(), clock.clone());
        let reading = tokio::task::spawn_blocking(move || {
            let body = Body { url: &base, bytes: &bytes, content_type: &content_type };
            let content = read_body(&body, format, whole, &thread_clock);
            // Held by the thread: a call that is given up does not stop it.
            drop(reader);
            content
        });
        let content = reading.await.map_err(|error| {
            tracing::error!(%error, "reading a page panicked");
            unreadable()
        })??;
        Ok(Page {
            chars: content.text.chars().count(),
            url: url.into(),
            status,
            title: content.title,
            fetched_at: clock.now(),
            is_cached: false,
            text: content.text,
            note: content.note,
        })
    }
}

fn cut(mut page: Page, max_chars: usize) -> Page {
    if let Some((end, _)) = page.text.char_indices().nth(max_chars) {
        page.text.truncate(end);
    }
    page
}

fn limits(settings: &WebFetch) -> EgressLimits {
    let default = EgressLimits::default();
    let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    EgressLimits {
        total: Duration::from_secs(settings.timeout_seconds.min(MAX_TIMEOUT_SECONDS).into()),
        body: size(settings.max_response_bytes).min(MAX_RESPONSE_BYTES),
        redirects: size(settings.max_redirects).min(MAX_REDIRECTS),
        ..default
    }
}

fn rule(policy: &SsrfPolicy) -> Result<EgressRule, WebError> {
    let invalid = |key| move |refusal: EgressRefusal| WebError::Setting { key, reason: refusal.to_string() };
    let exceptions = EgressExceptions::default()
        .with_private_network(policy.dangerously_allow_private_network)
        .with_benchmark_range(policy.allow_rfc2544_benchmark_range)
        .with_unique_local_range(policy.allow_ipv6_unique_local_range)
        .with_allowed(policy.allowed_hostnames.iter().map(String::as_str))
        .map_err(invalid("tools.web.fetch.ssrfPolicy.allowedHostnames"))?
        .with_blocked(policy.blocked_hostnames.iter().map(String::as_str))
        .map_err(invalid("tools.web.fetch.ssrfPolicy.blockedHostnames"))?;
    Ok(EgressRule::PublicExcept(Box::new(exceptions)))
}

/// A panic leaves consistent values: each is set in one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
