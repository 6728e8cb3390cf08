//! Parses a patch.

use std::collections::HashSet;
use std::iter::Peekable;

use super::{FilePatch, Hunk, HunkLine, MAX_FILES, PatchError};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

/// Parses a patch into the changes of its files, in order.
pub(in super::super) fn parse(input: &str) -> Result<Vec<FilePatch>, PatchError> {
    let mut lines = Lines(input.trim().lines().enumerate().peekable());
    if lines.next().is_none_or(|(_, line)| line.trim_end() != BEGIN) {
        return Err(PatchError::NoBegin);
    }
    let (mut patches, mut seen) = (Vec::new(), HashSet::new());
    loop {
        let (number, line) = lines.next().ok_or(PatchError::NoEnd)?;
        if line.trim_end() == END {
            break;
        }
        let patch = if let Some(path) = path_after(line, ADD, number)? {
            FilePatch::Add { path, content: lines.added()? }
        } else if let Some(path) = path_after(line, DELETE, number)? {
            FilePatch::Delete { path }
        } else if let Some(path) = path_after(line, UPDATE, number)? {
            lines.update(path, number)?
        } else if line.trim().is_empty() {
            continue;
        } else {
            let problem = "expected `*** Add File: PATH`, `*** Update File: PATH` or `*** Delete File: PATH`";
            return Err(PatchError::Syntax { line: number, problem });
        };
        for path in patch.paths() {
            if !seen.insert(path.to_owned()) {
                return Err(PatchError::Twice { path: path.to_owned() });
            }
        }
        patches.push(patch);
        if patches.len() > MAX_FILES {
            return Err(PatchError::TooManyFiles);
        }
    }
    if lines.next().is_some() {
        return Err(PatchError::NoEnd);
    }
    if patches.is_empty() { Err(PatchError::Empty) } else { Ok(patches) }
}

/// The path after a marker.
fn path_after(line: &str, marker: &str, number: usize) -> Result<Option<String>, PatchError> {
    match line.strip_prefix(marker).map(str::trim) {
        Some("") => Err(PatchError::Syntax { line: number, problem: "a path is missing" }),
        path => Ok(path.map(str::to_owned)),
    }
}

/// The lines of a patch with their numbers, from 1.
struct Lines<L: Iterator>(Peekable<L>);

impl<'a, L: Iterator<Item = (usize, &'a str)>> Lines<L> {
    fn next(&mut self) -> Option<(usize, &'a str)> {
        self.0.next().map(|(index, line)| (index + 1, line))
    }

    /// The next line, unless it begins another file or ends the patch.
    fn next_of_file(&mut self) -> Option<(usize, &'a str)> {
        let line = self.0.peek()?.1;
        let is_marker =
            [ADD, DELETE, UPDATE].iter().any(|marker| line.starts_with(marker)) || line.trim_end() == END;
        if is_marker { None } else { self.next() }
    }

    /// The content of an added file.
    fn added(&mut self) -> Result<String, PatchError> {
        let mut content = String::new();
        while let Some((number, line)) = self.next_of_file() {
            let Some(line) = line.strip_prefix('+') else {
                let problem = "each line of an added file has to begin with `+`";
                return Err(PatchError::Syntax { line: number, problem });
            };
            content.push_str(line);
            content.push('\n');
        }
        Ok(content)
    }

    fn update(&mut self, path: String, number: usize) -> Result<FilePatch, PatchError> {
        let moved_to = match self.0.peek() {
            Some((_, line)) if line.starts_with(MOVE) => {
                let (number, line) = self.next().unwrap_or_default();
                path_after(line, MOVE, number)?
            }
            _ => None,
        };
        let mut hunks: Vec<Hunk> = Vec::new();
        let mut ended = true;
        while let Some((number, line)) = self.next_of_file() {
            if line.trim_end() == END_OF_FILE {
                hunks.iter_mut().last().into_iter().for_each(|hunk| hunk.at_end = true);
                ended = true;
                continue;
            }
            if let Some(anchor) = line.strip_prefix("@@") {
                // Several anchors in a row narrow the place down.
                if hunks.last().is_none_or(|hunk| ended || !hunk.lines.is_empty()) {
                    hunks.push(Hunk { line: number, ..Hunk::default() });
                }
                ended = false;
                let anchor = anchor.trim();
                let anchor = anchor.strip_suffix("@@").unwrap_or(anchor).trim_end();
                // The line numbers of other formats say nothing here.
                let is_range = anchor.starts_with('-') && anchor.contains(" +");
                if let Some(hunk) = hunks.last_mut().filter(|_| !anchor.is_empty() && !is_range) {
                    hunk.anchors.push(anchor.to_owned());
                }
                continue;
            }
            if ended {
                hunks.push(Hunk { line: number, ..Hunk::default() });
                ended = false;
            }
            let hunk_line = match line.chars().next() {
                Some('+') => HunkLine::Added(line[1..].to_owned()),
                Some('-') => HunkLine::Removed(line[1..].to_owned()),
                Some(' ') => HunkLine::Context(line[1..].to_owned()),
                // Models leave out the space of an empty line.
                None => HunkLine::Context(String::new()),
                Some(_) => {
                    let problem = "each line of an update has to begin with a space, `+`, `-` or `@@`";
                    return Err(PatchError::Syntax { line: number, problem });
                }
            };
            hunks.iter_mut().last().into_iter().for_each(|hunk| hunk.lines.push(hunk_line.clone()));
        }
        hunks.iter_mut().for_each(trim_blank_end);
        hunks.retain(|hunk| !hunk.lines.is_empty());
        if hunks.is_empty() && moved_to.is_none() {
            return Err(PatchError::Syntax { line: number, problem: "the update changes nothing" });
        }
        Ok(FilePatch::Update { path, moved_to, hunks })
    }
}

/// Empty lines between a hunk and what follows are no part of it.
fn trim_blank_end(hunk: &mut Hunk) {
    while hunk.lines.last() == Some(&HunkLine::Context(String::new())) {
        hunk.lines.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_is_parsed_into_its_files() {
        let patch = "*** Begin Patch\n*** Add File: a/new.txt\n+one\n+\n+two\n*** Update File: b.rs\n*** Move to: c.rs\n\
                     @@ fn main() {\n@@     let x;\n context\n-old\n+new\n\n@@\n+end\n*** End of File\n*** Delete File: d\n*** End Patch\n";
        let text = |text: &str| text.to_owned();
        let first = Hunk {
            line: 8,
            anchors: vec![text("fn main() {"), text("let x;")],
            lines: vec![
                HunkLine::Context(text("context")),
                HunkLine::Removed(text("old")),
                HunkLine::Added(text("new")),
            ],
            at_end: false,
        };
        let second =
            Hunk { line: 14, anchors: Vec::new(), lines: vec![HunkLine::Added(text("end"))], at_end: true };
        let expected = vec![
            FilePatch::Add { path: text("a/new.txt"), content: text("one\n\ntwo\n") },
            FilePatch::Update {
                path: text("b.rs"),
                moved_to: Some(text("c.rs")),
                hunks: vec![first, second],
            },
            FilePatch::Delete { path: text("d") },
        ];
        assert_eq!(parse(patch), Ok(expected));
    }

    #[test]
    fn malformed_patch_is_refused_with_its_line() {
        let table = [
            ("", "the patch has to begin with `*** Begin Patch`"),
            ("*** Begin Patch\n*** Delete File: a\n", "the patch has to end with `*** End Patch`"),
            ("*** Begin Patch\n*** End Patch", "the patch changes no file"),
            ("*** Begin Patch\n*** Delete File:\n*** End Patch", "line 2 of the patch: a path is missing"),
            (
                "*** Begin Patch\nhello\n*** End Patch",
                "line 2 of the patch: expected `*** Add File: PATH`, `*** Update File: PATH` or `*** Delete File: PATH`",
            ),
            (
                "*** Begin Patch\n*** Add File: a\none\n*** End Patch",
                "line 3 of the patch: each line of an added file has to begin with `+`",
            ),
            (
                "*** Begin Patch\n*** Update File: a\n@@\n?x\n*** End Patch",
                "line 4 of the patch: each line of an update has to begin with a space, `+`, `-` or `@@`",
            ),
            (
                "*** Begin Patch\n*** Update File: a\n*** End Patch",
                "line 2 of the patch: the update changes nothing",
            ),
            (
                "*** Begin Patch\n*** Delete File: a\n*** Add File: a\n+x\n*** End Patch",
                "the patch changes a twice",
            ),
            (
                "*** Begin Patch\n*** Delete File: a\n*** End Patch\nmore",
                "the patch has to end with `*** End Patch`",
            ),
        ];
        for (patch, error) in table {
            assert_eq!(parse(patch).unwrap_err().to_string(), error, "{patch}");
        }
    }
}
