//! A gateway among clients without credentials: how fast it answers known ones, what memory the others take, and how
//! long they last.

use std::time::{Duration, Instant};

use serde_json::json;
use tarsus_conformance::strangers::Strangers;

use crate::program::Started;
use crate::wire::{connected, runtime};

/// Requests of known clients while the strangers hold on.
const ROUNDS: usize = 100;

/// What was measured among strangers.
#[derive(Debug)]
pub struct AmongStrangers {
    /// Requests on a socket that was open before.
    pub open: Vec<Duration>,
    /// Handshakes and requests of new clients.
    pub new: Vec<Duration>,
    /// The most memory beyond that without strangers.
    pub memory: u64,
    /// From the last stranger's arrival until none has a connection any more.
    pub given_back: Duration,
    /// Memory beyond that before, once all are gone.
    pub kept: u64,
}

/// Connects so many strangers, who send what they can, and measures until the last one was closed.
pub fn measure(started: &Started, number: usize) -> AmongStrangers {
    raise_file_limit();
    let health = json!({ "probe": false });
    runtime().block_on(async {
        let mut known = connected(started).await;
        for _ in 0..ROUNDS {
            connected(started).await.raw_result("health", &health).await;
        }
        let before = started.memory().unwrap_or_default();
        let beyond = || started.memory().unwrap_or_default().saturating_sub(before);
        let mut strangers = Strangers::connect(started.port, number).await;
        let arrived = Instant::now();
        let (mut open, mut new, mut memory) = (Vec::new(), Vec::new(), beyond());
        for _ in 0..ROUNDS {
            strangers.push();
            let begun = Instant::now();
            known.raw_result("health", &health).await;
            open.push(begun.elapsed());
            let begun = Instant::now();
            connected(started).await.raw_result("health", &health).await;
            new.push(begun.elapsed());
            memory = memory.max(beyond());
        }
        while strangers.count_open() > 0 {
            strangers.push();
            tokio::task::yield_now().await;
        }
        let given_back = arrived.elapsed();
        drop(strangers);
        AmongStrangers { open, new, memory, given_back, kept: beyond() }
    })
}

/// Each stranger is a file of this process.
#[cfg(unix)]
fn raise_file_limit() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};

    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).expect("the limit can be read");
    setrlimit(Resource::RLIMIT_NOFILE, most, most).expect("the limit can be raised as far as allowed");
}

#[cfg(not(unix))]
fn raise_file_limit() {}
