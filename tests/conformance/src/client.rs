//! A client of the gateway that can also misbehave. Every wait for a reply has a time limit.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use tarsus_protocol::failure::ErrorShape;
use tarsus_protocol::rpc::{self, CallError, Calls, Method, parse_response};
use tarsus_protocol::{Frame, Request};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async};

/// Time limit of every step.
const STEP_TIMEOUT: Duration = Duration::from_secs(30);

/// The outcome of an upgrade request.
#[derive(Debug)]
pub enum Opened {
    /// A socket.
    Socket(Box<Client>),
    /// Another response, with this status.
    Refused(u16),
}

/// A frame, or how the socket ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Received {
    /// A frame.
    Frame(Value),
    /// The socket was closed with this code and reason.
    Closed(u16, String),
    /// The socket ended without a close frame.
    Gone,
}

impl Received {
    /// The frame.
    ///
    /// # Panics
    /// When it is something else.
    #[must_use]
    pub fn frame(self) -> Value {
        match self {
            Self::Frame(frame) => frame,
            other => panic!("expected a frame, received {other:?}"),
        }
    }
}

/// A socket to a gateway.
#[derive(Debug)]
pub struct Client {
    socket: WebSocketStream<TcpStream>,
    calls: Calls,
    /// Events received while waiting for a reply.
    pub events: VecDeque<Value>,
}

impl Client {
    /// Requests a socket with additional header lines.
    ///
    /// # Panics
    /// If nothing listens, or the server does not speak HTTP.
    pub async fn open(url: &str, headers: &[(&str, &str)]) -> Opened {
        Self::try_open(url, headers).await.unwrap_or_else(|why| panic!("{why}"))
    }

    /// Like `open`, for a gateway that may be gone.
    ///
    /// # Errors
    /// If nothing listens, or the server does not speak HTTP.
    ///
    /// # Panics
    /// If the address or the headers are invalid.
    pub async fn try_open(url: &str, headers: &[(&str, &str)]) -> Result<Opened, Error> {
        let mut request = url.into_client_request().expect("an address such as ws://127.0.0.1:18789");
        for (name, value) in headers {
            let name: HeaderName = name.parse().expect("the name of a header");
            request.headers_mut().insert(name, HeaderValue::from_str(value).expect("the value of a header"));
        }
        let uri = request.uri();
        let address = (uri.host().unwrap_or("127.0.0.1").to_owned(), uri.port_u16().unwrap_or(18789));
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        match in_time(client_async(request, stream)).await {
            Ok((socket, _)) => Ok(Opened::Socket(Box::new(Self {
                socket,
                calls: Calls::default(),
                events: VecDeque::new(),
            }))),
            Err(Error::Http(response)) => Ok(Opened::Refused(response.status().as_u16())),
            Err(error) => Err(error),
        }
    }

    /// Opens a socket that must be accepted.
    ///
    /// # Panics
    /// When it is not.
    pub async fn expect(url: &str, headers: &[(&str, &str)]) -> Self {
        match Self::open(url, headers).await {
            Opened::Socket(client) => *client,
            Opened::Refused(status) => panic!("the upgrade was refused with {status}"),
        }
    }

    /// The nonce of the challenge, which is the first frame.
    ///
    /// # Panics
    /// When the first frame is something else.
    pub async fn challenge(&mut self) -> String {
        let frame = self.receive().await.frame();
        assert_eq!(frame["event"], "connect.challenge", "{frame}");
        frame["payload"]["nonce"].as_str().expect("a challenge has a nonce").to_owned()
    }

    /// Sends `connect` and receives the reply.
    pub async fn connect(&mut self, params: &Value) -> Received {
        self.send(&json!({ "type": "req", "id": "connect", "method": "connect", "params": params })).await;
        self.receive().await
    }

    /// Sends any frame. A closed socket is noticed by the next receive.
    pub async fn send(&mut self, frame: &Value) {
        self.send_text(&frame.to_string()).await;
    }

    /// Sends any text.
    pub async fn send_text(&mut self, text: &str) {
        self.send_message(Message::text(text)).await;
    }

    /// Sends any message.
    pub async fn send_message(&mut self, message: Message) {
        in_time(self.socket.send(message)).await.ok();
    }

    /// Sends a request under an id of the caller's choice, without waiting for the reply.
    pub async fn send_request<M: Method>(&mut self, id: &str, params: &M::Params) {
        self.send(&json!({ "type": "req", "id": id, "method": M::NAME, "params": params })).await;
    }

    /// Calls a method with typed parameters; events before the reply are kept.
    ///
    /// # Errors
    /// If the gateway refused, or its result is not one of the method.
    ///
    /// # Panics
    /// When the socket ends before the reply, or the reply is not a response.
    pub async fn call<M: Method>(&mut self, params: &M::Params) -> Result<M::Result, CallError> {
        self.try_call::<M>(params).await.unwrap_or_else(|end| panic!("{}: received {end:?}", M::NAME))
    }

    /// Like `call`, for a gateway that may stop before it replies.
    ///
    /// # Errors
    /// How the socket ended.
    ///
    /// # Panics
    /// When the reply is not a response.
    pub async fn try_call<M: Method>(
        &mut self,
        params: &M::Params,
    ) -> Result<Result<M::Result, CallError>, Received> {
        let request = match self.calls.request::<M>(params) {
            Ok(request) => request,
            Err(error) => return Ok(Err(error)),
        };
        let reply = self.exchange(request).await?;
        Ok(parse_response::<M>(serde_json::from_value(reply).expect("a response")))
    }

    /// The result of a call that must succeed. The declared type must hold all of it.
    ///
    /// # Panics
    /// When the call fails, or the result has fields that its type does not declare.
    pub async fn call_ok<M: Method>(&mut self, params: &M::Params) -> M::Result {
        let request = self.calls.request::<M>(params).expect("parameters have a JSON form");
        let reply = self.exchange(request).await;
        let mut reply = reply.unwrap_or_else(|end| panic!("{}: received {end:?}", M::NAME));
        assert_eq!(reply["ok"], true, "{}: {reply}", M::NAME);
        let payload = reply["payload"].take();
        let result = M::Result::deserialize(&payload)
            .unwrap_or_else(|error| panic!("{}: {error}: {payload}", M::NAME));
        assert_eq!(json!(result), payload, "{}", M::NAME);
        result
    }

    /// The error of a call that must fail.
    ///
    /// # Panics
    /// When the call succeeds.
    pub async fn call_err<M: Method>(&mut self, params: &M::Params) -> ErrorShape {
        match self.call::<M>(params).await {
            Err(CallError::Refused(error)) => *error,
            Err(error) => panic!("{}: {error}", M::NAME),
            Ok(result) => panic!("{}: expected an error, received {}", M::NAME, json!(result)),
        }
    }

    /// Calls a method by name with any parameters, and returns the reply as JSON: for tests of the wire format, of
    /// invalid parameters and of unknown methods. Events before the reply are kept.
    ///
    /// # Panics
    /// When the socket ends before the reply.
    pub async fn raw_call(&mut self, method: &str, params: &Value) -> Value {
        let request = self.calls.untyped_request(method, Some(params.clone())).expect("the name of a method");
        let reply = self.exchange(request).await;
        reply.unwrap_or_else(|end| panic!("{method} {params}: received {end:?}"))
    }

    /// The payload of a raw call that must succeed. Parameters and payload must be those that the method declares, without loss.
    ///
    /// # Panics
    /// When the call fails, or they are not.
    pub async fn raw_result(&mut self, method: &str, params: &Value) -> Value {
        let mut reply = self.raw_call(method, params).await;
        assert_eq!(reply["ok"], true, "{method} {params}: {reply}");
        let payload = reply["payload"].take();
        if let Some(declared) = rpc::all().find(|declared| declared.name == method) {
            let params = (declared.reserialize_params)(params.clone());
            assert!(params.is_ok(), "{method}: {params:?}");
            assert_eq!(
                (declared.reserialize_result)(payload.clone()).ok().as_ref(),
                Some(&payload),
                "{method}"
            );
        }
        payload
    }

    /// The error message of a raw call that must fail.
    ///
    /// # Panics
    /// When the call succeeds.
    pub async fn raw_error(&mut self, method: &str, params: &Value) -> String {
        let reply = self.raw_call(method, params).await;
        assert_eq!(reply["ok"], false, "{method} {params}: {reply}");
        reply["error"]["message"].as_str().unwrap_or_default().to_owned()
    }

    async fn exchange(&mut self, request: Request) -> Result<Value, Received> {
        let id = request.id.clone();
        self.send(&json!(Frame::Request(request))).await;
        loop {
            match self.receive().await {
                Received::Frame(frame) if frame["type"] == "event" => self.events.push_back(frame),
                Received::Frame(frame) => {
                    assert_eq!(frame["id"], id.as_str(), "{frame}");
                    return Ok(frame);
                }
                end => return Err(end),
            }
        }
    }

    /// The next event of a name; others before it are dropped.
    pub async fn event(&mut self, name: &str) -> Value {
        while let Some(frame) = self.events.pop_front() {
            if frame["event"] == name {
                return frame;
            }
        }
        loop {
            let frame = self.receive().await.frame();
            if frame["event"] == name {
                return frame;
            }
        }
    }

    /// Receives the next frame.
    pub async fn receive(&mut self) -> Received {
        match self.receive_text().await {
            Ok(text) => Received::Frame(serde_json::from_str(&text).expect("a gateway sends JSON")),
            Err(end) => end,
        }
    }

    /// Receives the text of the next frame.
    ///
    /// # Errors
    /// How the socket ended.
    pub async fn receive_text(&mut self) -> Result<Utf8Bytes, Received> {
        loop {
            match in_time(self.socket.next()).await {
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Close(Some(close)))) => {
                    // Reading on sends the answer to it.
                    in_time(self.socket.next()).await;
                    return Err(Received::Closed(close.code.into(), close.reason.to_string()));
                }
                Some(Ok(Message::Close(None)) | Err(_)) | None => return Err(Received::Gone),
                Some(Ok(_)) => {}
            }
        }
    }

    /// Receives until the socket ends.
    pub async fn receive_end(&mut self) -> Received {
        loop {
            if let Err(end) = self.receive_text().await {
                return end;
            }
        }
    }

    /// Closes the socket and waits for the close reply.
    pub async fn close(mut self) {
        in_time(self.socket.close(None)).await.ok();
        while let Some(Ok(_)) = in_time(self.socket.next()).await {}
    }
}

/// The code in the details of an error, such as `stale`.
#[must_use]
pub fn detail_code(error: &ErrorShape) -> &str {
    error.details.as_ref().and_then(|details| details["code"].as_str()).unwrap_or_default()
}

/// The sequence number of an event frame, which our gateway writes after the payload.
#[must_use]
pub fn number(frame: &str) -> Option<u64> {
    let (_, rest) = frame.rsplit_once(r#","seq":"#)?;
    let digits = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

async fn in_time<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(STEP_TIMEOUT, future).await.expect("an answer in time")
}
