//! Protocol conformance of a gateway: a client that can also misbehave, signing devices, and the suite that
//! `cargo run -p tarsus-conformance -- ws://…` runs against any address.
#![forbid(unsafe_code)]

pub mod changes;
pub mod client;
pub mod device;
mod holders;
pub mod params;
pub mod strangers;
pub mod suite;

pub use client::{Client, Opened, Received, detail_code, number};
pub use device::Device;
pub use holders::holders;
