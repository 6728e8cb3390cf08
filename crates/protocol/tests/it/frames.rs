//! Frames: what is refused, what is read, and that nothing is lost or reordered on the way.

use proptest::prelude::*;
use serde_json::{Value, json};
use tarsus_protocol::failure::WireCode;
use tarsus_protocol::frame::{MAX_DEPTH, MAX_NAME, MAX_VALUES, Name, Stage, StateVersion};
use tarsus_protocol::{
    ErrorCode, ErrorShape, EventFrame, Frame, FrameError, Problem, Request, Response, RpcCode,
};

fn name(text: &str) -> Name {
    text.try_into().unwrap()
}

fn parse(text: &str) -> Result<Frame, FrameError> {
    Frame::parse(text, Stage::AfterHello)
}

#[test]
fn contradictions_and_malformed_frames_are_refused_with_the_reason() {
    let table = [
        (
            r#"{"type":"res","id":"1","ok":true,"error":{"code":"FORBIDDEN","message":"no"}}"#,
            "ok: true has no error",
        ),
        (r#"{"type":"res","id":"1","ok":false}"#, "ok: false needs an error"),
        (
            r#"{"type":"res","id":"1","ok":false,"payload":1,"error":{"code":"X","message":"no"}}"#,
            "ok: false has no payload",
        ),
        (r#"{"type":"res","id":"1","ok":false,"payload":null}"#, "ok: false has no payload"),
        (r#"{"type":"res","id":"1"}"#, "missing field `ok`"),
        (r#"{"type":"res","id":"1","ok":"yes"}"#, "expected a boolean"),
        (r#"{"type":"req","id":"1"}"#, "missing field `method`"),
        (r#"{"type":"req","method":"health"}"#, "missing field `id`"),
        (r#"{"type":"req","id":7,"method":"health"}"#, "expected a string"),
        (r#"{"type":"req","id":"","method":"health"}"#, "must not be empty"),
        (r#"{"type":"req","id":"1","method":""}"#, "must not be empty"),
        (r#"{"type":"req","id":"1","method":"health","parms":{}}"#, "unknown field `parms`"),
        (r#"{"type":"req","id":"1","id":"2","method":"health"}"#, "duplicate field `id`"),
        (r#"{"type":"event"}"#, "missing field `event`"),
        (r#"{"type":"event","event":"tick","seq":-1}"#, "expected u64"),
        (r#"{"type":"ping"}"#, "unknown variant `ping`"),
        (r#"{"id":"1","method":"health"}"#, "missing field `type`"),
        (r#"["req","1","health"]"#, "a frame is an object"),
        ("[]", "missing field `type`"),
        ("null", "expected"),
        ("42", "expected"),
    ];
    for (text, reason) in table {
        match parse(text) {
            Err(FrameError::NotAFrame(found)) if found.contains(reason) => {}
            other => panic!("{text}: expected a refusal with {reason:?}, got {other:?}"),
        }
    }
}

#[test]
fn what_is_not_json_is_told_apart_from_what_is_no_frame() {
    for text in ["", "{", "hello", "{\"type\":\"req\",}", "{} {}", "\u{feff}{}", "{\"type\":\"req\"\0}"] {
        assert!(matches!(parse(text), Err(FrameError::NotJson(_))), "{text:?}: {:?}", parse(text));
    }
}

#[test]
fn a_frame_may_be_as_large_as_its_stage_allows_and_no_larger() {
    for stage in [Stage::BeforeHello, Stage::AfterHello] {
        let frame = |size: usize| {
            let empty = r#"{"type":"req","id":"1","method":"m","params":""}"#;
            let filling = "x".repeat(size - empty.len());
            empty.replace("\"\"}", &format!("\"{filling}\"}}"))
        };
        let limit = stage.max_bytes();
        assert!(Request::parse(&frame(limit), stage).is_ok());
        assert_eq!(
            Request::parse(&frame(limit + 1), stage),
            Err(FrameError::TooLarge { size: limit + 1, limit })
        );
    }
    assert_eq!((Stage::BeforeHello.max_bytes(), Stage::AfterHello.max_bytes()), (65_536, 26_214_400));
}

#[test]
fn depth_is_counted_outside_strings_only() {
    let frame = |params: &str| format!(r#"{{"type":"req","id":"1","method":"m","params":{params}}}"#);
    let nested = |levels: usize| frame(&format!("{}{}", "[".repeat(levels), "]".repeat(levels)));
    assert!(parse(&nested(MAX_DEPTH - 1)).is_ok());
    assert_eq!(parse(&nested(MAX_DEPTH)), Err(FrameError::TooDeep));
    assert_eq!(parse(&"[".repeat(1_000_000)), Err(FrameError::TooDeep));

    let brackets = "[{".repeat(MAX_DEPTH);
    for quoted in [format!("\"{brackets}\""), format!(r#""\"{brackets}\\""#)] {
        assert!(parse(&frame(&quoted)).is_ok());
    }
}

#[test]
fn values_are_counted_outside_strings_only() {
    let list = |values: usize| {
        let zeros = vec!["0"; values].join(",");
        format!(r#"{{"type":"req","id":"1","method":"m","params":[{zeros}]}}"#)
    };
    // Two brackets and three commas come before the list's own commas.
    assert!(parse(&list(MAX_VALUES - 4)).is_ok());
    assert_eq!(parse(&list(MAX_VALUES - 3)), Err(FrameError::TooMany));
    let commas = ",".repeat(MAX_VALUES + 1);
    assert!(parse(&format!(r#"{{"type":"req","id":"1","method":"m","params":"{commas}"}}"#)).is_ok());
}

#[test]
fn a_complaint_never_repeats_all_that_a_stranger_sent() {
    let text = format!(r#"{{"type":"req","id":"1","method":"m","{}":1}}"#, "é".repeat(10_000));
    let Err(FrameError::NotAFrame(reason)) = parse(&text) else { panic!("an unknown field was accepted") };
    assert_eq!(reason.chars().count(), 200);
}

#[test]
fn names_have_one_to_256_characters() {
    for (text, accepted) in [
        (String::new(), false),
        ("a".to_owned(), true),
        ("é".repeat(MAX_NAME), true),
        ("é".repeat(MAX_NAME + 1), false),
    ] {
        assert_eq!(Name::try_from(text).is_ok(), accepted);
    }
}

#[test]
fn a_client_may_send_requests_only() {
    for text in [r#"{"type":"event","event":"tick"}"#, r#"{"type":"res","id":"1","ok":true}"#] {
        assert!(parse(text).is_ok());
        assert!(matches!(Request::parse(text, Stage::AfterHello), Err(FrameError::NotAFrame(_))));
    }
}

#[test]
fn replies_and_events_of_a_newer_gateway_are_read() {
    let reply = r#"{"type":"res","id":"1","ok":false,"error":{"code":"NOT_YET","message":"later","since":9},"meta":{}}"#;
    let error = ErrorShape {
        code: WireCode::Other("NOT_YET".into()),
        message: "later".into(),
        details: None,
        retryable: None,
    };
    assert_eq!(parse(reply), Ok(Frame::Response(Response { id: name("1"), result: Err(error) })));

    let event = EventFrame { event: name("tick"), payload: None, seq: None, state_version: None };
    assert_eq!(parse(r#"{"type":"event","event":"tick","new":1}"#), Ok(Frame::Event(event)));
}

#[test]
fn frames_are_written_in_the_order_of_the_wire() {
    let error = ErrorShape {
        code: RpcCode::Forbidden.into(),
        message: "missing scope: operator.admin".into(),
        details: Some(json!({"code": "MISSING_SCOPE"})),
        retryable: Some(false),
    };
    let event = EventFrame {
        event: name("health"),
        payload: Some(json!({"z": 1, "a": 2})),
        seq: Some(3),
        state_version: Some(StateVersion { presence: 1, health: 2 }),
    };
    let table = [
        (
            Frame::Request(Request {
                id: name("r1"),
                method: name("skills.status"),
                params: Some(json!({"agentId": "main"})),
            }),
            r#"{"type":"req","id":"r1","method":"skills.status","params":{"agentId":"main"}}"#,
        ),
        (
            Frame::Request(Request { id: name("r1"), method: name("health"), params: None }),
            r#"{"type":"req","id":"r1","method":"health"}"#,
        ),
        (
            Frame::Response(Response { id: name("r1"), result: Ok(Some(json!({"ok": true}))) }),
            r#"{"type":"res","id":"r1","ok":true,"payload":{"ok":true}}"#,
        ),
        (
            Frame::Response(Response { id: name("r1"), result: Ok(None) }),
            r#"{"type":"res","id":"r1","ok":true}"#,
        ),
        (
            Frame::Response(Response { id: name("r1"), result: Err(error) }),
            r#"{"type":"res","id":"r1","ok":false,"error":{"code":"FORBIDDEN","message":"missing scope: operator.admin","details":{"code":"MISSING_SCOPE"},"retryable":false}}"#,
        ),
        (
            Frame::Event(event),
            r#"{"type":"event","event":"health","payload":{"z":1,"a":2},"seq":3,"stateVersion":{"presence":1,"health":2}}"#,
        ),
    ];
    for (frame, text) in table {
        assert_eq!(serde_json::to_string(&frame).unwrap(), text);
        assert_eq!(parse(text), Ok(frame));
    }
}

#[test]
fn a_null_payload_is_not_a_missing_one() {
    for text in [
        r#"{"type":"req","id":"1","method":"m","params":null}"#,
        r#"{"type":"res","id":"1","ok":true,"payload":null}"#,
        r#"{"type":"event","event":"tick","payload":null}"#,
    ] {
        assert_eq!(serde_json::to_string(&parse(text).unwrap()).unwrap(), text);
    }
}

#[test]
fn frame_errors_become_problems_with_a_next_step() {
    let codes = [
        (FrameError::TooLarge { size: 2, limit: 1 }, ErrorCode::TooLarge),
        (FrameError::TooDeep, ErrorCode::TooLarge),
        (FrameError::TooMany, ErrorCode::TooLarge),
        (FrameError::NotJson("why".into()), ErrorCode::Usage),
        (FrameError::NotAFrame("why".into()), ErrorCode::Usage),
    ];
    for (error, code) in codes {
        let message = error.to_string();
        let problem = Problem::from(error);
        assert_eq!((problem.code, problem.message.as_str()), (code, message.as_str()));
        assert_ne!(problem.next_step(), code.hint());
    }
}

/// Any JSON; fractions are eighths, which every reader of decimals gets back exactly.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i32>().prop_map(|eighths| Value::from(f64::from(eighths) / 8.0)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn any_frame() -> impl Strategy<Value = Frame> {
    let any_name = || "(?s).{1,40}".prop_map(|text| name(&text));
    let any_error = (
        prop_oneof![
            Just(WireCode::Known(RpcCode::InvalidRequest)),
            Just(WireCode::Known(RpcCode::Forbidden)),
            Just(WireCode::Known(RpcCode::Unavailable)),
            "[a-z]{0,9}".prop_map(WireCode::Other),
        ],
        any::<String>(),
        prop::option::of(any_json()),
        any::<Option<bool>>(),
    )
        .prop_map(|(code, message, details, retryable)| ErrorShape { code, message, details, retryable });
    prop_oneof![
        (any_name(), any_name(), prop::option::of(any_json()))
            .prop_map(|(id, method, params)| Frame::Request(Request { id, method, params })),
        (any_name(), prop_oneof![prop::option::of(any_json()).prop_map(Ok), any_error.prop_map(Err)])
            .prop_map(|(id, result)| Frame::Response(Response { id, result })),
        (any_name(), prop::option::of(any_json()), any::<Option<u64>>(), any::<Option<(u64, u64)>>())
            .prop_map(|(event, payload, seq, state)| Frame::Event(EventFrame {
                event,
                payload,
                seq,
                state_version: state.map(|(presence, health)| StateVersion { presence, health }),
            })),
    ]
}

proptest! {
    #[test]
    fn every_frame_survives_the_wire(frame in any_frame()) {
        let text = serde_json::to_string(&frame).unwrap();
        prop_assert_eq!(parse(&text), Ok(frame));
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in r#"[\[\]{}",:\\a-z0-9 ]{0,200}"#) {
        let _ = parse(&text);
    }
}
