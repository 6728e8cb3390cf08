//! The frames of the socket, and the parameters of `connect`: the first input from strangers.

use std::sync::LazyLock;

use tarsus_protocol::connect::ConnectParams;
use tarsus_protocol::frame::Stage;
use tarsus_protocol::rpc::ParamsShape;
use tarsus_protocol::{Frame, Request};

pub(crate) const SEEDS: &[&[u8]] = &[
    br#"{"type":"req","id":"r1","method":"health","params":{}}"#,
    br#"{"type":"req","id":"r1","method":"connect","params":{"minProtocol":3,"maxProtocol":4,"client":{"id":"cli","version":"1","platform":"linux","mode":"cli"},"role":"operator","scopes":["operator.read"],"auth":{"token":"t"},"device":{"id":"0","publicKey":"k","signature":"s","signedAt":1,"nonce":"n"}}}"#,
    br#"{"type":"res","id":"1","ok":false,"error":{"code":"FORBIDDEN","message":"no","details":null}}"#,
    br#"{"type":"event","event":"tick","payload":{"ts":1},"seq":1,"stateVersion":{"presence":1,"health":2}}"#,
];

static SHAPE: LazyLock<ParamsShape> = LazyLock::new(ParamsShape::for_type::<ConnectParams>);

/// A parsed frame survives a round trip; the schema of `connect` accepts exactly what can be
/// parsed.
pub fn frames(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(frame) = Frame::parse(text, Stage::BeforeHello) else { return };
    let written = serde_json::to_string(&frame).unwrap_or_default();
    assert_eq!(Frame::parse(&written, Stage::AfterHello).as_ref(), Ok(&frame), "{written}");
    let Frame::Request(Request { params: Some(params), .. }) = frame else { return };
    let fits = SHAPE.check(&params).is_ok();
    if let Err(error) = serde_json::from_value::<ConnectParams>(params.clone()) {
        // A whole number beyond the range of the type still matches the schema.
        assert!(!fits || error.to_string().contains("expected"), "{params}: {error}");
    }
}
