//! Requests to end this process, in the order in which they arrive.
//!
//! The caller decides what a request, or a second one, means.

use std::io;

/// A request to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C, or Ctrl-Break on Windows.
    Interrupt,
    /// SIGTERM, or the end of a Windows session: shutdown or log-off.
    Terminate,
    /// The terminal was closed: SIGHUP, or the console window on Windows.
    Hangup,
}

/// Listening for requests failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen for requests to end this program")]
pub struct ListenError(#[from] io::Error);

/// Listens for requests to end from its creation on; the system's default reactions are disabled.
#[derive(Debug)]
pub struct Signals(source::Source);

impl Signals {
    /// Starts to listen. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// When the system allows no further listener.
    pub fn listen() -> Result<Self, ListenError> {
        Ok(Self(source::Source::listen()?))
    }

    /// Waits for the next request.
    pub async fn next(&mut self) -> Signal {
        self.0.next().await
    }
}

#[cfg(unix)]
mod source {
    use std::io;

    use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

    use super::Signal;

    #[derive(Debug)]
    pub(super) struct Source {
        interrupt: Stream,
        terminate: Stream,
        hangup: Stream,
    }

    impl Source {
        pub(super) fn listen() -> io::Result<Self> {
            Ok(Self {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
                hangup: signal(SignalKind::hangup())?,
            })
        }

        pub(super) async fn next(&mut self) -> Signal {
            tokio::select! {
                Some(()) = self.interrupt.recv() => Signal::Interrupt,
                Some(()) = self.terminate.recv() => Signal::Terminate,
                Some(()) = self.hangup.recv() => Signal::Hangup,
                else => std::future::pending().await,
            }
        }
    }
}

#[cfg(windows)]
mod source {
    use std::io;

    use tokio::signal::windows::{
        CtrlBreak, CtrlC, CtrlClose, CtrlLogoff, CtrlShutdown, ctrl_break, ctrl_c, ctrl_close, ctrl_logoff,
        ctrl_shutdown,
    };

    use super::Signal;

    #[derive(Debug)]
    pub(super) struct Source {
        c: CtrlC,
        r#break: CtrlBreak,
        close: CtrlClose,
        logoff: CtrlLogoff,
        shutdown: CtrlShutdown,
    }

    impl Source {
        pub(super) fn listen() -> io::Result<Self> {
            Ok(Self {
                c: ctrl_c()?,
                r#break: ctrl_break()?,
                close: ctrl_close()?,
                logoff: ctrl_logoff()?,
                shutdown: ctrl_shutdown()?,
            })
        }

        pub(super) async fn next(&mut self) -> Signal {
            tokio::select! {
                Some(()) = self.c.recv() => Signal::Interrupt,
                Some(()) = self.r#break.recv() => Signal::Interrupt,
                Some(()) = self.close.recv() => Signal::Hangup,
                Some(()) = self.logoff.recv() => Signal::Terminate,
                Some(()) = self.shutdown.recv() => Signal::Terminate,
                else => std::future::pending().await,
            }
        }
    }
}
