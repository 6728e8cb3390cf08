//! Errors in quoted scalars: a missing end, or an invalid escape.

use tarsus_protocol::DiagnosticCode as Code;

use super::FaultContext;
use crate::parse::yaml::Fault;

impl FaultContext<'_> {
    /// A quoted scalar without an end. The loader stops at the first line that leaves the block.
    pub(in super::super) fn unclosed_quote(&self, at: usize) -> Fault {
        let from = if self.rest(at).starts_with(['"', '\'']) { at } else { self.last.end };
        let open = self.rest(from).find(['"', '\'']).map_or(from, |quote| from + quote);
        let quote = if self.rest(open).starts_with('\'') { '\'' } else { '"' };
        let column = self.column.map_or(0, |column| column + 1);
        let mut line = open;
        let left = loop {
            let Some(newline) = self.rest(line).find('\n') else { break self.source.len() };
            line += newline + 1;
            let text = self.rest(line).split('\n').next().unwrap_or_default();
            let indent = text.len() - text.trim_start_matches(' ').len();
            if indent < column && !text.trim().is_empty() {
                break line;
            }
        };
        // If there is an end further down, the loader cuts the scalar before the line that leaves the block.
        let has_end = self.rest(left).contains(quote);
        Fault::new(
            Code::MissingChar,
            format!("Missing closing {quote}quote"),
            if has_end { left - 1 } else { left },
        )
    }

    /// The first invalid escape of a double-quoted scalar.
    pub(super) fn escape(&self, start: usize) -> Fault {
        let mut at = start;
        while let Some(found) = self.rest(at).find('\\') {
            at += found;
            let sequence = self.rest(at + 1);
            let digits = match sequence.as_bytes().first() {
                Some(b'x') => 2,
                Some(b'u') => 4,
                Some(b'U') => 8,
                Some(
                    b'0' | b'a' | b'b' | b'e' | b'f' | b'n' | b'r' | b't' | b'v' | b'N' | b'_' | b'L' | b'P',
                ) => 0,
                Some(b' ' | b'"' | b'/' | b'\\' | b'\t' | b'\n') => 0,
                _ => {
                    let wrong = sequence.chars().next().map(String::from).unwrap_or_default();
                    return Fault::new(Code::BadDqEscape, format!("Invalid escape sequence \\{wrong}"), at);
                }
            };
            let code = sequence.get(1..).unwrap_or_default();
            if digits > 0 && code.bytes().take(digits).filter(u8::is_ascii_hexdigit).count() < digits {
                let shown: String = code.chars().take(digits).take_while(|&digit| digit != '"').collect();
                let kind = &sequence[..1];
                return Fault::new(Code::BadDqEscape, format!("Invalid escape sequence \\{kind}{shown}"), at);
            }
            at += 2;
        }
        Fault::new(Code::BadDqEscape, "Invalid escape sequence", start)
    }
}
