//! Methods of paired devices and their tokens.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::methods;
use crate::scope::ClientRole;

methods! {
    #[doc = "Revokes the token of a device and closes its sockets; for another device this requires `operator.pairing` or `operator.admin`."]
    TokenRevoke = "device.token.revoke", DeviceTokenParams => DeviceTokenRevoked, Read | Node;
}

/// Parameters of `device.token.revoke`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeviceTokenParams {
    /// Id of the device; by default the calling device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_id: Option<String>,
    /// Role of the token; by default the caller's role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<ClientRole>,
}

/// Result of `device.token.revoke`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceTokenRevoked {
    /// Always true; a failure is an error response.
    pub ok: bool,
    /// Id of the device.
    pub device_id: String,
    /// Role of the revoked token.
    pub role: ClientRole,
    /// Time of the revocation, in milliseconds since 1970.
    pub revoked_at_ms: i64,
}
