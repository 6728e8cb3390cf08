//! A rule and a place made into a finding.
//!
//! Promises: places are those of the file; the fingerprint depends on rule, file and text, not on the place; what is
//! told about a rule comes from the rule. Leaves to others: what findings mean together (`judge`).

use std::borrow::Cow;
use std::ops::Range;

use sha2::{Digest, Sha256};
use tarsus_protocol::scan::{Finding, Layer, Mention, Raised, Segment, Severity};
use tarsus_protocol::text::hex;

use crate::excerpt::excerpt;
use crate::normal::Normal;
use crate::place::Lines;
use crate::rule::{Family, Rule};

/// A file while it is looked at.
pub(crate) struct Source<'a> {
    pub name: &'a str,
    pub text: &'a str,
    pub lines: Lines,
}

impl<'a> Source<'a> {
    pub fn of(name: &'a str, text: &'a str) -> Self {
        Self { name, text, lines: Lines::of(text) }
    }
}

/// What was found, before it is told.
pub(crate) struct Found<'a> {
    pub family: &'static Family,
    pub rule: &'static Rule,
    /// Where it stands in the file.
    pub range: Range<usize>,
    pub segment: Segment,
    pub mentions: Vec<Mention>,
    pub layers: Vec<Layer>,
    /// The text to show.
    pub shown: &'a str,
    /// The text that tells this finding from others of the same rule.
    pub said: &'a str,
}

impl<'a> Found<'a> {
    /// Something about a file as a whole.
    pub fn of_file((family, rule): (&'static Family, &'static Rule), shown: &'a str) -> Self {
        let (mentions, layers) = (Vec::new(), Vec::new());
        Self { family, rule, range: 0..0, segment: Segment::File, mentions, layers, shown, said: shown }
    }

    /// How serious it is here. A decoded text counts for one level more; speaking of something critical makes it a
    /// warning, and nothing less.
    pub fn severity(&self) -> Severity {
        match (self.rule.severity, !self.layers.is_empty()) {
            (Severity::Warning, true) => Severity::Critical,
            (Severity::Info, true) => Severity::Warning,
            (Severity::Critical, false) if !self.mentions.is_empty() => Severity::Warning,
            (severity, _) => severity,
        }
    }

    pub fn told(self, source: &Source<'_>) -> Finding {
        let severity = self.severity();
        let Self { family, rule, range, segment, mentions, layers, shown, said } = self;
        let (line, column) = source.lines.place(source.text, range.start);
        let (end_line, end_column) = source.lines.place(source.text, range.end);
        let print = Sha256::digest(format!("{}\0{}\0{}", rule.id, source.name, said_plainly(said)));
        let decoded = !layers.is_empty();
        Finding {
            rule: rule.id.to_owned(),
            title: rule.title.to_owned(),
            severity,
            base_severity: rule.severity,
            category: family.category,
            owasp: rule.owasp.unwrap_or(family.owasp).to_owned(),
            file: source.name.to_owned(),
            line,
            column,
            end_line,
            end_column,
            segment,
            layers,
            excerpt: excerpt(shown),
            why: rule.why.to_owned(),
            fix: family.fix.to_owned(),
            lowered_by: mentions,
            raised_by: if decoded { vec![Raised::Decoded] } else { Vec::new() },
            more: 0,
            fingerprint: hex(&print[..12]),
            accepted: false,
        }
    }
}

/// A text as it is compared. A word in small letters is that already.
fn said_plainly(said: &str) -> Cow<'_, str> {
    match said.bytes().all(|byte| byte.is_ascii_lowercase()) {
        true => Cow::Borrowed(said),
        false => Cow::Owned(Normal::of(said).text),
    }
}

/// A place with the rest of its line, and a little before it, so that an excerpt can be understood. It begins with a
/// whole word: the end of a key would not look like one.
pub(crate) fn around<'a>(text: &'a str, range: &Range<usize>) -> &'a str {
    const BEFORE: usize = 40;
    let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let near = text.floor_char_boundary(range.start.saturating_sub(BEFORE)).max(line);
    let cut = near > line && !text[..near].ends_with(char::is_whitespace);
    let word = if cut { text[near..range.start].find(char::is_whitespace) } else { Some(0) };
    let start = word.map_or(range.start, |word| near + word);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_begins_with_a_whole_word() {
        let key = "k0".repeat(12);
        let cases = [
            ("one two three".to_owned(), "one two three"),
            (
                format!("{key} and then quite a bit further on three"),
                " and then quite a bit further on three",
            ),
            (format!("{key}{key}{key}three"), "three"),
        ];
        for (text, shown) in cases {
            let at = text.find("three").unwrap();
            assert_eq!(around(&text, &(at..at + 5)), shown, "{text}");
        }
    }
}
