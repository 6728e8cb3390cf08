//! Integration tests of the crate, one binary.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests stop at the first failure and use files, sockets and processes directly"
)]

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod agent_mark_linux;
mod loopback;
mod path;
#[cfg(target_os = "linux")]
mod peer_linux;
#[cfg(unix)]
mod process_unix;
#[cfg(windows)]
mod process_windows;
mod processes;
#[cfg(unix)]
mod signals_unix;
mod support;
