//! Standard output and standard error: text or one JSON value, colours only on a terminal. A closed pipe is not an
//! error.

use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;
use serde_json::Value;
use tarsus_protocol::{CliFailure, ErrorCode, Problem};

use self::indented::IndentedFormatter;
use crate::problem;

mod indented;

#[derive(Debug, Clone, Copy)]
pub struct Style {
    pub json: bool,
    pub colour: bool,
}

const JSON_BUFFER_BYTES: usize = 64 * 1024;

/// The output of a command. Write failures are kept; after the first, nothing more is written.
pub struct Output {
    style: Style,
    stdout: AutoStream<io::Stdout>,
    failure: Option<io::Error>,
    /// Remarks that are part of the result.
    notes: Vec<String>,
}

impl Output {
    pub fn new(style: Style) -> Self {
        let choice = if style.colour { ColorChoice::Always } else { ColorChoice::Never };
        Self { style, stdout: AutoStream::new(io::stdout(), choice), failure: None, notes: Vec::new() }
    }

    pub fn is_json(&self) -> bool {
        self.style.json
    }

    /// Prints a value as JSON if requested, else as the text that `text` makes of it.
    pub fn show<T: Serialize>(&mut self, value: &T, text: impl FnOnce(&T) -> String) -> Result<(), Problem> {
        if self.style.json { self.json(value) } else { self.text(&text(value)) }
    }

    /// Prints one indented JSON value, with the notes of the result.
    pub fn json<T: Serialize>(&mut self, value: &T) -> Result<(), Problem> {
        let notes = std::mem::take(&mut self.notes);
        self.write_json(|stdout| {
            let mut serializer = serde_json::Serializer::with_formatter(stdout, IndentedFormatter::default());
            match serde_json::to_value(value) {
                Ok(Value::Object(mut members)) if !notes.is_empty() => {
                    members.insert("notes".to_owned(), notes.into());
                    members.serialize(&mut serializer)
                }
                _ => value.serialize(&mut serializer),
            }
        })
    }

    /// Prints one JSON value on a line of its own.
    pub fn json_line<T: Serialize>(&mut self, value: &T) -> Result<(), Problem> {
        self.write_json(|stdout| serde_json::to_writer(stdout, value))
    }

    /// Bypasses the colour stream: JSON may be large and contains no styles.
    fn write_json(
        &mut self,
        write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> serde_json::Result<()>,
    ) -> Result<(), Problem> {
        if self.failure.is_none() {
            let mut stdout = BufWriter::with_capacity(JSON_BUFFER_BYTES, io::stdout().lock());
            let written = write(&mut stdout).map_err(io::Error::from);
            self.failure = written.and_then(|()| stdout.write_all(b"\n")).and_then(|()| stdout.flush()).err();
        }
        self.finish()
    }

    /// Prints text, adding a final line break if there is none.
    pub fn text(&mut self, text: &str) -> Result<(), Problem> {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        self.bytes(format!("{text}{end}").as_bytes())
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        if self.failure.is_none() {
            self.failure = self.stdout.write_all(bytes).and_then(|()| self.stdout.flush()).err();
        }
        self.finish()
    }

    /// Returns a writer. Its failures are reported by [`Output::finish`].
    pub fn stream(&mut self) -> impl Write {
        Stream(self)
    }

    /// Returns the first write failure. A closed pipe (`| head`) is not one.
    pub fn finish(&self) -> Result<(), Problem> {
        match &self.failure {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Problem::new(ErrorCode::Io, format!("cannot write to standard output: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// Prints a remark for people on standard error.
    pub fn note(&mut self, text: &str) {
        // A note is optional; the result still follows.
        writeln!(io::stderr(), "note: {text}").ok();
    }

    /// Prints a remark that belongs to the result: on standard error, or as one of `notes` in the JSON value.
    pub fn note_in_result(&mut self, text: &str) {
        if self.style.json { self.notes.push(text.to_owned()) } else { self.note(text) }
    }

    /// Whether standard output is closed; long-running commands stop then.
    pub fn is_closed(&self) -> bool {
        self.failure.is_some()
    }

    /// Prints an error: as JSON on standard output, else as text on standard error.
    pub fn problem(&mut self, problem: &Problem, user_home: Option<&Path>) {
        if self.style.json {
            // If this fails too, the exit code still reports the failure.
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
