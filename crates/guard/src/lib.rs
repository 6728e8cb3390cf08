//! What may happen: capabilities, tool tiers, exec policy, approvals and the proof that a call was checked.
//!
//! An empty room: its purpose is fixed, its code has not been written yet.
#![forbid(unsafe_code)]
