//! Turns a rule's match into a finding.
//!
//! Positions refer to the file. The fingerprint depends on rule, file and text, but not on the position.

use std::borrow::Cow;
use std::ops::Range;

use sha2::{Digest, Sha256};
use tarsus_protocol::scan::{Finding, Layer, Mention, Raised, Segment, Severity};
use tarsus_text::hex;

use crate::excerpt::excerpt;
use crate::line_index::LineIndex;
use crate::normalize::NormalizedText;
use crate::rule::{Rule, RuleFamily};

pub(crate) struct SourceFile<'a> {
    pub name: &'a str,
    pub text: &'a str,
    pub lines: LineIndex,
}

impl<'a> SourceFile<'a> {
    pub fn new(name: &'a str, text: &'a str) -> Self {
        Self { name, text, lines: LineIndex::new(text) }
    }
}

/// A match of a rule, before it becomes a finding.
pub(crate) struct RuleMatch<'a> {
    pub family: &'static RuleFamily,
    pub rule: &'static Rule,
    /// In the file.
    pub range: Range<usize>,
    pub segment: Segment,
    pub mentions: Vec<Mention>,
    pub layers: Vec<Layer>,
    /// The text to show.
    pub shown: &'a str,
    /// The text that distinguishes this finding from others of the same rule.
    pub matched: &'a str,
}

impl<'a> RuleMatch<'a> {
    /// A match about the file as a whole.
    pub fn for_file((family, rule): (&'static RuleFamily, &'static Rule), shown: &'a str) -> Self {
        let (mentions, layers) = (Vec::new(), Vec::new());
        Self { family, rule, range: 0..0, segment: Segment::File, mentions, layers, shown, matched: shown }
    }

    /// The severity at this place. Decoded text counts one level more; a mere mention of something critical is a warning.
    pub fn severity(&self) -> Severity {
        match (self.rule.severity, !self.layers.is_empty()) {
            (Severity::Warning, true) => Severity::Critical,
            (Severity::Info, true) => Severity::Warning,
            (Severity::Critical, false) if !self.mentions.is_empty() => Severity::Warning,
            (severity, _) => severity,
        }
    }

    pub fn into_finding(self, source: &SourceFile<'_>) -> Finding {
        let severity = self.severity();
        let Self { family, rule, range, segment, mentions, layers, shown, matched } = self;
        let (line, column) = source.lines.position(source.text, range.start);
        let (end_line, end_column) = source.lines.position(source.text, range.end);
        let print = Sha256::digest(format!("{}\0{}\0{}", rule.id, source.name, fingerprint_text(matched)));
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

/// The text as it is compared. A lowercase word is already normalized.
fn fingerprint_text(excerpt: &str) -> Cow<'_, str> {
    match excerpt.bytes().all(|byte| byte.is_ascii_lowercase()) {
        true => Cow::Borrowed(excerpt),
        false => Cow::Owned(NormalizedText::new(excerpt).text),
    }
}

/// The match with the rest of its line and some text before it, so that an excerpt can be understood. Starts at a whole
/// word: the end of a key would not be recognised as one.
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
    fn excerpt_starts_with_a_whole_word() {
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
