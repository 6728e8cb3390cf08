//! What a launcher printed before it failed, made safe to show on any surface.

use tarsus_host::process::CapturedOutput;
use tarsus_text::{printable, without_controls};

use crate::quote::display_line;

/// A program says last why it failed.
const MAX_LINES: usize = 5;
const MAX_LINE_CHARS: usize = 240;

/// The last lines of an output.
pub(super) fn printed_lines(output: &CapturedOutput) -> Vec<String> {
    let (head, tail) = output.bytes.split_at(output.cut_at.min(output.bytes.len()));
    let parts = [head, tail].map(String::from_utf8_lossy);
    let clean = parts.each_ref().map(|part| without_controls(part));
    let lines = clean.iter().flat_map(|part| part.split(['\n', '\r']));
    let lines = lines.map(|line| printable(&line.replace('\t', " "))).map(|line| line.trim().to_owned());
    let mut last: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    last.drain(..last.len().saturating_sub(MAX_LINES));
    last.iter().map(|line| display_line(line, MAX_LINE_CHARS)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, cut_at: usize) -> Vec<String> {
        printed_lines(&CapturedOutput { bytes: text.into(), cut: 0, cut_at })
    }

    #[test]
    fn last_lines_are_kept_without_terminal_sequences() {
        let shown = lines("a\nb\n\nc\r\nd\ne\n\u{1b}[31mno method\u{1b}[0m\tfor \u{202e}x\n", usize::MAX);
        assert_eq!(shown, ["b", "c", "d", "e", "no method for x"]);
        assert_eq!(lines(&"x".repeat(500), usize::MAX)[0].chars().count(), MAX_LINE_CHARS + 1);
        assert_eq!(lines("abcd", 2), ["ab", "cd"], "a gap ends a line");
        assert_eq!(lines(" \n\u{7}\n", usize::MAX), [""; 0]);
    }
}
