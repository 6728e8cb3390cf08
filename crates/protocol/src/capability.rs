//! Capabilities and trust tiers of skills: declared by skills, granted by the owner, shown everywhere.
//!
//! Each has one name; aliases that other systems use are accepted.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A permission that a skill can declare and the owner can grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Capability {
    /// Start programs.
    Shell,
    /// Create and change files.
    Filesystem,
    /// Use the network.
    Network,
    /// Drive a browser.
    Browser,
    /// Start and address other sessions.
    Sessions,
    /// Send messages to people.
    Messaging,
    /// Plan work for later.
    Scheduling,
}

impl Capability {
    /// All capabilities, in display order.
    pub const ALL: [Self; 7] = [
        Self::Shell,
        Self::Filesystem,
        Self::Network,
        Self::Browser,
        Self::Sessions,
        Self::Messaging,
        Self::Scheduling,
    ];

    /// The name in JSON and in text.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Filesystem => "filesystem",
            Self::Network => "network",
            Self::Browser => "browser",
            Self::Sessions => "sessions",
            Self::Messaging => "messaging",
            Self::Scheduling => "scheduling",
        }
    }

    /// The icon in listings.
    #[must_use]
    pub fn icon(self) -> &'static str {
        match self {
            Self::Shell => ">_",
            Self::Filesystem => "📂",
            Self::Network => "🌐",
            Self::Browser => "🔍",
            Self::Sessions => "⚡",
            Self::Messaging => "✉️",
            Self::Scheduling => "⏰",
        }
    }

    /// A description for people.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Shell => "start programs and control them",
            Self::Filesystem => "create and change files",
            Self::Network => "search the web and fetch pages",
            Self::Browser => "drive a web browser",
            Self::Sessions => "start other sessions and write to them",
            Self::Messaging => "send messages to people",
            Self::Scheduling => "plan work for later",
        }
    }

    /// The capability with this name or alias. Case is ignored, and `-` equals `_`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.trim().to_ascii_lowercase().replace('-', "_").as_str() {
            "shell" | "terminal" | "bash" | "exec" | "process" | "app_launch" | "app_stop"
            | "app_propose" => Self::Shell,
            "filesystem" | "write" | "edit" | "apply_patch" | "fs" | "files" => Self::Filesystem,
            "network" | "web_fetch" | "web_search" | "webfetch" | "http" | "web" => Self::Network,
            "browser" => Self::Browser,
            "sessions" | "subagent" | "subagents" | "sessions_spawn" | "sessions_send" => Self::Sessions,
            "messaging" | "message" => Self::Messaging,
            "scheduling" | "cron" | "schedule" | "scheduler" => Self::Scheduling,
            _ => return None,
        })
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The trust in a skill; the greatest is trusted most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrustTier {
    /// From a third party: scanned, blocked if harmful, limited to its capabilities.
    Community,
    /// The owner's own: scanned, but not blocked.
    Local,
    /// Built into the program.
    Builtin,
}

impl TrustTier {
    /// All tiers, the least trusted first.
    pub const ALL: [Self; 3] = [Self::Community, Self::Local, Self::Builtin];

    /// The name in JSON and in text.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Community => "community",
            Self::Local => "local",
            Self::Builtin => "builtin",
        }
    }

    /// The tier with this name. Case is ignored.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.name().eq_ignore_ascii_case(name.trim()))
    }
}

impl fmt::Display for TrustTier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_accepted_with_any_case_and_dashes() {
        let table = [
            (
                Capability::Shell,
                &["shell", "terminal", "bash", "exec", "process", "app_launch", "app-stop", " Shell "]
                    as &[_],
            ),
            (
                Capability::Filesystem,
                &["filesystem", "write", "edit", "apply_patch", "apply-patch", "fs", "files"],
            ),
            (Capability::Network, &["network", "web_fetch", "web-search", "WebFetch", "http", "web"]),
            (Capability::Browser, &["browser"]),
            (Capability::Sessions, &["sessions", "subagent", "subagents", "sessions_spawn", "sessions_send"]),
            (Capability::Messaging, &["messaging", "message"]),
            (Capability::Scheduling, &["scheduling", "cron", "schedule", "scheduler"]),
        ];
        assert_eq!(table.map(|(capability, _)| capability), Capability::ALL);
        for (capability, names) in table {
            for name in names {
                assert_eq!(Capability::named(name), Some(capability), "{name}");
            }
            assert_eq!(serde_json::to_value(capability).unwrap(), capability.name());
        }
        for name in ["", "shells", "root", "read", "she ll"] {
            assert_eq!(Capability::named(name), None, "{name}");
        }
    }

    #[test]
    fn a_tier_is_found_by_its_name_in_json() {
        for tier in TrustTier::ALL {
            assert_eq!(TrustTier::named(tier.name()), Some(tier));
            assert_eq!(serde_json::to_value(tier).unwrap(), tier.name());
        }
        assert_eq!(TrustTier::named(" Local"), Some(TrustTier::Local));
        assert_eq!(TrustTier::named("trusted"), None);
    }
}
