//! A scripted model server for tests. Replies are encoded in the dialect of the request. They can be split, paused, cut
//! off, replaced by errors, or replayed from a recording. All requests are recorded.
//!
//! ```
//! use tarsus_test_models::{Reply, Chunk, Server};
//!
//! let server = Server::with_replies([Reply::answer([Chunk::text("Hello")]), Reply::failing(429, "slow down")]);
//! assert!(server.address().ip().is_loopback());
//! assert_eq!(server.requests(), []);
//! ```
#![forbid(unsafe_code)]

mod encode;
mod gate;
mod http;
mod script;
mod server;

pub use encode::encode_events;
pub use gate::Gate;
pub use http::RecordedRequest;
pub use script::{Chunk, Reply, Script};
pub use server::Server;
