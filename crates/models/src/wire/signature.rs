//! Reasoning signatures, stored with their model: they are sent back to that model only, as any other rejects them.

use crate::catalog::Model;

pub(super) fn encode(model: &Model, signature: &str) -> String {
    format!("{}|{}|{signature}", model.dialect.as_str(), model.name)
}

/// Returns the provider's signature if it is this model's.
pub(super) fn decode<'s>(model: &Model, kept: &'s str) -> Option<&'s str> {
    let rest = kept.strip_prefix(model.dialect.as_str())?.strip_prefix('|')?;
    rest.strip_prefix(model.name.as_str())?.strip_prefix('|')
}
