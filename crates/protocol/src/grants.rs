//! The owner's decisions about a skill, and the resulting capabilities, as in the settings file, in
//! `tarsus skills info|check --json` and on the wire.
//!
//! A decision is pinned to the exact content that it is about.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::{Capability, TrustTier};

/// SHA-256 of a skill's folder (names and contents of all files): 64 hexadecimal digits in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct ContentHash(Box<str>);

impl ContentHash {
    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text is not a content hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the hash of a folder has 64 hexadecimal digits in lower case")]
pub struct ContentHashError;

impl FromStr for ContentHash {
    type Err = ContentHashError;

    fn from_str(text: &str) -> Result<Self, ContentHashError> {
        let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if text.len() == 64 && digits { Ok(Self(text.into())) } else { Err(ContentHashError) }
    }
}

impl TryFrom<String> for ContentHash {
    type Error = ContentHashError;

    fn try_from(text: String) -> Result<Self, ContentHashError> {
        text.parse()
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> Self {
        hash.0.into()
    }
}

/// Capabilities that the owner granted or reviewed, for one version of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pinned {
    /// Content of the skill's folder.
    pub hash: ContentHash,
    /// The capabilities.
    pub capabilities: BTreeSet<Capability>,
}

/// Trust tier set by the owner, overriding the skill's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrustChoice {
    /// The tier.
    pub tier: TrustTier,
    /// Content that a higher tier is limited to; a lower tier applies to every version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<ContentHash>,
    /// Ids of the rules whose critical findings a higher tier overrides; absent if an older version stored the
    /// choice, which then overrides all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<BTreeSet<String>>,
}

impl TrustChoice {
    /// Whether the choice overrides the critical findings of these rules.
    #[must_use]
    pub fn covers(&self, critical: &BTreeSet<String>) -> bool {
        self.accepted.as_ref().is_none_or(|accepted| critical.is_subset(accepted))
    }
}

/// A finding that the owner accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Acceptance {
    /// Id of the rule.
    pub rule: String,
    /// Content of the skill's folder.
    pub hash: ContentHash,
    /// The owner's reason.
    pub reason: String,
}

/// State of the owner's review of declared capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Consent {
    /// No review needed: nothing is declared, or nothing is enforced.
    NotNeeded,
    /// Reviewed in the current version.
    Seen,
    /// Not reviewed yet.
    Unseen,
    /// Reviewed in an earlier version.
    Changed,
    /// Reviewed in an earlier version that declared less.
    Widened,
}

/// Capabilities of a skill: `capabilities` in every report about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillCapabilities {
    /// Declared capabilities, in the order of the declaration.
    pub declared: Vec<Capability>,
    /// Declared names that are unknown and have no effect.
    pub unknown: Vec<String>,
    /// Capabilities that its files use; absent until it is scanned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Vec<Capability>>,
    /// Capabilities granted to the current version.
    pub granted: Vec<Capability>,
    /// Capabilities granted to an earlier version; no longer effective.
    pub void: Vec<Capability>,
    /// Higher tier given to an earlier version; no longer effective.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void_trust: Option<TrustTier>,
    /// Capabilities that it can use.
    pub effective: Vec<Capability>,
    /// Whether capabilities are enforced; only for community skills.
    pub enforced: bool,
    /// State of the owner's review.
    pub consent: Consent,
    /// Whether the owner reviewed the current version, whatever it declares.
    pub seen: bool,
    /// Limits that it declares and that are enforced, such as `shell: only git, gh`.
    pub limits: Vec<String>,
    /// Limits that it declares and that are lifted because the capability was granted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lifted: Vec<String>,
    /// Declared notes about capabilities that are shown but not enforced.
    pub advisory: Vec<String>,
    /// Errors in its declaration.
    pub problems: Vec<String>,
}

/// Effect of community skills on tools: `policy` of `tarsus skills check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyReport {
    /// Enforcement mode: `active`, `loaded` or `off`.
    pub enforcement: String,
    /// Tools that are denied whatever is granted.
    pub denied: Vec<String>,
    /// Tools whose capability is missing.
    pub gated: Vec<String>,
    /// Responsible skills by tool; the last entry counts the rest if there are many.
    pub because: BTreeMap<String, Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_hash_has_64_lower_case_hex_digits() {
        let digits = "0123456789abcdef".repeat(4);
        let hash: ContentHash = digits.parse().unwrap();
        assert_eq!(hash.as_str(), digits);
        assert_eq!(serde_json::to_string(&hash).unwrap(), format!("\"{digits}\""));
        for text in
            ["", &digits[1..], &digits.to_uppercase(), &digits.replace('0', "é"), &format!("{digits}0")]
        {
            assert_eq!(text.parse::<ContentHash>(), Err(ContentHashError), "{text}");
            assert!(serde_json::from_value::<ContentHash>(text.into()).is_err(), "{text}");
        }
    }
}
