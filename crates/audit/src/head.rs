//! The head file: the end of the chain, sealed like a line so that it cannot be rolled back without the key.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::month::Month;
use crate::seal::{Hash, Seal};

/// Maximum size of a head file.
pub(crate) const MAX_BYTES: u64 = 1024;

/// Domain separation: the seal of a head is never the hash of a line.
const CONTEXT: &[u8] = b"head of the chain";

/// The end of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Head {
    /// The number of the last line; 0 if there is none.
    pub seq: u64,
    /// The hash of the last line.
    pub hash: Hash,
    /// The month whose file has it.
    pub month: Option<Month>,
    /// The length of that file up to its end.
    pub bytes: u64,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    #[serde(flatten)]
    head: Head,
    seal: Hash,
}

impl Head {
    /// Head of an empty chain.
    pub(crate) const EMPTY: Self = Self { seq: 0, hash: Hash::NONE, month: None, bytes: 0 };

    pub(crate) fn encode(&self, seal: &Seal) -> Result<Vec<u8>, serde_json::Error> {
        let mut text = serde_json::to_vec(&Sealed { head: *self, seal: self.seal_hash(seal)? })?;
        text.push(b'\n');
        Ok(text)
    }

    /// `None` unless the bytes are exactly what [`Head::encode`] returns with this key.
    pub(crate) fn parse(bytes: &[u8], seal: &Seal) -> Option<Self> {
        let head = serde_json::from_slice::<Sealed>(bytes).ok()?.head;
        (head.encode(seal).ok()? == bytes).then_some(head)
    }

    fn seal_hash(&self, seal: &Seal) -> Result<Hash, serde_json::Error> {
        Ok(seal.hash(&[&serde_json::to_vec(self)?, CONTEXT]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_byte_of_a_head_is_detected() {
        let seal = Seal::new(&[7; 32]);
        let month = Some("2026-11".parse().unwrap());
        let head = Head { seq: 12, hash: Hash::NONE, month, bytes: 345 };
        let bytes = head.encode(&seal).unwrap();
        assert_eq!(Head::parse(&bytes, &seal), Some(head));
        assert_eq!(Head::parse(&bytes, &Seal::new(&[8; 32])), None);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(Head::parse(&changed, &seal), None, "{at}");
            assert_eq!(Head::parse(&bytes[..at], &seal), None, "{at}");
        }
        assert!(bytes.len() as u64 <= MAX_BYTES);
    }
}
