//! A minimal HTTP/1.1 server: reads requests, and writes replies in pieces of any size.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};

use serde_json::Value;

use crate::encode::encode_events;
use crate::script::{Body, Reply};
use tarsus_models::Dialect;

/// Maximum bytes of a request.
const MAX_BYTES: u64 = 256 << 20;

/// A recorded request.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    /// `GET` or `POST`.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Headers with lowercase names.
    pub headers: BTreeMap<String, String>,
    /// Body as JSON; null if there is none.
    pub body: Value,
}

impl RecordedRequest {
    /// The dialect of the request, by its path.
    #[must_use]
    pub fn dialect(&self) -> Option<Dialect> {
        let path = self.path.split('?').next().unwrap_or_default();
        if path.ends_with("/chat/completions") {
            Some(Dialect::OpenaiCompletions)
        } else if path.ends_with("/responses") {
            Some(Dialect::OpenaiResponses)
        } else if path.ends_with("/messages") {
            Some(Dialect::AnthropicMessages)
        } else {
            path.ends_with(":streamGenerateContent").then_some(Dialect::GoogleGenerativeAi)
        }
    }
}

/// Reads one request; `None` if the client disconnected.
pub(crate) fn read(stream: &TcpStream) -> io::Result<Option<RecordedRequest>> {
    let mut reader = BufReader::new(stream.take(MAX_BYTES));
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.insert(name.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes)?;
    let body = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes)? };
    Ok(Some(RecordedRequest { method, path, headers, body }))
}

/// Sends a reply. The client may disconnect at any time.
pub(crate) fn play(stream: &mut TcpStream, request: &RecordedRequest, reply: &Reply) -> io::Result<()> {
    let (content_type, events): (&str, Vec<Vec<u8>>) = match &reply.body {
        Body::Raw { content_type, bytes } => (content_type, vec![bytes.clone()]),
        Body::Script(script) => match request.dialect() {
            Some(dialect) => (
                "text/event-stream",
                encode_events(dialect, script).into_iter().map(String::into_bytes).collect(),
            ),
            None => return play(stream, request, &Reply::failing(404, "no such address")),
        },
    };
    let mut head = format!(
        "HTTP/1.1 {} Scripted\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n",
        reply.status
    );
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    let mut left = reply.cut.map_or(usize::MAX, |cut| cut.after);
    for (number, event) in events.iter().enumerate() {
        for (_, gate) in reply.gates.iter().filter(|(piece, _)| *piece == number) {
            gate.pass();
        }
        let event = &event[..event.len().min(left)];
        left -= event.len();
        for piece in event.chunks(reply.piece) {
            stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
            stream.write_all(piece)?;
            stream.write_all(b"\r\n")?;
            stream.flush()?;
        }
    }
    // Gates after the last event precede the end.
    for (_, gate) in reply.gates.iter().filter(|(piece, _)| *piece >= events.len()) {
        gate.pass();
    }
    if reply.until_hang_up {
        while stream.read(&mut [0; 64])? > 0 {}
        return Ok(());
    }
    if reply.cut.is_none_or(|cut| cut.is_clean) {
        stream.write_all(b"0\r\n\r\n")?;
    }
    stream.shutdown(Shutdown::Write)
}
