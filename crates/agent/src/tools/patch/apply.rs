//! Applies the hunks of an update to the text of a file.

use super::{Hunk, HunkLine, PatchError};

/// Comparisons of lines that one file may take.
const MAX_COMPARISONS: usize = 20_000_000;

/// How exactly lines have to agree; the first way that finds a place counts.
const COMPARISONS: [fn(&str, &str) -> bool; 3] = [
    |one, other| one == other,
    |one, other| one.trim_end() == other.trim_end(),
    |one, other| one.trim() == other.trim(),
];

/// The text of a file after its hunks. Unchanged lines keep their endings.
pub(in super::super) fn update(text: &str, hunks: &[Hunk], path: &str) -> Result<String, PatchError> {
    let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let whole: Vec<&str> = text.split_inclusive('\n').collect();
    let lines: Vec<&str> = text.lines().collect();
    let mut search = Search { lines: &lines, path, comparisons: 0 };
    let (mut updated, mut done) = (String::with_capacity(text.len()), 0);
    for hunk in hunks {
        let at = search.place(hunk, done)?;
        updated.extend(whole[done..at].iter().copied());
        done = at;
        for line in &hunk.lines {
            match line {
                HunkLine::Added(line) => {
                    // The last line of the file may have no ending.
                    if !updated.is_empty() && !updated.ends_with('\n') {
                        updated.push_str(ending);
                    }
                    updated.push_str(line);
                    updated.push_str(ending);
                }
                HunkLine::Context(_) => {
                    updated.push_str(whole[done]);
                    done += 1;
                }
                HunkLine::Removed(_) => done += 1,
            }
        }
    }
    updated.extend(whole[done..].iter().copied());
    Ok(updated)
}

struct Search<'a> {
    lines: &'a [&'a str],
    path: &'a str,
    comparisons: usize,
}

impl Search<'_> {
    /// Where a hunk begins, at `from` or after it.
    fn place(&mut self, hunk: &Hunk, mut from: usize) -> Result<usize, PatchError> {
        for anchor in &hunk.anchors {
            let found = self.find(&[anchor], from, false)?;
            let no_anchor = || PatchError::NoAnchor {
                line: hunk.line,
                path: self.path.to_owned(),
                text: shorten(anchor),
            };
            from = found.ok_or_else(no_anchor)? + 1;
        }
        let old: Vec<&str> = hunk
            .lines
            .iter()
            .filter_map(|line| match line {
                HunkLine::Context(line) | HunkLine::Removed(line) => Some(line.as_str()),
                HunkLine::Added(_) => None,
            })
            .collect();
        let Some(first) = old.first() else {
            // Only added lines: below the last anchor, else at the end.
            return Ok(if hunk.anchors.is_empty() || hunk.at_end { self.lines.len() } else { from });
        };
        let found = self.find(&old, from, hunk.at_end)?;
        let no_match =
            || PatchError::NoMatch { line: hunk.line, path: self.path.to_owned(), text: shorten(first) };
        found.ok_or_else(no_match)
    }

    /// The first place of some lines; with `at_end` the last one of the file is tried first.
    fn find<L: AsRef<str>>(
        &mut self,
        wanted: &[L],
        from: usize,
        at_end: bool,
    ) -> Result<Option<usize>, PatchError> {
        let Some(last) = self.lines.len().checked_sub(wanted.len()).filter(|last| *last >= from) else {
            return Ok(None);
        };
        for agree in COMPARISONS {
            let end_first = at_end.then_some(last).into_iter();
            for at in end_first.chain(from..=last) {
                let window = &self.lines[at..at + wanted.len()];
                let mut compared = 0;
                let agrees = window.iter().zip(wanted).all(|(line, wanted)| {
                    compared += 1;
                    agree(line, wanted.as_ref())
                });
                self.comparisons += compared;
                if self.comparisons > MAX_COMPARISONS {
                    return Err(PatchError::TooLarge { path: self.path.to_owned() });
                }
                if agrees {
                    return Ok(Some(at));
                }
            }
        }
        Ok(None)
    }
}

/// A line as an error quotes it.
fn shorten(line: &str) -> String {
    const MAX_CHARS: usize = 80;
    match line.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{FilePatch, parse};
    use super::*;

    fn apply(text: &str, hunks: &str) -> Result<String, String> {
        let patch = format!("*** Begin Patch\n*** Update File: f\n{hunks}\n*** End Patch");
        match &parse(&patch).map_err(|error| error.to_string())?[..] {
            [FilePatch::Update { hunks, .. }] => update(text, hunks, "f").map_err(|error| error.to_string()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn hunks_are_applied_in_order() {
        let table = [
            ("a\nb\nc\n", "@@\n a\n-b\n+B\n c", "a\nB\nc\n"),
            ("a\nb\nc\n", "-b", "a\nc\n"),
            ("a\nb", "-b\n+c", "a\nc\n"),
            ("a\nb", "-a\n+c", "c\nb"),
            ("a\r\nb\r\n", "@@\n-a\n+x\n+y", "x\r\ny\r\nb\r\n"),
            ("a\nb\r\nc\n", "-c\n+d", "a\nb\r\nd\r\n"),
            ("a\nb", "+c", "a\nb\nc\n"),
            ("x\nfn one\nx\nfn two\nx\n", "@@ fn two\n-x\n+y", "x\nfn one\nx\nfn two\ny\n"),
            ("x\ny\nx\n", "@@\n-x\n+z\n*** End of File", "x\ny\nz\n"),
            ("a\n", "+b", "a\nb\n"),
            ("head\na\n", "@@ head\n+b", "head\nb\na\n"),
            ("", "+a", "a\n"),
            ("a\n", "-a", ""),
            ("  a  \nb\n", "@@\n a\n-b\n+c", "  a  \nc\n"),
            ("a\nb\na\nb\n", "@@\n a\n-b\n+1\n@@\n a\n-b\n+2", "a\n1\na\n2\n"),
        ];
        for (text, hunks, expected) in table {
            assert_eq!(apply(text, hunks).as_deref(), Ok(expected), "{text:?} {hunks}");
        }
    }

    #[test]
    fn lines_that_are_not_there_are_refused() {
        let table = [
            ("a\n", "-b", "line 3 of the patch: f does not contain these lines, beginning with \"b\""),
            ("a\nb\n", "@@ c\n-b", "line 3 of the patch: f has no such line: \"c\""),
            (
                "b\na\n",
                "@@\n-a\n@@\n-b",
                "line 5 of the patch: f does not contain these lines, beginning with \"b\"",
            ),
        ];
        for (text, hunks, error) in table {
            assert_eq!(apply(text, hunks), Err(error.to_owned()), "{text:?} {hunks}");
        }
    }

    #[test]
    fn repetitive_file_is_given_up_early() {
        let text = "a\n".repeat(50_000);
        let hunk = format!("@@\n{}-b", "-a\n".repeat(10_000));
        assert_eq!(apply(&text, &hunk), Err("f and the patch are too large to be compared".to_owned()));
    }

    proptest! {
        #[test]
        fn whole_file_hunk_gives_the_new_text(
            old in prop::collection::vec("[a-c]{1,2}", 1..10),
            new in prop::collection::vec("[a-c]{1,2}", 1..10),
        ) {
            let signed = |sign: char, lines: &[String]| lines.iter().map(|line| format!("{sign}{line}\n")).collect::<String>();
            let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let hunk = format!("@@\n{}{}", signed('-', &old), signed('+', &new));
            prop_assert_eq!(apply(&text(&old), hunk.trim_end_matches('\n')), Ok(text(&new)));
        }
    }
}
