//! The lines that differ between two contents of a file. Pure; time and output are bounded for any content.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput};
use tarsus_protocol::rpc::files::{DiffHunk, DiffLine, DiffLineKind, DiffOmission};

/// Pairs of changed lines, old and new, among which the smallest difference is searched.
const MAX_PAIRS: usize = 25_000_000;
/// Unchanged lines shown before and after a change.
const CONTEXT_LINES: u32 = 3;
/// Maximum lines of one report, and their bytes.
const MAX_LINES: usize = 20_000;
const MAX_BYTES: usize = 2 << 20;
/// Maximum characters of a line that are shown.
const MAX_LINE_CHARS: usize = 2_000;

/// Numbers of added and removed lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCounts {
    pub added: u64,
    pub removed: u64,
}

/// Counts the changed lines; `None` if one of the contents is not text. A missing file has no lines.
pub fn count_lines(before: Option<&[u8]>, after: Option<&[u8]>) -> Option<LineCounts> {
    let input = InternedInput::new(text(before)?, text(after)?);
    let changes = changes(&input);
    let sum = |side: fn(&Hunk) -> &Range<u32>| changes.iter().map(|change| side(change).len() as u64).sum();
    Some(LineCounts { added: sum(|change| &change.after), removed: sum(|change| &change.before) })
}

/// The changed ranges of lines. Where finding the smallest ones would take too long, everything between the first and the
/// last difference counts as replaced.
fn changes(input: &InternedInput<&str>) -> Vec<Hunk> {
    let (before, after) = (&input.before, &input.after);
    let same_start = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let rest = before.len().min(after.len()) - same_start;
    let same_end = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take(rest)
        .take_while(|(one, other)| one == other)
        .count();
    let (old, new) = (before.len() - same_start - same_end, after.len() - same_start - same_end);
    if old.saturating_mul(new) > MAX_PAIRS {
        let range = |lines: usize| same_start as u32..(same_start + lines) as u32;
        return vec![Hunk { before: range(old), after: range(new) }];
    }
    let mut diff = Diff::compute(Algorithm::Histogram, input);
    diff.postprocess_lines(input);
    diff.hunks().collect()
}

/// The changed places with the lines around them, and why lines are missing.
pub fn hunks(
    before: Option<&[u8]>,
    after: Option<&[u8]>,
    budget: &mut DiffBudget,
) -> (Vec<DiffHunk>, Option<DiffOmission>) {
    let (Some(before), Some(after)) = (text(before), text(after)) else {
        return (Vec::new(), Some(DiffOmission::Binary));
    };
    let input = InternedInput::new(before, after);
    let changes = changes(&input);
    let mut lines = ShownLines { budget, was_cut: false };
    let mut hunks = Vec::new();
    // Changes whose surroundings touch are one place.
    let near = |one: &Hunk, next: &Hunk| next.before.start - one.before.end <= 2 * CONTEXT_LINES;
    for place in changes.chunk_by(near) {
        let (Some(first), Some(last)) = (place.first(), place.last()) else { continue };
        if lines.budget.is_spent() {
            lines.was_cut = true;
            break;
        }
        let lead = first.before.start.min(CONTEXT_LINES);
        let trail = (input.before.len() as u32 - last.before.end).min(CONTEXT_LINES);
        let mut shown = Vec::new();
        let mut unchanged = first.before.start - lead;
        for change in place {
            lines.extend(&mut shown, &input, DiffLineKind::Context, unchanged..change.before.start);
            lines.extend(&mut shown, &input, DiffLineKind::Removed, change.before.clone());
            lines.extend(&mut shown, &input, DiffLineKind::Added, change.after.clone());
            unchanged = change.before.end;
        }
        lines.extend(&mut shown, &input, DiffLineKind::Context, unchanged..unchanged + trail);
        hunks.push(DiffHunk {
            old_start: u64::from(first.before.start - lead) + 1,
            new_start: u64::from(first.after.start - lead) + 1,
            lines: shown,
        });
    }
    (hunks, lines.was_cut.then_some(DiffOmission::TooLarge))
}

/// The lines and bytes that a report has left for its files.
pub struct DiffBudget {
    lines: usize,
    bytes: usize,
}

impl Default for DiffBudget {
    fn default() -> Self {
        Self { lines: MAX_LINES, bytes: MAX_BYTES }
    }
}

impl DiffBudget {
    fn is_spent(&self) -> bool {
        self.lines == 0 || self.bytes == 0
    }
}

/// The lines of the diff of one file.
struct ShownLines<'r> {
    budget: &'r mut DiffBudget,
    was_cut: bool,
}

impl ShownLines<'_> {
    fn extend(
        &mut self,
        shown: &mut Vec<DiffLine>,
        input: &InternedInput<&str>,
        kind: DiffLineKind,
        range: Range<u32>,
    ) {
        let tokens = if kind == DiffLineKind::Added { &input.after } else { &input.before };
        for token in &tokens[range.start as usize..range.end as usize] {
            if self.budget.is_spent() {
                self.was_cut = true;
                return;
            }
            let line = input.interner[*token].trim_end_matches(['\r', '\n']);
            let text = match line.char_indices().nth(MAX_LINE_CHARS) {
                Some((end, _)) => {
                    self.was_cut = true;
                    format!("{}…", &line[..end])
                }
                None => line.to_owned(),
            };
            self.budget.lines -= 1;
            self.budget.bytes = self.budget.bytes.saturating_sub(text.len());
            shown.push(DiffLine { kind, text });
        }
    }
}

/// A content as text; a missing file is empty.
fn text(content: Option<&[u8]>) -> Option<&str> {
    let text = str::from_utf8(content.unwrap_or_default()).ok()?;
    (!text.contains('\0')).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(before: &str, after: &str) -> String {
        let (hunks, omitted) =
            hunks(Some(before.as_bytes()), Some(after.as_bytes()), &mut DiffBudget::default());
        let mut text = String::new();
        for hunk in hunks {
            text.push_str(&format!("@{} @{}\n", hunk.old_start, hunk.new_start));
            for line in hunk.lines {
                let sign = match line.kind {
                    DiffLineKind::Context => ' ',
                    DiffLineKind::Added => '+',
                    DiffLineKind::Removed => '-',
                };
                text.push_str(&format!("{sign}{}\n", line.text));
            }
        }
        text.push_str(&omitted.map(|why| format!("{why:?}\n")).unwrap_or_default());
        text
    }

    #[test]
    fn hunk_has_three_lines_around_each_change() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        assert_eq!(shown(before, "a\nb\nc\nd\nE\nf\ng\nh\n"), "@2 @2\n b\n c\n d\n-e\n+E\n f\n g\n h\n");
        assert_eq!(shown("", "one\ntwo"), "@1 @1\n+one\n+two\n");
        assert_eq!(shown("one\n", ""), "@1 @1\n-one\n");
        assert_eq!(shown("same\n", "same\n"), "");
        assert_eq!(shown("one\r\n", "two\r\n"), "@1 @1\n-one\n+two\n");
    }

    #[test]
    fn distant_changes_are_separate_hunks() {
        let lines: Vec<String> = (1..=30).map(|number| number.to_string()).collect();
        let mut changed = lines.clone();
        changed[1] = "second".to_owned();
        changed[25] = "late".to_owned();
        let (before, after) = (lines.join("\n"), changed.join("\n"));
        let (hunks, _) = hunks(Some(before.as_bytes()), Some(after.as_bytes()), &mut DiffBudget::default());
        assert_eq!(
            hunks.iter().map(|hunk| (hunk.old_start, hunk.lines.len())).collect::<Vec<_>>(),
            [(1, 6), (23, 8)]
        );
    }

    #[test]
    fn binary_and_large_contents_say_so() {
        let hunks = |before, after| hunks(before, after, &mut DiffBudget::default());
        assert_eq!(hunks(Some(b"a\0b"), None), (Vec::new(), Some(DiffOmission::Binary)));
        assert_eq!(count_lines(Some(&[0xff]), Some(b"a")), None);
        let large = "line\n".repeat(MAX_LINES + 1);
        let (cut, omitted) = hunks(None, Some(large.as_bytes()));
        assert_eq!((cut[0].lines.len(), omitted), (MAX_LINES, Some(DiffOmission::TooLarge)));
        let wide = "x".repeat(MAX_LINE_CHARS + 1);
        let (cut, omitted) = hunks(None, Some(wide.as_bytes()));
        assert_eq!(
            (cut[0].lines[0].text.chars().count(), omitted),
            (MAX_LINE_CHARS + 1, Some(DiffOmission::TooLarge))
        );
    }

    #[test]
    fn very_different_contents_count_as_replaced() {
        let lines = |letter: char| format!("same\n{}end\n", format!("{letter}\n").repeat(6_000));
        let counts = count_lines(Some(lines('a').as_bytes()), Some(lines('b').as_bytes()));
        assert_eq!(counts, Some(LineCounts { added: 6_000, removed: 6_000 }));
    }

    #[test]
    fn files_of_one_report_share_its_budget() {
        let (mut budget, large) = (DiffBudget::default(), "line\n".repeat(MAX_LINES - 10));
        let (first, omitted) = hunks(None, Some(large.as_bytes()), &mut budget);
        assert_eq!((first[0].lines.len(), omitted), (MAX_LINES - 10, None));
        let (second, omitted) = hunks(None, Some(large.as_bytes()), &mut budget);
        assert_eq!((second[0].lines.len(), omitted), (10, Some(DiffOmission::TooLarge)));
        let (third, omitted) = hunks(None, Some(b"line\n"), &mut budget);
        assert_eq!((third, omitted), (Vec::new(), Some(DiffOmission::TooLarge)));
    }

    proptest! {
        #[test]
        fn removed_and_added_lines_account_for_the_difference(
            before in prop::collection::vec("[a-c]{0,2}", 0..40),
            after in prop::collection::vec("[a-c]{0,2}", 0..40),
        ) {
            let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let (old, new) = (text(&before), text(&after));
            let counts = count_lines(Some(old.as_bytes()), Some(new.as_bytes())).unwrap();
            prop_assert_eq!(
                before.len() as i64 - counts.removed as i64 + counts.added as i64,
                after.len() as i64
            );
            // Replacing the old side of each hunk by its new side gives the new text.
            let (hunks, omitted) = hunks(Some(old.as_bytes()), Some(new.as_bytes()), &mut DiffBudget::default());
            prop_assert_eq!(omitted, None);
            let mut rebuilt = before.clone();
            for hunk in hunks.iter().rev() {
                let side = |kind| hunk.lines.iter().filter(move |line| line.kind != kind);
                let start = hunk.old_start as usize - 1;
                let old_lines = side(DiffLineKind::Added).count();
                let new_lines = side(DiffLineKind::Removed).map(|line| line.text.clone());
                rebuilt.splice(start..start + old_lines, new_lines);
            }
            prop_assert_eq!(rebuilt, after);
        }
    }
}
