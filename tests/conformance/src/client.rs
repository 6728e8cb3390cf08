//! A client of the gateway, polite or not. It gives up on what does not come in time.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async};

/// How long anything may take before a client gives up on it.
const PATIENCE: Duration = Duration::from_secs(30);

/// What became of an upgrade.
#[derive(Debug)]
pub enum Opened {
    /// A socket.
    Socket(Box<Client>),
    /// An answer of this status instead.
    Refused(u16),
}

/// What a client heard.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// A frame.
    Frame(Value),
    /// The socket was closed with this code and reason.
    Closed(u16, String),
    /// The socket ended without a word.
    Gone,
}

impl Heard {
    /// The frame.
    ///
    /// # Panics
    /// When it is something else.
    #[must_use]
    pub fn frame(self) -> Value {
        match self {
            Self::Frame(frame) => frame,
            other => panic!("expected a frame, heard {other:?}"),
        }
    }
}

/// A socket to a gateway.
#[derive(Debug)]
pub struct Client {
    socket: WebSocketStream<TcpStream>,
    next_id: u64,
    /// Events that came while a reply was waited for.
    pub events: VecDeque<Value>,
}

impl Client {
    /// Asks for a socket with these header lines beside the usual ones.
    ///
    /// # Panics
    /// When nobody listens, or what listens does not speak HTTP.
    pub async fn open(url: &str, headers: &[(&str, &str)]) -> Opened {
        Self::try_open(url, headers).await.unwrap_or_else(|why| panic!("{why}"))
    }

    /// The same, where a gateway may have gone.
    ///
    /// # Errors
    /// When nobody listens, or what listens does not speak HTTP.
    ///
    /// # Panics
    /// When the address or the headers are none.
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
            Ok((socket, _)) => {
                Ok(Opened::Socket(Box::new(Self { socket, next_id: 1, events: VecDeque::new() })))
            }
            Err(Error::Http(answer)) => Ok(Opened::Refused(answer.status().as_u16())),
            Err(error) => Err(error),
        }
    }

    /// A socket that has to be given.
    ///
    /// # Panics
    /// When it is not.
    pub async fn expect(url: &str, headers: &[(&str, &str)]) -> Self {
        match Self::open(url, headers).await {
            Opened::Socket(client) => *client,
            Opened::Refused(status) => panic!("the upgrade was refused with {status}"),
        }
    }

    /// The nonce of the challenge, which comes first.
    ///
    /// # Panics
    /// When something else comes.
    pub async fn challenge(&mut self) -> String {
        let frame = self.hear().await.frame();
        assert_eq!(frame["event"], "connect.challenge", "{frame}");
        frame["payload"]["nonce"].as_str().expect("a challenge has a nonce").to_owned()
    }

    /// Sends `connect`, and hears the reply.
    pub async fn connect(&mut self, params: &Value) -> Heard {
        self.send(&json!({ "type": "req", "id": "connect", "method": "connect", "params": params })).await;
        self.hear().await
    }

    /// Sends any frame. A socket that is closed already is noticed when it is listened to.
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

    /// Asks, and waits for the reply; events that come before it are kept.
    ///
    /// # Panics
    /// When the socket ends before.
    pub async fn ask(&mut self, method: &str, params: &Value) -> Value {
        let reply = self.try_ask(method, params).await;
        reply.unwrap_or_else(|end| panic!("{method} {params}: heard {end:?}"))
    }

    /// The same, where a gateway may go before it answers.
    ///
    /// # Errors
    /// How the socket ended.
    ///
    /// # Panics
    /// When another request is answered.
    pub async fn try_ask(&mut self, method: &str, params: &Value) -> Result<Value, Heard> {
        let id = self.next_id.to_string();
        self.next_id += 1;
        self.send(&json!({ "type": "req", "id": id, "method": method, "params": params })).await;
        loop {
            match self.hear().await {
                Heard::Frame(frame) if frame["type"] == "event" => self.events.push_back(frame),
                Heard::Frame(frame) => {
                    assert_eq!(frame["id"], id.as_str(), "{frame}");
                    return Ok(frame);
                }
                end => return Err(end),
            }
        }
    }

    /// The payload of a reply that has to succeed.
    ///
    /// # Panics
    /// When it does not.
    pub async fn get(&mut self, method: &str, params: &Value) -> Value {
        let mut reply = self.ask(method, params).await;
        assert_eq!(reply["ok"], true, "{method} {params}: {reply}");
        reply["payload"].take()
    }

    /// The words of a reply that has to fail.
    ///
    /// # Panics
    /// When it does not.
    pub async fn refusal(&mut self, method: &str, params: &Value) -> String {
        let reply = self.ask(method, params).await;
        assert_eq!(reply["ok"], false, "{method} {params}: {reply}");
        reply["error"]["message"].as_str().unwrap_or_default().to_owned()
    }

    /// The next event of a name; others before it are left out.
    pub async fn event(&mut self, name: &str) -> Value {
        while let Some(frame) = self.events.pop_front() {
            if frame["event"] == name {
                return frame;
            }
        }
        loop {
            let frame = self.hear().await.frame();
            if frame["event"] == name {
                return frame;
            }
        }
    }

    /// What comes next.
    pub async fn hear(&mut self) -> Heard {
        match self.hear_text().await {
            Ok(text) => Heard::Frame(serde_json::from_str(&text).expect("a gateway sends JSON")),
            Err(end) => end,
        }
    }

    /// The text of the frame that comes next, as it was sent.
    ///
    /// # Errors
    /// How the socket ended.
    pub async fn hear_text(&mut self) -> Result<Utf8Bytes, Heard> {
        loop {
            match in_time(self.socket.next()).await {
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Close(Some(close)))) => {
                    // Reading on sends the answer to it.
                    in_time(self.socket.next()).await;
                    return Err(Heard::Closed(close.code.into(), close.reason.to_string()));
                }
                Some(Ok(Message::Close(None)) | Err(_)) | None => return Err(Heard::Gone),
                Some(Ok(_)) => {}
            }
        }
    }

    /// Everything until the end.
    pub async fn hear_the_end(&mut self) -> Heard {
        loop {
            if let Err(end) = self.hear_text().await {
                return end;
            }
        }
    }

    /// Says goodbye, and waits for the answer.
    pub async fn close(mut self) {
        in_time(self.socket.close(None)).await.ok();
        while let Some(Ok(_)) = in_time(self.socket.next()).await {}
    }
}

/// The number of an event of our own gateway, which writes it behind the payload; read without reading the rest.
#[must_use]
pub fn number(frame: &str) -> Option<u64> {
    let (_, rest) = frame.rsplit_once(r#","seq":"#)?;
    let digits = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

async fn in_time<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(PATIENCE, future).await.expect("an answer in time")
}
