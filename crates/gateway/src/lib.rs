//! The server: HTTP and sockets on loopback, who may ask, what is answered, and the page.
//!
//! Reads top to bottom: `listen` binds, `serve` accepts, `access` decides, `http` answers or hands over to `socket`,
//! which shakes hands and passes requests to `rpc`; a stop lets running requests finish. Holds no rules of its own:
//! answers come from the rooms below.
#![forbid(unsafe_code)]

pub mod access;
mod assets;
pub mod blocks;
mod chat;
pub mod credentials;
pub mod devices;
pub mod events;
pub mod failures;
pub mod gateway;
pub mod http;
mod installs;
pub mod limits;
pub mod listen;
mod openai;
pub mod overview;
mod recent;
pub mod reload;
pub mod removals;
pub mod rpc;
pub mod serve;
pub mod skills;
pub mod socket;
mod unique;

pub use gateway::Gateway;
pub use unique::unique;
