//! Prints an answer while it is streamed.

use serde::Serialize;
use tarsus_protocol::Problem;

use crate::output::Output;
use crate::text::printable;

/// Prints text deltas, if streaming is enabled.
pub(super) struct AnswerStream {
    is_enabled: bool,
    /// Whether the current output line is unfinished.
    is_open: bool,
}

#[derive(Serialize)]
struct DeltaLine<'a> {
    delta: &'a str,
}

impl AnswerStream {
    pub(super) fn new(is_enabled: bool) -> Self {
        Self { is_enabled, is_open: false }
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.is_enabled
    }

    pub(super) fn print(&mut self, text: &str, output: &mut Output) -> Result<(), Problem> {
        if !self.is_enabled || text.is_empty() {
            return Ok(());
        }
        if output.is_json() {
            return output.json_line(&DeltaLine { delta: text });
        }
        self.is_open = !text.ends_with('\n');
        output.bytes(printable_lines(text).as_bytes())
    }

    /// Ends an unfinished line, before something else is printed or after a discarded attempt.
    pub(super) fn break_line(&mut self, output: &mut Output) -> Result<(), Problem> {
        if std::mem::take(&mut self.is_open) && !output.is_json() {
            output.bytes(b"\n")?;
        }
        Ok(())
    }
}

/// Makes a model's text safe to print, keeping line breaks.
pub(super) fn printable_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(printable).collect();
    lines.join("\n")
}
