//! The frames of replies.

use serde_json::json;
use tarsus_protocol::ErrorShape;

/// Builds a success reply; `payload` is JSON text.
pub(super) fn success_frame(id: &str, payload: &str) -> String {
    let id = json!(id);
    format!(r#"{{"type":"res","id":{id},"ok":true,"payload":{payload}}}"#)
}

/// Builds an error reply.
pub(super) fn error_frame(id: &str, error: &ErrorShape) -> String {
    let id = json!(id);
    format!(r#"{{"type":"res","id":{id},"ok":false,"error":{}}}"#, json!(error))
}
