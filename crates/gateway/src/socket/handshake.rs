//! Decides on `connect`: protocol version, credentials, device proof and scopes.
//!
//! Scopes are granted only with proof; error codes and texts are those that existing clients know. Reads and writes the
//! device list.

use std::sync::LazyLock;

use serde_json::{Value, json};
use tarsus_audit::{AuditEntry, RecordSeverity};
use tarsus_protocol::connect::{ClientId, ClientMode, ConnectDevice, ConnectParams, PROTOCOLS};
use tarsus_protocol::hello::AuthMethod;
use tarsus_protocol::rpc::ParamsShape;
use tarsus_protocol::scope::{ClientRole, Scope, allows};
use tarsus_protocol::{ErrorShape, Problem, RpcCode};

use super::Peer;
use super::close::Close;
use crate::access::{AccessRefusal, ActiveCredentials};
use crate::devices::{Grant, PairingRequest, verify_proof};
use crate::gateway::Gateway;
use crate::peer::AgentProcess;

/// An admitted client.
#[derive(Debug)]
pub(super) struct Admitted {
    pub protocol: u32,
    pub role: ClientRole,
    pub scopes: Vec<Scope>,
    pub method: AuthMethod,
    pub grant: Option<Grant>,
    /// Set if the client is a process that an agent started.
    pub agent_process: Option<AgentProcess>,
    /// Credential generation at the time of admission.
    pub generation: u64,
    /// Number of device token revocations at that time.
    pub revocations: u64,
}

/// A rejected handshake: the error reply and the close reason.
#[derive(Debug)]
pub(super) struct HandshakeError {
    pub error: Box<ErrorShape>,
    pub close: Close,
}

impl HandshakeError {
    fn new(message: impl Into<String>, details: Value) -> Self {
        let message = message.into();
        let close = Close::Policy(message.clone());
        let details = (!details.is_null()).then_some(details);
        let code = RpcCode::InvalidRequest.into();
        Self { error: Box::new(ErrorShape { code, message, details, retryable: None }), close }
    }

    /// The first request is not `connect`.
    pub(super) fn not_connect() -> Self {
        Self::new("invalid handshake: first request must be connect", Value::Null)
    }
}

impl From<Problem> for HandshakeError {
    fn from(problem: Problem) -> Self {
        let close = Close::Policy(problem.message.clone());
        Self { error: Box::new(problem.into()), close }
    }
}

static SHAPE: LazyLock<ParamsShape> = LazyLock::new(ParamsShape::for_type::<ConnectParams>);

/// Parses the parameters of `connect` strictly.
pub(super) fn parse_params(params: Option<Value>) -> Result<ConnectParams, HandshakeError> {
    let invalid = |why: String| HandshakeError::new(format!("invalid connect params: {why}"), Value::Null);
    let params = params.unwrap_or_else(|| json!({}));
    SHAPE.check(&params).map_err(invalid)?;
    serde_json::from_value(params).map_err(|error| invalid(error.to_string()))
}

/// Admits or rejects a client.
pub(super) fn admit(
    gateway: &Gateway,
    peer: Peer,
    params: &ConnectParams,
    nonce: &str,
) -> Result<Admitted, HandshakeError> {
    let protocol = negotiate_protocol(params)?;
    check_browser_client(gateway, peer, params)?;
    let role = params.role.unwrap_or(ClientRole::Operator);
    let requested = params.scopes.iter().flatten().filter_map(|word| Scope::named(word)).collect();
    let requested = if role == ClientRole::Operator { requested } else { Vec::new() };
    let limits = &gateway.limits;
    if let Some(device) = &params.device {
        verify_proof(device, params, nonce, gateway.now_ms(), limits.signature_skew).map_err(|why| {
            gateway.failures.count(AccessRefusal::Device, peer.address.ip());
            HandshakeError::new(why.to_string(), json!({ "code": why.code(), "reason": why.reason() }))
        })?;
    }
    // Use one set of credentials from here on: a client admitted by replaced ones has to reconnect.
    let credentials = gateway.access.credentials();
    let generation = credentials.generation;
    // Read before the device list: a later revocation is noticed once the client has joined.
    let revocations = gateway.devices.revocations();
    let admitted = |method, scopes: Vec<Scope>, grant, agent_process: Option<AgentProcess>| {
        let scopes = agent_process.as_ref().map_or_else(|| scopes.clone(), |process| process.limit(&scopes));
        Admitted { protocol, role, scopes, method, grant, agent_process, generation, revocations }
    };
    let agent_process = || AgentProcess::of_peer(gateway, peer.address);
    let by_device = || {
        let grant = grant_by_device_token(gateway, &credentials, params, role)?;
        let scopes = requested.iter().copied().filter(|scope| allows(&grant.scopes, *scope)).collect();
        Some(admitted(AuthMethod::DeviceToken, scopes, Some(grant), agent_process()))
    };
    // Password guesses are rate limited; a valid device token is not a guess.
    if credentials.method() == AuthMethod::Password
        && let Some(known) = by_device()
    {
        return Ok(known);
    }
    match check_shared_secret(gateway, &credentials, peer, params) {
        Ok(method) => match &params.device {
            None => {
                let scopes = scopes_without_device(peer, params, requested);
                Ok(admitted(method, scopes, None, agent_process()))
            }
            Some(device) if peer.direct => match agent_process() {
                // A direct local device with the shared secret belongs to the owner and is paired.
                None => {
                    let grant = pair_device(gateway, &credentials, params, device, role, &requested);
                    Ok(admitted(method, requested, grant, None))
                }
                process => Ok(admitted(method, requested, None, process)),
            },
            Some(_) => Err(HandshakeError::new("pairing required", json!({ "code": "PAIRING_REQUIRED" }))),
        },
        Err(refusal) => {
            if let Some(known) = by_device() {
                return Ok(known);
            }
            gateway.failures.count(refusal, peer.address.ip());
            Err(unauthorized(refusal))
        }
    }
}

fn negotiate_protocol(params: &ConnectParams) -> Result<u32, HandshakeError> {
    let newest = *PROTOCOLS.end().min(&params.max_protocol);
    if newest >= params.min_protocol && PROTOCOLS.contains(&newest) {
        return Ok(newest);
    }
    let details = json!({
        "code": "PROTOCOL_MISMATCH",
        "clientMinProtocol": params.min_protocol,
        "clientMaxProtocol": params.max_protocol,
        "expectedProtocol": PROTOCOLS.end(),
        "minimumProbeProtocol": PROTOCOLS.start(),
    });
    let close = Close::Protocol("protocol mismatch".to_owned());
    Err(HandshakeError { close, ..HandshakeError::new("protocol mismatch", details) })
}

/// A browser client must send an Origin (checked earlier); the control UI also needs a device identity.
fn check_browser_client(gateway: &Gateway, peer: Peer, params: &ConnectParams) -> Result<(), HandshakeError> {
    if params.client.id.is_browser() && !peer.has_origin {
        gateway.failures.count(AccessRefusal::Origin, peer.address.ip());
        let details = json!({ "code": "CONTROL_UI_ORIGIN_NOT_ALLOWED", "reason": "origin missing" });
        return Err(HandshakeError::new("origin not allowed", details));
    }
    if params.client.id == ClientId::ControlUi && params.device.is_none() {
        let details = json!({ "code": "CONTROL_UI_DEVICE_IDENTITY_REQUIRED" });
        let message = "control ui requires device identity (use HTTPS or localhost secure context)";
        return Err(HandshakeError::new(message, details));
    }
    Ok(())
}

/// Checks the shared token or password.
fn check_shared_secret(
    gateway: &Gateway,
    credentials: &ActiveCredentials,
    peer: Peer,
    params: &ConnectParams,
) -> Result<AuthMethod, AccessRefusal> {
    let auth = params.auth.as_ref();
    let token = auth.and_then(|auth| auth.token.as_deref());
    let password = auth.and_then(|auth| auth.password.as_deref());
    gateway.check_shared(credentials, token, password, peer.address.ip(), peer.direct)
}

/// Without a device, only known local programs get the scopes they request.
fn scopes_without_device(peer: Peer, params: &ConnectParams, requested: Vec<Scope>) -> Vec<Scope> {
    let client = &params.client;
    let trusted = matches!(
        (client.id, client.mode),
        (ClientId::Cli, ClientMode::Cli) | (ClientId::GatewayClient, ClientMode::Backend)
    );
    if trusted && peer.direct { requested } else { Vec::new() }
}

/// Pairs a device and returns its token. If the device list or the audit chain cannot be written, the device gets no
/// token and has to use the shared secret again.
fn pair_device(
    gateway: &Gateway,
    credentials: &ActiveCredentials,
    params: &ConnectParams,
    device: &ConnectDevice,
    role: ClientRole,
    scopes: &[Scope],
) -> Option<Grant> {
    let record = || {
        let mut line = AuditEntry::security("device.paired", RecordSeverity::Info);
        line.decision = Some("allow".to_owned());
        let client = params.client.id.as_str();
        let detail = json!({ "device": device.id, "client": client, "role": role, "scopes": scopes });
        line.detail = detail.as_object().cloned().unwrap_or_default();
        gateway.context.audit.record(line, gateway.now())?;
        Ok(())
    };
    let request =
        PairingRequest { id: &device.id, client: &params.client, role, scopes, now_ms: gateway.now_ms() };
    let admitted = gateway.devices.admit(&request, credentials.secret(), record);
    admitted.inspect_err(|problem| tracing::error!(%problem, "a device cannot be paired")).ok()
}

/// Returns the grant of a device with a valid token. An unreadable device list grants nothing.
fn grant_by_device_token(
    gateway: &Gateway,
    credentials: &ActiveCredentials,
    params: &ConnectParams,
    role: ClientRole,
) -> Option<Grant> {
    let (device, auth) = (params.device.as_ref()?, params.auth.as_ref()?);
    [&auth.device_token, &auth.token].into_iter().flatten().find_map(|token| {
        let opened = gateway.devices.grant_for_token(&device.id, role, token, credentials.secret());
        opened
            .inspect_err(|problem| tracing::error!(%problem, "the device list cannot be read"))
            .ok()
            .flatten()
    })
}

fn unauthorized(refusal: AccessRefusal) -> HandshakeError {
    let (message, code, reason, next) = match refusal {
        AccessRefusal::TokenMismatch => (
            "unauthorized: gateway token mismatch (the token is in gateway.auth.token or in the token file)",
            "AUTH_TOKEN_MISMATCH",
            "token_mismatch",
            "retry_with_device_token",
        ),
        AccessRefusal::PasswordMissing => (
            "unauthorized: gateway password missing (give the password of gateway.auth.password)",
            "AUTH_PASSWORD_MISSING",
            "password_missing",
            "update_auth_configuration",
        ),
        AccessRefusal::PasswordMismatch => (
            "unauthorized: gateway password mismatch (the password is in gateway.auth.password)",
            "AUTH_PASSWORD_MISMATCH",
            "password_mismatch",
            "update_auth_credentials",
        ),
        AccessRefusal::TooMany => (
            "unauthorized: too many failed attempts (wait a minute)",
            "AUTH_RATE_LIMITED",
            "rate_limited",
            "wait_then_retry",
        ),
        _ => (
            "unauthorized: gateway token missing (give the token of gateway.auth.token or of the token file)",
            "AUTH_TOKEN_MISSING",
            "token_missing",
            "update_auth_configuration",
        ),
    };
    let details = json!({
        "code": code,
        "authReason": reason,
        "canRetryWithDeviceToken": refusal == AccessRefusal::TokenMismatch,
        "recommendedNextStep": next,
    });
    HandshakeError::new(message, details)
}
