//! Bounded reading of standard input, and confirmation questions.

use std::io::{self, BufRead, Read};

use tarsus_apps::conversation::LINE_LIMIT;
use tarsus_protocol::{ErrorCode, Problem};

use crate::context::Context;
use crate::output::Output;

/// Bytes kept of a line: more than any consumer accepts.
const MAX_LINE_BYTES: u64 = LINE_LIMIT as u64 * 4 + 8;

/// Reads the next line without its line break; `None` at the end. Invalid UTF-8 is replaced. Longer lines are cut,
/// but stay longer than any consumer accepts.
pub fn read_line(from: &mut impl BufRead) -> Result<Option<String>, Problem> {
    let failed =
        |error: io::Error| Problem::new(ErrorCode::Io, format!("cannot read standard input: {error}"));
    let mut bytes = Vec::new();
    from.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes).map_err(failed)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if !bytes.ends_with(b"\n") && bytes.len() as u64 == MAX_LINE_BYTES {
        from.skip_until(b'\n').map_err(failed)?;
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

/// Asks for confirmation. Fails without a terminal or in JSON mode, where nobody can be asked.
pub fn confirm(question: &str, context: &Context, output: &mut Output) -> Result<(), Problem> {
    let unconfirmed = || Problem::new(ErrorCode::NotConfirmed, "nothing was done: confirmation is required");
    if !context.environment.stdin_is_terminal || output.is_json() {
        return Err(unconfirmed());
    }
    output.bytes(format!("{question} (yes/no) ").as_bytes())?;
    match read_line(&mut io::stdin().lock())?.as_deref().map(str::trim) {
        Some(answer) if ["yes", "y"].iter().any(|yes| answer.eq_ignore_ascii_case(yes)) => Ok(()),
        _ => Err(unconfirmed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut from = bytes;
        std::iter::from_fn(|| read_line(&mut from).unwrap()).collect()
    }

    #[test]
    fn read_line_strips_only_the_line_break() {
        assert_eq!(lines(b"add\r\n\n 1 \nlast"), ["add", "", " 1 ", "last"]);
        assert_eq!(lines(b""), [""; 0]);
        assert_eq!(lines(b"\xff\n"), ["\u{fffd}"]);
    }

    #[test]
    fn read_line_cuts_an_endless_line_and_skips_its_rest() {
        let long = [vec![b'x'; 1_000_000], b"\nquit\n".to_vec()].concat();
        let found = lines(&long);
        assert_eq!((found.len(), found[0].len() as u64, found[1].as_str()), (2, MAX_LINE_BYTES, "quit"));
        assert!(found[0].chars().count() > LINE_LIMIT);
    }
}
