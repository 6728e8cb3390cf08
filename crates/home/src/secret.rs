//! A value that cannot be printed or serialised by accident.

use std::fmt;

use serde::{Deserialize, Deserializer};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// A password, token or key. It is wiped from memory when dropped, and compared in constant time.
///
/// It can be deserialised, but only [`Secret::expose`] returns the value:
///
/// ```compile_fail,E0277
/// let secret = tarsus_home::Secret::new("hush");
/// format!("{secret}"); // no Display
/// ```
///
/// ```compile_fail,E0277
/// let secret = tarsus_home::Secret::new("hush");
/// serde_json::to_string(&secret).ok(); // no Serialize
/// ```
///
/// ```
/// let secret = tarsus_home::Secret::new("hush");
/// assert_eq!(format!("{secret:?}"), "Secret(…)");
/// assert_eq!(secret.expose(), "hush");
/// ```
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Wraps a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(Zeroizing::new(value.into()))
    }

    /// Returns the value.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// True if the value is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

impl Eq for Secret {}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_compares_the_whole_value() {
        let table =
            [("a", "a", true), ("a", "b", false), ("a", "ab", false), ("", "", true), ("é", "é", true)];
        for (left, right, equal) in table {
            assert_eq!(Secret::new(left) == Secret::new(right), equal, "{left:?} {right:?}");
        }
    }

    #[test]
    fn debug_shows_nothing_even_inside_other_values() {
        #[derive(Debug, Deserialize)]
        struct Account {
            #[expect(dead_code, reason = "read by Debug alone")]
            key: Secret,
        }
        let account: Account = serde_json::from_str(r#"{"key": "sk-hush"}"#).unwrap();
        assert_eq!(format!("{account:?}"), "Account { key: Secret(…) }");
        assert_eq!(format!("{:#?}", Some(Secret::new("hush"))), "Some(\n    Secret(…),\n)");
    }
}
