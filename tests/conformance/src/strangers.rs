//! Clients without credentials that occupy a gateway: each begins a request or a handshake and never completes it.

use std::io::ErrorKind;
use std::net::Ipv4Addr;

use tokio::net::TcpStream;

/// Bytes of the body that a [`Kind::HalfBody`] announces: the most that the gateway takes with a token.
const BODY: usize = 4 << 20;
/// Bytes written at once.
const CHUNK: usize = 64 << 10;

/// What a stranger begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A connection, and not a byte.
    Silent,
    /// The head of a request, without its end.
    HalfHead,
    /// A complete head, and nearly all of the largest body.
    HalfBody,
    /// A complete head, and chunks of a body without an end.
    EndlessBody,
    /// A head that grows by one byte at a time.
    SlowHead,
    /// A body that grows by one byte at a time.
    SlowBody,
    /// A socket that sends no frame.
    SilentSocket,
    /// A socket with half of a frame that is not too large.
    HalfFrame,
    /// A socket with the beginning of a frame of a terabyte.
    HugeFrame,
    /// A socket that pings for ever.
    Pings,
}

const KINDS: [Kind; 10] = [
    Kind::Silent,
    Kind::HalfHead,
    Kind::HalfBody,
    Kind::EndlessBody,
    Kind::SlowHead,
    Kind::SlowBody,
    Kind::SilentSocket,
    Kind::HalfFrame,
    Kind::HugeFrame,
    Kind::Pings,
];

/// Strangers of every kind, which hold on until they are dropped.
#[derive(Debug)]
pub struct Strangers(Vec<Stranger>);

#[derive(Debug)]
struct Stranger {
    kind: Kind,
    stream: TcpStream,
    /// Bytes to send before those that repeat.
    first: Vec<u8>,
    /// Bytes that were sent.
    sent: usize,
}

impl Strangers {
    /// Connects so many strangers, of each kind in turn.
    ///
    /// # Panics
    /// If nothing listens.
    pub async fn connect(port: u16, number: usize) -> Self {
        let mut strangers = Self(Vec::new());
        for kind in KINDS.into_iter().cycle().take(number) {
            let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.expect("the gateway listens");
            let mut stranger = Stranger { kind, stream, first: beginning(kind, port), sent: 0 };
            stranger.push();
            strangers.0.push(stranger);
        }
        strangers
    }

    /// The number of those that the gateway has not closed yet. What it answered is discarded.
    pub fn count_open(&self) -> usize {
        self.0.iter().filter(|stranger| stranger.is_open()).count()
    }

    /// Lets each of them send more: as much as the gateway takes, or one byte of those that are slow.
    pub fn push(&mut self) {
        for stranger in &mut self.0 {
            stranger.push();
        }
    }
}

impl Stranger {
    fn is_open(&self) -> bool {
        let mut answer = [0; 4 << 10];
        loop {
            match self.stream.try_read(&mut answer) {
                Ok(0) => return false,
                Ok(_) => {}
                Err(error) => return error.kind() == ErrorKind::WouldBlock,
            }
        }
    }

    fn push(&mut self) {
        let most = match self.kind {
            // The end of the body is missing.
            Kind::HalfBody => self.first.len() + BODY - 1,
            Kind::EndlessBody | Kind::HugeFrame => usize::MAX,
            Kind::SlowHead | Kind::SlowBody => self.first.len().max(self.sent + 1),
            Kind::Pings => self.first.len().max(self.sent + 6),
            Kind::Silent | Kind::HalfHead | Kind::SilentSocket | Kind::HalfFrame => self.first.len(),
        };
        // Bounded, so that a gateway that reads for ever does not keep us for ever.
        for _ in 0..2 * BODY / CHUNK {
            let Some(bytes) = self.next_bytes(most) else { return };
            // A gateway that has closed the connection takes nothing.
            match self.stream.try_write(&bytes) {
                Ok(written) => self.sent += written,
                Err(_) => return,
            }
        }
    }

    /// The bytes to send next; none once `most` were sent.
    fn next_bytes(&self, most: usize) -> Option<Vec<u8>> {
        if self.sent < self.first.len() {
            return Some(self.first[self.sent..].to_vec());
        }
        let left = most.saturating_sub(self.sent).min(CHUNK);
        let repeated: &[u8] = match self.kind {
            // A chunk of sixteen bytes.
            Kind::EndlessBody => b"10\r\nxxxxxxxxxxxxxxxx\r\n",
            // A masked ping without a payload.
            Kind::Pings => b"\x89\x80\0\0\0\0",
            _ => b"x",
        };
        let from = (self.sent - self.first.len()) % repeated.len();
        (left > 0).then(|| repeated.repeat(left.div_ceil(repeated.len()) + 1)[from..from + left].to_vec())
    }
}

/// The first bytes of a stranger.
fn beginning(kind: Kind, port: u16) -> Vec<u8> {
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let post = |rest: &str| format!("POST /v1/chat/completions HTTP/1.1\r\n{host}{rest}");
    let socket = format!(
        "GET /ws HTTP/1.1\r\n{host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    let framed = |header: &[u8], payload: usize| {
        [socket.as_bytes(), header, b"\0\0\0\0", &vec![b' '; payload]].concat()
    };
    match kind {
        Kind::Silent => Vec::new(),
        Kind::HalfHead => post(&format!("X-Filler: {}", "x".repeat(12 << 10))).into_bytes(),
        Kind::HalfBody => post(&format!("Content-Length: {BODY}\r\n\r\n")).into_bytes(),
        Kind::EndlessBody => post("Transfer-Encoding: chunked\r\n\r\n").into_bytes(),
        Kind::SlowHead => post("X-Slow: ").into_bytes(),
        Kind::SlowBody => post("Content-Length: 65536\r\n\r\n").into_bytes(),
        Kind::SilentSocket => socket.into_bytes(),
        Kind::HalfFrame => framed(&[0x81, 0x80 | 126, 0xff, 0x00], 0x8000),
        Kind::HugeFrame => framed(&[0x81, 0x80 | 127, 0, 0, 1, 0, 0, 0, 0, 0], CHUNK),
        Kind::Pings => framed(&[0x89, 0x80], 0),
    }
}
