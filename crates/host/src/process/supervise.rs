//! Supervises a program from its start to the end of the last process of its group.
//!
//! Input, both outputs, the clock, stop and exit are awaited together, so that none blocks another. The end goes through
//! [`Phase`]s, each with a time limit.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::captured::OutputBuffer;
use super::group::ProcessGroup;
use super::{EndCause, OutputChunk, OutputStream, ProcessError, ProcessOutcome, ProcessSpec, StopHandle};
use crate::clock::deadline;

/// The time for a killed group to be gone.
const KILL_WAIT: Duration = Duration::from_secs(2);
/// The first interval at which a group is polled; later ones are longer.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(2);
/// The longest interval.
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(100);
const READ: usize = 16 * 1024;

/// The phases of a program's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Running, until its timeout.
    RunningProcess,
    /// The program has ended; others of its group may still write.
    Lingering,
    /// Terminated, within the grace period.
    TerminateOutcome,
    /// The process was killed.
    Killed,
    /// All have ended; the pipes are drained, unless another process holds them open.
    Draining,
}

impl Phase {
    const fn waits_for_group(self) -> bool {
        matches!(self, Self::TerminateOutcome | Self::Killed)
    }
}

pub(super) async fn supervise(
    mut group: ProcessGroup,
    mut run: ProcessSpec,
    sink: Option<mpsc::Sender<OutputChunk>>,
    stop: StopHandle,
) -> Result<ProcessOutcome, ProcessError> {
    let (pid, stdin) = (group.pid(), run.stdin.take().unwrap_or_default());
    let lost = |source| ProcessError::Lost { program: run.program.clone(), pid, source };

    let started = Instant::now();
    let (input, stdout, stderr) = group.take_pipes();
    let mut stdout = Pipe::new(OutputStream::Stdout, stdout, run.output_cap, sink.clone());
    let mut stderr = Pipe::new(OutputStream::Stderr, stderr, run.output_cap, sink);
    let mut feed = std::pin::pin!(feed(input, stdin));
    let mut feeding = true;

    let mut phase = Phase::RunningProcess;
    let mut timeout_at = deadline(run.timeout);
    let mut due = timeout_at;
    let mut ended_by = EndCause::Itself;
    let mut status = None;
    let mut stopped = false;
    let mut look_after = MIN_POLL_INTERVAL;
    let mut look_at = started;

    loop {
        let (mut is_due, mut look) = (false, false);
        tokio::select! {
            read = stdout.read(), if stdout.is_open() => read.map_err(lost)?,
            read = stderr.read(), if stderr.is_open() => read.map_err(lost)?,
            fed = &mut feed, if feeding => {
                fed.map_err(lost)?;
                feeding = false;
            }
            exit = group.exit(), if status.is_none() => {
                status = Some(exit.map_err(lost)?);
                if phase == Phase::RunningProcess {
                    (phase, due) = (Phase::Lingering, deadline(run.linger));
                }
            }
            () = stop.stopped(), if !stopped && !phase.waits_for_group() => {
                if phase == Phase::RunningProcess {
                    ended_by = EndCause::Stop;
                }
                (stopped, is_due, timeout_at) = (true, true, Instant::now());
            }
            () = sleep_until(due) => {
                if phase == Phase::RunningProcess {
                    ended_by = EndCause::TimeOut;
                }
                is_due = true;
            }
            // The exit is reported; the end of the rest of the group is polled.
            () = sleep_until(look_at), if status.is_some() && phase.waits_for_group() => {
                look = true;
                look_after = MAX_POLL_INTERVAL.min(look_after * 2);
                look_at = deadline(look_after);
            }
        }

        let behind = stdout.listener_is_behind() || stderr.listener_is_behind();
        let open = stdout.is_open() || stderr.is_open();
        let gone = status.is_some() && (is_due || look || !open) && group.is_gone();
        match phase {
            Phase::RunningProcess if !is_due => {}
            Phase::Lingering if !is_due && open => {}
            // Output that waits for its reader is not late.
            Phase::Lingering | Phase::Draining if is_due && behind && Instant::now() < timeout_at => {
                due = deadline(run.linger).min(timeout_at);
            }
            Phase::Lingering | Phase::TerminateOutcome | Phase::Killed if gone && !open => break,
            Phase::Lingering | Phase::TerminateOutcome | Phase::Killed if gone => {
                (phase, due) = (Phase::Draining, deadline(run.linger));
            }
            Phase::RunningProcess | Phase::Lingering => {
                group.terminate();
                (phase, due) = (Phase::TerminateOutcome, deadline(run.grace));
            }
            Phase::TerminateOutcome if is_due => {
                group.kill();
                (phase, due) = (Phase::Killed, deadline(KILL_WAIT));
            }
            Phase::Killed | Phase::Draining if is_due => break,
            Phase::Draining if !open => break,
            Phase::TerminateOutcome | Phase::Killed | Phase::Draining => {}
        }
    }

    match status {
        Some(status) => Ok(ProcessOutcome {
            exit: status.into(),
            ended_by,
            stdout: stdout.kept.finish(),
            stderr: stderr.kept.finish(),
            duration: started.elapsed(),
        }),
        None => Err(ProcessError::NotEnded { program: run.program, pid }),
    }
}

/// Writes the input and closes it. A program that does not read all of it is not an error.
async fn feed(input: Option<ChildStdin>, bytes: Vec<u8>) -> io::Result<()> {
    let Some(mut input) = input else { return Ok(()) };
    match input.write_all(&bytes).await {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// One output stream: captured within its limit and forwarded to a reader.
struct Pipe<R> {
    stream: OutputStream,
    reader: Option<R>,
    kept: OutputBuffer,
    sink: Option<mpsc::Sender<OutputChunk>>,
    buffer: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Pipe<R> {
    fn new(
        stream: OutputStream,
        reader: Option<R>,
        cap: usize,
        sink: Option<mpsc::Sender<OutputChunk>>,
    ) -> Self {
        Self { stream, reader, kept: OutputBuffer::new(cap), sink, buffer: vec![0; READ] }
    }

    const fn is_open(&self) -> bool {
        self.reader.is_some()
    }

    /// Whether the reader has not yet taken the last chunk.
    fn listener_is_behind(&self) -> bool {
        let behind = |sink: &mpsc::Sender<OutputChunk>| sink.capacity() < sink.max_capacity();
        self.is_open() && self.sink.as_ref().is_some_and(|sink| !sink.is_closed() && behind(sink))
    }

    /// Reads once. Cancel safe: room to forward is reserved before reading.
    async fn read(&mut self) -> io::Result<()> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let room = match &self.sink {
            Some(sink) => sink.reserve().await.ok(),
            None => None,
        };
        let length = reader.read(&mut self.buffer).await?;
        if length == 0 {
            self.reader = None;
            return Ok(());
        }
        let bytes = &self.buffer[..length];
        self.kept.push(bytes);
        if let Some(room) = room {
            room.send(OutputChunk { stream: self.stream, bytes: bytes.to_vec() });
        }
        Ok(())
    }
}
