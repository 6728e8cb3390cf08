//! A blocking WebSocket client for our own gateway: loopback only, text messages only, bounded in size and time.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::time::Duration;

use tungstenite::client::client_with_config;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, HandshakeError, Message, WebSocket};

use super::{Connection, LoopbackError, MAX_TIMEOUT, MIN_TIMEOUT, failed};

/// An open socket.
#[derive(Debug)]
pub struct Socket {
    address: SocketAddr,
    inner: WebSocket<Connection>,
}

/// A message of the gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SocketMessage {
    /// A text.
    Text(String),
    /// The gateway closed the socket, for this reason.
    Closed(String),
}

impl Socket {
    /// Opens a socket at `path`. Messages larger than `most_bytes` are rejected; the timeout covers everything until
    /// [`Socket::set_timeout`] renews it.
    ///
    /// # Errors
    /// See [`LoopbackError`].
    pub fn open(
        address: SocketAddr,
        path: &str,
        timeout: Duration,
        most_bytes: usize,
    ) -> Result<Self, LoopbackError> {
        if !address.ip().is_loopback() {
            return Err(LoopbackError::NotLoopback { address });
        }
        let connection = Connection::open(address, timeout)?;
        let config =
            WebSocketConfig::default().max_message_size(Some(most_bytes)).max_frame_size(Some(most_bytes));
        match client_with_config(format!("ws://{address}{path}"), connection, Some(config)) {
            Ok((inner, _)) => Ok(Self { address, inner }),
            Err(HandshakeError::Failure(error)) => Err(loopback_error(address, error)),
            // Reads and writes never stop half-way without an error.
            Err(HandshakeError::Interrupted(_)) => Err(LoopbackError::TimedOut { address }),
        }
    }

    /// Renews the timeout.
    pub fn set_timeout(&mut self, timeout: Duration) {
        let connection = self.inner.get_mut();
        connection.deadline = connection.clock.monotonic() + timeout.clamp(MIN_TIMEOUT, MAX_TIMEOUT);
    }

    /// Sends a text message.
    ///
    /// # Errors
    /// See [`LoopbackError`].
    pub fn send(&mut self, text: String) -> Result<(), LoopbackError> {
        self.inner.send(Message::text(text)).map_err(|error| loopback_error(self.address, error))
    }

    /// Waits for the next message.
    ///
    /// # Errors
    /// See [`LoopbackError`].
    pub fn receive(&mut self) -> Result<SocketMessage, LoopbackError> {
        loop {
            match self.inner.read() {
                Ok(Message::Text(text)) => return Ok(SocketMessage::Text(text.as_str().to_owned())),
                Ok(Message::Close(why)) => {
                    let why = why.map_or_else(|| "without a reason".to_owned(), |why| why.to_string());
                    return Ok(SocketMessage::Closed(why));
                }
                Ok(Message::Binary(_)) => {
                    let why = "it sends binary frames";
                    return Err(LoopbackError::NotHttp { address: self.address, why });
                }
                // Pings are answered by the library.
                Ok(_) => {}
                Err(error) => return Err(loopback_error(self.address, error)),
            }
        }
    }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left().map_err(|_| io::ErrorKind::TimedOut)?;
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer).map_err(in_time)
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.left().map_err(|_| io::ErrorKind::TimedOut)?;
        self.stream.set_write_timeout(Some(left))?;
        self.stream.write(bytes).map_err(in_time)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Unix reports a timeout as "would block", which the library treats as "later".
fn in_time(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock => io::ErrorKind::TimedOut.into(),
        _ => error,
    }
}

fn loopback_error(address: SocketAddr, error: Error) -> LoopbackError {
    let why = match error {
        Error::Io(source) => return failed(address, source),
        Error::Capacity(_) => return LoopbackError::TooLarge { address },
        Error::ConnectionClosed | Error::AlreadyClosed => {
            return LoopbackError::NotReachable { address, source: io::ErrorKind::UnexpectedEof.into() };
        }
        Error::Http(_) => "it did not open a WebSocket",
        _ => "it does not speak WebSocket",
    };
    LoopbackError::NotHttp { address, why }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    #[test]
    fn only_loopback_is_contacted() {
        let address: SocketAddr = "192.0.2.1:80".parse().unwrap();
        let refused = Socket::open(address, "/ws", Duration::from_secs(1), 1024).unwrap_err();
        assert!(matches!(refused, LoopbackError::NotLoopback { .. }), "{refused}");
    }

    #[test]
    fn texts_go_both_ways_and_close_has_a_reason() {
        let listener = TcpListener::bind("[::1]:0").or_else(|_| TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            let mut socket = tungstenite::accept(listener.accept().unwrap().0).unwrap();
            socket.send(Message::Ping(b"there?".as_slice().into())).unwrap();
            let message = socket.read().unwrap();
            socket.send(message).unwrap();
            socket.close(None).unwrap();
            while socket.read().is_ok() {}
        });
        let mut socket = Socket::open(address, "/ws", Duration::from_secs(10), 1024).unwrap();
        socket.send("天气".to_owned()).unwrap();
        assert_eq!(socket.receive().unwrap(), SocketMessage::Text("天气".to_owned()));
        assert_eq!(socket.receive().unwrap(), SocketMessage::Closed("without a reason".to_owned()));
        drop(socket);
        server.join().unwrap();
    }
}
