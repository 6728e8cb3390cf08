//! What the owner decided about a skill, and how its capabilities stand: the words of the settings file, of
//! `tarsus skills info|check --json` and of the gateway.
//!
//! Promises: a decision names the exact bytes that it is about. Leaves to others: keeping decisions (`home`), and what
//! follows from them (`guard`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::{Capability, TrustTier};

/// SHA-256 over the names and bytes of everything in a skill's folder: 64 digits in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct ContentHash(Box<str>);

impl ContentHash {
    /// Its digits.
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

/// A text that is no hash of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the hash of a folder has 64 hexadecimal digits in lower case")]
pub struct NotAHash;

impl FromStr for ContentHash {
    type Err = NotAHash;

    fn from_str(text: &str) -> Result<Self, NotAHash> {
        let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if text.len() == 64 && digits { Ok(Self(text.into())) } else { Err(NotAHash) }
    }
}

impl TryFrom<String> for ContentHash {
    type Error = NotAHash;

    fn try_from(text: String) -> Result<Self, NotAHash> {
        text.parse()
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> Self {
        hash.0.into()
    }
}

/// Capabilities that the owner allowed to a skill, or has seen it ask for, as its folder was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pinned {
    /// The folder.
    pub hash: ContentHash,
    /// The capabilities.
    pub capabilities: BTreeSet<Capability>,
}

/// How far the owner trusts a skill, whatever its origin says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrustChoice {
    /// How far.
    pub tier: TrustTier,
    /// The folder for which more trust than its origin gives is meant; less trust needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<ContentHash>,
}

/// A finding that the owner has looked at and lives with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Acceptance {
    /// The rule.
    pub rule: String,
    /// The folder.
    pub hash: ContentHash,
    /// Why, in the owner's words.
    pub reason: String,
}

/// Whether the owner has seen what a skill asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Consent {
    /// It asks for nothing, or nothing is enforced on it.
    NotNeeded,
    /// Seen, for the folder as it is.
    Seen,
    /// Not seen yet.
    Unseen,
    /// Seen before the folder changed.
    Changed,
    /// Seen before the folder changed, and it asks for more now.
    Widened,
}

/// How a skill's capabilities stand: `capabilities` in every report about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillCapabilities {
    /// What it asks for.
    pub declared: Vec<Capability>,
    /// What it asks for that nobody knows; it gives nothing.
    pub unknown: Vec<String>,
    /// What its files were seen to use; left out while nobody has looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Vec<Capability>>,
    /// What the owner granted to the folder as it is.
    pub granted: Vec<Capability>,
    /// What the owner granted before the folder changed; it does not count any more.
    pub void: Vec<Capability>,
    /// More trust that the owner gave before the folder changed; it does not count any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void_trust: Option<TrustTier>,
    /// What it can use.
    pub effective: Vec<Capability>,
    /// Whether it is held to this: only community skills are.
    pub enforced: bool,
    /// Whether what it asks for was seen.
    pub consent: Consent,
    /// Whether the owner was shown the skill as its folder is, whatever it asks for.
    pub seen: bool,
    /// The limits that it puts on itself and that are enforced, as `shell: only git, gh`.
    pub limits: Vec<String>,
    /// The limits that it puts on itself and that do not hold, because the capability was granted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lifted: Vec<String>,
    /// What it says about its capabilities that is shown and not enforced.
    pub advisory: Vec<String>,
    /// What cannot be read in its declaration.
    pub problems: Vec<String>,
}

/// What community skills change for tools now: `policy` of `tarsus skills check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyReport {
    /// When limits apply: `active`, `loaded` or `off`.
    pub enforcement: String,
    /// Tools that are refused, whatever is granted.
    pub denied: Vec<String>,
    /// Tools that need a capability which is missing.
    pub gated: Vec<String>,
    /// Because of which skills, by tool; when they are many, the last entry says how many more there are.
    pub because: BTreeMap<String, Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_has_64_digits_in_lower_case_and_nothing_else_is_one() {
        let digits = "0123456789abcdef".repeat(4);
        let hash: ContentHash = digits.parse().unwrap();
        assert_eq!(hash.as_str(), digits);
        assert_eq!(serde_json::to_string(&hash).unwrap(), format!("\"{digits}\""));
        for text in
            ["", &digits[1..], &digits.to_uppercase(), &digits.replace('0', "é"), &format!("{digits}0")]
        {
            assert_eq!(text.parse::<ContentHash>(), Err(NotAHash), "{text}");
            assert!(serde_json::from_value::<ContentHash>(text.into()).is_err(), "{text}");
        }
    }
}
