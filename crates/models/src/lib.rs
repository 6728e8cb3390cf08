//! Language-model providers: one streaming trait, one file a wire format.
//!
//! An empty room: its purpose is fixed, its code has not been written yet.
#![forbid(unsafe_code)]
