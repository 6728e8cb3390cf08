//! Durable truth in SQLite: sessions, transcripts, runs, jobs, outbox.
//!
//! An empty room: its purpose is fixed, its code has not been written yet.
#![forbid(unsafe_code)]
