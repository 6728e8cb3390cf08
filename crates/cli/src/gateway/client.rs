//! A blocking client of the gateway's WebSocket, one request at a time.
//!
//! Calls are typed by their [`Method`]. Messages are bounded in size and waits in time. Each way in which a gateway can be
//! unusable has its own message.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};
use tarsus_home::credentials::Credentials;
use tarsus_host::loopback::LoopbackError;
use tarsus_host::loopback::socket::{Socket, SocketMessage};
use tarsus_protocol::connect::{ClientId, ClientInfo, ClientMode, ConnectAuth, ConnectParams, PROTOCOLS};
use tarsus_protocol::failure::WireCode;
use tarsus_protocol::frame::Stage;
use tarsus_protocol::hello::HelloOk;
use tarsus_protocol::rpc::{CallError, Calls, Method, parse_response};
use tarsus_protocol::scope::{ClientRole, Scope};
use tarsus_protocol::{ErrorCode, ErrorShape, Frame, Problem, Request, Response, RpcCode, SourceLocation};

use crate::text::{duration, printable};

/// The longest silence of a gateway; it ticks twice in that time.
const SILENCE_LIMIT: Duration = Duration::from_secs(60);

/// A connection after a successful handshake.
#[derive(Debug)]
pub struct Client {
    socket: Socket,
    address: SocketAddr,
    pub hello: HelloOk,
    calls: Calls,
}

impl Client {
    /// Connects to `address` and completes the handshake within `timeout`.
    pub fn connect(
        address: SocketAddr,
        credentials: &Credentials,
        timeout: Duration,
    ) -> Result<Self, Problem> {
        let most_bytes = Stage::AfterHello.max_bytes();
        let mut socket = Socket::open(address, "/ws", timeout, most_bytes).map_err(connection_problem)?;
        match read_frame(&mut socket, address, &connection_problem)? {
            Frame::Event(event) if event.event.as_str() == "connect.challenge" => {}
            _ => return Err(not_a_gateway(address, "it did not send a challenge first")),
        }
        let mut calls = Calls::default();
        let request = calls
            .untyped_request("connect", Some(json!(connect_params(credentials))))
            .map_err(|error| call_problem(error.into()))?;
        let hello = exchange(&mut socket, address, request, &connection_problem)?
            .result
            .map_err(|shape| connect_refused(address, shape))?;
        let hello = serde_json::from_value(hello.unwrap_or_default())
            .map_err(|_| not_a_gateway(address, "its hello is not valid"))?;
        Ok(Self { socket, address, hello, calls })
    }

    /// Calls a method. A refusal and a connection failure are both errors.
    pub fn call<M: Method>(&mut self, params: &M::Params, timeout: Duration) -> Result<M::Result, Problem> {
        self.try_call::<M>(params, timeout)?
    }

    /// Calls a method. The outer error is a failure to get a response, the inner one a refusal or an invalid response.
    pub fn try_call<M: Method>(
        &mut self,
        params: &M::Params,
        timeout: Duration,
    ) -> Result<Result<M::Result, Problem>, Problem> {
        let request = self.calls.request::<M>(params).map_err(call_problem)?;
        Ok(parse_response::<M>(self.send(request, timeout)?).map_err(call_problem))
    }

    /// Calls a method that is known only by name.
    pub fn call_untyped(
        &mut self,
        method: &str,
        params: Option<Value>,
        timeout: Duration,
    ) -> Result<Value, Problem> {
        let request =
            self.calls.untyped_request(method, params).map_err(|error| call_problem(error.into()))?;
        self.send(request, timeout)?.result.map(Option::unwrap_or_default).map_err(problem_from_error)
    }

    /// Waits for the next event. Fails if the gateway is silent for longer than `timeout` plus [`SILENCE_LIMIT`].
    pub fn next_event(&mut self, timeout: Duration) -> Result<GatewayEvent, Problem> {
        loop {
            self.socket.set_timeout(timeout + SILENCE_LIMIT);
            if let Frame::Event(event) = read_frame(&mut self.socket, self.address, &connection_problem)? {
                let payload = event.payload.unwrap_or_default();
                return Ok(GatewayEvent { event: event.event.as_str().to_owned(), payload });
            }
        }
    }

    fn send(&mut self, request: Request, timeout: Duration) -> Result<Response, Problem> {
        let method = request.method.clone();
        let on_error = |error| match error {
            LoopbackError::TimedOut { .. } => {
                let message = format!("the gateway did not answer {method} within {}", duration(timeout));
                Problem::new(ErrorCode::TimedOut, message)
            }
            error => connection_problem(error),
        };
        self.socket.set_timeout(timeout);
        exchange(&mut self.socket, self.address, request, &on_error)
    }
}

/// An event sent by the gateway.
#[derive(Debug, Clone, PartialEq)]
pub struct GatewayEvent {
    pub event: String,
    pub payload: Value,
}

/// The parameters of `connect`: the owner's command line, without a device.
fn connect_params(credentials: &Credentials) -> ConnectParams {
    let (token, password) = match credentials {
        Credentials::None => (None, None),
        Credentials::Token(token) => (Some(token.expose().to_owned()), None),
        Credentials::Password(password) => (None, Some(password.expose().to_owned())),
    };
    ConnectParams {
        min_protocol: *PROTOCOLS.start(),
        max_protocol: *PROTOCOLS.end(),
        client: ClientInfo {
            id: ClientId::Cli,
            display_name: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            platform: std::env::consts::OS.to_owned(),
            device_family: None,
            model_identifier: None,
            mode: ClientMode::Cli,
            instance_id: None,
        },
        role: Some(ClientRole::Operator),
        scopes: Some(Scope::ALL.iter().map(|scope| scope.as_str().to_owned()).collect()),
        caps: Some(vec!["tool-events".to_owned()]),
        commands: None,
        permissions: None,
        path_env: None,
        locale: None,
        user_agent: None,
        auth: Some(ConnectAuth { token, password, device_token: None }),
        device: None,
    }
}

/// Sends a request and waits for its response, ignoring events.
fn exchange(
    socket: &mut Socket,
    address: SocketAddr,
    request: Request,
    on_error: &dyn Fn(LoopbackError) -> Problem,
) -> Result<Response, Problem> {
    let id = request.id.clone();
    socket.send(json!(Frame::Request(request)).to_string()).map_err(on_error)?;
    loop {
        match read_frame(socket, address, on_error)? {
            Frame::Response(response) if response.id == id => return Ok(response),
            _ => {}
        }
    }
}

/// Converts a failed call into a problem.
fn call_problem(error: CallError) -> Problem {
    match error {
        CallError::Refused(shape) => problem_from_error(*shape),
        CallError::Name(error) => Problem::new(ErrorCode::Usage, error.to_string()),
        error => Problem::new(ErrorCode::Failed, printable(&error.to_string()))
            .hint("it may run another version than this command: `tarsus gateway restart`"),
    }
}

fn read_frame(
    socket: &mut Socket,
    address: SocketAddr,
    on_error: &dyn Fn(LoopbackError) -> Problem,
) -> Result<Frame, Problem> {
    match socket.receive().map_err(on_error)? {
        SocketMessage::Text(text) => Frame::parse(&text, Stage::AfterHello)
            .map_err(|error| not_a_gateway(address, &format!("it sent an invalid frame: {error}"))),
        SocketMessage::Closed(why) => Err(Problem::new(
            ErrorCode::Unreachable,
            format!("the gateway at {address} closed the connection: {}", printable(&why)),
        )),
    }
}

/// Converts a connection error into a problem.
pub fn connection_problem(error: LoopbackError) -> Problem {
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
    "another program may be using the port; `tarsus gateway status` shows the expected process";

fn not_a_gateway(address: SocketAddr, why: &str) -> Problem {
    let message = format!("the server at {address} is not a Tarsus gateway: {}", printable(why));
    Problem::new(ErrorCode::Unreachable, message).hint(ANOTHER_PROGRAM)
}

/// The problem for a refused handshake.
fn connect_refused(address: SocketAddr, shape: ErrorShape) -> Problem {
    let why = shape.details.as_ref().and_then(|details| details.get("code")).and_then(Value::as_str);
    let (code, hint) = match why.unwrap_or_default() {
        "PROTOCOL_MISMATCH" => {
            (ErrorCode::Unreachable, "it runs another version than this command: `tarsus gateway restart`")
        }
        code if code.starts_with("AUTH_") => (
            ErrorCode::Denied,
            "a running gateway keeps its credentials when the token file changes: `tarsus gateway restart`",
        ),
        _ => return problem_from_error(shape),
    };
    let message = format!("the gateway at {address} rejected the connection: {}", printable(&shape.message));
    Problem::new(code, message).hint(hint)
}

/// Rebuilds the problem from which the gateway made an error response. Unknown details become a note.
fn problem_from_error(shape: ErrorShape) -> Problem {
    let ErrorShape { code, message, details, .. } = shape;
    let mut details = match details {
        Some(Value::Object(details)) => details,
        _ => serde_json::Map::new(),
    };
    let stored_code =
        details.get("code").and_then(|code| serde_json::from_value::<ErrorCode>(code.clone()).ok());
    if stored_code.is_some() {
        details.shift_remove("code");
    }
    let code = stored_code.unwrap_or(match code {
        WireCode::Known(RpcCode::InvalidRequest) => ErrorCode::Usage,
        WireCode::Known(RpcCode::Forbidden) => ErrorCode::Denied,
        WireCode::Known(RpcCode::Unavailable) | WireCode::Other(_) => ErrorCode::Failed,
    });
    let mut problem = Problem::new(code, printable(&message));
    if let Some(Value::String(hint)) = details.shift_remove("hint") {
        problem = problem.hint(printable(&hint));
    }
    let location = details
        .shift_remove("location")
        .and_then(|location| serde_json::from_value::<SourceLocation>(location).ok());
    if let Some(location) = location {
        problem = problem.at(location);
    }
    if let Some(Value::Array(notes)) = details.shift_remove("notes") {
        problem = notes
            .iter()
            .filter_map(Value::as_str)
            .fold(problem, |problem, note| problem.note(printable(note)));
    }
    // Only for programs; the message already contains them.
    details.shift_remove("issues");
    if details.is_empty() { problem } else { problem.note(printable(&Value::Object(details).to_string())) }
}

#[cfg(test)]
mod tests;
