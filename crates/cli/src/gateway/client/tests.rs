//! The client against unreachable, foreign and refusing servers.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;

use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::skills::{Bins, SkillBins};
use tungstenite::WebSocket;
use tungstenite::protocol::CloseFrame;
use tungstenite::protocol::frame::coding::CloseCode;

use super::*;
use crate::gateway::OptionalGateway;
use crate::output::{Output, Style};

fn timeout() -> Duration {
    Duration::from_secs(10)
}

/// Serves the first TCP connection with `serve`.
fn serve_tcp(serve: impl FnOnce(TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || serve(listener.accept().unwrap().0));
    address
}

/// Sends `bytes` to the first client, then waits until it disconnects.
fn serve_bytes(bytes: &'static [u8]) -> SocketAddr {
    serve_tcp(move |mut stream| {
        stream.write_all(bytes).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        stream.read_to_end(&mut Vec::new()).ok();
    })
}

fn serve_socket(serve: impl FnOnce(&mut WebSocket<TcpStream>) + Send + 'static) -> SocketAddr {
    serve_tcp(move |stream| {
        let mut socket = tungstenite::accept(stream).unwrap();
        serve(&mut socket);
        while socket.read().is_ok() {}
    })
}

fn send_json(socket: &mut WebSocket<TcpStream>, frame: &Value) {
    socket.send(frame.to_string().into()).unwrap();
}

fn read_frame_json(socket: &mut WebSocket<TcpStream>) -> Value {
    serde_json::from_str(socket.read().unwrap().to_text().unwrap()).unwrap()
}

fn challenge(socket: &mut WebSocket<TcpStream>) {
    let payload = json!({ "nonce": "n", "ts": 1, "capabilities": [] });
    send_json(socket, &json!({ "type": "event", "event": "connect.challenge", "payload": payload }));
}

/// A gateway that answers `connect` with this error.
fn serve_refusal(error: Value) -> SocketAddr {
    serve_socket(move |socket| {
        challenge(socket);
        let id = read_frame_json(socket)["id"].clone();
        send_json(socket, &json!({ "type": "res", "id": id, "ok": false, "error": error }));
    })
}

/// A gateway that accepts the handshake, then runs `serve`.
fn serve_gateway(serve: impl FnOnce(&mut WebSocket<TcpStream>) + Send + 'static) -> SocketAddr {
    serve_socket(|socket| {
        challenge(socket);
        let connect = read_frame_json(socket);
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
        send_json(socket, &json!({ "type": "res", "id": connect["id"], "ok": true, "payload": hello }));
        serve(socket);
    })
}

fn connect(address: SocketAddr, timeout: Duration) -> Result<Client, Problem> {
    Client::connect(address, &Credentials::Token(tarsus_home::Secret::new("t0ken".to_owned())), timeout)
}

fn failure(address: SocketAddr) -> (ErrorCode, String) {
    let problem = connect(address, timeout()).unwrap_err();
    (problem.code, problem.message.replace(&address.to_string(), "ADDRESS"))
}

#[test]
fn connect_rejects_servers_that_are_not_gateways() {
    let not_ours =
        |why: &str| (ErrorCode::Unreachable, format!("the server at ADDRESS is not a Tarsus gateway: {why}"));
    let table = [
        (
            serve_bytes(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
            not_ours("it did not open a WebSocket"),
        ),
        (serve_bytes(b"SSH-2.0-OpenSSH_9.6\r\n"), not_ours("it does not speak WebSocket")),
        (serve_bytes(b""), not_ours("it does not speak WebSocket")),
        (
            serve_socket(|socket| send_json(socket, &json!({ "type": "event", "event": "tick" }))),
            not_ours("it did not send a challenge first"),
        ),
        (
            serve_socket(|socket| socket.send("welcome!".into()).unwrap()),
            not_ours("it sent an invalid frame: the frame is not JSON: expected value at line 1 column 1"),
        ),
        (
            serve_socket(|socket| {
                challenge(socket);
                let id = read_frame_json(socket)["id"].clone();
                send_json(socket, &json!({ "type": "res", "id": id, "ok": true, "payload": {} }));
            }),
            not_ours("its hello is not valid"),
        ),
        (
            serve_socket(|socket| {
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
fn connect_rejects_a_message_that_is_too_large() {
    let address = serve_socket(|socket| {
        // The client disconnects before everything is sent.
        socket.send("x".repeat(Stage::AfterHello.max_bytes() + 1).into()).ok();
    });
    assert_eq!(failure(address), (ErrorCode::TooLarge, "the response from ADDRESS is too large".to_owned()));
}

#[test]
fn closed_port_and_silent_server_have_different_errors() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    assert_eq!(failure(free), (ErrorCode::Unreachable, "cannot connect to ADDRESS".to_owned()));

    let silent = serve_tcp(|mut stream| drop(stream.read_to_end(&mut Vec::new())));
    let problem = connect(silent, Duration::from_millis(50)).unwrap_err();
    assert_eq!(problem.message, format!("{silent} did not respond in time"));
}

#[test]
fn refused_handshake_has_a_reason_and_a_hint() {
    let error = |message: &str, code: &str| {
        serve_refusal(json!({ "code": "INVALID_REQUEST", "message": message, "details": { "code": code } }))
    };
    let table = [
        (error("unauthorized: gateway token mismatch", "AUTH_TOKEN_MISMATCH"), ErrorCode::Denied, "restart"),
        (error("protocol mismatch", "PROTOCOL_MISMATCH"), ErrorCode::Unreachable, "another version"),
    ];
    for (address, code, hint) in table {
        let problem = connect(address, timeout()).unwrap_err();
        assert_eq!(problem.code, code, "{problem}");
        assert!(problem.message.starts_with(&format!("the gateway at {address} rejected the connection: ")));
        assert!(problem.next_step().contains(hint), "{}", problem.next_step());
    }
}

#[test]
fn call_skips_events_and_other_responses() {
    let address = serve_gateway(|socket| {
        let request = read_frame_json(socket);
        assert_eq!(request, json!({ "type": "req", "id": "2", "method": "skills.bins", "params": {} }));
        send_json(socket, &json!({ "type": "event", "event": "tick", "payload": { "ts": 1 }, "seq": 1 }));
        send_json(socket, &json!({ "type": "res", "id": "7", "ok": true, "payload": 7 }));
        send_json(socket, &json!({ "type": "res", "id": "2", "ok": true, "payload": { "bins": ["git"] } }));
    });
    let mut client = connect(address, timeout()).unwrap();
    let answer = client.call::<Bins>(&NoParams {}, timeout()).unwrap();
    assert_eq!(answer, SkillBins { bins: vec!["git".to_owned()] });
}

#[test]
fn untyped_call_returns_the_payload_as_it_is() {
    let address = serve_gateway(|socket| {
        let request = read_frame_json(socket);
        let frame = json!({ "type": "req", "id": "2", "method": "new.method", "params": { "probe": true } });
        assert_eq!(request, frame);
        send_json(socket, &json!({ "type": "res", "id": "2", "ok": true, "payload": { "z": 1, "a": 2 } }));
    });
    let mut client = connect(address, timeout()).unwrap();
    let answer = client.call_untyped("new.method", Some(json!({ "probe": true })), timeout()).unwrap();
    assert_eq!(answer.to_string(), r#"{"z":1,"a":2}"#);
}

#[test]
fn invalid_response_names_the_method_and_a_remedy() {
    let address = serve_gateway(|socket| {
        let id = read_frame_json(socket)["id"].clone();
        send_json(socket, &json!({ "type": "res", "id": id, "ok": true, "payload": { "bins": 1 } }));
    });
    let mut client = connect(address, timeout()).unwrap();
    let problem = client.call::<Bins>(&NoParams {}, timeout()).unwrap_err();
    assert_eq!(problem.code, ErrorCode::Failed);
    assert!(problem.message.starts_with("the gateway's response to skills.bins is not valid: "), "{problem}");
    assert!(problem.next_step().contains("`tarsus gateway restart`"), "{}", problem.next_step());
}

#[test]
fn call_times_out() {
    let address = serve_gateway(|socket| drop(read_frame_json(socket)));
    let mut client = connect(address, timeout()).unwrap();
    let problem = client.call::<Bins>(&NoParams {}, Duration::from_millis(50)).unwrap_err();
    assert_eq!(
        (problem.code, problem.message.as_str()),
        (ErrorCode::TimedOut, "the gateway did not answer skills.bins within 0 s")
    );
}

#[test]
fn refusal_is_an_answer_and_a_lost_gateway_is_dropped() {
    let address = serve_gateway(|socket| {
        let id = read_frame_json(socket)["id"].clone();
        let error =
            json!({ "code": "UNAVAILABLE", "message": "no file", "details": { "code": "timed-out" } });
        send_json(socket, &json!({ "type": "res", "id": id, "ok": false, "error": error }));
        read_frame_json(socket);
        socket.close(None).unwrap();
    });
    let mut gateway = OptionalGateway { client: Some(connect(address, timeout()).unwrap()) };
    let mut output = Output::new(Style { json: true, colour: false });
    // A refusal counts as an answer even if its code means "no answer".
    let answer = gateway.try_call::<Bins>(&NoParams {}, &mut output).unwrap();
    assert_eq!(answer.unwrap_err(), Problem::new(ErrorCode::TimedOut, "no file"));
    assert!(gateway.try_call::<Bins>(&NoParams {}, &mut output).is_none());
    assert!(gateway.client.is_none());
}

#[test]
fn error_response_round_trips_to_a_problem() {
    let problem = Problem::new(ErrorCode::Stale, "config changed since last load")
        .at(SourceLocation { line: Some(3), column: Some(1), ..SourceLocation::file("/x/openclaw.json") })
        .note("why")
        .hint("what next");
    assert_eq!(problem_from_error(ErrorShape::from(problem.clone())), problem);

    let error = |code: &str, details: Value| {
        let shape = json!({ "code": code, "message": "no\u{7}", "details": details });
        problem_from_error(serde_json::from_value(shape).unwrap())
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
