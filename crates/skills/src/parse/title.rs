//! Derives the title of a skill and its slash command.

use super::text::{is_separator, is_space, trimmed};

/// Characters of a slash command.
const MAX_COMMAND_CHARS: usize = 32;

/// Returns the text of the first `# heading` of a body, without closing `#`s.
pub(super) fn heading(body: &str) -> Option<&str> {
    let ends_line = |character: char| character == '\n' || is_separator(character);
    let mut from = 0;
    while let Some(found) = body[from..].find('#') {
        let at = from + found;
        from = at + 1;
        let starts_line = body[..at].chars().next_back().is_none_or(ends_line);
        let rest = &body[from..];
        // The heading may be on a later line, because the loader's pattern skips line breaks too.
        if !starts_line || !rest.starts_with(is_space) {
            continue;
        }
        let text = rest.trim_start_matches(is_space);
        let line = text.split(ends_line).next().filter(|line| !line.is_empty())?;
        let kept = line.trim_end_matches(is_space).trim_end_matches('#').trim_end_matches(is_space);
        // Keep at least one character, even if it is a `#`.
        let first = line.chars().next().map_or(0, char::len_utf8);
        return Some(&line[..kept.len().max(first)]);
    }
    None
}

/// Converts a name to title case: `my-skill_x` becomes `My Skill X`.
pub(super) fn title_case(name: &str) -> String {
    let words = trimmed(name).split(['-', '_']).filter(|word| !word.is_empty());
    let mut title = String::with_capacity(name.len());
    for word in words {
        if !title.is_empty() {
            title.push(' ');
        }
        let mut characters = word.chars();
        match characters.next() {
            Some(first) if first.len_utf16() == 1 => title.extend(first.to_uppercase()),
            first => title.extend(first),
        }
        title.push_str(characters.as_str());
    }
    if title.is_empty() { name.to_owned() } else { title }
}

/// Returns the preferred slash command of a name.
pub(super) fn slash_base(name: &str) -> String {
    let mut command = String::with_capacity(name.len().min(MAX_COMMAND_CHARS));
    for character in trimmed(name).to_lowercase().chars() {
        if character.is_ascii_lowercase() || character.is_ascii_digit() {
            command.push(character);
        } else if !command.is_empty() && !command.ends_with('_') {
            command.push('_');
        }
        if command.len() > MAX_COMMAND_CHARS {
            break;
        }
    }
    let trimmed = command.trim_end_matches('_').len();
    if command.len() <= MAX_COMMAND_CHARS {
        command.truncate(trimmed);
    }
    command.truncate(MAX_COMMAND_CHARS);
    if command.is_empty() { "skill".to_owned() } else { command }
}
