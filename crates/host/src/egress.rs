//! Requests to other machines, each limited by an [`EgressRule`].
//!
//! The rule is checked on the URL, on every address before the connection, and again after each redirect. No proxy is
//! used, time and size (after decompression) are limited, and a redirect to another site carries no header of the
//! caller that could be a key. The client is created at the first request, so an unused one costs nothing.

mod address;
mod exceptions;
mod resolver;
mod rule;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::dns::Resolve;
use reqwest::header::{ACCEPT, ACCEPT_LANGUAGE, LOCATION, USER_AGENT};
use reqwest::redirect::Policy;
use tokio::time::{Instant, timeout_at};

use crate::clock::deadline;

pub use address::{ReservedRange, reserved_range};
pub use exceptions::EgressExceptions;
pub use reqwest::Method;
pub use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
pub use rule::{EgressRefusal, EgressRule};
pub use url::{Host, Url};

/// Limits of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EgressLimits {
    /// Time to connect, including name resolution.
    pub connect: Duration,
    /// Time until the last byte of the response.
    pub total: Duration,
    /// Bytes of the response body, after decompression.
    pub body: usize,
    /// Redirects that are followed.
    pub redirects: usize,
}

impl Default for EgressLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(30),
            body: 10 << 20,
            redirects: 5,
        }
    }
}

/// An HTTP request.
#[derive(Debug, Clone)]
pub struct EgressRequest {
    /// The method.
    pub method: Method,
    /// The URL.
    pub url: Url,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl EgressRequest {
    /// A GET request.
    ///
    /// # Errors
    /// When the URL is invalid.
    pub fn get(url: &str) -> Result<Self, EgressError> {
        let url = Url::parse(url).map_err(|source| EgressError::Url { source })?;
        Ok(Self { method: Method::GET, url, headers: HeaderMap::new(), body: Vec::new() })
    }
}

/// Failure of a request. A site is named by scheme, host and port only, because the rest of a URL may contain a key.
#[derive(Debug, thiserror::Error)]
pub enum EgressError {
    /// Not a URL.
    #[error("this is not a valid URL")]
    Url {
        /// The syntax error.
        source: url::ParseError,
    },
    /// The rule does not allow it.
    #[error("the request to {site} was refused")]
    Refused {
        /// The site.
        site: String,
        /// The reason.
        source: EgressRefusal,
    },
    /// The target of a redirect is not a URL.
    #[error("{site} redirects to an invalid URL")]
    Redirect {
        /// The site.
        site: String,
    },
    /// Too many redirects.
    #[error("{site} redirected more than {limit} times")]
    TooManyRedirects {
        /// The site of the last response.
        site: String,
        /// Redirects that are followed.
        limit: usize,
    },
    /// The response was not complete in time.
    #[error("{site} did not respond in time")]
    TimedOut {
        /// The site.
        site: String,
    },
    /// The response is larger than allowed.
    #[error("the response from {site} is larger than {limit} bytes")]
    TooLarge {
        /// The site.
        site: String,
        /// Bytes allowed.
        limit: usize,
    },
    /// The connection failed or broke.
    #[error("{site} cannot be reached")]
    Failed {
        /// The site.
        site: String,
        /// The cause.
        source: reqwest::Error,
    },
    /// The HTTP client cannot be created.
    #[error("the HTTP client cannot be created")]
    Client {
        /// The cause.
        source: reqwest::Error,
    },
}

/// Sends requests under one rule.
pub struct Egress {
    rule: EgressRule,
    limits: EgressLimits,
    resolver: Arc<dyn Resolve>,
    client: OnceLock<reqwest::Client>,
}

impl Egress {
    /// Connects on the first request.
    #[must_use]
    pub fn new(rule: EgressRule, limits: EgressLimits) -> Self {
        Self::with_resolver(rule, limits, Arc::new(resolver::SystemResolver))
    }

    fn with_resolver(rule: EgressRule, limits: EgressLimits, inner: Arc<dyn Resolve>) -> Self {
        let resolver = Arc::new(resolver::FilteredResolver { rule: rule.clone(), inner });
        Self { rule, limits, resolver, client: OnceLock::new() }
    }

    /// Sends a request and returns the head of the response; the body is read separately. Redirects are followed for GET
    /// and HEAD; for any other method they are the response.
    ///
    /// # Errors
    /// See [`EgressError`].
    pub async fn send(&self, request: EgressRequest) -> Result<EgressResponse, EgressError> {
        self.send_checked(request, &|_| Ok(())).await
    }

    /// Like [`Egress::send`], with a check of the caller's own: on the URL, and again on that of each redirect.
    ///
    /// # Errors
    /// See [`EgressError`].
    pub async fn send_checked(
        &self,
        request: EgressRequest,
        check: &(dyn Fn(&Url) -> Result<(), EgressRefusal> + Send + Sync),
    ) -> Result<EgressResponse, EgressError> {
        let deadline = deadline(self.limits.total);
        let follows = matches!(request.method, Method::GET | Method::HEAD);
        let EgressRequest { method, mut url, mut headers, body } = request;
        let mut followed = 0;
        loop {
            check(&url).map_err(|source| EgressError::Refused { site: site(&url), source })?;
            let answer = self.hop(&method, &url, &headers, &body, deadline).await?;
            let Some(next) = answer.redirect()?.filter(|_| follows) else { return Ok(answer) };
            if followed == self.limits.redirects {
                let (site, limit) = (site(&url), self.limits.redirects);
                return Err(EgressError::TooManyRedirects { site, limit });
            }
            followed += 1;
            if next.origin() != url.origin() {
                headers = cross_site_headers(&headers);
            }
            url = next;
        }
    }

    async fn hop(
        &self,
        method: &Method,
        url: &Url,
        headers: &HeaderMap,
        body: &[u8],
        deadline: Instant,
    ) -> Result<EgressResponse, EgressError> {
        let refused = |source| EgressError::Refused { site: site(url), source };
        self.rule.check_url(url).map_err(refused)?;
        let mut request = self.client()?.request(method.clone(), url.clone()).headers(headers.clone());
        if !body.is_empty() {
            request = request.body(body.to_vec());
        }
        let response = match timeout_at(deadline, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(failed(url, error)),
            Err(_) => return Err(EgressError::TimedOut { site: site(url) }),
        };
        Ok(EgressResponse {
            url: url.clone(),
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            response,
            deadline,
            limit: self.limits.body,
            left: self.limits.body,
        })
    }

    #[allow(clippy::disallowed_methods, reason = "this module owns the outbound client")]
    fn client(&self) -> Result<&reqwest::Client, EgressError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        // Fails if the provider is already installed; this program has no other.
        let _already_installed = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .dns_resolver(Arc::clone(&self.resolver))
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            .connect_timeout(self.limits.connect)
            .user_agent(concat!("tarsus/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|source| EgressError::Client { source })?;
        Ok(self.client.get_or_init(|| client))
    }
}

/// A response whose body is read in chunks.
#[derive(Debug)]
pub struct EgressResponse {
    /// The URL after redirects.
    pub url: Url,
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    response: reqwest::Response,
    deadline: Instant,
    limit: usize,
    left: usize,
}

impl EgressResponse {
    /// The next chunk of the body; `None` at its end.
    ///
    /// # Errors
    /// When the time is up, the body is too large or the connection breaks.
    pub async fn chunk(&mut self) -> Result<Option<Vec<u8>>, EgressError> {
        let chunk = match timeout_at(self.deadline, self.response.chunk()).await {
            Ok(Ok(chunk)) => chunk,
            Ok(Err(error)) => return Err(failed(&self.url, error)),
            Err(_) => return Err(EgressError::TimedOut { site: site(&self.url) }),
        };
        let Some(chunk) = chunk else { return Ok(None) };
        let Some(left) = self.left.checked_sub(chunk.len()) else {
            return Err(EgressError::TooLarge { site: site(&self.url), limit: self.limit });
        };
        self.left = left;
        Ok(Some(chunk.into()))
    }

    /// The whole body.
    ///
    /// # Errors
    /// As [`EgressResponse::chunk`].
    pub async fn body(mut self) -> Result<Vec<u8>, EgressError> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn redirect(&self) -> Result<Option<Url>, EgressError> {
        let target = self.headers.get(LOCATION);
        let Some(target) = target.filter(|_| matches!(self.status, 301..=303 | 307 | 308)) else {
            return Ok(None);
        };
        let next = target.to_str().ok().and_then(|target| self.url.join(target).ok());
        next.map(Some).ok_or_else(|| EgressError::Redirect { site: site(&self.url) })
    }
}

/// The headers that may follow a redirect to another site.
fn cross_site_headers(headers: &HeaderMap) -> HeaderMap {
    [ACCEPT, ACCEPT_LANGUAGE, USER_AGENT]
        .into_iter()
        .filter_map(|name| Some((name.clone(), headers.get(name)?.clone())))
        .collect()
}

/// Finds the reason under the layers of the client: a refusal by the resolver comes as a failed connection.
fn failed(url: &Url, error: reqwest::Error) -> EgressError {
    let site = site(url);
    let mut cause: Option<&dyn Error> = Some(&error);
    while let Some(error) = cause {
        if let Some(refused) = error.downcast_ref::<EgressRefusal>() {
            return EgressError::Refused { site, source: refused.clone() };
        }
        cause = error.source();
    }
    if error.is_timeout() {
        return EgressError::TimedOut { site };
    }
    EgressError::Failed { site, source: error.without_url() }
}

fn site(url: &Url) -> String {
    match url.origin() {
        origin @ url::Origin::Tuple(..) => origin.ascii_serialization(),
        url::Origin::Opaque(_) => format!("{}:", url.scheme()),
    }
}
