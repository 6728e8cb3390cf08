//! The prompt, the turn loop, the tools and memory.
//!
//! An empty room: its purpose is fixed, its code has not been written yet.
#![forbid(unsafe_code)]
