//! Cron, heartbeat, sub-agents, delivery, channels.
//!
//! An empty room: its purpose is fixed, its code has not been written yet.
#![forbid(unsafe_code)]
