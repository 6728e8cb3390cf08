//! The client against what may be at the other end: nobody, a stranger, a gateway that says no.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;

use tungstenite::WebSocket;
use tungstenite::protocol::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;

use super::*;
use crate::gateway::Neighbour;
use crate::output::{Output, Style};

/// Long enough for everything that answers.
fn patience() -> Duration {
    Duration::from_secs(10)
}

/// Lets `serve` have the first connection; it ends when the client has gone.
fn at(serve: impl FnOnce(TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || serve(listener.accept().unwrap().0));
    address
}

/// Sends these bytes to whoever asks, and waits until they are taken.
fn saying(bytes: &'static [u8]) -> SocketAddr {
    at(move |mut stream| {
        stream.write_all(bytes).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        stream.read_to_end(&mut Vec::new()).ok();
    })
}

fn socket(serve: impl FnOnce(&mut WebSocket<TcpStream>) + Send + 'static) -> SocketAddr {
    at(move |stream| {
        let mut socket = tungstenite::accept(stream).unwrap();
        serve(&mut socket);
        while socket.read().is_ok() {}
    })
}

fn tell(socket: &mut WebSocket<TcpStream>, frame: &Value) {
    socket.send(frame.to_string().into()).unwrap();
}

fn hear_frame(socket: &mut WebSocket<TcpStream>) -> Value {
    serde_json::from_str(socket.read().unwrap().to_text().unwrap()).unwrap()
}

fn challenge(socket: &mut WebSocket<TcpStream>) {
    let payload = json!({ "nonce": "n", "ts": 1, "capabilities": [] });
    tell(socket, &json!({ "type": "event", "event": "connect.challenge", "payload": payload }));
}

/// A gateway that answers `connect` with this error.
fn refusing(error: Value) -> SocketAddr {
    socket(move |socket| {
        challenge(socket);
        let id = hear_frame(socket)["id"].clone();
        tell(socket, &json!({ "type": "res", "id": id, "ok": false, "error": error }));
    })
}

/// A gateway that lets everybody in, and then does as `serve` says.
fn welcoming(serve: impl FnOnce(&mut WebSocket<TcpStream>) + Send + 'static) -> SocketAddr {
    socket(|socket| {
        challenge(socket);
        let connect = hear_frame(socket);
        let hello = json!({
            "type": "hello-ok",
            "protocol": 4,
            "server": { "version": "9", "connId": "c" },
            "features": { "methods": ["health"], "events": [], "capabilities": [] },
            "snapshot": {
                "presence": [],
                "health": {
                    "ok": true, "ts": 1, "durationMs": 0, "agents": [], "defaultAgentId": "main",
                    "heartbeatSeconds": 0, "channels": {}, "channelOrder": [], "channelLabels": {},
                },
                "stateVersion": { "presence": 1, "health": 1 },
                "uptimeMs": 1,
                "sessionDefaults": {
                    "defaultAgentId": "main", "modelConfigured": false, "mainKey": "main",
                    "mainSessionKey": "agent:main:main", "scope": "per-sender",
                },
            },
            "auth": { "method": "token", "role": "operator", "scopes": [] },
            "policy": { "maxPayload": 1, "maxBufferedBytes": 1, "tickIntervalMs": 1,
                "attachments": { "maxBytes": 1, "maxImageBytes": 1 } },
        });
        tell(socket, &json!({ "type": "res", "id": connect["id"], "ok": true, "payload": hello }));
        serve(socket);
    })
}

fn connect(address: SocketAddr, patience: Duration) -> Result<Client, Problem> {
    Client::connect(address, &Credentials::Token(tarsus_home::Secret::new("t0ken".to_owned())), patience)
}

fn failure(address: SocketAddr) -> (ErrorCode, String) {
    let problem = connect(address, patience()).unwrap_err();
    (problem.code, problem.message.replace(&address.to_string(), "ADDRESS"))
}

#[test]
fn what_is_no_gateway_is_not_taken_for_one() {
    let not_ours =
        |why: &str| (ErrorCode::Unreachable, format!("what answers at ADDRESS is not our gateway: {why}"));
    let table = [
        (saying(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), not_ours("it opens no socket")),
        (saying(b"SSH-2.0-OpenSSH_9.6\r\n"), not_ours("it does not speak the protocol of sockets")),
        (saying(b""), not_ours("it does not speak the protocol of sockets")),
        (
            socket(|socket| tell(socket, &json!({ "type": "event", "event": "tick" }))),
            not_ours("it does not begin with a challenge"),
        ),
        (
            socket(|socket| socket.send("welcome!".into()).unwrap()),
            not_ours("it sends no frames: the frame is not JSON: expected value at line 1 column 1"),
        ),
        (
            socket(|socket| {
                challenge(socket);
                let id = hear_frame(socket)["id"].clone();
                tell(socket, &json!({ "type": "res", "id": id, "ok": true, "payload": {} }));
            }),
            not_ours("it does not say hello as a gateway does"),
        ),
        (
            socket(|socket| {
                let why = CloseFrame { code: CloseCode::Restart, reason: "bye\u{1b}[31m".into() };
                socket.close(Some(why)).unwrap();
            }),
            (
                ErrorCode::Unreachable,
                "the gateway at ADDRESS closed the connection: bye[31m (1012)".to_owned(),
            ),
        ),
    ];
    for (address, expected) in table {
        assert_eq!(failure(address), expected);
    }
}

#[test]
fn a_text_that_is_too_large_is_not_read() {
    let address = socket(|socket| {
        // The client is gone before all of it is sent.
        socket.send("x".repeat(Stage::AfterHello.max_bytes() + 1).into()).ok();
    });
    assert_eq!(failure(address), (ErrorCode::TooLarge, "the answer of ADDRESS is too large".to_owned()));
}

#[test]
fn nobody_and_somebody_who_says_nothing_are_told_apart() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    assert_eq!(failure(free), (ErrorCode::Unreachable, "nothing answers at ADDRESS".to_owned()));

    let silent = at(|mut stream| drop(stream.read_to_end(&mut Vec::new())));
    let problem = connect(silent, Duration::from_millis(50)).unwrap_err();
    assert_eq!(problem.message, format!("{silent} did not answer in time"));
}

#[test]
fn a_gateway_that_does_not_let_us_in_says_why_and_what_helps() {
    let error = |message: &str, code: &str| {
        refusing(json!({ "code": "INVALID_REQUEST", "message": message, "details": { "code": code } }))
    };
    let table = [
        (error("unauthorized: gateway token mismatch", "AUTH_TOKEN_MISMATCH"), ErrorCode::Denied, "restart"),
        (error("protocol mismatch", "PROTOCOL_MISMATCH"), ErrorCode::Unreachable, "another version"),
    ];
    for (address, code, hint) in table {
        let problem = connect(address, patience()).unwrap_err();
        assert_eq!(problem.code, code, "{problem}");
        assert!(problem.message.starts_with(&format!("the gateway at {address} does not let us in: ")));
        assert!(problem.next_step().contains(hint), "{}", problem.next_step());
    }
}

#[test]
fn an_answer_is_found_among_events_and_answers_of_others() {
    let address = welcoming(|socket| {
        let asked = hear_frame(socket);
        assert_eq!(
            asked,
            json!({ "type": "req", "id": "1", "method": "health", "params": { "probe": true } })
        );
        tell(socket, &json!({ "type": "event", "event": "tick", "payload": { "ts": 1 }, "seq": 1 }));
        tell(socket, &json!({ "type": "res", "id": "7", "ok": true, "payload": 7 }));
        tell(socket, &json!({ "type": "res", "id": "1", "ok": true, "payload": { "z": 1, "a": 2 } }));
    });
    let mut client = connect(address, patience()).unwrap();
    let answer = client.call("health", Some(json!({ "probe": true })), patience()).unwrap();
    assert_eq!(answer.to_string(), r#"{"z":1,"a":2}"#);
}

#[test]
fn an_answer_that_does_not_come_is_not_waited_for_for_ever() {
    let address = welcoming(|socket| drop(hear_frame(socket)));
    let mut client = connect(address, patience()).unwrap();
    let problem = client.call("health", None, Duration::from_millis(50)).unwrap_err();
    assert_eq!(
        (problem.code, problem.message.as_str()),
        (ErrorCode::TimedOut, "the gateway did not answer health within 0 s")
    );
}

#[test]
fn a_neighbour_that_refuses_has_answered_and_one_that_goes_is_asked_no_more() {
    let address = welcoming(|socket| {
        let id = hear_frame(socket)["id"].clone();
        let error =
            json!({ "code": "UNAVAILABLE", "message": "no file", "details": { "code": "timed-out" } });
        tell(socket, &json!({ "type": "res", "id": id, "ok": false, "error": error }));
        hear_frame(socket);
        socket.close(None).unwrap();
    });
    let mut neighbour = Neighbour { client: Some(connect(address, patience()).unwrap()) };
    let mut output = Output::new(Style { json: true, colour: false });
    // Refused with the code of a gateway that is not there: an answer all the same.
    let answer = neighbour.hear_of("apps.list", json!({}), &mut output).unwrap();
    assert_eq!(answer.unwrap_err(), Problem::new(ErrorCode::TimedOut, "no file"));
    assert!(neighbour.hear_of("apps.list", json!({}), &mut output).is_none());
    assert!(neighbour.client.is_none());
}

#[test]
fn the_error_of_a_reply_becomes_the_problem_that_it_was_made_from() {
    let made = Problem::new(ErrorCode::Stale, "config changed since last load")
        .at(Place { line: Some(3), column: Some(1), ..Place::file("/x/openclaw.json") })
        .note("why")
        .hint("what next");
    assert_eq!(refused(ErrorShape::from(made.clone())), made);

    let error = |code: &str, details: Value| {
        let shape = json!({ "code": code, "message": "no\u{7}", "details": details });
        refused(serde_json::from_value(shape).unwrap())
    };
    let table = [
        ("INVALID_REQUEST", json!({}), Problem::new(ErrorCode::Usage, "no")),
        ("FORBIDDEN", json!({ "hint": "ask" }), Problem::new(ErrorCode::Denied, "no").hint("ask")),
        ("UNAVAILABLE", Value::Null, Problem::new(ErrorCode::Failed, "no")),
        ("NEW_CODE", json!({ "code": "X" }), Problem::new(ErrorCode::Failed, "no").note(r#"{"code":"X"}"#)),
    ];
    for (code, details, expected) in table {
        assert_eq!(error(code, details), expected, "{code}");
    }
}
