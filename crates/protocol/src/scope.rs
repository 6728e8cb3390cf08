//! Who a client is to the gateway, and what it may do there.
//!
//! Promises: one rule for what a scope includes. Leaves to others: who is given which scope.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ClientRole")]
pub enum Role {
    /// Acts for the owner.
    Operator,
    /// Lends the gateway a machine.
    Node,
}

impl Role {
    /// The word on the wire.
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
        /// What an operator may do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        pub enum Scope { $($(#[$doc])* #[serde(rename = $text)] $name,)* }

        impl Scope {
            /// Every scope.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The word on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text,)* } }
        }
    };
}

scopes! {
    /// Look at everything that is not secret.
    Read = "operator.read",
    /// Talk, launch, stop.
    Write = "operator.write",
    /// Change how things are set up.
    Admin = "operator.admin",
    /// Answer what a tool asks for.
    Approvals = "operator.approvals",
    /// Let devices in.
    Pairing = "operator.pairing",
}

impl Scope {
    /// The scope of a word; none when there is no such scope.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scope| scope.as_str() == word)
    }

    /// Whether who has this scope may do what `wanted` is asked for: `admin` includes `read` and `write`, `write`
    /// includes `read`.
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
