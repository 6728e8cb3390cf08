//! The frames of replies.

use serde_json::json;
use tarsus_protocol::ErrorShape;

/// The frame of a reply with a payload that is JSON already.
pub(super) fn accepted(id: &str, payload: &str) -> String {
    let id = json!(id);
    format!(r#"{{"type":"res","id":{id},"ok":true,"payload":{payload}}}"#)
}

/// The frame of a reply that says why not.
pub(super) fn refused(id: &str, error: &ErrorShape) -> String {
    let id = json!(id);
    format!(r#"{{"type":"res","id":{id},"ok":false,"error":{}}}"#, json!(error))
}
