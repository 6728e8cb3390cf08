//! Requests to end a command that waits: Ctrl-C, SIGTERM, a closed terminal.
//!
//! The command decides what the first one means. After a second one, or when the command has not ended in time, the
//! process ends, whatever the command is blocked by.

use std::io::Write;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tarsus_host::signals::{Signal, Signals};
use tarsus_protocol::{ErrorCode, ExitCode, Problem};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::sleep;

use crate::commands::runtime;

/// How long a command may take to end after the first request.
pub const USUAL_GRACE: Duration = Duration::from_secs(10);
/// How long a command may take to say that it was ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The requests, in the order in which they arrive. The system's default reactions are disabled.
pub struct StopRequests(UnboundedReceiver<Signal>);

impl StopRequests {
    /// Starts to listen, in a thread of its own. After the first request the command has `grace` to end.
    pub fn listen(grace: Duration) -> Result<Self, Problem> {
        let failed = |error: &dyn std::error::Error| Problem::new(ErrorCode::Failed, error.to_string());
        let runtime = runtime()?;
        let (sender, requests) = unbounded_channel();
        let (ready, listening) = mpsc::channel();
        let watch = move || {
            runtime.block_on(async {
                let signals = Signals::listen();
                // The receiver waits below.
                match signals {
                    Err(error) => drop(ready.send(Err(error))),
                    Ok(signals) => {
                        drop(ready.send(Ok(())));
                        end_after(signals, &sender, grace).await;
                    }
                }
            });
        };
        thread::Builder::new().name("signals".to_owned()).spawn(watch).map_err(|error| failed(&error))?;
        listening.recv().map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
        Ok(Self(requests))
    }

    /// Waits for the next request.
    pub async fn next(&mut self) -> Signal {
        match self.0.recv().await {
            Some(signal) => signal,
            // The process is about to end.
            None => std::future::pending().await,
        }
    }
}

/// Passes requests on and ends the process when it is due.
async fn end_after(mut signals: Signals, sender: &UnboundedSender<Signal>, grace: Duration) {
    // The command may have ended already.
    sender.send(signals.next().await).ok();
    tokio::select! {
        again = signals.next() => drop(sender.send(again)),
        () = sleep(grace) => {
            let seconds = grace.as_secs();
            let line = format!("error: interrupted; the command did not end within {seconds} seconds");
            // Nobody may read it.
            writeln!(std::io::stderr(), "{line}").ok();
        }
    }
    sleep(LAST_WORDS).await;
    std::process::exit(ExitCode::Interrupted as i32);
}
