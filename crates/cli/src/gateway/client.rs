//! A client of the gateway's socket, as the command line needs it: one request after the other.
//!
//! Promises: bounded in size and time; each way in which a gateway cannot be used has its own words. Leaves to
//! others: which gateway, and what is asked.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};
use tarsus_gateway::credentials::Credentials;
use tarsus_host::loopback::LoopbackError;
use tarsus_host::loopback::socket::{Heard, Socket};
use tarsus_protocol::connect::{ClientId, ClientMode, PROTOCOLS};
use tarsus_protocol::failure::WireCode;
use tarsus_protocol::frame::{Name, NameError, Stage};
use tarsus_protocol::hello::HelloOk;
use tarsus_protocol::scope::{Role, Scope};
use tarsus_protocol::{ErrorCode, ErrorShape, Frame, Place, Problem, Request, RpcCode};

use crate::text::{duration, printable};

/// How long a gateway is silent at most: it ticks twice in that time.
const SILENCE: Duration = Duration::from_secs(60);

/// A socket on which the gateway has said hello.
#[derive(Debug)]
pub struct Client {
    socket: Socket,
    address: SocketAddr,
    /// What the gateway said of itself.
    pub hello: HelloOk,
    requests: u64,
}

impl Client {
    /// Shakes hands with the gateway at `address`, in at most `patience`.
    pub fn connect(
        address: SocketAddr,
        credentials: &Credentials,
        patience: Duration,
    ) -> Result<Self, Problem> {
        let most_bytes = Stage::AfterHello.max_bytes();
        let mut socket = Socket::open(address, "/ws", patience, most_bytes).map_err(unreachable)?;
        match hear(&mut socket, address, &unreachable)? {
            Frame::Event(event) if event.event.as_str() == "connect.challenge" => {}
            _ => return Err(foreign(address, "it does not begin with a challenge")),
        }
        let request = request("0", "connect", Some(introduction(credentials)))?;
        let hello = exchange(&mut socket, address, request, &unreachable)?
            .map_err(|shape| turned_away(address, shape))?;
        let hello = serde_json::from_value(hello)
            .map_err(|_| foreign(address, "it does not say hello as a gateway does"))?;
        Ok(Self { socket, address, hello, requests: 0 })
    }

    /// What `method` answers, in at most `timeout`.
    pub fn call(&mut self, method: &str, params: Option<Value>, timeout: Duration) -> Result<Value, Problem> {
        self.hear_of(method, params, timeout)?
    }

    /// What the gateway tells next. It says now and then that it is there; one that says nothing for `patience` is lost.
    pub fn hear_event(&mut self, patience: Duration) -> Result<Told, Problem> {
        loop {
            self.socket.allow(patience + SILENCE);
            if let Frame::Event(event) = hear(&mut self.socket, self.address, &unreachable)? {
                let payload = event.payload.unwrap_or_default();
                return Ok(Told { event: event.event.as_str().to_owned(), payload });
            }
        }
    }

    /// The same, with what the gateway refuses (inside) told apart from a gateway that gives no answer (outside).
    pub fn hear_of(
        &mut self,
        method: &str,
        params: Option<Value>,
        timeout: Duration,
    ) -> Result<Result<Value, Problem>, Problem> {
        self.requests += 1;
        let request = request(&self.requests.to_string(), method, params)?;
        let lost = |error| match error {
            LoopbackError::TimedOut { .. } => {
                let message = format!("the gateway did not answer {method} within {}", duration(timeout));
                Problem::new(ErrorCode::TimedOut, message)
            }
            error => unreachable(error),
        };
        self.socket.allow(timeout);
        Ok(exchange(&mut self.socket, self.address, request, &lost)?.map_err(refused))
    }
}

/// Something that the gateway told.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The event.
    pub event: String,
    /// What it says.
    pub payload: Value,
}

/// Who asks: the owner's command line, without a device and with what opens the gateway. What is not known is left out.
fn introduction(credentials: &Credentials) -> Value {
    json!({
        "minProtocol": PROTOCOLS.start(),
        "maxProtocol": PROTOCOLS.end(),
        "client": {
            "id": ClientId::Cli,
            "version": env!("CARGO_PKG_VERSION"),
            "platform": std::env::consts::OS,
            "mode": ClientMode::Cli,
        },
        "role": Role::Operator,
        "scopes": Scope::ALL,
        "caps": ["tool-events"],
        "auth": match credentials {
            Credentials::None => json!({}),
            Credentials::Token(token) => json!({ "token": token.expose() }),
            Credentials::Password(password) => json!({ "password": password.expose() }),
        },
    })
}

fn request(id: &str, method: &str, params: Option<Value>) -> Result<Request, Problem> {
    let name = |text: &str| {
        Name::try_from(text).map_err(|error: NameError| Problem::new(ErrorCode::Usage, error.to_string()))
    };
    Ok(Request { id: name(id)?, method: name(method)?, params })
}

/// Sends a request and waits for its reply; what is told meanwhile is passed over.
fn exchange(
    socket: &mut Socket,
    address: SocketAddr,
    request: Request,
    lost: &dyn Fn(LoopbackError) -> Problem,
) -> Result<Result<Value, ErrorShape>, Problem> {
    let id = request.id.clone();
    socket.send(json!(Frame::Request(request)).to_string()).map_err(lost)?;
    loop {
        match hear(socket, address, lost)? {
            Frame::Response(response) if response.id == id => {
                return Ok(response.result.map(Option::unwrap_or_default));
            }
            _ => {}
        }
    }
}

fn hear(
    socket: &mut Socket,
    address: SocketAddr,
    lost: &dyn Fn(LoopbackError) -> Problem,
) -> Result<Frame, Problem> {
    match socket.hear().map_err(lost)? {
        Heard::Text(text) => Frame::parse(&text, Stage::AfterHello)
            .map_err(|error| foreign(address, &format!("it sends no frames: {error}"))),
        Heard::Closed(why) => Err(Problem::new(
            ErrorCode::Unreachable,
            format!("the gateway at {address} closed the connection: {}", printable(&why)),
        )),
    }
}

/// Why a gateway cannot be talked to.
pub fn unreachable(error: LoopbackError) -> Problem {
    let code = match &error {
        LoopbackError::TooLarge { .. } => ErrorCode::TooLarge,
        LoopbackError::NotLoopback { .. } | LoopbackError::Request { .. } => ErrorCode::Failed,
        _ => ErrorCode::Unreachable,
    };
    let problem = Problem::new(code, error.to_string());
    match error {
        LoopbackError::NotReachable { source, .. } => problem.note(source.to_string()),
        LoopbackError::NotHttp { .. } => problem.hint(ANOTHER_PROGRAM),
        _ => problem,
    }
}

const ANOTHER_PROGRAM: &str =
    "another program may have the port; `tarsus gateway status` shows what should be there";

fn foreign(address: SocketAddr, why: &str) -> Problem {
    let message = format!("what answers at {address} is not our gateway: {}", printable(why));
    Problem::new(ErrorCode::Unreachable, message).hint(ANOTHER_PROGRAM)
}

/// A gateway that does not let us in.
fn turned_away(address: SocketAddr, shape: ErrorShape) -> Problem {
    let why = shape.details.as_ref().and_then(|details| details.get("code")).and_then(Value::as_str);
    let (code, hint) = match why.unwrap_or_default() {
        "PROTOCOL_MISMATCH" => {
            (ErrorCode::Unreachable, "it is of another version than this command: `tarsus gateway restart`")
        }
        code if code.starts_with("AUTH_") => (
            ErrorCode::Denied,
            "a gateway keeps what it was started with when the token file changes: `tarsus gateway restart`",
        ),
        _ => return refused(shape),
    };
    let message = format!("the gateway at {address} does not let us in: {}", printable(&shape.message));
    Problem::new(code, message).hint(hint)
}

/// The error of a reply, as the problem that it was made from; what that does not hold is a note.
fn refused(shape: ErrorShape) -> Problem {
    let ErrorShape { code, message, details, .. } = shape;
    let mut details = match details {
        Some(Value::Object(details)) => details,
        _ => serde_json::Map::new(),
    };
    let said = details.get("code").and_then(|code| serde_json::from_value::<ErrorCode>(code.clone()).ok());
    if said.is_some() {
        details.shift_remove("code");
    }
    let code = said.unwrap_or(match code {
        WireCode::Known(RpcCode::InvalidRequest) => ErrorCode::Usage,
        WireCode::Known(RpcCode::Forbidden) => ErrorCode::Denied,
        WireCode::Known(RpcCode::Unavailable) | WireCode::Other(_) => ErrorCode::Failed,
    });
    let mut problem = Problem::new(code, printable(&message));
    if let Some(Value::String(hint)) = details.shift_remove("hint") {
        problem = problem.hint(printable(&hint));
    }
    let place =
        details.shift_remove("location").and_then(|place| serde_json::from_value::<Place>(place).ok());
    if let Some(place) = place {
        problem = problem.at(place);
    }
    if let Some(Value::Array(notes)) = details.shift_remove("notes") {
        problem = notes
            .iter()
            .filter_map(Value::as_str)
            .fold(problem, |problem, note| problem.note(printable(note)));
    }
    // For programs: the message has what they say.
    details.shift_remove("issues");
    if details.is_empty() { problem } else { problem.note(printable(&Value::Object(details).to_string())) }
}

#[cfg(test)]
mod tests;
