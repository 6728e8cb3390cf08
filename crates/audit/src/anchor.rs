//! The anchor: the end of the chain, kept outside of its folder.
//!
//! The record is written first and the anchor follows, so after a crash the anchor may be behind. A chain that does not
//! contain the anchored record is shorter than it was, or another one.

use std::fmt;
use std::path::Path;

use tarsus_home::files::Durability;
use tarsus_protocol::Problem;

use crate::head::Head;

/// Where the end of the chain is kept beside its folder. Used under the lock of the chain, except for reports.
pub trait Anchor: fmt::Debug + Send + Sync {
    /// Returns the end that was stored last; `None` if none ever was. Creates nothing.
    ///
    /// # Errors
    /// When it cannot be read.
    fn load(&self) -> Result<Option<Head>, Problem>;

    /// Stores the end of the chain.
    ///
    /// # Errors
    /// When it cannot be written; the earlier one stays.
    fn save(&self, head: &Head, durability: Durability) -> Result<(), Problem>;

    /// The file that holds it, for messages.
    fn path(&self) -> &Path;
}
