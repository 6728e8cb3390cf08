//! The server: HTTP on loopback, who may ask it, and the page.
//!
//! Reads top to bottom: `listen` binds, `serve` accepts, `access` decides, `http` answers, and a stop lets running
//! requests finish. Holds no rules of its own: answers come from the rooms below.
#![forbid(unsafe_code)]

pub mod access;
pub mod credentials;
pub mod failures;
pub mod http;
pub mod limits;
pub mod listen;
pub mod overview;
pub mod serve;
