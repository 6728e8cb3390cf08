//! Follows one run from its start to the end of the last process of its group.
//!
//! Input, both outputs, the clock, a stop and the exit are watched together, so that none of them can
//! hold up another. The steps an end goes through are [`Phase`]s, each with a time limit.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::captured::Keeper;
use super::group::Group;
use super::{Chunk, EndedBy, Outcome, ProcessError, Run, Stopper, Stream};
use crate::clock::deadline;

/// How long the system may take to end what was killed.
const KILL_WAIT: Duration = Duration::from_secs(2);
/// How soon a group that cannot announce its end is looked at first; each look waits longer than the last.
const FIRST_LOOK: Duration = Duration::from_millis(2);
/// The longest wait between two looks.
const LAST_LOOK: Duration = Duration::from_millis(100);
/// How much is read at once.
const READ: usize = 16 * 1024;

/// Where a run is on its way to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The program runs, until its time-out.
    Running,
    /// The program has ended by itself; others may still write.
    Lingering,
    /// All were asked to end, and have the grace to do so.
    Asked,
    /// All were killed.
    Killed,
    /// All have ended; what is in the pipes is read, unless a stranger holds them open.
    Draining,
}

impl Phase {
    const fn waits_for_group(self) -> bool {
        matches!(self, Self::Asked | Self::Killed)
    }
}

pub(super) async fn supervise(
    mut group: Group,
    mut run: Run,
    sink: Option<mpsc::Sender<Chunk>>,
    stop: Stopper,
) -> Result<Outcome, ProcessError> {
    let (pid, stdin) = (group.pid(), run.stdin.take().unwrap_or_default());
    let lost = |source| ProcessError::Lost { program: run.program.clone(), pid, source };

    let started = Instant::now();
    let (input, stdout, stderr) = group.take_pipes();
    let mut stdout = Pipe::new(Stream::Stdout, stdout, run.output_cap, sink.clone());
    let mut stderr = Pipe::new(Stream::Stderr, stderr, run.output_cap, sink);
    let mut feed = std::pin::pin!(feed(input, stdin));
    let mut feeding = true;

    let mut phase = Phase::Running;
    let mut timeout_at = deadline(run.timeout);
    let mut due = timeout_at;
    let mut ended_by = EndedBy::Itself;
    let mut status = None;
    let mut stopped = false;
    let mut look_after = FIRST_LOOK;
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
                if phase == Phase::Running {
                    (phase, due) = (Phase::Lingering, deadline(run.linger));
                }
            }
            () = stop.stopped(), if !stopped && !phase.waits_for_group() => {
                if phase == Phase::Running {
                    ended_by = EndedBy::Stop;
                }
                (stopped, is_due, timeout_at) = (true, true, Instant::now());
            }
            () = sleep_until(due) => {
                if phase == Phase::Running {
                    ended_by = EndedBy::TimeOut;
                }
                is_due = true;
            }
            // The exit announces itself; the end of the rest of the group does not.
            () = sleep_until(look_at), if status.is_some() && phase.waits_for_group() => {
                look = true;
                look_after = LAST_LOOK.min(look_after * 2);
                look_at = deadline(look_after);
            }
        }

        let behind = stdout.listener_is_behind() || stderr.listener_is_behind();
        let open = stdout.is_open() || stderr.is_open();
        let gone = status.is_some() && (is_due || look || !open) && group.is_gone();
        match phase {
            Phase::Running if !is_due => {}
            Phase::Lingering if !is_due && open => {}
            // Output that waits for its listener is not late.
            Phase::Lingering | Phase::Draining if is_due && behind && Instant::now() < timeout_at => {
                due = deadline(run.linger).min(timeout_at);
            }
            Phase::Lingering | Phase::Asked | Phase::Killed if gone && !open => break,
            Phase::Lingering | Phase::Asked | Phase::Killed if gone => {
                (phase, due) = (Phase::Draining, deadline(run.linger));
            }
            Phase::Running | Phase::Lingering => {
                group.ask_to_end();
                (phase, due) = (Phase::Asked, deadline(run.grace));
            }
            Phase::Asked if is_due => {
                group.kill();
                (phase, due) = (Phase::Killed, deadline(KILL_WAIT));
            }
            Phase::Killed | Phase::Draining if is_due => break,
            Phase::Draining if !open => break,
            Phase::Asked | Phase::Killed | Phase::Draining => {}
        }
    }

    match status {
        Some(status) => Ok(Outcome {
            exit: status.into(),
            ended_by,
            stdout: stdout.kept.finish(),
            stderr: stderr.kept.finish(),
            duration: started.elapsed(),
        }),
        None => Err(ProcessError::NotEnded { program: run.program, pid }),
    }
}

/// Writes the input and closes it. A program that does not want all of it is no error.
async fn feed(input: Option<ChildStdin>, bytes: Vec<u8>) -> io::Result<()> {
    let Some(mut input) = input else { return Ok(()) };
    match input.write_all(&bytes).await {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// One output stream: read, kept within its cap, passed on when somebody listens.
struct Pipe<R> {
    stream: Stream,
    reader: Option<R>,
    kept: Keeper,
    sink: Option<mpsc::Sender<Chunk>>,
    buffer: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Pipe<R> {
    fn new(stream: Stream, reader: Option<R>, cap: usize, sink: Option<mpsc::Sender<Chunk>>) -> Self {
        Self { stream, reader, kept: Keeper::new(cap), sink, buffer: vec![0; READ] }
    }

    const fn is_open(&self) -> bool {
        self.reader.is_some()
    }

    /// Whether somebody listens and has not taken yet what was handed over.
    fn listener_is_behind(&self) -> bool {
        let behind = |sink: &mpsc::Sender<Chunk>| sink.capacity() < sink.max_capacity();
        self.is_open() && self.sink.as_ref().is_some_and(|sink| !sink.is_closed() && behind(sink))
    }

    /// Reads once. Losing the future loses no output: room to pass it on is had before it is read.
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
            room.send(Chunk { stream: self.stream, bytes: bytes.to_vec() });
        }
        Ok(())
    }
}
