//! The devices that were let in, and the tokens that they were given.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::methods;
use crate::scope::Role;

methods! {
    #[doc = "Takes the token of a device back and closes its sockets; of another device only with `operator.pairing` or `operator.admin`."]
    TokenRevoke = "device.token.revoke", DeviceTokenParams => DeviceTokenRevoked, Read | Node;
}

/// The token of a device.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeviceTokenParams {
    /// The device; the one that asks when not set.
    pub device_id: Option<String>,
    /// What it is to the gateway with this token; the same as who asks when not set.
    pub role: Option<Role>,
}

/// A token that opens nothing any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceTokenRevoked {
    /// Always true: what fails is an error.
    pub ok: bool,
    /// The device.
    pub device_id: String,
    /// What it was to the gateway.
    pub role: Role,
    /// Since when, in milliseconds since 1970.
    pub revoked_at_ms: i64,
}
