//! Prints an answer: its text while it is streamed, then what the session shows besides.

use serde::Serialize;
use tarsus_protocol::Problem;
use tarsus_protocol::rpc::chat::{AgentCall, AgentResult};

use crate::commands::sessions::file_text;
use crate::output::Output;
use crate::text::printable;

/// Lines of a tool's result that are printed.
const MAX_RESULT_LINES: usize = 20;

/// Prints deltas, if streaming is enabled.
pub(super) struct AnswerStream {
    is_enabled: bool,
    /// The kind of text on the current output line, if the line is unfinished.
    open: Option<DeltaKind>,
    /// Whether reasoning was printed.
    has_reasoning: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeltaKind {
    Text,
    Reasoning,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum DeltaLine<'a> {
    Delta(&'a str),
    Reasoning(&'a str),
    /// The deltas before it are not the answer.
    Discarded(bool),
}

impl AnswerStream {
    pub(super) fn new(is_enabled: bool) -> Self {
        Self { is_enabled, open: None, has_reasoning: false }
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.is_enabled
    }

    pub(super) fn print(&mut self, text: &str, output: &mut Output) -> Result<(), Problem> {
        self.print_delta(DeltaKind::Text, text, output)
    }

    pub(super) fn print_reasoning(&mut self, text: &str, output: &mut Output) -> Result<(), Problem> {
        self.has_reasoning |= self.is_enabled;
        self.print_delta(DeltaKind::Reasoning, text, output)
    }

    fn print_delta(&mut self, kind: DeltaKind, text: &str, output: &mut Output) -> Result<(), Problem> {
        if !self.is_enabled || text.is_empty() {
            return Ok(());
        }
        if output.is_json() {
            return output.json_line(&match kind {
                DeltaKind::Text => DeltaLine::Delta(text),
                DeltaKind::Reasoning => DeltaLine::Reasoning(text),
            });
        }
        if self.open.is_some_and(|open| open != kind) {
            self.break_line(output)?;
        }
        if self.open.is_none() && kind == DeltaKind::Reasoning {
            output.bytes(b"Reasoning: ")?;
        }
        self.open = (!text.ends_with('\n')).then_some(kind);
        output.bytes(printable_lines(text).as_bytes())
    }

    /// Says that the text so far is not the answer.
    pub(super) fn discard(&mut self, output: &mut Output) -> Result<(), Problem> {
        if self.is_enabled && output.is_json() {
            return output.json_line(&DeltaLine::Discarded(true));
        }
        self.break_line(output)
    }

    /// Ends an unfinished line, before something else is printed or after a discarded attempt.
    pub(super) fn break_line(&mut self, output: &mut Output) -> Result<(), Problem> {
        if self.open.take().is_some() && !output.is_json() {
            output.bytes(b"\n")?;
        }
        Ok(())
    }

    /// Prints the answer, unless it was streamed, then the tool calls and the reasoning that the session shows.
    pub(super) fn print_result(&self, result: &AgentResult, output: &mut Output) -> Result<(), Problem> {
        if output.is_json() {
            return if self.is_enabled { output.json_line(result) } else { output.json(result) };
        }
        if !self.is_enabled {
            output.text(&printable_lines(&result.text))?;
        }
        let calls: String = result.tool_calls.iter().filter_map(call_text).collect();
        if !calls.is_empty() {
            output.text(&format!("\nTool calls:\n{calls}"))?;
        }
        if !result.changes.is_empty() {
            let files: String =
                result.changes.iter().map(|file| format!("  {}\n", file_text(file))).collect();
            output.text(&format!("\nChanged files (`tarsus sessions undo` puts them back):\n{files}"))?;
        }
        if let Some(reasoning) = result.reasoning.as_ref().filter(|_| !self.has_reasoning) {
            output.text(&format!("\nReasoning:\n{}", printable_lines(reasoning)))?;
        }
        Ok(())
    }
}

/// A call with the first lines of its result; `None` where the session hides calls.
fn call_text(call: &AgentCall) -> Option<String> {
    let failed = if call.ok { "" } else { ", failed" };
    let mut text = format!("  {}{failed}\n", printable(call.title.as_ref()?));
    let lines: Vec<&str> = call.result.iter().flat_map(|result| result.lines()).collect();
    for line in lines.iter().take(MAX_RESULT_LINES) {
        text.push_str(&format!("    {}\n", printable(line)));
    }
    match lines.len().saturating_sub(MAX_RESULT_LINES) {
        0 => {}
        1 => text.push_str("    … and 1 more line; --json shows all\n"),
        more => text.push_str(&format!("    … and {more} more lines; --json shows all\n")),
    }
    Some(text)
}

/// Makes a model's text safe to print, keeping line breaks.
fn printable_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(printable).collect();
    lines.join("\n")
}
