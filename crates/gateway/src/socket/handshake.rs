//! Who is there: the answer to `connect`, by the rules of the protocol.
//!
//! Promises: nothing is granted that was not proven; a refusal says why in the words that clients know. Reads and
//! writes the list of devices. Leaves to others: the socket itself.

use std::sync::LazyLock;

use serde_json::{Value, json};
use tarsus_audit::{Entry, Severity};
use tarsus_protocol::connect::{ClientId, ClientMode, ConnectDevice, ConnectParams, PROTOCOLS};
use tarsus_protocol::hello::AuthMethod;
use tarsus_protocol::rpc::Shape;
use tarsus_protocol::scope::{Role, Scope, allows};
use tarsus_protocol::{ErrorShape, Problem, RpcCode};

use super::Peer;
use super::close::Close;
use crate::access::{Door, Refusal};
use crate::devices::{Coming, Grant, prove};
use crate::gateway::Gateway;

/// One who is let in.
#[derive(Debug)]
pub(super) struct Admitted {
    pub protocol: u32,
    pub role: Role,
    pub scopes: Vec<Scope>,
    pub method: AuthMethod,
    pub grant: Option<Grant>,
    /// Of what opens the gateway, when it was let in.
    pub generation: u64,
    /// Tokens of devices that had been taken back then.
    pub revocations: u64,
}

/// One who is not: the reply, and how the socket is closed.
#[derive(Debug)]
pub(super) struct TurnedAway {
    pub error: Box<ErrorShape>,
    pub close: Close,
}

impl TurnedAway {
    fn new(message: impl Into<String>, details: Value) -> Self {
        let message = message.into();
        let close = Close::Policy(message.clone());
        let details = (!details.is_null()).then_some(details);
        let code = RpcCode::InvalidRequest.into();
        Self { error: Box::new(ErrorShape { code, message, details, retryable: None }), close }
    }

    /// The first request is not the one that has to come first.
    pub(super) fn not_connect() -> Self {
        Self::new("invalid handshake: first request must be connect", Value::Null)
    }
}

impl From<Problem> for TurnedAway {
    fn from(problem: Problem) -> Self {
        let close = Close::Policy(problem.message.clone());
        Self { error: Box::new(problem.into()), close }
    }
}

static SHAPE: LazyLock<Shape> = LazyLock::new(Shape::of::<ConnectParams>);

/// The parameters of `connect`, strictly.
pub(super) fn read(params: Option<Value>) -> Result<ConnectParams, TurnedAway> {
    let invalid = |why: String| TurnedAway::new(format!("invalid connect params: {why}"), Value::Null);
    let params = params.unwrap_or_else(|| json!({}));
    SHAPE.check(&params).map_err(invalid)?;
    serde_json::from_value(params).map_err(|error| invalid(error.to_string()))
}

/// Decides.
pub(super) fn admit(
    gateway: &Gateway,
    peer: Peer,
    params: &ConnectParams,
    nonce: &str,
) -> Result<Admitted, TurnedAway> {
    let protocol = choose_protocol(params)?;
    check_page(gateway, peer, params)?;
    let role = params.role.unwrap_or(Role::Operator);
    let asked = params.scopes.iter().flatten().filter_map(|word| Scope::named(word)).collect();
    let asked = if role == Role::Operator { asked } else { Vec::new() };
    let limits = &gateway.limits;
    if let Some(device) = &params.device {
        prove(device, params, nonce, gateway.now_ms(), limits.signature_skew).map_err(|why| {
            gateway.failures.count(Refusal::Device, peer.address.ip());
            TurnedAway::new(why.to_string(), json!({ "code": why.code(), "reason": why.reason() }))
        })?;
    }
    // One door from here on: whoever is let in by what is replaced meanwhile has to come in again.
    let door = gateway.access.door();
    let generation = door.generation;
    // Asked before the list is read: a token that is taken back after that is noticed when its client has joined.
    let revocations = gateway.devices.revocations();
    let admitted =
        |method, scopes, grant| Admitted { protocol, role, scopes, method, grant, generation, revocations };
    let by_device = || {
        let grant = by_device_token(gateway, &door, params, role)?;
        let scopes = asked.iter().copied().filter(|scope| allows(&grant.scopes, *scope)).collect();
        Some(admitted(AuthMethod::DeviceToken, scopes, Some(grant)))
    };
    // Guesses at a password are counted; a device that shows its own token does not guess.
    if door.method() == AuthMethod::Password
        && let Some(known) = by_device()
    {
        return Ok(known);
    }
    match shared(gateway, &door, peer, params) {
        Ok(method) => match &params.device {
            None => Ok(admitted(method, kept_without_device(peer, params, asked), None)),
            // A device that comes straight from this machine with what opens the gateway is its owner's.
            Some(device) if peer.direct => {
                let grant = paired(gateway, &door, params, device, role, &asked);
                Ok(admitted(method, asked, grant))
            }
            Some(_) => Err(TurnedAway::new("pairing required", json!({ "code": "PAIRING_REQUIRED" }))),
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

fn choose_protocol(params: &ConnectParams) -> Result<u32, TurnedAway> {
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
    Err(TurnedAway { close, ..TurnedAway::new("protocol mismatch", details) })
}

/// A page names its origin, which was checked; and the page that controls the gateway has a device.
fn check_page(gateway: &Gateway, peer: Peer, params: &ConnectParams) -> Result<(), TurnedAway> {
    if params.client.id.is_browser() && !peer.has_origin {
        gateway.failures.count(Refusal::Origin, peer.address.ip());
        let details = json!({ "code": "CONTROL_UI_ORIGIN_NOT_ALLOWED", "reason": "origin missing" });
        return Err(TurnedAway::new("origin not allowed", details));
    }
    if params.client.id == ClientId::ControlUi && params.device.is_none() {
        let details = json!({ "code": "CONTROL_UI_DEVICE_IDENTITY_REQUIRED" });
        let message = "control ui requires device identity (use HTTPS or localhost secure context)";
        return Err(TurnedAway::new(message, details));
    }
    Ok(())
}

/// Checks what all clients share.
fn shared(gateway: &Gateway, door: &Door, peer: Peer, params: &ConnectParams) -> Result<AuthMethod, Refusal> {
    let auth = params.auth.as_ref();
    let token = auth.and_then(|auth| auth.token.as_deref());
    let password = auth.and_then(|auth| auth.password.as_deref());
    gateway.check_shared(door, token, password, peer.address.ip(), peer.direct)
}

/// Without a device only programs that are known to run beside the gateway keep what they ask for.
fn kept_without_device(peer: Peer, params: &ConnectParams, asked: Vec<Scope>) -> Vec<Scope> {
    let client = &params.client;
    let trusted = matches!(
        (client.id, client.mode),
        (ClientId::Cli, ClientMode::Cli) | (ClientId::GatewayClient, ClientMode::Backend)
    );
    if trusted && peer.direct { asked } else { Vec::new() }
}

/// What a device is given for the next time. Without a list that can be used and a line in the audit chain it is given
/// nothing, and comes with what all clients share again.
fn paired(
    gateway: &Gateway,
    door: &Door,
    params: &ConnectParams,
    device: &ConnectDevice,
    role: Role,
    scopes: &[Scope],
) -> Option<Grant> {
    let record = || {
        let mut line = Entry::security("device.paired", Severity::Info);
        line.decision = Some("allow".to_owned());
        let client = params.client.id.as_str();
        let detail = json!({ "device": device.id, "client": client, "role": role, "scopes": scopes });
        line.detail = detail.as_object().cloned().unwrap_or_default();
        gateway.given.audit.record(line, gateway.now())?;
        Ok(())
    };
    let coming = Coming { id: &device.id, client: &params.client, role, scopes, now_ms: gateway.now_ms() };
    let admitted = gateway.devices.admit(&coming, door.secret(), record);
    admitted.inspect_err(|problem| tracing::error!(%problem, "a device cannot be paired")).ok()
}

/// What a device was given, if it shows its token. A list that cannot be used knows nobody.
fn by_device_token(gateway: &Gateway, door: &Door, params: &ConnectParams, role: Role) -> Option<Grant> {
    let (device, auth) = (params.device.as_ref()?, params.auth.as_ref()?);
    [&auth.device_token, &auth.token].into_iter().flatten().find_map(|token| {
        let opened = gateway.devices.opened_by(&device.id, role, token, door.secret());
        opened.inspect_err(|problem| tracing::error!(%problem, "the devices are not known")).ok().flatten()
    })
}

fn unauthorized(refusal: Refusal) -> TurnedAway {
    let (message, code, reason, next) = match refusal {
        Refusal::TokenMismatch => (
            "unauthorized: gateway token mismatch (the token is in gateway.auth.token or in the token file)",
            "AUTH_TOKEN_MISMATCH",
            "token_mismatch",
            "retry_with_device_token",
        ),
        Refusal::PasswordMissing => (
            "unauthorized: gateway password missing (give the password of gateway.auth.password)",
            "AUTH_PASSWORD_MISSING",
            "password_missing",
            "update_auth_configuration",
        ),
        Refusal::PasswordMismatch => (
            "unauthorized: gateway password mismatch (the password is in gateway.auth.password)",
            "AUTH_PASSWORD_MISMATCH",
            "password_mismatch",
            "update_auth_credentials",
        ),
        Refusal::TooMany => (
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
        "canRetryWithDeviceToken": refusal == Refusal::TokenMismatch,
        "recommendedNextStep": next,
    });
    TurnedAway::new(message, details)
}
