//! An answer as it comes.

use serde::Serialize;
use tarsus_protocol::Problem;

use crate::output::Output;
use crate::text::printable;

/// Prints the pieces of an answer, where that is wanted.
pub(super) struct Pieces {
    is_wanted: bool,
    /// Whether the last thing on the screen is no line break.
    is_open: bool,
}

#[derive(Serialize)]
struct Piece<'a> {
    delta: &'a str,
}

impl Pieces {
    pub(super) fn new(is_wanted: bool) -> Self {
        Self { is_wanted, is_open: false }
    }

    pub(super) fn are_wanted(&self) -> bool {
        self.is_wanted
    }

    /// The next piece.
    pub(super) fn print(&mut self, text: &str, output: &mut Output) -> Result<(), Problem> {
        if !self.is_wanted || text.is_empty() {
            return Ok(());
        }
        if output.is_json() {
            return output.json_line(&Piece { delta: text });
        }
        self.is_open = !text.ends_with('\n');
        output.bytes(lines(text).as_bytes())
    }

    /// What was printed does not count, or something else comes.
    pub(super) fn break_line(&mut self, output: &mut Output) -> Result<(), Problem> {
        if std::mem::take(&mut self.is_open) && !output.is_json() {
            output.bytes(b"\n")?;
        }
        Ok(())
    }
}

/// Text of a model as it may stand on a screen.
pub(super) fn lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(printable).collect();
    lines.join("\n")
}
