//! A blocking HTTP GET request to the gateway on this machine, without async runtime and TLS.
//!
//! Uses HTTP/1.0: a response is complete when the connection closes or its announced length was received.
//! Only loopback addresses are contacted; head, body and total time are limited.

pub mod socket;

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::Clock;

/// Bytes of a response before its body.
const HEAD_LIMIT: usize = 16 * 1024;
/// Bytes of a body.
const BODY_LIMIT: usize = 1024 * 1024;

/// Failure of a request.
#[derive(Debug, thiserror::Error)]
pub enum LoopbackError {
    /// The address is not on this machine.
    #[error("{address} is not an address of this machine")]
    NotLoopback {
        /// The address as given.
        address: SocketAddr,
    },
    /// The path or the token cannot be sent.
    #[error("the request to {address} cannot be sent: {what} contains an invalid character")]
    Request {
        /// The address.
        address: SocketAddr,
        /// The part that cannot be sent.
        what: &'static str,
    },
    /// Nothing listens there, or the connection broke.
    #[error("cannot connect to {address}")]
    NotReachable {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The response was not complete in time.
    #[error("{address} did not respond in time")]
    TimedOut {
        /// The address.
        address: SocketAddr,
    },
    /// The response is not HTTP.
    #[error("the server at {address} is not a Tarsus gateway: {why}")]
    NotHttp {
        /// The address.
        address: SocketAddr,
        /// The fault.
        why: &'static str,
    },
    /// The response is larger than any of ours.
    #[error("the response from {address} is too large")]
    TooLarge {
        /// The address.
        address: SocketAddr,
    },
}

/// Requests `path` and returns the status and the body.
///
/// # Errors
/// See [`LoopbackError`].
pub fn get(
    address: SocketAddr,
    path: &str,
    bearer: Option<&str>,
    timeout: Duration,
) -> Result<(u16, Vec<u8>), LoopbackError> {
    if !address.ip().is_loopback() {
        return Err(LoopbackError::NotLoopback { address });
    }
    let request = request(address, path, bearer)?;
    let mut connection = Connection::open(address, timeout)?;
    connection.send(request.as_bytes())?;
    connection.answer()
}

fn request(address: SocketAddr, path: &str, bearer: Option<&str>) -> Result<String, LoopbackError> {
    let visible = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
    if !path.starts_with('/') || !visible(path) {
        return Err(LoopbackError::Request { address, what: "the path" });
    }
    let authorization = match bearer {
        Some(token) if token.is_empty() || !visible(token) => {
            return Err(LoopbackError::Request { address, what: "the token" });
        }
        Some(token) => format!("Authorization: Bearer {token}\r\n"),
        None => String::new(),
    };
    Ok(format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n{authorization}\r\n"))
}

#[derive(Debug)]
struct Connection {
    address: SocketAddr,
    stream: TcpStream,
    clock: Clock,
    deadline: Instant,
}

impl Connection {
    #[allow(clippy::disallowed_methods, reason = "host opens the sockets; this one is loopback only")]
    fn open(address: SocketAddr, timeout: Duration) -> Result<Self, LoopbackError> {
        let timeout = timeout.clamp(MIN_TIMEOUT, MAX_TIMEOUT);
        let clock = Clock::system();
        let deadline = clock.monotonic() + timeout;
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(stream) => Ok(Self { address, stream, clock, deadline }),
            Err(source) => Err(failed(address, source)),
        }
    }

    fn send(&mut self, request: &[u8]) -> Result<(), LoopbackError> {
        let left = self.left()?;
        let (address, stream) = (self.address, &mut self.stream);
        stream
            .set_write_timeout(Some(left))
            .and_then(|()| stream.write_all(request))
            .map_err(|source| failed(address, source))
    }

    fn answer(&mut self) -> Result<(u16, Vec<u8>), LoopbackError> {
        let address = self.address;
        let mut bytes = Vec::new();
        let head = loop {
            if let Some(end) = find(&bytes[..bytes.len().min(HEAD_LIMIT)], b"\r\n\r\n") {
                break parse_head(&bytes[..end]).map(|head| (head, end + 4));
            }
            let begins_right = bytes.iter().zip(b"HTTP/1.").all(|(a, b)| a == b);
            if !begins_right {
                break Err("it does not begin with an HTTP status");
            }
            if bytes.len() >= HEAD_LIMIT {
                return Err(LoopbackError::TooLarge { address });
            }
            if !self.read(&mut bytes)? {
                break Err("it ends before its headers do");
            }
        };
        let (Head { status, length }, body_at) =
            head.map_err(|why| LoopbackError::NotHttp { address, why })?;

        bytes.drain(..body_at);
        let wanted = length.unwrap_or(usize::MAX);
        let mut open = true;
        while open && bytes.len() < wanted {
            if bytes.len() > BODY_LIMIT || length.is_some_and(|length| length > BODY_LIMIT) {
                return Err(LoopbackError::TooLarge { address });
            }
            open = self.read(&mut bytes)?;
        }
        if length.is_some_and(|length| bytes.len() < length) {
            let why = "it ends before its announced length";
            return Err(LoopbackError::NotHttp { address, why });
        }
        bytes.truncate(wanted);
        if bytes.len() > BODY_LIMIT {
            return Err(LoopbackError::TooLarge { address });
        }
        Ok((status, bytes))
    }

    /// Reads once; false at the end.
    fn read(&mut self, into: &mut Vec<u8>) -> Result<bool, LoopbackError> {
        let left = self.left()?;
        let mut buffer = [0; 8 * 1024];
        let read = self.stream.set_read_timeout(Some(left)).and_then(|()| {
            loop {
                match self.stream.read(&mut buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => return read,
                }
            }
        });
        let length = read.map_err(|source| failed(self.address, source))?;
        into.extend_from_slice(&buffer[..length]);
        Ok(length > 0)
    }

    fn left(&self) -> Result<Duration, LoopbackError> {
        let left = self.deadline.saturating_duration_since(self.clock.monotonic());
        if left.is_zero() {
            return Err(LoopbackError::TimedOut { address: self.address });
        }
        Ok(left.max(MIN_TIMEOUT))
    }
}

/// A time-out of zero is an error to the system, and on Windows less than a millisecond is zero.
const MIN_TIMEOUT: Duration = Duration::from_millis(1);
/// More than a command line needs.
const MAX_TIMEOUT: Duration = Duration::from_hours(1);

fn failed(address: SocketAddr, source: io::Error) -> LoopbackError {
    match source.kind() {
        // Unix says the first where Windows says the second.
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => LoopbackError::TimedOut { address },
        _ => LoopbackError::NotReachable { address, source },
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Head {
    status: u16,
    length: Option<usize>,
}

fn parse_head(head: &[u8]) -> Result<Head, &'static str> {
    let head = std::str::from_utf8(head).map_err(|_| "its headers are not text")?;
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.strip_prefix("HTTP/1.")?.split(' ').nth(1))
        .filter(|code| code.len() == 3)
        .and_then(|code| code.parse().ok())
        .filter(|code| (100..600).contains(code))
        .ok_or("it does not begin with an HTTP status")?;

    let mut length = None;
    for line in lines {
        let (name, value) = line.split_once(':').ok_or("a header has no name")?;
        if name.eq_ignore_ascii_case("transfer-encoding") {
            return Err("it uses chunked encoding, which was not requested");
        }
        if name.eq_ignore_ascii_case("content-length") {
            let announced = value.trim().parse().map_err(|_| "its length is not a number")?;
            if length.replace(announced).is_some_and(|before| before != announced) {
                return Err("it announces two lengths");
            }
        }
    }
    Ok(Head { status, length })
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_heads_are_parsed_or_rejected() {
        let ok = |status, length| Ok(Head { status, length });
        for (head, expected) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 5", ok(200, Some(5))),
            ("HTTP/1.0 404 Not Found\r\nX: y", ok(404, None)),
            ("HTTP/1.1 204", ok(204, None)),
            ("HTTP/1.1 200 OK\r\ncontent-length:7\r\nContent-Length: 7", ok(200, Some(7))),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6", Err("it announces two lengths")),
            ("HTTP/1.1 200 OK\r\nContent-Length: -5", Err("its length is not a number")),
            ("HTTP/1.1 200 OK\r\nnothing", Err("a header has no name")),
            ("HTTP/2 200 OK", Err("it does not begin with an HTTP status")),
            ("HTTP/1.1 20 OK", Err("it does not begin with an HTTP status")),
            ("HTTP/1.1 999 OK", Err("it does not begin with an HTTP status")),
            ("", Err("it does not begin with an HTTP status")),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked",
                Err("it uses chunked encoding, which was not requested"),
            ),
        ] {
            assert_eq!(parse_head(head.as_bytes()), expected, "{head:?}");
        }
    }

    #[test]
    fn request_cannot_be_injected() {
        let address = SocketAddr::from(([127, 0, 0, 1], 1));
        assert_eq!(
            request(address, "/healthz?a=b", Some("t0ken")).unwrap(),
            "GET /healthz?a=b HTTP/1.0\r\nHost: 127.0.0.1:1\r\nAuthorization: Bearer t0ken\r\n\r\n"
        );
        for path in ["", "healthz", "/a b", "/a\r\nX: y", "/ü"] {
            assert!(request(address, path, None).is_err(), "{path:?}");
        }
        for token in ["", "a b", "a\r\nX: y"] {
            assert!(request(address, "/", Some(token)).is_err(), "{token:?}");
        }
    }
}
