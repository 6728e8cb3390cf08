//! Calls a model over HTTP: one request, one streamed response.
//!
//! Times and sizes are bounded by [`ModelLimits`]. Keys are masked in the errors of servers. Dropping the stream cancels
//! the request. Retries and fallbacks are in `chain`.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::Stream;
use futures_util::stream::unfold;
use tarsus_home::config::Lookup;
use tarsus_home::{Home, Secret};
use tarsus_host::Clock;
use tarsus_host::egress::{
    self, Egress, EgressError, EgressRule, HeaderMap, HeaderName, HeaderValue, Method, Url,
};
use tokio::time::{Instant, timeout, timeout_at};

use tarsus_protocol::NoAnswer;

use crate::catalog::{Model, ModelInfo};
use crate::classify;
use crate::delta::Delta;
use crate::error::ModelError;
use crate::key::KeySource;
use crate::limits::ModelLimits;
use crate::name::ModelName;
use crate::request::ModelRequest;
use crate::wire::{ResponseDecoder, encode_request};

/// The deltas of a response. The last item is an error, or the `Stop` of a complete response.
pub type DeltaStream = Pin<Box<dyn Stream<Item = Result<Delta, ModelError>> + Send>>;

pub trait LanguageModel: Send + Sync {
    fn name(&self) -> &ModelName;

    fn info(&self) -> &ModelInfo;

    /// The context window in tokens; an estimate when it is not known.
    fn context_window(&self) -> u32;

    /// Sends the request. Nothing happens before the stream is polled; dropping it cancels the request.
    fn stream(&self, request: Arc<ModelRequest>) -> DeltaStream;
}

/// Connection pools, one for each host.
#[derive(Clone)]
pub struct ModelConnections {
    hosts: Arc<Mutex<BTreeMap<String, Arc<Egress>>>>,
    limits: ModelLimits,
    clock: Clock,
}

/// Beyond that the pools are dropped; a configuration has a handful of hosts.
const MAX_HOSTS: usize = 64;

impl ModelConnections {
    #[must_use]
    pub fn new(limits: ModelLimits, clock: Clock) -> Self {
        Self { hosts: Arc::default(), limits, clock }
    }

    /// Opens a model with its key and headers. Environment variables are read before this returns.
    ///
    /// # Errors
    /// When the key or a header cannot be resolved.
    pub fn open(
        &self,
        model: Model,
        home: &Home,
        variables: Lookup<'_>,
    ) -> impl Future<Output = Result<RemoteModel, ModelError>> + Send + use<> {
        let key = model.key.resolve(home, variables);
        let headers: Vec<_> = model
            .headers
            .iter()
            .map(|(name, value)| {
                (name.clone(), KeySource::Configured(value.clone()).resolve(home, variables))
            })
            .collect();
        let connections = self.clone();
        async move {
            let key = key.await?;
            let mut found = BTreeMap::new();
            for (name, value) in headers {
                found.extend(value.await?.map(|value| (name, value)));
            }
            connections.remote(model, key, &found)
        }
    }

    /// # Errors
    /// When a header is not a valid HTTP header.
    pub fn remote(
        &self,
        model: Model,
        key: Option<Secret>,
        headers: &BTreeMap<String, Secret>,
    ) -> Result<RemoteModel, ModelError> {
        let headers = self::headers(&model, key.as_ref(), headers)?;
        let egress = self.egress(&model.base_url)?;
        Ok(RemoteModel {
            shared: Arc::new(Shared {
                model,
                key,
                headers,
                egress,
                limits: self.limits,
                clock: self.clock.clone(),
            }),
        })
    }

    /// The client for the host of a URL. It connects to that host only.
    fn egress(&self, url: &Url) -> Result<Arc<Egress>, ModelError> {
        let host = match url.host() {
            Some(host) => host.to_owned(),
            None => {
                return Err(ModelError::new(NoAnswer::BadRequest, "the provider's address names no host"));
            }
        };
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(egress) = hosts.get(&host.to_string()) {
            return Ok(Arc::clone(egress));
        }
        if hosts.len() >= MAX_HOSTS {
            hosts.clear();
        }
        let ModelLimits { connect, total, answer_bytes: body, .. } = self.limits;
        let limits = egress::EgressLimits { connect, total, body, redirects: 0 };
        let egress = Arc::new(Egress::new(EgressRule::Only([host.clone()].into()), limits));
        hosts.insert(host.to_string(), Arc::clone(&egress));
        Ok(egress)
    }
}

fn headers(
    model: &Model,
    key: Option<&Secret>,
    given: &BTreeMap<String, Secret>,
) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    let mut set = |name: &str, value: &str, is_secret: bool| {
        let unsendable = || {
            let what = format!("the header {name:?} of {} cannot be sent", model.name.provider());
            ModelError::new(NoAnswer::BadRequest, what)
        };
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unsendable())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| unsendable())?;
        value.set_sensitive(is_secret);
        headers.insert(name, value);
        Ok::<_, ModelError>(())
    };
    set("content-type", "application/json", false)?;
    set("accept", "text/event-stream", false)?;
    // Compression delays the stream, and hides the size of the response.
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

#[derive(Clone)]
pub struct RemoteModel {
    shared: Arc<Shared>,
}

struct Shared {
    model: Model,
    key: Option<Secret>,
    headers: HeaderMap,
    egress: Arc<Egress>,
    limits: ModelLimits,
    clock: Clock,
}

impl LanguageModel for RemoteModel {
    fn name(&self) -> &ModelName {
        &self.shared.model.name
    }

    fn info(&self) -> &ModelInfo {
        &self.shared.model.info
    }

    fn context_window(&self) -> u32 {
        self.shared.model.context_window()
    }

    fn stream(&self, request: Arc<ModelRequest>) -> DeltaStream {
        let start = State::Start { shared: Arc::clone(&self.shared), request };
        Box::pin(unfold(start, |state| state.next()))
    }
}

enum State {
    Start { shared: Arc<Shared>, request: Arc<ModelRequest> },
    Active(Box<Active>),
    Done,
}

struct Active {
    shared: Arc<Shared>,
    answer: egress::EgressResponse,
    decoder: ResponseDecoder,
    /// The deadline for the first byte.
    first_byte: Option<Instant>,
    ready: VecDeque<Delta>,
    /// The end of the stream, after everything in `ready`.
    end: Option<Result<(), ModelError>>,
}

impl State {
    async fn next(self) -> Option<(Result<Delta, ModelError>, Self)> {
        let mut active = match self {
            Self::Done => return None,
            Self::Active(active) => active,
            Self::Start { shared, request } => match start(shared, &request).await {
                Ok(active) => Box::new(active),
                Err(failure) => return Some((Err(failure), Self::Done)),
            },
        };
        loop {
            if let Some(delta) = active.ready.pop_front() {
                return Some((Ok(delta), Self::Active(active)));
            }
            match active.end.take() {
                Some(Ok(())) => return None,
                Some(Err(failure)) => return Some((Err(active.shared.mask(failure)), Self::Done)),
                None => active.read().await,
            }
        }
    }
}

async fn start(shared: Arc<Shared>, request: &ModelRequest) -> Result<Active, ModelError> {
    let decoder = ResponseDecoder::new(&shared.model, request, &shared.limits);
    let out = encode_request(&shared.model, request)?;
    let body = serde_json::to_vec(&out.body).map_err(|error| {
        ModelError::new(NoAnswer::BadRequest, format!("the request cannot be written: {error}"))
    })?;
    let sent =
        egress::EgressRequest { method: Method::POST, url: out.url, headers: shared.headers.clone(), body };
    let first_byte = Instant::now() + shared.first_byte_timeout();
    let answer = match timeout_at(first_byte, shared.egress.send(sent)).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => return Err(shared.mask(send_error(&error, &shared.limits))),
        Err(_) => return Err(timed_out("did not start to respond", shared.first_byte_timeout())),
    };
    // JSON instead of a stream is an error, or a server that does not stream.
    if answer.status != 200 || is_json(&answer.headers) {
        return Err(shared.read_error(answer).await);
    }
    Ok(Active { shared, answer, decoder, first_byte: Some(first_byte), ready: VecDeque::new(), end: None })
}

impl Active {
    /// Waits for the next bytes and decodes them.
    async fn read(&mut self) {
        let idle = self.shared.limits.idle;
        let chunk = match self.first_byte {
            Some(until) => timeout_at(until, self.answer.chunk())
                .await
                .map_err(|_| timed_out("did not start to respond", self.shared.first_byte_timeout())),
            None => timeout(idle, self.answer.chunk()).await.map_err(|_| timed_out("sent nothing", idle)),
        };
        let mut deltas = Vec::new();
        let read = match chunk {
            Err(timed_out) => Err(timed_out),
            Ok(Err(EgressError::TimedOut { .. })) => {
                Err(timed_out("did not finish", self.shared.limits.total))
            }
            Ok(Err(error)) => Err(send_error(&error, &self.shared.limits)),
            Ok(Ok(Some(bytes))) => {
                self.first_byte = None;
                self.decoder.push(&bytes, &mut deltas).map(|()| self.decoder.is_complete())
            }
            Ok(Ok(None)) => self.decoder.finish(&mut deltas).map(|()| true),
        };
        self.ready.extend(deltas);
        self.end = match read {
            Ok(false) => None,
            Ok(true) => Some(Ok(())),
            Err(failure) => Some(Err(failure)),
        };
    }
}

impl Shared {
    fn first_byte_timeout(&self) -> Duration {
        if self.model.is_local { self.limits.first_byte_loopback } else { self.limits.first_byte }
    }

    /// Reads a response that is not an event stream into an error.
    async fn read_error(&self, mut answer: egress::EgressResponse) -> ModelError {
        let most = self.limits.error_bytes;
        let mut body = Vec::new();
        let read = async {
            while body.len() < most
                && let Ok(Some(bytes)) = answer.chunk().await
            {
                body.extend_from_slice(&bytes);
            }
        };
        // The message holds only the part that arrived in time.
        timeout(self.limits.idle, read).await.ok();
        body.truncate(most);
        self.mask(match answer.status {
            200 => classify::error_body(&body),
            status => classify::response(status, &answer.headers, &body, self.clock.now()),
        })
    }

    /// Removes keys from a message, as servers quote requests; also the prefix of a key at the end of a truncated message.
    fn mask(&self, mut failure: ModelError) -> ModelError {
        let sent = self
            .headers
            .values()
            .filter(|value| value.is_sensitive())
            .filter_map(|value| value.to_str().ok());
        let secrets = self.key.iter().map(Secret::expose).chain(sent);
        for secret in secrets.filter(|secret| secret.len() >= 4) {
            failure.message = failure.message.replace(secret, "…");
            if let Some(text) = failure.message.strip_suffix('…') {
                let begun = (4..secret.len())
                    .rev()
                    .find(|n| secret.get(..*n).is_some_and(|part| text.ends_with(part)));
                let kept = text.len() - begun.unwrap_or(0);
                failure.message = format!("{}…", &text[..kept]);
            }
        }
        failure
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get("content-type").and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.trim().to_ascii_lowercase().starts_with("application/json"))
}

fn timed_out(what: &str, after: Duration) -> ModelError {
    ModelError::new(NoAnswer::TimedOut, format!("the server {what} within {} s", after.as_secs_f64()))
}

fn send_error(error: &EgressError, limits: &ModelLimits) -> ModelError {
    match error {
        EgressError::TimedOut { .. } => {
            let what = format!("{error}: no connection within {} s", limits.connect.as_secs_f64());
            ModelError::new(NoAnswer::TimedOut, what)
        }
        EgressError::TooLarge { .. } => ModelError::malformed(error.to_string()),
        EgressError::Refused { source, .. } => {
            ModelError::new(NoAnswer::BadRequest, format!("{error}: {source}"))
        }
        EgressError::Url { .. } | EgressError::Redirect { .. } | EgressError::TooManyRedirects { .. } => {
            ModelError::new(NoAnswer::BadRequest, error.to_string())
        }
        EgressError::Failed { source, .. } | EgressError::Client { source } => {
            ModelError::new(NoAnswer::Network, format!("{error}: {}", root(source)))
        }
    }
}

/// The innermost error, which has the useful message.
fn root(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
