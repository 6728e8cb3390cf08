//! Escapes untrusted text so that it cannot pass for the structure of a prompt.
//!
//! Escaped text has no heading of the prompt, no reserved tag, and no tag of the chat templates of models. The rest is
//! unchanged, and escaping is idempotent.

use std::borrow::Cow;

use tarsus_skills::prompt::text::{one_line, visible};

use super::files::WORKSPACE_FILES;
use super::sections;

/// Prefixes of reserved tags: ours, and those of chat templates.
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

/// Reserved tags in brackets.
const BRACKETED: &[&str] = &["inst]", "tool_calls]", "tool_results]", "available_tools]", "system_prompt]"];

/// Characters of the longest of these tags.
const MAX_TAG_CHARS: usize = 16;

/// Escapes headings, tags and invisible characters of a text.
pub(super) fn escape_text(text: &str) -> String {
    tags(&headings(&visible(&normalize_breaks(text)))).into_owned()
}

/// Escapes a value for a single line.
pub(super) fn line(text: &str) -> String {
    tags(&one_line(text)).into_owned()
}

/// Escapes the prompt's headings with a backslash.
pub(super) fn headings(text: &str) -> Cow<'_, str> {
    if !text.lines().any(is_reserved_heading) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        if is_reserved_heading(line) {
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

/// Whether a line reads as the heading of a section or of a workspace file.
pub(super) fn is_reserved_heading(line: &str) -> bool {
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

/// The letters and digits of a title, in lower case.
fn letters(title: &str) -> impl Iterator<Item = char> {
    title.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// Escapes the opening bracket of reserved tags.
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

/// Whether an opening bracket starts a reserved tag. White space and a slash may follow it.
fn begins_tag(opener: char, rest: &str) -> bool {
    let names = if opener == '[' { BRACKETED } else { TAGS };
    let rest = rest.trim_start_matches(|letter: char| letter == '/' || letter.is_whitespace());
    let name: String = rest.chars().take(MAX_TAG_CHARS).flat_map(char::to_lowercase).collect();
    names.iter().any(|tag| name.starts_with(tag))
}

/// Converts every kind of line break to a line feed.
fn normalize_breaks(text: &str) -> Cow<'_, str> {
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
    fn only_prompt_headings_are_escaped() {
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
            assert_eq!(escape_text(line), expected, "{line:?}");
        }
    }

    #[test]
    fn only_reserved_tags_are_escaped() {
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
            assert_eq!(escape_text(text), expected, "{text:?}");
        }
        let longest = TAGS.iter().chain(BRACKETED).map(|tag| tag.chars().count()).max();
        assert_eq!(longest, Some(MAX_TAG_CHARS), "no tag is longer than the limit");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn escaping_is_idempotent(text in "([#＃ \r\n\u{200b}]|Safety|Runtime|</?|available_skills>|think>|\\[INST\\]|/AGENTS.md|[a-z])*") {
            let once = escape_text(&text);
            prop_assert_eq!(&escape_text(&once), &once);
            prop_assert!(!once.lines().any(is_reserved_heading), "{}", once);
        }
    }
}
