//! Shared by the tests with real processes.

use std::path::Path;
use std::time::{Duration, Instant};

use tarsus_host::processes::{self, ProcessId};

/// How long a condition may take before the test fails; far more than it ever needs.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Waits until something is there.
#[allow(clippy::disallowed_methods, reason = "a test waits for a condition, with a deadline")]
pub async fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until a process has written its number to a file, and names it.
#[allow(clippy::disallowed_methods, reason = "a test reads what its own process wrote")]
#[allow(dead_code, reason = "not every test file has processes that write their number")]
pub async fn process_in(file: &Path) -> ProcessId {
    eventually("a pid in the file", || {
        let text = std::fs::read_to_string(file).ok()?;
        processes::identity(text.strip_suffix('\n')?.trim().parse().ok()?)
    })
    .await
}

/// Waits until a process has gone.
#[allow(dead_code, reason = "not every test file ends processes")]
pub async fn gone(process: ProcessId) {
    eventually("the process to end", || (!processes::is_running(process)).then_some(())).await;
}

/// Lets the timers of this runtime see that much time pass at once.
#[allow(dead_code, reason = "not every test file has timers")]
pub async fn time_passes(by: Duration) {
    tokio::time::pause();
    tokio::time::advance(by).await;
    tokio::time::resume();
}
