//! A model behind HTTP: one request, one answer, streamed. Dropping the stream ends the request at once.
//!
//! Promises: the waits and the sizes are bounded ([`Limits`]); what a server says of an error has no key in it.
//! Leaves to others: trying again, other models.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::Stream;
use futures_util::stream::unfold;
use tarsus_home::Secret;
use tarsus_host::Clock;
use tarsus_host::egress::{self, Egress, EgressError, HeaderMap, HeaderName, HeaderValue, Method, Rule, Url};
use tokio::time::{Instant, timeout, timeout_at};

use crate::catalog::{Facts, Model};
use crate::classify;
use crate::delta::Delta;
use crate::failure::{Class, Failure};
use crate::limits::Limits;
use crate::name::ModelName;
use crate::request::Request;
use crate::wire::{Reading, outgoing};

/// The pieces of an answer as they come. A failure is the last item; so is the `Stop` of a whole answer.
pub type Deltas = Pin<Box<dyn Stream<Item = Result<Delta, Failure>> + Send>>;

/// Something that answers requests, piece by piece.
pub trait LanguageModel: Send + Sync {
    /// Its name.
    fn name(&self) -> &ModelName;

    /// What is known about it.
    fn facts(&self) -> &Facts;

    /// How many tokens to count on.
    fn window(&self) -> u32;

    /// Asks it. Nothing happens before the stream is asked for its first piece; dropping the stream ends the request.
    fn ask(&self, request: Arc<Request>) -> Deltas;
}

/// The hosts that are talked to, each with the connections that stand.
#[derive(Clone)]
pub struct Connections {
    hosts: Arc<Mutex<BTreeMap<String, Arc<Egress>>>>,
    limits: Limits,
    clock: Clock,
}

/// More hosts than that are not remembered: a configuration has a handful.
const MOST_HOSTS: usize = 64;

impl Connections {
    /// No connection yet.
    #[must_use]
    pub fn new(limits: Limits, clock: Clock) -> Self {
        Self { hosts: Arc::default(), limits, clock }
    }

    /// A model that can be asked.
    ///
    /// # Errors
    /// When a header cannot be sent.
    pub fn remote(
        &self,
        model: Model,
        key: Option<Secret>,
        headers: &BTreeMap<String, Secret>,
    ) -> Result<Remote, Failure> {
        let headers = self::headers(&model, key.as_ref(), headers)?;
        let egress = self.egress(&model.base_url)?;
        Ok(Remote {
            inner: Arc::new(Inner {
                model,
                key,
                headers,
                egress,
                limits: self.limits,
                clock: self.clock.clone(),
            }),
        })
    }

    /// Requests to one host go to it and nowhere else.
    fn egress(&self, url: &Url) -> Result<Arc<Egress>, Failure> {
        let host = match url.host() {
            Some(host) => host.to_owned(),
            None => return Err(Failure::new(Class::BadRequest, "the provider's address names no host")),
        };
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(egress) = hosts.get(&host.to_string()) {
            return Ok(Arc::clone(egress));
        }
        if hosts.len() >= MOST_HOSTS {
            hosts.clear();
        }
        let Limits { connect, total, answer_bytes: body, .. } = self.limits;
        let limits = egress::Limits { connect, total, body, redirects: 0 };
        let egress = Arc::new(Egress::new(Rule::Only([host.clone()].into()), limits));
        hosts.insert(host.to_string(), Arc::clone(&egress));
        Ok(egress)
    }
}

fn headers(
    model: &Model,
    key: Option<&Secret>,
    given: &BTreeMap<String, Secret>,
) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    let mut set = |name: &str, value: &str, is_secret: bool| {
        let unsendable = || {
            let what = format!("the header {name:?} of {} cannot be sent", model.name.provider());
            Failure::new(Class::BadRequest, what)
        };
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unsendable())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| unsendable())?;
        value.set_sensitive(is_secret);
        headers.insert(name, value);
        Ok::<_, Failure>(())
    };
    set("content-type", "application/json", false)?;
    set("accept", "text/event-stream", false)?;
    // What is packed comes in lumps, and can be larger than it looks.
    set("accept-encoding", "identity", false)?;
    for (name, value) in model.dialect.headers() {
        set(name, value, false)?;
    }
    if let Some(key) = key {
        let (name, before) = model.dialect.key_header();
        set(name, &format!("{before}{}", key.expose()), true)?;
    }
    for (name, value) in given {
        set(name, value.expose(), true)?;
    }
    Ok(headers)
}

/// A model that can be asked.
#[derive(Clone)]
pub struct Remote {
    inner: Arc<Inner>,
}

struct Inner {
    model: Model,
    key: Option<Secret>,
    headers: HeaderMap,
    egress: Arc<Egress>,
    limits: Limits,
    clock: Clock,
}

impl LanguageModel for Remote {
    fn name(&self) -> &ModelName {
        &self.inner.model.name
    }

    fn facts(&self) -> &Facts {
        &self.inner.model.facts
    }

    fn window(&self) -> u32 {
        self.inner.model.window()
    }

    fn ask(&self, request: Arc<Request>) -> Deltas {
        let start = State::Start { inner: Arc::clone(&self.inner), request };
        Box::pin(unfold(start, |state| state.next()))
    }
}

enum State {
    Start { inner: Arc<Inner>, request: Arc<Request> },
    Live(Box<Live>),
    Over,
}

struct Live {
    inner: Arc<Inner>,
    answer: egress::Answer,
    reading: Reading,
    /// Until when the first byte has to come.
    first_byte: Option<Instant>,
    ready: VecDeque<Delta>,
    /// What comes after all that is ready.
    end: Option<Result<(), Failure>>,
}

impl State {
    async fn next(self) -> Option<(Result<Delta, Failure>, Self)> {
        let mut live = match self {
            Self::Over => return None,
            Self::Live(live) => live,
            Self::Start { inner, request } => match start(inner, &request).await {
                Ok(live) => Box::new(live),
                Err(failure) => return Some((Err(failure), Self::Over)),
            },
        };
        loop {
            if let Some(delta) = live.ready.pop_front() {
                return Some((Ok(delta), Self::Live(live)));
            }
            match live.end.take() {
                Some(Ok(())) => return None,
                Some(Err(failure)) => return Some((Err(live.inner.masked(failure)), Self::Over)),
                None => live.read().await,
            }
        }
    }
}

async fn start(inner: Arc<Inner>, request: &Request) -> Result<Live, Failure> {
    let reading = Reading::new(&inner.model, request, &inner.limits);
    let out = outgoing(&inner.model, request)?;
    let body = serde_json::to_vec(&out.body).map_err(|error| {
        Failure::new(Class::BadRequest, format!("the request cannot be written: {error}"))
    })?;
    let sent = egress::Request { method: Method::POST, url: out.url, headers: inner.headers.clone(), body };
    let first_byte = Instant::now() + inner.patience();
    let answer = match timeout_at(first_byte, inner.egress.send(sent)).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => return Err(inner.masked(not_sent(&error, &inner.limits))),
        Err(_) => return Err(late("did not begin to answer", inner.patience())),
    };
    // A value at once is an error by another name, or a server that does not stream.
    if answer.status != 200 || is_json(&answer.headers) {
        return Err(inner.refused(answer).await);
    }
    Ok(Live { inner, answer, reading, first_byte: Some(first_byte), ready: VecDeque::new(), end: None })
}

impl Live {
    /// Waits for the next bytes, and reads them.
    async fn read(&mut self) {
        let idle = self.inner.limits.idle;
        let chunk = match self.first_byte {
            Some(until) => timeout_at(until, self.answer.chunk())
                .await
                .map_err(|_| late("did not begin to answer", self.inner.patience())),
            None => timeout(idle, self.answer.chunk()).await.map_err(|_| late("fell silent", idle)),
        };
        let mut deltas = Vec::new();
        let read = match chunk {
            Err(late) => Err(late),
            Ok(Err(EgressError::TimedOut { .. })) => Err(late("was not done", self.inner.limits.total)),
            Ok(Err(error)) => Err(not_sent(&error, &self.inner.limits)),
            Ok(Ok(Some(bytes))) => {
                self.first_byte = None;
                self.reading.push(&bytes, &mut deltas).map(|()| self.reading.is_complete())
            }
            Ok(Ok(None)) => self.reading.finish(&mut deltas).map(|()| true),
        };
        self.ready.extend(deltas);
        self.end = match read {
            Ok(false) => None,
            Ok(true) => Some(Ok(())),
            Err(failure) => Some(Err(failure)),
        };
    }
}

impl Inner {
    /// How long the first byte may take.
    fn patience(&self) -> Duration {
        if self.model.is_local { self.limits.first_byte_loopback } else { self.limits.first_byte }
    }

    /// What an answer says that is no stream of events.
    async fn refused(&self, mut answer: egress::Answer) -> Failure {
        let most = self.limits.error_bytes;
        let mut body = Vec::new();
        let read = async {
            while body.len() < most
                && let Ok(Some(bytes)) = answer.chunk().await
            {
                body.extend_from_slice(&bytes);
            }
        };
        // What cannot be read of the reason in time is not the reason.
        timeout(self.limits.idle, read).await.ok();
        body.truncate(most);
        self.masked(match answer.status {
            200 => classify::value(&body),
            status => classify::answer(status, &answer.headers, &body, self.clock.now()),
        })
    }

    /// Servers quote what they were sent: no key leaves in a message, nor the beginning of one where the message was cut.
    fn masked(&self, mut failure: Failure) -> Failure {
        let sent = self
            .headers
            .values()
            .filter(|value| value.is_sensitive())
            .filter_map(|value| value.to_str().ok());
        let secrets = self.key.iter().map(Secret::expose).chain(sent);
        for secret in secrets.filter(|secret| secret.len() >= 4) {
            failure.what = failure.what.replace(secret, "…");
            if let Some(text) = failure.what.strip_suffix('…') {
                let begun = (4..secret.len())
                    .rev()
                    .find(|n| secret.get(..*n).is_some_and(|part| text.ends_with(part)));
                let kept = text.len() - begun.unwrap_or(0);
                failure.what = format!("{}…", &text[..kept]);
            }
        }
        failure
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get("content-type").and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.trim().to_ascii_lowercase().starts_with("application/json"))
}

fn late(what: &str, after: Duration) -> Failure {
    Failure::new(Class::TimedOut, format!("the server {what} within {} s", after.as_secs_f64()))
}

fn not_sent(error: &EgressError, limits: &Limits) -> Failure {
    match error {
        EgressError::TimedOut { .. } => {
            let what = format!("{error}: no connection within {} s", limits.connect.as_secs_f64());
            Failure::new(Class::TimedOut, what)
        }
        EgressError::TooLarge { .. } => Failure::malformed(error.to_string()),
        EgressError::Refused { source, .. } => Failure::new(Class::BadRequest, format!("{error}: {source}")),
        EgressError::Url { .. } | EgressError::Redirect { .. } | EgressError::TooManyRedirects { .. } => {
            Failure::new(Class::BadRequest, error.to_string())
        }
        EgressError::Failed { source, .. } | EgressError::Client { source } => {
            Failure::new(Class::Network, format!("{error}: {}", root(source)))
        }
    }
}

/// The innermost reason, which is the one that says something.
fn root(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
