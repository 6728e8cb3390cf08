//! The gateway that runs this state folder, as commands find and ask it.
//!
//! Promises: whoever holds the runtime lock is the gateway, and nobody else is asked; a gateway that cannot be asked
//! is named with the reason. Leaves to others: what to do without one.

pub mod client;

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use serde_json::Value;
use tarsus_gateway::credentials::Credentials;
use tarsus_home::Secret;
use tarsus_home::config::{Config, ConfigFile, check};
use tarsus_home::runtime_lock::{self, Holder};
use tarsus_host::loopback;
use tarsus_host::processes::{self, Identity};
use tarsus_protocol::report::StatusReport;
use tarsus_protocol::{ErrorCode, Problem};

use self::client::{Client, unreachable};
use crate::commands::runtime;
use crate::context::Context;
use crate::output::Output;

/// How long a gateway may take to answer a command that works without it too.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// How long a gateway may take to do what nobody else does then.
pub const ACTING: Duration = Duration::from_secs(60);

/// How long a gateway may take to see a changed file.
const NOTICED: Duration = Duration::from_secs(5);
/// How long until it is asked again.
const LOOK: Duration = Duration::from_millis(20);

/// How long the lock of a process that is gone may still be held: by a child that it was about to make another program.
const LEFT_BEHIND: Duration = Duration::from_secs(2);

/// The process that runs this state folder.
pub fn holder(context: &Context) -> Result<Option<Holder>, Problem> {
    let end = context.clock.monotonic() + LEFT_BEHIND;
    loop {
        let holder = runtime_lock::holder(&context.home)?;
        let is_gone = holder.as_ref().is_some_and(is_gone);
        if !is_gone || context.clock.monotonic() >= end {
            return Ok(holder);
        }
        std::thread::sleep(LOOK);
    }
}

/// Whether the process is seen not to run any more.
fn is_gone(holder: &Holder) -> bool {
    let Some(start) = holder.start else { return false };
    !processes::still(Identity { pid: holder.pid, start })
}

/// A connection to the gateway of this state folder.
pub fn connect(context: &Context) -> Result<Client, Problem> {
    let holder = holder(context)?.ok_or_else(|| {
        let state = context.home.display(context.home.state_dir());
        Problem::new(ErrorCode::Unreachable, format!("no gateway runs for {state}"))
            .hint("`tarsus gateway start` starts one in the background, `tarsus up` in this terminal")
    })?;
    connect_to(&holder, context)
}

fn connect_to(holder: &Holder, context: &Context) -> Result<Client, Problem> {
    Client::connect(address(holder)?, &credentials(context)?, PATIENCE)
}

/// What a running gateway says of itself and of everything else.
pub fn report(holder: &Holder, context: &Context) -> Result<StatusReport, Problem> {
    let credentials = credentials(context)?;
    let token = credentials.secret().map(Secret::expose);
    let address = address(holder)?;
    let wrong = |message| Problem::new(ErrorCode::Unreachable, message);
    match loopback::get(address, "/api/status", token, PATIENCE).map_err(unreachable)? {
        (200, body) => serde_json::from_slice(&body)
            .map_err(|error| wrong(format!("what {address} reports cannot be read: {error}"))),
        (401, _) => Err(Problem::new(
            ErrorCode::Denied,
            format!("the gateway at {address} does not take the token of this state folder"),
        )
        .hint("a gateway keeps the token it was started with: `tarsus gateway restart`")),
        (status, _) => Err(wrong(format!("{address} does not tell: it answers with the status {status}"))),
    }
}

/// Asks for its health until what it answers is as wanted; nothing when that takes longer than it takes to see a changed
/// file.
pub fn ask_until<T>(
    mut client: Client,
    wanted: impl Fn(Result<Value, Problem>) -> Option<T>,
) -> Result<Option<T>, Problem> {
    runtime()?.block_on(async {
        let heard = async {
            let mut looks = tokio::time::interval(LOOK);
            loop {
                looks.tick().await;
                if let Some(heard) = wanted(client.call("health", None, NOTICED)) {
                    return heard;
                }
            }
        };
        Ok(tokio::time::timeout(NOTICED, heard).await.ok())
    })
}

fn address(holder: &Holder) -> Result<SocketAddr, Problem> {
    let port = holder.port.ok_or_else(|| {
        let message = format!("the gateway (process {}) does not listen yet", holder.pid);
        Problem::new(ErrorCode::Unreachable, message).hint("`tarsus logs` shows how far it is")
    })?;
    Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
}

/// What opens it, by the configuration that it runs with: the last good one while the file is broken.
fn credentials(context: &Context) -> Result<Credentials, Problem> {
    let variables = |name: &str| context.variable(name);
    let file = ConfigFile::of(&context.home);
    let config = match file.load(&variables) {
        Ok(loaded) => loaded.view,
        Err(_) => file.last_good()?.map_or_else(Config::default, |good| check(&good, Some(&variables)).view),
    };
    Credentials::choose(&config.gateway, &context.home, &variables)
}

/// The gateway for a command that works without one too: asked while it answers, then never again.
pub struct Neighbour {
    client: Option<Client>,
}

impl Neighbour {
    /// Nobody, where nobody is to be asked.
    pub const fn none() -> Self {
        Self { client: None }
    }

    /// Finds it. One that cannot be asked is named on standard error.
    pub fn find(context: &Context, output: &mut Output) -> Result<Self, Problem> {
        let Some(holder) = holder(context)? else { return Ok(Self::none()) };
        let client = match connect_to(&holder, context) {
            // One that reads another configuration has other answers.
            Ok(client) if !reads_the_same(&client, context) => None,
            Ok(client) => Some(client),
            Err(problem) => {
                without(&problem, output);
                None
            }
        };
        Ok(Self { client })
    }

    /// What it answers; nothing when there is none, or none any more.
    pub fn ask(&mut self, method: &str, params: Value, output: &mut Output) -> Option<Value> {
        match self.hear_of(method, params, output)? {
            Ok(answer) => Some(answer),
            Err(problem) => self.lose(&problem, output),
        }
    }

    /// The same, with what it refuses: an answer too. Nothing when it gives none.
    pub fn hear_of(
        &mut self,
        method: &str,
        params: Value,
        output: &mut Output,
    ) -> Option<Result<Value, Problem>> {
        match self.client.as_mut()?.hear_of(method, Some(params), PATIENCE) {
            Ok(answer) => Some(answer),
            Err(problem) => self.lose(&problem, output),
        }
    }

    fn lose<T>(&mut self, problem: &Problem, output: &mut Output) -> Option<T> {
        without(problem, output);
        self.client = None;
        None
    }

    /// The connection, as long as it is used.
    pub fn into_client(self) -> Option<Client> {
        self.client
    }

    /// Has it do something, which counts whatever comes of it: nobody else tries it then. Nothing when there is none.
    pub fn have_done(
        &mut self,
        method: &str,
        params: Value,
        patience: Duration,
    ) -> Option<Result<Value, Problem>> {
        Some(self.client.as_mut()?.call(method, Some(params), patience))
    }
}

fn reads_the_same(client: &Client, context: &Context) -> bool {
    let path = context.home.config_path().display().to_string();
    client.hello.snapshot.config_path.as_ref() == Some(&path)
}

fn without(problem: &Problem, output: &mut Output) {
    output.note(&format!("the running gateway could not be used: {problem}"));
}
