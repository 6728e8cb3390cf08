//! SKILL.md to entry to eligibility to snapshot to prompt block, with a reason for everything left out.
//!
//! An empty room: its purpose is fixed, its code has not been written yet.
#![forbid(unsafe_code)]
