//! The keyed hash that closes a line, and its text form.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, KeyInit, Mac};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Sha256;

/// An HMAC-SHA-256, written as 64 lowercase hexadecimal digits and in no other way.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// Predecessor hash of the first line.
    pub const NONE: Self = Self([0; 32]);
    /// Length of the text form.
    pub(crate) const DIGITS: usize = 64;

    /// Text form as ASCII bytes.
    pub(crate) fn digits(&self) -> [u8; Self::DIGITS] {
        let mut digits = [0; Self::DIGITS];
        for (pair, byte) in digits.as_chunks_mut().0.iter_mut().zip(self.0) {
            *pair = [byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[usize::from(digit)]);
        }
        digits
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(str::from_utf8(&self.digits()).unwrap_or_default())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

/// A text that is not a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a hash has 64 lowercase hexadecimal digits")]
pub struct ParseHashError;

impl FromStr for Hash {
    type Err = ParseHashError;

    fn from_str(text: &str) -> Result<Self, ParseHashError> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(ParseHashError),
        };
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return Err(ParseHashError) };
        let pairs: &[[u8; 2]; 32] = pairs.try_into().map_err(|_| ParseHashError)?;
        let mut hash = [0; 32];
        for (byte, [high, low]) in hash.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(hash))
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Hash {
    fn schema_name() -> Cow<'static, str> {
        "Hash".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9a-f]{64}$" })
    }
}

/// HMAC with the key of a chain.
#[derive(Clone)]
pub(crate) struct Seal(Hmac<Sha256>);

impl Seal {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        // HMAC pads a short key with zeros; a full block cannot have a wrong length.
        let mut block = [0; 64];
        block[..key.len()].copy_from_slice(key);
        Self(<Hmac<Sha256> as KeyInit>::new(&block.into()))
    }

    /// Hashes `parts`; all but the first must have a fixed length, so that the concatenation is unambiguous.
    pub(crate) fn hash(&self, parts: &[&[u8]]) -> Hash {
        Hash(self.mac(parts).finalize().into_bytes().into())
    }

    /// Verifies the hash of `parts`, in constant time.
    pub(crate) fn verify(&self, parts: &[&[u8]], hash: &Hash) -> bool {
        self.mac(parts).verify_slice(&hash.0).is_ok()
    }

    fn mac(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        parts.iter().for_each(|part| mac.update(part));
        mac
    }
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_has_one_text_form() {
        let text = "00ff".repeat(16);
        let hash: Hash = text.parse().unwrap();
        assert_eq!(hash.to_string(), text);
        assert_eq!(serde_json::to_string(&hash).unwrap(), format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<Hash>(&format!("\"{text}\"")).unwrap(), hash);
        for bad in ["", "0", &text[1..], &text.to_uppercase(), &format!("{text}00"), &"é".repeat(32)] {
            assert_eq!(bad.parse::<Hash>(), Err(ParseHashError), "{bad}");
        }
    }

    #[test]
    fn the_hash_matches_the_rfc_4231_vector() {
        // RFC 4231, test case 1, with its key padded to our length (HMAC pads with zeros anyway).
        let mut key = [0; 32];
        key[..20].fill(0x0b);
        let hash = Seal::new(&key).hash(&[b"Hi ", b"There"]);
        let expected = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
        assert_eq!(hash.to_string(), expected);
        assert!(Seal::new(&key).verify(&[b"Hi There"], &hash));
        assert!(!Seal::new(&key).verify(&[b"Hi there"], &hash));
    }
}
