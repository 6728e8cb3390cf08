//! Roles and scopes of clients.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Role of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ClientRole")]
pub enum ClientRole {
    /// Acts on behalf of the owner.
    Operator,
    /// Runs commands on its machine for the gateway.
    Node,
}

impl ClientRole {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Node => "node",
        }
    }
}

macro_rules! scopes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A permission of an operator.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        pub enum Scope { $($(#[$doc])* #[serde(rename = $text)] $name,)* }

        impl Scope {
            /// All scopes.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text,)* } }
        }
    };
}

scopes! {
    /// Read everything that is not secret.
    Read = "operator.read",
    /// Send messages, launch and stop apps.
    Write = "operator.write",
    /// Change the configuration.
    Admin = "operator.admin",
    /// Decide approvals.
    Approvals = "operator.approvals",
    /// Manage paired devices.
    Pairing = "operator.pairing",
}

impl Scope {
    /// The scope with this name.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scope| scope.as_str() == word)
    }

    /// Whether this scope permits what requires `wanted`: `admin` includes `read` and `write`, `write` includes
    /// `read`.
    #[must_use]
    pub fn includes(self, wanted: Self) -> bool {
        self == wanted
            || matches!((self, wanted), (Self::Admin, Self::Read | Self::Write) | (Self::Write, Self::Read))
    }
}

/// Whether any of `held` includes `wanted`.
#[must_use]
pub fn allows(held: &[Scope], wanted: Scope) -> bool {
    held.iter().any(|scope| scope.includes(wanted))
}
