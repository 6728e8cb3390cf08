//! Revokes the tokens of paired devices.

use std::sync::Arc;

use serde_json::json;
use tarsus_audit::{AuditEntry, RecordSeverity};
use tarsus_protocol::rpc::devices::{DeviceTokenParams, DeviceTokenRevoked};
use tarsus_protocol::scope::{ClientRole, Scope, allows};
use tarsus_protocol::{ErrorCode, Problem};

use super::apps::flatten_join;
use super::failure::{Failure, echoed};
use super::table::{Caller, missing_scope};
use crate::events::ConnectedClient;
use crate::gateway::{Gateway, WorkKind};

pub(super) async fn revoke_token(
    gateway: Arc<Gateway>,
    caller: Caller,
    params: DeviceTokenParams,
) -> Result<DeviceTokenRevoked, Failure> {
    let worked =
        gateway.run_blocking(WorkKind::Write, move |gateway| revoke(gateway, &caller.member, params));
    flatten_join(worked.await)
}

fn revoke(
    gateway: &Gateway,
    member: &ConnectedClient,
    params: DeviceTokenParams,
) -> Result<DeviceTokenRevoked, Failure> {
    let own = member.presence.device_id.as_deref();
    let role = params.role.unwrap_or(member.role);
    let device_id = params.device_id.or_else(|| own.map(str::to_owned)).ok_or_else(|| {
        Failure::invalid(
            "invalid device.token.revoke params: deviceId is required for a client without a device",
        )
    })?;
    let is_own = own == Some(device_id.as_str());
    if !is_own && !may_revoke_any(member) {
        return Err(missing_scope(Scope::Pairing, member.protocol));
    }
    let was_there = gateway.devices.revoke(&device_id, role)?;
    gateway.events.close_device(&device_id, role);
    if !was_there {
        let message =
            format!("device \"{}\" has no token for the role {}", echoed(&device_id), role.as_str());
        return Err(Problem::new(ErrorCode::NotFound, message).into());
    }
    let mut line = AuditEntry::security("device.revoked", RecordSeverity::Info);
    line.decision = Some("revoke".to_owned());
    let by = &member.presence.client_id;
    let detail = json!({ "device": device_id, "role": role, "by": by, "own": is_own });
    line.detail = detail.as_object().cloned().unwrap_or_default();
    gateway.context.audit.record_best_effort(line, gateway.now());
    Ok(DeviceTokenRevoked { ok: true, device_id, role, revoked_at_ms: gateway.now_ms() })
}

fn may_revoke_any(member: &ConnectedClient) -> bool {
    let allowed = [Scope::Pairing, Scope::Admin].iter().any(|scope| allows(&member.scopes, *scope));
    member.role == ClientRole::Operator && allowed
}
