//! Sources of requests: foreign origins, rebound hosts, browsers without origin, and proxies are rejected.

use crate::common;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::{Client, Device, device};
use tarsus_gateway::limits::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// Sends the head of a request, with `PORT` replaced by the gateway's port; returns the status and the response.
async fn send_head(server: &Server, head: &str) -> (u16, String) {
    let head = head.replace("PORT", &server.port.to_string());
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    stream.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let answer = loop {
        let ended = stream.read_buf(&mut bytes).await.map_or(true, |read| read == 0);
        let answer = String::from_utf8_lossy(&bytes);
        if ended || is_complete(&answer) {
            break answer.into_owned();
        }
    };
    let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
    (status.unwrap_or_else(|| panic!("{head}: {answer:?}")), answer)
}

/// Whether a response with its body, or the first frame of a socket, has arrived.
fn is_complete(answer: &str) -> bool {
    let Some((head, body)) = answer.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    length.map_or(body.ends_with("}}"), |length: usize| body.len() >= length)
}

async fn server() -> Server {
    let config =
        r#"{ gateway: { controlUi: { allowedOrigins: ["https://studio.example/", "null", "*"] } } }"#;
    Server::with(config, Limits::DEFAULT).await
}

/// Header lines of a request, and whether the gateway admits it.
const SOURCES: &[(&str, bool)] = &[
    ("Host: 127.0.0.1:PORT\r\n", true),
    ("Host: localhost:PORT\r\n", true),
    ("Host: LOCALHOST:PORT\r\n", true),
    ("Host: [::1]:PORT\r\n", true),
    ("Host: 127.0.0.1:PORT\r\nOrigin: http://127.0.0.1:PORT\r\n", true),
    ("Host: 127.0.0.1:PORT\r\nOrigin: http://localhost:PORT\r\n", true),
    ("Host: [::1]:PORT\r\nOrigin: http://[::1]:PORT\r\n", true),
    ("Host: 127.0.0.1:PORT\r\nOrigin: https://studio.example\r\n", true),
    // A foreign name that resolves to this machine.
    ("Host: rebound.example\r\n", false),
    ("Host: rebound.example:PORT\r\n", false),
    ("Host: rebound.example:PORT\r\nOrigin: http://rebound.example:PORT\r\n", false),
    ("Host: rebound.example:PORT\r\nOrigin: http://127.0.0.1:PORT\r\n", false),
    ("Host: 127.0.0.1.rebound.example:PORT\r\n", false),
    ("Host: localhost.rebound.example:PORT\r\n", false),
    ("Host: studio.example\r\nOrigin: https://studio.example\r\n", false),
    ("Host: 0.0.0.0:PORT\r\n", false),
    ("Host: 127.0.0.1\r\n", false),
    ("Host: 127.0.0.1:1\r\n", false),
    ("Host: 127.0.0.1:+PORT\r\n", false),
    ("Host: 127.0.0.1:0PORT\r\n", false),
    ("Host: 127.0.0.1:PORT@rebound.example\r\n", false),
    ("Host: \r\n", false),
    // A page of another site.
    ("Host: 127.0.0.1:PORT\r\nOrigin: https://evil.example\r\n", false),
    ("Host: 127.0.0.1:PORT\r\nOrigin: null\r\n", false),
    ("Host: 127.0.0.1:PORT\r\nOrigin: *\r\n", false),
    ("Host: 127.0.0.1:PORT\r\nOrigin: \r\n", false),
    ("Host: 127.0.0.1:PORT\r\nOrigin: http://localhost\r\n", false),
    ("Host: 127.0.0.1:PORT\r\nOrigin: http://localhost:1\r\n", false),
    ("Host: 127.0.0.1:PORT\r\nOrigin: https://localhost:PORT\r\n", false),
    ("Host: 127.0.0.1:PORT\r\nOrigin: http://localhost:PORT.evil.example\r\n", false),
    ("Host: 127.0.0.1:PORT\r\nOrigin: http://localhost:PORT@evil.example\r\n", false),
    ("Host: 127.0.0.1:PORT\r\nOrigin: http://evil.example/http://localhost:PORT\r\n", false),
    ("Host: 127.0.0.1:PORT\r\nOrigin: https://studio.example.evil.example\r\n", false),
    ("Host: 127.0.0.1:PORT\r\nOrigin: http://studio.example\r\n", false),
    ("Host: 127.0.0.1:PORT\r\nOrigin: chrome-extension://abcdefgh\r\n", false),
    ("Host: 127.0.0.1:PORT\r\nOrigin: file://\r\n", false),
    // An image or a script on another site, which sends no Origin.
    ("Host: 127.0.0.1:PORT\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n", false),
    ("Host: 127.0.0.1:PORT\r\nSec-Fetch-Site: same-site\r\nSec-Fetch-Mode: no-cors\r\n", false),
    // Contradicting headers.
    ("Host: 127.0.0.1:PORT\r\nOrigin: http://localhost:PORT\r\nOrigin: https://evil.example\r\n", false),
    ("Host: 127.0.0.1:PORT\r\nHost: rebound.example:PORT\r\n", false),
];

#[tokio::test]
async fn foreign_origin_and_rebound_host_are_rejected() {
    let server = server().await;
    let bearer = format!("Authorization: Bearer {}\r\nConnection: close\r\n", server.token);
    for (source, is_admitted) in SOURCES {
        for path in ["/", "/ws"] {
            let (status, answer) =
                send_head(&server, &format!("GET {path} HTTP/1.1\r\n{source}{UPGRADE}")).await;
            let expected: &[u16] = if *is_admitted { &[101] } else { &[400, 403] };
            assert!(expected.contains(&status), "{source}{path}: {answer}");
            assert_eq!(answer.contains("connect.challenge"), *is_admitted, "{source}{path}: {answer}");
        }
        // Even with the token: the source is checked before the credentials.
        for path in ["/", "/healthz", "/readyz", "/api/status", "/icon.svg", "/nothing"] {
            let (status, answer) =
                send_head(&server, &format!("GET {path} HTTP/1.1\r\n{source}{bearer}")).await;
            let expected: &[u16] = match (is_admitted, path) {
                (true, "/nothing") => &[404],
                (true, _) => &[200],
                (false, _) => &[400, 403],
            };
            assert!(expected.contains(&status), "{source}{path}: {answer}");
            let body = answer.split_once("\r\n\r\n").unwrap().1;
            assert!(
                *is_admitted || ["host-not-allowed\n", "origin-not-allowed\n", ""].contains(&body),
                "{answer}"
            );
            assert!(!answer.to_lowercase().contains("access-control-"), "{answer}");
        }
    }
}

#[tokio::test]
async fn target_with_another_host_is_rejected() {
    let server = server().await;
    for (target, expected) in [
        ("http://127.0.0.1:PORT", 200),
        ("http://rebound.example:PORT", 403),
        ("http://localhost:PORT", 403),
        ("https://127.0.0.1:PORT", 403),
    ] {
        let head = format!("GET {target}/healthz HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n");
        let (status, answer) = send_head(&server, &head).await;
        assert_eq!(status, expected, "{target}: {answer}");
    }
}

#[tokio::test]
async fn missing_origin_and_preflight_are_rejected() {
    let server = server().await;
    for browser in [
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0\r\n",
        "Sec-Fetch-Mode: websocket\r\n",
        "Sec-Fetch-Site: same-origin\r\n",
        "Sec-Fetch-Dest: empty\r\n",
    ] {
        for path in ["/", "/ws"] {
            let head = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n{browser}{UPGRADE}");
            let (status, answer) = send_head(&server, &head).await;
            assert_eq!((status, answer.contains("connect.challenge")), (403, false), "{head}{answer}");
            let head = head.replace("Host:", "Origin: http://localhost:PORT\r\nHost:");
            assert_eq!(send_head(&server, &head).await.0, 101, "{head}");
        }
    }
    for (origin, expected) in [("https://evil.example", 403), ("https://studio.example", 405)] {
        let head = format!(
            "OPTIONS /api/status HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nOrigin: {origin}\r\nConnection: close\r\n\
             Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: authorization\r\n"
        );
        let (status, answer) = send_head(&server, &head).await;
        assert_eq!(status, expected, "{answer}");
        assert!(!answer.to_lowercase().contains("access-control-"), "{answer}");
    }
}

/// The headers by which proxies mark a forwarded request.
const FORWARDED: [(&str, &str); 8] = [
    ("forwarded", "for=192.0.2.7;host=studio.example"),
    ("x-forwarded-for", "127.0.0.1"),
    ("x-forwarded-host", "localhost"),
    ("x-forwarded-proto", "http"),
    ("x-forwarded-port", "443"),
    ("x-real-ip", "127.0.0.1"),
    ("via", "1.1 proxy"),
    ("cf-connecting-ip", "127.0.0.1"),
];

/// Connects with these headers; returns the reply.
async fn hello(server: &Server, headers: &[(&str, &str)], params: impl FnOnce(&str) -> Value) -> Value {
    let mut client = Client::expect(&server.url, headers).await;
    let nonce = client.challenge().await;
    client.connect(&params(&nonce)).await.frame()
}

#[tokio::test]
async fn forwarded_request_is_not_local() {
    let server = server().await;
    let open = Server::with(r#"{ gateway: { auth: { mode: "none" } } }"#, Limits::DEFAULT).await;
    let now = tarsus_host::Clock::system().wall_ms();
    let origin = format!("http://localhost:{}", server.port);
    let scopes = ["operator.read", "operator.admin"];
    let command_line = |token: &str| device::command_line(token, 4, &scopes);
    for forwarded in FORWARDED {
        // A local program keeps its scopes; a forwarded one gets none.
        let reply = hello(&server, &[forwarded], |_| command_line(&server.token)).await;
        assert_eq!(reply["payload"]["auth"]["scopes"], json!([]), "{forwarded:?}: {reply}");
        let page = |nonce: &str| Device::numbered(3).signed(3, device::page(&server.token), nonce, now);
        let reply = hello(&server, &[forwarded, ("origin", &origin)], page).await;
        assert_eq!(reply["error"]["details"]["code"], "PAIRING_REQUIRED", "{forwarded:?}: {reply}");
        let mut nothing = command_line("");
        nothing["auth"] = json!({});
        let reply = hello(&open, &[forwarded], |_| nothing).await;
        assert_eq!(reply["error"]["details"]["code"], "AUTH_TOKEN_MISSING", "{forwarded:?}: {reply}");
        let (name, value) = forwarded;
        let head = format!(
            "GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n{name}: {value}\r\nConnection: close\r\n"
        );
        assert_eq!(send_head(&open, &head).await.0, 401, "{head}");
    }
    let reply = hello(&server, &[], |_| command_line(&server.token)).await;
    assert_eq!(reply["payload"]["auth"]["scopes"], json!(scopes));
}
