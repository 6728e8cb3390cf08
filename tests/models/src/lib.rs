//! A scripted model server. A conversation is written once and played in whichever dialect it is asked in: whole, in
//! pieces of any size, held until a test lets it go on, cut off, with errors, or byte by byte as it was recorded. It keeps
//! every request, so that tests compare whole requests.
//!
//! ```
//! use tarsus_test_models::{Reply, Say, Server};
//!
//! let server = Server::playing([Reply::says([Say::text("Hello")]), Reply::failing(429, "slow down")]);
//! assert!(server.address().ip().is_loopback());
//! assert_eq!(server.requests(), []);
//! ```
#![forbid(unsafe_code)]

mod encode;
mod gate;
mod http;
mod script;
mod server;

pub use encode::events;
pub use gate::Gate;
pub use http::Recorded;
pub use script::{Reply, Say, Script};
pub use server::Server;
