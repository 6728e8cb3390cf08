//! Integration tests of the `tarsus` binary.

mod version;
