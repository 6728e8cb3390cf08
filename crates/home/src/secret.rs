//! A value that cannot be printed or serialised by accident.

/// (being written)
pub struct Secret;
