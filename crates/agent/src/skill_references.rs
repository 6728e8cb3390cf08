//! `$name` in a message: the skills that it names, and the text that points the model to them.
//!
//! A name that no usable skill has stays text, and so do names in capitals, such as `$HOME`, and those after a backslash.

use tarsus_guard::ActivationCause;
use tarsus_home::config::AgentId;
use tarsus_skills::prompt::text::{one_line, truncate};

use crate::runtime::Runtime;
use crate::skill_commands::{SkillInvocation, find_usable};

/// Skills that one message points the model to.
const MAX_SKILLS: usize = 8;
/// Maximum characters of the line about a skill, and of all lines.
const MAX_LINE_CHARS: usize = 512;
const MAX_LINES_CHARS: usize = 1_000;

/// The skills that a message names with `$`; `None` if there are none.
pub fn find_references(runtime: &Runtime, agent: &AgentId, text: &str) -> Option<SkillInvocation> {
    let mut names = referenced_names(text).peekable();
    names.peek()?;
    let snapshot = runtime.services.library.snapshot(agent)?;
    let commands = runtime.watch_cache.commands(&snapshot);
    let (mut skills, mut lines) = (Vec::new(), Vec::new());
    let mut room = MAX_LINES_CHARS;
    for name in names {
        let Some(found) = find_usable(&snapshot, &commands, name) else { continue };
        let skill = found.name().into_owned();
        if skills.contains(&skill) {
            continue;
        }
        let location = one_line(&runtime.services.home.display(found.path()));
        let line = truncate(&format!("- {}: {location}", one_line(&skill)), MAX_LINE_CHARS);
        let Some(left) = room.checked_sub(line.chars().count() + 1) else { break };
        room = left;
        skills.push(skill);
        lines.push(line);
        if skills.len() == MAX_SKILLS {
            break;
        }
    }
    let prompt = reference_prompt(&lines, text);
    (!skills.is_empty()).then_some(SkillInvocation { skills, cause: ActivationCause::Named, prompt })
}

fn reference_prompt(lines: &[String], text: &str) -> String {
    format!(
        "Use the skills that the message names with `$`. Read the instructions of each first, then follow them.\n{}\n\n\
         Message:\n{text}",
        lines.join("\n")
    )
}

/// The words after each `$` that can be a skill's name. A word may end with a colon that is not part of the name.
fn referenced_names(text: &str) -> impl Iterator<Item = &str> {
    let is_escaped = |before: &str| before.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
    let is_name_char = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | ':');
    let found = text.match_indices('$').filter(move |(at, _)| !is_escaped(&text[..*at]));
    let words = found.map(move |(at, _)| {
        let rest = &text[at + 1..];
        rest[..rest.find(|letter| !is_name_char(letter)).unwrap_or(rest.len())].trim_end_matches([':', '-'])
    });
    words.filter(|word| word.chars().any(|letter| letter.is_alphabetic() && !letter.is_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_an_unescaped_dollar_sign() {
        let table: &[(&str, &[&str])] = &[
            ("use $git-helper now", &["git-helper"]),
            ("$a, then ($b_2) and $c:d.", &["a", "b_2", "c:d"]),
            ("$weather: Oslo", &["weather"]),
            ("看看 $天气 吧", &["天气"]),
            ("$HOME/$PATH costs $5 or $1_000, $", &[]),
            (r"\$a \\$b \\\$c", &["b"]),
            ("$$twice", &["twice"]),
            ("US$dollar", &["dollar"]),
            ("", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(referenced_names(text).collect::<Vec<_>>(), *expected, "{text}");
        }
    }

    #[test]
    fn prompt_has_each_skill_and_the_whole_message() {
        let lines = ["- a: ~/a/SKILL.md".to_owned(), "- b: ~/b/SKILL.md".to_owned()];
        assert_eq!(
            reference_prompt(&lines, "do $a\nand $b"),
            "Use the skills that the message names with `$`. Read the instructions of each first, then follow them.\n\
             - a: ~/a/SKILL.md\n- b: ~/b/SKILL.md\n\nMessage:\ndo $a\nand $b"
        );
    }
}
