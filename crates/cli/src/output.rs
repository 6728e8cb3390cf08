//! Standard output and standard error: text or one JSON value, colours only on a terminal, a reader that has gone
//! is no error.

use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;
use tarsus_protocol::{CliFailure, ErrorCode, Problem};

use self::indented::Indented;
use crate::problem;

mod indented;

/// How to print.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// One JSON value instead of text.
    pub json: bool,
    /// Colours.
    pub colour: bool,
}

/// JSON is written in pieces of so many bytes.
const PIECE: usize = 64 * 1024;

/// Where a command prints.
pub struct Output {
    style: Style,
    stdout: AutoStream<io::Stdout>,
    failure: Option<io::Error>,
}

impl Output {
    /// Standard output in this style.
    pub fn new(style: Style) -> Self {
        let choice = if style.colour { ColorChoice::Always } else { ColorChoice::Never };
        Self { style, stdout: AutoStream::new(io::stdout(), choice), failure: None }
    }

    /// Whether JSON was asked for.
    pub fn is_json(&self) -> bool {
        self.style.json
    }

    /// One value in both forms: JSON when asked for, else the text that `text` makes of it.
    pub fn show<T: Serialize>(&mut self, value: &T, text: impl FnOnce(&T) -> String) -> Result<(), Problem> {
        if self.style.json { self.json(value) } else { self.text(&text(value)) }
    }

    /// One JSON value, for people and programs alike.
    pub fn json<T: Serialize>(&mut self, value: &T) -> Result<(), Problem> {
        self.write_json(|stdout| {
            value.serialize(&mut serde_json::Serializer::with_formatter(stdout, Indented::default()))
        })
    }

    /// One of many JSON values, each on a line of its own.
    pub fn json_line<T: Serialize>(&mut self, value: &T) -> Result<(), Problem> {
        self.write_json(|stdout| serde_json::to_writer(stdout, value))
    }

    /// JSON goes out as it is made: it may be large, and holds no colours to look for.
    fn write_json(
        &mut self,
        write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> serde_json::Result<()>,
    ) -> Result<(), Problem> {
        if self.failure.is_none() {
            let mut stdout = BufWriter::with_capacity(PIECE, io::stdout().lock());
            let written = write(&mut stdout).map_err(io::Error::from);
            self.failure = written.and_then(|()| stdout.write_all(b"\n")).and_then(|()| stdout.flush()).err();
        }
        self.finish()
    }

    /// Text, with a line break at its end.
    pub fn text(&mut self, text: &str) -> Result<(), Problem> {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        self.bytes(format!("{text}{end}").as_bytes())
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        if self.failure.is_none() {
            self.failure = self.stdout.write_all(bytes).and_then(|()| self.stdout.flush()).err();
        }
        self.finish()
    }

    /// A writer for what comes in many pieces. A failure is kept for [`Output::finish`].
    pub fn stream(&mut self) -> impl Write {
        Stream(self)
    }

    /// Says whether everything arrived. A reader that has gone (`| head`) has what it wanted.
    pub fn finish(&self) -> Result<(), Problem> {
        match &self.failure {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Problem::new(ErrorCode::Io, format!("cannot write to standard output: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// A remark beside the answer, for people, on standard error.
    pub fn note(&mut self, text: &str) {
        // Whoever cannot be told this still gets the answer.
        writeln!(io::stderr(), "note: {text}").ok();
    }

    /// Whether nobody reads any more: who asks and waits for answers ends then.
    pub fn is_unread(&self) -> bool {
        self.failure.is_some()
    }

    /// An error: as JSON on standard output, else as text on standard error.
    pub fn problem(&mut self, problem: &Problem, user_home: Option<&Path>) {
        if self.style.json {
            // If even this cannot be printed, the exit code still says that it failed.
            self.json(&CliFailure::from(problem.clone())).ok();
            return;
        }
        let choice = if self.style.colour { ColorChoice::Auto } else { ColorChoice::Never };
        let mut stderr = AutoStream::new(io::stderr(), choice);
        stderr.write_all(problem::render(problem, user_home).as_bytes()).ok();
    }
}

struct Stream<'a>(&'a mut Output);

impl Write for Stream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.stdout.write(bytes).map_err(|error| {
            let copy = io::Error::from(error.kind());
            self.0.failure = Some(error);
            copy
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.stdout.flush()
    }
}
