//! `edit`: replaces a text that occurs once in a file.

use std::sync::Arc;

use tarsus_guard::{self as guard, CallFacts};
use tarsus_protocol::Problem;

use super::change::{change_files, outcome, read_text};
use super::change_error::ChangeError;
use super::check::{Arguments, Field, Kind};
use super::outcome::ToolOutcome;
use super::{MAX_CONTENT_CHARS, MAX_PATH_CHARS, PermittedCall, Tool, ToolFuture, blocking};
use crate::turn_context::TurnContext;

/// Places of an ambiguous text that an error names.
const MAX_NAMED_LINES: usize = 10;
/// Comparisons of lines for the note of an error.
const MAX_COMPARISONS: usize = 2_000_000;
/// Places that are counted.
const MAX_PLACES: usize = 1_000;

const FIELDS: &[Field] = &[
    Field::required("path", Kind::Text(MAX_PATH_CHARS), "Path of the file, relative or absolute")
        .with_alias("file_path"),
    Field::required(
        "oldText",
        Kind::Text(MAX_CONTENT_CHARS),
        "The exact text to replace; it must occur once",
    )
    .with_alias("old_string"),
    Field::required("newText", Kind::Text(MAX_CONTENT_CHARS), "The text that replaces it")
        .with_alias("new_string"),
];

pub(super) struct Edit;

impl Tool for Edit {
    fn id(&self) -> guard::ToolId {
        guard::ToolId::Edit
    }

    fn line(&self) -> &'static str {
        "Replace a text in a file"
    }

    fn description(&self) -> &'static str {
        "Replaces a text in a file. oldText must match exactly, white space included, and occur once: include enough of the \
         text around it."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        false
    }

    fn facts(&self, arguments: &Arguments, context: &TurnContext) -> CallFacts {
        context.roots.write_facts(arguments.text("path"), context)
    }

    fn run(&self, call: PermittedCall, context: Arc<TurnContext>) -> ToolFuture {
        blocking(move || edit(&call, &context).map_err(Problem::from))
    }
}

fn edit(call: &PermittedCall, context: &TurnContext) -> Result<ToolOutcome, ChangeError> {
    let argument = |name: &str| call.arguments.text(name).unwrap_or_default();
    let path = argument("path");
    let _others_wait = context.file_changes.lock();
    let mut location = context.roots.locate_judged(path, context, &call.facts)?;
    let existing = read_text(&mut location, path)?;
    let edited = replace(&existing.text, argument("oldText"), argument("newText"), path)?;
    let planned = [location.plan(Some(existing.prior), Some(edited.text.into_bytes()))];
    change_files(&planned, call, context)?;
    Ok(outcome(format!("Replaced the text in {path}, at line {}.", edited.line), &planned, context))
}

/// A text after a replacement.
#[derive(Debug, PartialEq, Eq)]
struct Edited {
    text: String,
    /// The line where the replaced text began.
    line: usize,
}

/// Replaces a text that must occur once.
fn replace(text: &str, old: &str, new: &str, path: &str) -> Result<Edited, ChangeError> {
    if old.is_empty() {
        return Err(ChangeError::EmptySearch);
    }
    if old == new {
        return Err(ChangeError::NoChange);
    }
    // Models write line feeds; the file may end its lines in another way.
    let with_file_endings = |part: &str| part.replace("\r\n", "\n").replace('\n', "\r\n");
    let only_crlf = text.contains("\r\n") && text.matches('\n').count() == text.matches("\r\n").count();
    let (old, new) = if only_crlf || (text.contains("\r\n") && !text.contains(old)) {
        (with_file_endings(old), with_file_endings(new))
    } else {
        (old.to_owned(), new.to_owned())
    };
    let places = occurrences(text, &old);
    match places[..] {
        [at] => {
            let edited = format!("{}{new}{}", &text[..at], &text[at + old.len()..]);
            Ok(Edited { text: edited, line: line_of(text, at) })
        }
        [] => Err(ChangeError::NotFound { path: path.to_owned(), similar: similar_line(text, &old) }),
        _ => {
            let lines = places.iter().take(MAX_NAMED_LINES).map(|at| line_of(text, *at)).collect();
            Err(ChangeError::Ambiguous { path: path.to_owned(), times: places.len(), lines })
        }
    }
}

/// Where a text occurs, overlaps included: each of them could be meant. Stops at [`MAX_PLACES`].
fn occurrences(text: &str, part: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let mut from = 0;
    while places.len() < MAX_PLACES
        && let Some(found) = text[from..].find(part)
    {
        let at = from + found;
        places.push(at);
        from = at + text[at..].chars().next().map_or(1, char::len_utf8);
    }
    places
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// The first line where the text would match if white space at the ends of lines did not count.
fn similar_line(text: &str, old: &str) -> Option<usize> {
    let wanted: Vec<&str> = old.trim_matches('\n').lines().map(str::trim).collect();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    if wanted.is_empty() {
        return None;
    }
    let mut comparisons = 0;
    let agrees = |window: &[&str]| {
        window.iter().zip(&wanted).all(|(line, wanted)| {
            comparisons += 1;
            comparisons < MAX_COMPARISONS && line == wanted
        })
    };
    lines.windows(wanted.len()).position(agrees).map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_is_replaced_where_it_occurs_once() {
        let table = [
            ("one\ntwo\nthree\n", "two", "2", Ok(("one\n2\nthree\n", 2))),
            ("one\ntwo\n", "two\n", "", Ok(("one\n", 2))),
            ("a\r\nb\r\nc", "a\nb", "x\ny", Ok(("x\r\ny\r\nc", 1))),
            ("a\r\nb\r\n", "b", "x\ny", Ok(("a\r\nx\r\ny\r\n", 2))),
            ("\u{feff}a", "a", "b", Ok(("\u{feff}b", 1))),
            ("你好 世界", "世界", "大家", Ok(("你好 大家", 1))),
            ("one", "", "x", Err("\"oldText\" is empty")),
            ("one", "one", "one", Err("\"oldText\" and \"newText\" are equal")),
            ("one", "two", "x", Err("\"oldText\" was not found in f")),
            ("aaa", "aa", "b", Err("\"oldText\" occurs 2 times in f")),
        ];
        for (text, old, new, expected) in table {
            let edited = replace(text, old, new, "f").map_err(|error| error.to_string());
            let expected =
                expected.map(|(text, line)| Edited { text: text.to_owned(), line }).map_err(str::to_owned);
            assert_eq!(edited, expected, "{text:?} {old:?}");
        }
    }

    #[test]
    fn error_names_a_line_that_differs_in_white_space_only() {
        let error = replace("fn a() {\n\treturn;\n}\n", "    return;", "", "f").unwrap_err();
        assert!(matches!(error, ChangeError::NotFound { similar: Some(2), .. }), "{error:?}");
        let error = replace("x\nx\n", "x", "y", "f").unwrap_err();
        assert!(matches!(&error, ChangeError::Ambiguous { lines, .. } if *lines == [1, 2]), "{error:?}");
    }

    proptest! {
        #[test]
        fn replacing_back_gives_the_text_again(head in "[ab\n]{0,20}", old in "[cd]{1,5}", new in "[ef]{1,5}", tail in "[ab\n]{0,20}") {
            let text = format!("{head}{old}{tail}");
            let edited = replace(&text, &old, &new, "f").unwrap();
            prop_assert_eq!(replace(&edited.text, &new, &old, "f").unwrap().text, text);
        }
    }
}
