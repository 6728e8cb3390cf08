//! Standard input, line by line: bounded, and a question is answered by a person or by `--yes`.

use std::io::{self, BufRead, Read};

use tarsus_apps::conversation::LINE_LIMIT;
use tarsus_protocol::{ErrorCode, Problem};

use crate::context::Context;
use crate::output::Output;

/// Bytes of a line that are kept: more than the longest one that anybody takes.
const MOST_BYTES: u64 = LINE_LIMIT as u64 * 4 + 8;

/// The next line, without its end; none at the end of the input. What is not text is shown with marks; what is longer
/// than any answer is cut, yet still too long.
pub fn line(from: &mut impl BufRead) -> Result<Option<String>, Problem> {
    let failed =
        |error: io::Error| Problem::new(ErrorCode::Io, format!("cannot read standard input: {error}"));
    let mut bytes = Vec::new();
    from.by_ref().take(MOST_BYTES).read_until(b'\n', &mut bytes).map_err(failed)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if !bytes.ends_with(b"\n") && bytes.len() as u64 == MOST_BYTES {
        from.skip_until(b'\n').map_err(failed)?;
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

/// Asks for a yes. Without a terminal there is nobody to ask, and JSON leaves no room for a question.
pub fn confirm(question: &str, context: &Context, output: &mut Output) -> Result<(), Problem> {
    let unconfirmed = || Problem::new(ErrorCode::NotConfirmed, "nothing was done: it was not confirmed");
    if !context.environment.stdin_is_terminal || output.is_json() {
        return Err(unconfirmed());
    }
    output.bytes(format!("{question} (yes/no) ").as_bytes())?;
    match line(&mut io::stdin().lock())?.as_deref().map(str::trim) {
        Some(answer) if ["yes", "y"].iter().any(|yes| answer.eq_ignore_ascii_case(yes)) => Ok(()),
        _ => Err(unconfirmed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut from = bytes;
        std::iter::from_fn(|| line(&mut from).unwrap()).collect()
    }

    #[test]
    fn lines_lose_their_end_and_nothing_else() {
        assert_eq!(lines(b"add\r\n\n 1 \nlast"), ["add", "", " 1 ", "last"]);
        assert_eq!(lines(b""), [""; 0]);
        assert_eq!(lines(b"\xff\n"), ["\u{fffd}"]);
    }

    #[test]
    fn a_line_without_an_end_is_cut_and_the_next_one_is_whole() {
        let long = [vec![b'x'; 1_000_000], b"\nquit\n".to_vec()].concat();
        let found = lines(&long);
        assert_eq!((found.len(), found[0].len() as u64, found[1].as_str()), (2, MOST_BYTES, "quit"));
        assert!(found[0].chars().count() > LINE_LIMIT);
    }
}
