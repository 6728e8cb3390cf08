//! The provider's seal on a thought, kept with who gave it: it goes back to that model and to no other, because any
//! other refuses it.

use crate::catalog::Model;

/// A seal as it is kept: the dialect, the model, and the provider's own text.
pub(super) fn kept(model: &Model, seal: &str) -> String {
    format!("{}|{}|{seal}", model.dialect.as_str(), model.name)
}

/// The provider's own text, when the seal is this model's.
pub(super) fn own<'s>(model: &Model, kept: &'s str) -> Option<&'s str> {
    let rest = kept.strip_prefix(model.dialect.as_str())?.strip_prefix('|')?;
    rest.strip_prefix(model.name.as_str())?.strip_prefix('|')
}
