//! Verifies a device's Ed25519 signature over its connect request and our challenge.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, VerifyingKey};
use tarsus_protocol::connect::{ConnectDevice, ConnectParams};
use tarsus_protocol::scope::ClientRole;

macro_rules! proof_errors {
    ($($(#[$doc:meta])* $name:ident = $message:literal, $code:literal, $reason:literal;)*) => {
        /// Why a device proof is rejected.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
        pub enum ProofError { $($(#[$doc])* #[error($message)] $name,)* }

        impl ProofError {
            /// The error code on the wire.
            #[must_use]
            pub const fn code(self) -> &'static str { match self { $(Self::$name => $code,)* } }

            /// The reason on the wire.
            #[must_use]
            pub const fn reason(self) -> &'static str { match self { $(Self::$name => $reason,)* } }
        }
    };
}

proof_errors! {
    /// The public key is not valid.
    PublicKey = "device public key invalid", "DEVICE_AUTH_PUBLIC_KEY_INVALID", "device-public-key";
    /// The id is not the hash of the key.
    Id = "device identity mismatch", "DEVICE_AUTH_DEVICE_ID_MISMATCH", "device-id-mismatch";
    /// The signature is too old, or from the future.
    Stale = "device signature expired", "DEVICE_AUTH_SIGNATURE_EXPIRED", "device-signature-stale";
    /// No challenge was signed.
    NonceMissing = "device nonce required", "DEVICE_AUTH_NONCE_REQUIRED", "device-nonce-missing";
    /// Another challenge was signed.
    Nonce = "device nonce mismatch", "DEVICE_AUTH_NONCE_MISMATCH", "device-nonce-mismatch";
    /// The signature does not match the text and the key.
    Signature = "device signature invalid", "DEVICE_AUTH_SIGNATURE_INVALID", "device-signature";
}

/// Checks a device's proof against the challenge of its connection.
///
/// # Errors
/// The first failed check.
pub fn verify_proof(
    device: &ConnectDevice,
    params: &ConnectParams,
    nonce: &str,
    now_ms: i64,
    skew: Duration,
) -> Result<(), ProofError> {
    let key: [u8; 32] = decoded(&device.public_key).ok_or(ProofError::PublicKey)?;
    let verifying = VerifyingKey::from_bytes(&key).map_err(|_| ProofError::PublicKey)?;
    if super::hash(&key) != device.id {
        return Err(ProofError::Id);
    }
    if u128::from(now_ms.abs_diff(device.signed_at)) > skew.as_millis() {
        return Err(ProofError::Stale);
    }
    match device.nonce.as_deref() {
        None | Some("") => return Err(ProofError::NonceMissing),
        Some(signed) if signed != nonce => return Err(ProofError::Nonce),
        Some(_) => {}
    }
    let signature: [u8; 64] = decoded(&device.signature).ok_or(ProofError::Signature)?;
    let signature = Signature::from_bytes(&signature);
    let fits = signed_texts(device, params, nonce)
        .iter()
        .any(|text| verifying.verify_strict(text.as_bytes(), &signature).is_ok());
    if fits { Ok(()) } else { Err(ProofError::Signature) }
}

fn decoded<const N: usize>(text: &str) -> Option<[u8; N]> {
    URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()
}

/// The texts that a device may have signed: version 3, or the shorter version 2.
fn signed_texts(device: &ConnectDevice, params: &ConnectParams, nonce: &str) -> [String; 2] {
    let client = &params.client;
    let auth = params.auth.clone().unwrap_or_default();
    let token = auth.token.or(auth.device_token).unwrap_or_default();
    let rest = [
        device.id.as_str(),
        client.id.as_str(),
        client.mode.as_str(),
        params.role.unwrap_or(ClientRole::Operator).as_str(),
        &params.scopes.clone().unwrap_or_default().join(","),
        &device.signed_at.to_string(),
        &token,
        nonce,
    ]
    .join("|");
    let lower = |text: Option<&str>| text.unwrap_or_default().trim().to_ascii_lowercase();
    let (platform, family) = (lower(Some(&client.platform)), lower(client.device_family.as_deref()));
    [format!("v3|{rest}|{platform}|{family}"), format!("v2|{rest}")]
}
