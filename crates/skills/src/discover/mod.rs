//! Finding skills: what lies below a root, what of it is a skill, and what is not and why.
//!
//! Promises: the same files give the same result, on any number of threads; nothing outside a root is read unless its
//! links may lead there; a file that did not change is not read again. Leaves to others: which of several skills with
//! one name counts ([`Catalog`](crate::Catalog)).

mod folder;
mod found;
mod in_order;
mod order;
mod origin;
mod read;
mod shelf;
mod walk;

pub use found::{Found, Limit, LimitReached, SkipReason, Skipped, Stat};
pub(crate) use in_order::in_order;
pub use origin::PLACE as ORIGIN;
pub use shelf::Shelf;
