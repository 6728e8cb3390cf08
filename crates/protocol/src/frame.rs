//! The frames of the gateway's socket: a request, its reply, and events.
//!
//! Promises: a reply succeeded or failed, never both; a request carries nothing that would be ignored; keys
//! are written in the order of the wire.
//! Leaves to others: what the methods and events mean, and how a connection ends.

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
    /// A client asks.
    #[serde(rename = "req")]
    Request(Request),
    /// The gateway answers.
    #[serde(rename = "res")]
    Response(Response),
    /// The gateway tells.
    #[serde(rename = "event")]
    Event(EventFrame),
}

/// A client asks for something. A property that is not one of these is refused, as in the parameters of
/// every method: a misspelt one would change what is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RequestFrame")]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Chosen by the client; the reply carries it.
    pub id: Name,
    /// What to do.
    pub method: Name,
    /// With what.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub params: Option<Value>,
}

/// The reply to one request: `{id, ok: true, payload?}` or `{id, ok: false, error}`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "LooseResponse")]
pub struct Response {
    /// The id of the request.
    pub id: Name,
    /// What came of it.
    pub result: Result<Option<Value>, ErrorShape>,
}

/// Something happened. Properties that this version does not know are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventFrame {
    /// What happened.
    pub event: Name,
    /// To what.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub payload: Option<Value>,
    /// The number of this event on this connection; numbers have no gaps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// Which state the event brings a client up to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_version: Option<StateVersion>,
}

/// The numbers of the states that a client mirrors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StateVersion {
    /// Who is there.
    pub presence: u64,
    /// How the gateway is.
    pub health: u64,
}

/// A reply as it may arrive, contradictions included.
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
            "description": "The reply to one request: it succeeded or it failed.",
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

/// Keeps `null` apart from a missing property.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
