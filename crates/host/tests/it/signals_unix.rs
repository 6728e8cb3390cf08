//! Requests to end, as real signals to this process.

use rustix::process::{Signal as Sent, getpid, kill_process};
use tarsus_host::signals::{Signal, Signals};

#[tokio::test]
async fn every_shutdown_signal_is_reported() {
    let mut signals = Signals::listen().unwrap();
    for (sent, expected) in [
        (Sent::TERM, Signal::Terminate),
        (Sent::INT, Signal::Interrupt),
        (Sent::INT, Signal::Interrupt),
        (Sent::HUP, Signal::Hangup),
    ] {
        kill_process(getpid(), sent).unwrap();
        assert_eq!(signals.next().await, expected);
    }
}
