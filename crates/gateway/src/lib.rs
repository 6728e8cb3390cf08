//! The gateway server: HTTP and WebSockets on loopback, access control, RPC methods and the embedded page.
//!
//! Reads top to bottom: `listen` binds, `serve` accepts, `access` decides, `http` answers or hands over to `socket`,
//! which performs the handshake and passes requests to `rpc`; a stop lets running requests finish. Domain rules live
//! in the crates below.
#![forbid(unsafe_code)]

pub mod access;
mod assets;
mod body_budget;
mod chat;
mod connections;
pub mod devices;
pub mod events;
pub mod failures;
pub mod gateway;
pub mod http;
mod installs;
pub mod limits;
pub mod listen;
mod openai;
pub mod peer;
mod recent;
pub mod reload;
pub mod rpc;
pub mod running;
pub mod serve;
pub mod skills;
pub mod socket;

pub use gateway::Gateway;
