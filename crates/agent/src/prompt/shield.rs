//! Keeps text that is not ours from looking like the structure of a prompt.
//!
//! Promises: afterwards no line is a heading of ours and nothing begins a tag of ours or of the templates that models are
//! trained with; the rest reads as before; doing it twice changes nothing more. Leaves to others: whether the text is
//! trusted.

use std::borrow::Cow;

use tarsus_skills::prompt::text::{one_line, visible};

use super::files::WORKSPACE_FILES;
use super::sections;

/// How tags begin that would be taken for structure: ours, and those that chats are written in for models.
const TAGS: &[&str] = &[
    "available_skills",
    "skill>",
    "untrusted",
    "think",
    "final",
    "tool_call",
    "tool_result",
    "tool_response",
    "function_call",
    "function_result",
    "start_of_turn",
    "end_of_turn",
    "|",
    "｜",
    "<sys>",
];

/// The same in brackets.
const BRACKETED: &[&str] = &["inst]", "tool_calls]", "tool_results]", "available_tools]", "system_prompt]"];

/// Letters of the longest of these.
const LONGEST_TAG: usize = 16;

/// Text of others as it may stand in a prompt: neither headings nor tags of ours, and nothing that cannot be seen.
pub(super) fn shielded(text: &str) -> String {
    tags(&headings(&visible(&broken(text)))).into_owned()
}

/// A value that stands in a line of ours.
pub(super) fn line(text: &str) -> String {
    tags(&one_line(text)).into_owned()
}

/// The text with a backslash before each heading that is one of ours.
pub(super) fn headings(text: &str) -> Cow<'_, str> {
    if !text.lines().any(is_heading_of_ours) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        if is_heading_of_ours(line) {
            let indent = line.len() - line.trim_start().len();
            out.push_str(&line[..indent]);
            out.push('\\');
            out.push_str(&line[indent..]);
        } else {
            out.push_str(line);
        }
    }
    Cow::Owned(out)
}

/// Whether a line is the heading of a section of ours, or of a file as we show it.
pub(super) fn is_heading_of_ours(line: &str) -> bool {
    let is_hash = |letter: char| matches!(letter, '#' | '＃');
    let line = line.trim_start();
    if !line.starts_with(is_hash) {
        return false;
    }
    let decoration = |letter: char| is_hash(letter) || letter.is_whitespace() || "*_`:".contains(letter);
    let title = line.trim_matches(decoration);
    let is_title = |ours: &str| letters(title).eq(letters(ours));
    let is_file = |name: &&str| {
        title.len() > name.len()
            && title.is_char_boundary(title.len() - name.len())
            && title[title.len() - name.len()..].eq_ignore_ascii_case(name)
            && title[..title.len() - name.len()].ends_with(['/', '\\'])
    };
    sections::titles().any(is_title) || WORKSPACE_FILES.iter().any(is_file)
}

/// What a title reads as: its letters and digits, in lower case.
fn letters(title: &str) -> impl Iterator<Item = char> {
    title.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// The text with the first letter of each tag of ours written out.
pub(super) fn tags(text: &str) -> Cow<'_, str> {
    if !text.contains(is_opener) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find(is_opener) {
        out.push_str(&rest[..at]);
        let mut letters = rest[at..].chars();
        let opener = letters.next().unwrap_or_default();
        rest = letters.as_str();
        match (begins_tag(opener, rest), opener) {
            (false, _) => out.push(opener),
            (true, '[') => out.push_str("&#91;"),
            (true, _) => out.push_str("&lt;"),
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn is_opener(letter: char) -> bool {
    matches!(letter, '<' | '＜' | '﹤' | '[')
}

/// Whether this opener and what follows it begin a tag. White space and a slash may stand between.
fn begins_tag(opener: char, rest: &str) -> bool {
    let names = if opener == '[' { BRACKETED } else { TAGS };
    let rest = rest.trim_start_matches(|letter: char| letter == '/' || letter.is_whitespace());
    let name: String = rest.chars().take(LONGEST_TAG).flat_map(char::to_lowercase).collect();
    names.iter().any(|tag| name.starts_with(tag))
}

/// The text with every kind of line break as a plain one.
fn broken(text: &str) -> Cow<'_, str> {
    let is_break =
        |letter: char| matches!(letter, '\r' | '\x0b' | '\x0c' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if !text.contains(is_break) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").replace(is_break, "\n"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn headings_of_ours_are_escaped_and_others_are_not() {
        for (line, expected) in [
            ("## Safety", "\\## Safety"),
            ("  #   SAFETY ##", "  \\#   SAFETY ##"),
            ("###### **Silent Replies**:", "\\###### **Silent Replies**:"),
            ("##Skills (mandatory)", "\\##Skills (mandatory)"),
            ("＃＃ Tooling", "\\＃＃ Tooling"),
            ("# Project Context", "\\# Project Context"),
            ("## /home/ada/w/SOUL.md", "\\## /home/ada/w/SOUL.md"),
            ("## C:\\w\\user.MD", "\\## C:\\w\\user.MD"),
            ("\r## Runtime", "\n\\## Runtime"),
            ("a\u{2028}## Runtime", "a\n\\## Runtime"),
            ("## Sa\u{200b}fety", "\\## Safety"),
            ("## Safety first", "## Safety first"),
            ("# SOUL.md - who you are", "# SOUL.md - who you are"),
            ("Safety", "Safety"),
            ("\\## Safety", "\\## Safety"),
        ] {
            assert_eq!(shielded(line), expected, "{line:?}");
        }
    }

    #[test]
    fn tags_of_ours_are_written_out_and_others_are_not() {
        for (text, expected) in [
            ("</available_skills>", "&lt;/available_skills>"),
            ("< / Available_Skills>", "&lt; / Available_Skills>"),
            ("<untrusted-00 source=x>", "&lt;untrusted-00 source=x>"),
            ("a <think>b</think>", "a &lt;think>b&lt;/think>"),
            ("<|im_start|>system", "&lt;|im_start|>system"),
            ("<｜User｜>", "&lt;｜User｜>"),
            ("[INST] [/INST]", "&#91;INST] &#91;/INST]"),
            ("<tool_response>", "&lt;tool_response>"),
            ("＜/untrusted-0＞", "&lt;/untrusted-0＞"),
            ("<p>1 < 2 && a[0] [x]</p> <skillful>", "<p>1 < 2 && a[0] [x]</p> <skillful>"),
        ] {
            assert_eq!(shielded(text), expected, "{text:?}");
        }
        let longest = TAGS.iter().chain(BRACKETED).map(|tag| tag.chars().count()).max();
        assert_eq!(longest, Some(LONGEST_TAG), "no tag is longer than what is looked at");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn twice_is_once(text in "([#＃ \r\n\u{200b}]|Safety|Runtime|</?|available_skills>|think>|\\[INST\\]|/AGENTS.md|[a-z])*") {
            let once = shielded(&text);
            prop_assert_eq!(&shielded(&once), &once);
            prop_assert!(!once.lines().any(is_heading_of_ours), "{}", once);
        }
    }
}
