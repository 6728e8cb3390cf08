//! The Application Manager: registry, launch policy, matching, launching and stopping, the conversation.
//!
//! An empty room: its purpose is fixed, its code has not been written yet.
#![forbid(unsafe_code)]
