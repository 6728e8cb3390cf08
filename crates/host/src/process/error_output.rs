//! The errors of a program that outlives us: read while it is watched, and then by a drain. A pipe that nobody reads would
//! end the program, or make it wait, as soon as it prints again.

use std::ffi::OsString;
use std::future::Future;
use std::path::PathBuf;
use std::process::Stdio;

use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;
use tokio::runtime::Handle;

use super::captured::{CapturedOutput, OutputBuffer};
use super::detached::spawn;
use super::group::command;
use super::{DetachedCommand, Env};

/// Most bytes that are kept.
const MAX_BYTES: usize = 4 * 1024;

/// As many reads as empty a full pipe.
const MAX_READS: usize = 64;

#[derive(Debug)]
pub(super) struct ErrorOutput {
    /// `None` once nobody can write to it.
    pipe: Option<ChildStderr>,
    captured: OutputBuffer,
    drain: Vec<OsString>,
    env: Env,
    cwd: PathBuf,
}

impl ErrorOutput {
    pub(super) fn new(pipe: ChildStderr, launch: &DetachedCommand) -> Self {
        Self {
            pipe: Some(pipe),
            captured: OutputBuffer::new(MAX_BYTES),
            drain: launch.drain.clone(),
            env: launch.env.clone(),
            cwd: launch.cwd.clone(),
        }
    }

    /// Reads until `ended` is over. A program may still print after that.
    pub(super) async fn read_until<T>(&mut self, ended: impl Future<Output = T>) -> T {
        tokio::pin!(ended);
        let mut buffer = [0; 1024];
        while let Some(pipe) = &mut self.pipe {
            tokio::select! {
                biased;
                over = &mut ended => return over,
                read = pipe.read(&mut buffer) => match read {
                    Ok(count @ 1..) => self.captured.push(&buffer[..count]),
                    Ok(0) | Err(_) => self.pipe = None,
                },
            }
        }
        ended.await
    }

    /// Everything printed so far.
    pub(super) fn captured(&mut self) -> CapturedOutput {
        self.read_available();
        self.captured.clone().finish()
    }

    /// Reads what is in the pipe, without waiting.
    fn read_available(&mut self) {
        let mut buffer = [0; 1024];
        // Bounded, because a program may print without a pause.
        for _ in 0..MAX_READS {
            let Some(pipe) = &self.pipe else { return };
            match rustix::io::read(pipe, &mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => self.captured.push(&buffer[..count]),
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    /// Starts the drain. If that fails, the program gets an error when it prints, as after a crash of the drain.
    fn hand_over(&mut self) -> Option<()> {
        let mut rest = [0; 1024];
        let is_closed = rustix::io::read(self.pipe.as_ref()?, &mut rest) == Ok(0);
        // Without a runtime, nothing can be started.
        if is_closed || Handle::try_current().is_err() {
            return None;
        }
        let input = self.pipe.take()?.into_owned_fd().ok()?;
        let (program, args) = self.drain.split_first()?;
        let mut drain = command(program.as_ref(), &self.env, &self.cwd).ok()?;
        drain.args(args).stdin(Stdio::from(input)).stdout(Stdio::null()).stderr(Stdio::null());
        // The runtime reaps it.
        spawn(drain).ok().map(drop)
    }
}

impl Drop for ErrorOutput {
    fn drop(&mut self) {
        let _best_effort = self.hand_over();
    }
}
