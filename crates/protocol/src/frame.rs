//! Frames of the gateway's socket: requests, responses and events.
//!
//! A response has a payload or an error, never both. A request has no unknown properties. Keys are written in the order of
//! the wire.

mod name;
mod read;

pub use name::{MAX_NAME, Name, NameError};
pub use read::{FrameError, MAX_DEPTH, MAX_VALUES, Stage};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::failure::ErrorShape;

/// One frame, in either direction.
///
/// ```
/// use tarsus_protocol::Frame;
/// use tarsus_protocol::frame::Stage;
///
/// let text = r#"{"type":"req","id":"r1","method":"health"}"#;
/// let frame = Frame::parse(text, Stage::BeforeHello)?;
/// assert_eq!(serde_json::to_string(&frame)?, text);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum Frame {
    /// A request of a client.
    #[serde(rename = "req")]
    Request(Request),
    /// The response to a request.
    #[serde(rename = "res")]
    Response(Response),
    /// An event of the gateway.
    #[serde(rename = "event")]
    Event(EventFrame),
}

/// A request of a client. An unknown property is rejected, as in the parameters of every method: a misspelt one would
/// change the meaning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RequestFrame")]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Id, chosen by the client; the response carries it.
    pub id: Name,
    /// Name of the method.
    pub method: Name,
    /// Parameters of the method.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub params: Option<Value>,
}

/// The response to a request: `{id, ok: true, payload?}` or `{id, ok: false, error}`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "LooseResponse")]
pub struct Response {
    /// Id of the request.
    pub id: Name,
    /// The payload or the error.
    pub result: Result<Option<Value>, ErrorShape>,
}

/// An event. Unknown properties are dropped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventFrame {
    /// Name of the event.
    pub event: Name,
    /// Payload of the event.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub payload: Option<Value>,
    /// Number of the event on this connection, without gaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// Versions of the state after the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_version: Option<StateVersion>,
}

/// Versions of the state that clients mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StateVersion {
    /// Version of the list of clients.
    pub presence: u64,
    /// Version of the health summary.
    pub health: u64,
}

/// A response before it is checked for contradictions.
#[derive(Deserialize)]
struct LooseResponse {
    id: Name,
    ok: bool,
    #[serde(default, deserialize_with = "present")]
    payload: Option<Value>,
    error: Option<ErrorShape>,
}

impl TryFrom<LooseResponse> for Response {
    type Error = &'static str;

    fn try_from(loose: LooseResponse) -> Result<Self, &'static str> {
        let result = match (loose.ok, loose.payload, loose.error) {
            (true, payload, None) => Ok(payload),
            (false, None, Some(error)) => Err(error),
            (true, _, Some(_)) => return Err("a reply with ok: true has no error"),
            (false, Some(_), _) => return Err("a reply with ok: false has no payload"),
            (false, None, None) => return Err("a reply with ok: false needs an error"),
        };
        Ok(Self { id: loose.id, result })
    }
}

impl Serialize for Response {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let last = usize::from(!matches!(self.result, Ok(None)));
        let mut fields = serializer.serialize_struct("Response", 2 + last)?;
        fields.serialize_field("id", &self.id)?;
        fields.serialize_field("ok", &self.result.is_ok())?;
        match &self.result {
            Ok(Some(payload)) => fields.serialize_field("payload", payload)?,
            Ok(None) => {}
            Err(error) => fields.serialize_field("error", error)?,
        }
        fields.end()
    }
}

impl JsonSchema for Response {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ResponseFrame".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let id = generator.subschema_for::<Name>();
        let error = generator.subschema_for::<ErrorShape>();
        json_schema!({
            "description": "The response to a request: success or failure.",
            "type": "object",
            "oneOf": [
                {
                    "type": "object",
                    "properties": { "id": id, "ok": { "const": true }, "payload": true },
                    "required": ["id", "ok"]
                },
                {
                    "type": "object",
                    "properties": { "id": id, "ok": { "const": false }, "error": error },
                    "required": ["id", "ok", "error"]
                }
            ]
        })
    }
}

/// Distinguishes `null` from an absent property.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
