//! The command line's question to its gateway, against a real socket.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tarsus_host::loopback::{LoopbackError, get};

/// Long enough never to be reached by a test that works.
const LONG: Duration = Duration::from_secs(30);

/// Answers one request with these bytes, and returns what was asked. With `hold` the connection stays
/// open until the test is over.
fn serve(answer: Vec<u8>, hold: bool) -> (SocketAddr, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (request_bytes, request) = mpsc::channel();
    thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let mut bytes = Vec::new();
        while !bytes.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            connection.read_exact(&mut byte).unwrap();
            bytes.extend(byte);
        }
        request_bytes.send(String::from_utf8(bytes).unwrap()).unwrap();
        // A client that has seen enough hangs up.
        let _hung_up = connection.write_all(&answer);
        if hold {
            let _until_the_client_leaves = connection.read(&mut [0]);
        }
    });
    (address, request)
}

#[test]
fn response_ends_by_length_or_close() {
    for (answer, hold, expected) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nready", true, (200, "ready")),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nready, and more", true, (200, "ready")),
        ("HTTP/1.0 503 Busy\r\n\r\nlater", false, (503, "later")),
        ("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", true, (204, "")),
    ] {
        let (address, request) = serve(answer.into(), hold);
        let (status, body) = get(address, "/readyz", Some("t0ken"), LONG).unwrap();
        assert_eq!((status, String::from_utf8(body).unwrap().as_str()), expected, "{answer:?}");
        let head = format!("GET /readyz HTTP/1.0\r\nHost: {address}\r\n");
        let request_bytes = format!("{head}Authorization: Bearer t0ken\r\n\r\n");
        assert_eq!(request.recv().unwrap(), request_bytes);
    }
}

#[test]
fn only_loopback_is_contacted() {
    for address in ["8.8.8.8:80", "192.168.0.1:80", "0.0.0.0:80", "[2001:db8::1]:80"] {
        let address = address.parse().unwrap();
        let error = get(address, "/", None, LONG).unwrap_err();
        assert!(matches!(error, LoopbackError::NotLoopback { address: a } if a == address));
    }
}

#[test]
fn closed_port_is_not_reachable() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = get(free, "/", None, LONG).unwrap_err();
    assert!(matches!(error, LoopbackError::NotReachable { .. }), "{error:?}");
}

#[test]
fn silent_or_partial_gateway_times_out() {
    for half in ["", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nre"] {
        let (address, _request) = serve(half.into(), true);
        let error = get(address, "/", None, Duration::from_millis(100)).unwrap_err();
        assert!(matches!(error, LoopbackError::TimedOut { .. }), "{half:?}: {error:?}");
    }
}

#[test]
fn other_servers_are_recognised() {
    for (answer, hold, why) in [
        ("SSH-2.0-OpenSSH\r\n", true, "it does not begin with an HTTP status"),
        ("", false, "it ends before its headers do"),
        ("HTTP/1.1 200 OK\r\n", false, "it ends before its headers do"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", false, "it ends before its announced length"),
    ] {
        let (address, _request) = serve(answer.into(), hold);
        match get(address, "/", None, LONG) {
            Err(LoopbackError::NotHttp { why: reason, .. }) => assert_eq!(reason, why, "{answer:?}"),
            other => panic!("{answer:?}: {other:?}"),
        }
    }
}

#[test]
fn response_is_read_up_to_its_limits() {
    let head = "HTTP/1.1 200 OK\r\n\r\n".to_owned();
    let body = |length: usize| head.clone() + &"x".repeat(length);
    let (address, _request) = serve(body(1 << 20).into(), false);
    assert_eq!(get(address, "/", None, LONG).unwrap().1.len(), 1 << 20);

    let announced = "HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n".to_owned();
    let endless_head = format!("HTTP/1.1 200 OK\r\nX: {}", "y".repeat(20_000));
    for answer in [body((1 << 20) + 1), announced, endless_head] {
        let (address, _request) = serve(answer.into(), true);
        let error = get(address, "/", None, LONG).unwrap_err();
        assert!(matches!(error, LoopbackError::TooLarge { .. }), "{error:?}");
    }
}
