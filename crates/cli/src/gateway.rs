//! Finds and calls the gateway of this state folder.
//!
//! The process that holds the runtime lock is the gateway; no other process is contacted. Connection failures are
//! reported with their reason.

pub mod client;

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tarsus_home::Secret;
use tarsus_home::config::{Config, ConfigFile};
use tarsus_home::credentials::Credentials;
use tarsus_home::runtime_lock::{self, Holder};
use tarsus_host::loopback;
use tarsus_host::processes::{self, ProcessId};
use tarsus_protocol::hello::HealthSummary;
use tarsus_protocol::report::StatusReport;
use tarsus_protocol::rpc::Method;
use tarsus_protocol::rpc::overview::{Health, HealthParams};
use tarsus_protocol::{ErrorCode, Problem};

use self::client::{Client, connection_problem};
use crate::context::Context;
use crate::output::Output;

/// Timeout of a query that also works without a gateway.
pub const QUERY_TIMEOUT: Duration = Duration::from_secs(3);

/// Timeout of an action that is not retried locally.
pub const ACT_TIMEOUT: Duration = Duration::from_secs(60);

/// Time in which a gateway notices a changed file.
const RELOAD_TIMEOUT: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long the lock of a dead process may still be held, by a child that was forked but has not called exec yet.
const STALE_LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the process that holds the runtime lock.
pub fn holder(context: &Context) -> Result<Option<Holder>, Problem> {
    let end = context.clock.monotonic() + STALE_LOCK_TIMEOUT;
    loop {
        let holder = runtime_lock::holder(&context.home)?;
        let is_gone = holder.as_ref().is_some_and(is_gone);
        if !is_gone || context.clock.monotonic() >= end {
            return Ok(holder);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Whether the process is known to have ended.
fn is_gone(holder: &Holder) -> bool {
    let Some(start) = holder.start else { return false };
    !processes::is_running(ProcessId { pid: holder.pid, start })
}

/// Connects to the gateway of this state folder. Fails if none runs.
pub fn connect(context: &Context) -> Result<Client, Problem> {
    let holder = holder(context)?.ok_or_else(|| {
        let state = context.home.display(context.home.state_dir());
        Problem::new(ErrorCode::Unreachable, format!("no gateway runs for {state}"))
            .hint("`tarsus gateway start` starts one in the background, `tarsus up` in this terminal")
    })?;
    connect_to(&holder, context)
}

fn connect_to(holder: &Holder, context: &Context) -> Result<Client, Problem> {
    Client::connect(address(holder)?, &credentials(context)?, QUERY_TIMEOUT)
}

/// Fetches the status report of a running gateway.
pub fn report(holder: &Holder, context: &Context) -> Result<StatusReport, Problem> {
    let credentials = credentials(context)?;
    let token = credentials.secret().map(Secret::expose);
    let address = address(holder)?;
    let wrong = |message| Problem::new(ErrorCode::Unreachable, message);
    match loopback::get(address, "/api/status", token, QUERY_TIMEOUT).map_err(connection_problem)? {
        (200, body) => serde_json::from_slice(&body)
            .map_err(|error| wrong(format!("the response from {address} is not valid: {error}"))),
        (401, _) => Err(Problem::new(
            ErrorCode::Denied,
            format!("the gateway at {address} rejected the token of this state folder"),
        )
        .hint("a running gateway keeps the token that it started with: `tarsus gateway restart`")),
        (status, _) => Err(wrong(format!("the request to {address} failed with status {status}"))),
    }
}

/// Polls `health` until `accept` returns a value. Returns `None` after [`RELOAD_TIMEOUT`].
pub fn poll_health<T>(
    mut client: Client,
    context: &Context,
    accept: impl Fn(Result<HealthSummary, Problem>) -> Option<T>,
) -> Option<T> {
    let deadline = context.clock.monotonic() + RELOAD_TIMEOUT;
    loop {
        let left = deadline.saturating_duration_since(context.clock.monotonic());
        if left.is_zero() {
            return None;
        }
        let answer = client.call::<Health>(&HealthParams { probe: None }, left.max(POLL_INTERVAL));
        if answer.as_ref().is_err_and(|problem| problem.code == ErrorCode::TimedOut) {
            return None;
        }
        if let Some(accepted) = accept(answer) {
            return Some(accepted);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

fn address(holder: &Holder) -> Result<SocketAddr, Problem> {
    let port = holder.port.ok_or_else(|| {
        let message = format!("the gateway (process {}) is not listening yet", holder.pid);
        Problem::new(ErrorCode::Unreachable, message).hint("`tarsus logs` shows its progress")
    })?;
    Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
}

/// The credentials of the configuration that the gateway runs with: the last good one while the file is broken.
fn credentials(context: &Context) -> Result<Credentials, Problem> {
    let variables = |name: &str| context.variable(name);
    let resolve = |config: &Config| Credentials::resolve(&config.gateway, &context.home, &variables);
    match context.config() {
        Ok(loaded) => resolve(&loaded.view),
        Err(_) => resolve(&ConfigFile::for_home(&context.home).load_good(&variables)?.view),
    }
}

/// The gateway for commands that also work without one. After the first failure it is not used again.
pub struct OptionalGateway {
    client: Option<Client>,
}

impl OptionalGateway {
    /// Never contacts a gateway.
    pub const fn none() -> Self {
        Self { client: None }
    }

    /// Connects to a running gateway. If that fails, prints a note on standard error and continues without one.
    pub fn connect(context: &Context, output: &mut Output) -> Result<Self, Problem> {
        let Some(holder) = holder(context)? else { return Ok(Self::none()) };
        let client = match connect_to(&holder, context) {
            // A gateway with another configuration file would give other answers.
            Ok(client) if !uses_same_config(&client, context) => None,
            Ok(client) => Some(client),
            Err(problem) => {
                note_unusable(&problem, output);
                None
            }
        };
        Ok(Self { client })
    }

    /// Sends a read-only request. Returns `None` if there is no gateway, or if it fails or refuses.
    pub fn query<M: Method>(&mut self, params: &M::Params, output: &mut Output) -> Option<M::Result> {
        match self.try_call::<M>(params, output)? {
            Ok(answer) => Some(answer),
            Err(problem) => self.disconnect(&problem, output),
        }
    }

    /// Like [`Self::query`], but a refusal is returned as `Some(Err(_))`. `None` if there is no gateway or it does
    /// not answer.
    pub fn try_call<M: Method>(
        &mut self,
        params: &M::Params,
        output: &mut Output,
    ) -> Option<Result<M::Result, Problem>> {
        match self.client.as_mut()?.try_call::<M>(params, QUERY_TIMEOUT) {
            Ok(answer) => Some(answer),
            Err(problem) => self.disconnect(&problem, output),
        }
    }

    fn disconnect<T>(&mut self, problem: &Problem, output: &mut Output) -> Option<T> {
        note_unusable(problem, output);
        self.client = None;
        None
    }

    pub fn into_client(self) -> Option<Client> {
        self.client
    }

    /// Sends a mutating request; never retried locally. `None` if no gateway runs.
    pub fn execute<M: Method>(
        &mut self,
        params: &M::Params,
        timeout: Duration,
    ) -> Option<Result<M::Result, Problem>> {
        Some(self.client.as_mut()?.call::<M>(params, timeout))
    }
}

fn uses_same_config(client: &Client, context: &Context) -> bool {
    let path = context.home.config_path().display().to_string();
    client.hello.snapshot.config_path.as_ref() == Some(&path)
}

fn note_unusable(problem: &Problem, output: &mut Output) {
    output.note(&format!("the running gateway could not be used: {problem}"));
}
