//! `$name` in what a person writes: the skills that are to be used for this request.
//!
//! Promises: what the person wrote stays as it is; a reference that is escaped, looks like a shell variable or names no
//! skill is none. Leaves to others: which skills may be named.

use crate::prompt::text::{cut, one_line};

/// At most so many skills are named to the model.
const MOST: usize = 8;
/// At most so many characters for each.
const LONGEST_LINE: usize = 512;
/// At most so many characters for all of them, with what introduces them.
const LONGEST_PREFIX: usize = 1_000;

const INTRODUCTION: &str = "This request names the skills below. Read the SKILL.md of each before you act:";
const REQUEST: &str = "User request:";

/// A skill that can be named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its SKILL.md, when the model is not told of it otherwise.
    pub hidden_at: Option<String>,
}

/// A request with the skills that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referenced<'a> {
    /// What the model gets: the request as it was when it names no skill.
    pub text: String,
    /// The skills that it is told to read, in the order in which they are named.
    pub skills: Vec<&'a str>,
    /// Skills that were named and are not passed on, because there are too many.
    pub left_out: Vec<&'a str>,
}

/// Finds the skills that a request names and says so in front of it.
#[must_use]
pub fn expand<'a>(request: &str, find: impl Fn(&str) -> Option<Named<'a>>) -> Referenced<'a> {
    let mut named: Vec<Named<'a>> = Vec::new();
    for word in words(request) {
        // A name at the end of a sentence: `$weather: …`.
        let found = find(word).or_else(|| find(word.trim_end_matches([':', '-', '_'])));
        if let Some(skill) = found.filter(|skill| named.iter().all(|known| known.name != skill.name)) {
            named.push(skill);
        }
    }
    let mut prefix = INTRODUCTION.to_owned();
    let mut room = LONGEST_PREFIX - INTRODUCTION.chars().count() - REQUEST.chars().count() - 3;
    let (mut skills, mut left_out) = (Vec::new(), Vec::new());
    for skill in named {
        let line = line(&skill);
        let length = line.chars().count() + 1;
        if skills.len() < MOST && length <= room {
            room -= length;
            prefix.push('\n');
            prefix.push_str(&line);
            skills.push(skill.name);
        } else {
            left_out.push(skill.name);
        }
    }
    let text =
        if skills.is_empty() { request.to_owned() } else { format!("{prefix}\n\n{REQUEST}\n{request}") };
    Referenced { text, skills, left_out }
}

fn line(skill: &Named<'_>) -> String {
    let at = skill.hidden_at.as_ref().map(|path| format!(" (SKILL.md: {path})")).unwrap_or_default();
    cut(&format!("- {}", one_line(&format!("{}{at}", skill.name))), LONGEST_LINE)
}

/// The words after each `$` that is not escaped, unless they look like a shell variable.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('$').filter_map(|(at, _)| {
        let before = text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        let rest = &text[at + 1..];
        let end =
            rest.find(|letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '-' | '_' | ':'));
        let word = &rest[..end.unwrap_or(rest.len())];
        let is_capitals = word.contains(|letter: char| letter.is_ascii_uppercase())
            && !word.contains(|letter: char| letter.is_ascii_lowercase());
        (before % 2 == 0 && !word.is_empty() && !is_capitals).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKILLS: [&str; 4] = ["weather", "git-helper", "a:b", "HOME"];

    fn find(word: &str) -> Option<Named<'static>> {
        let name = SKILLS.into_iter().find(|name| *name == word)?;
        Some(Named { name, hidden_at: (name == "a:b").then(|| "~/x/SKILL.md".to_owned()) })
    }

    #[test]
    fn names_are_found_unless_they_are_escaped_or_look_like_variables() {
        let table: [(&str, &[&str]); 13] = [
            ("what is $weather like", &["weather"]),
            ("$weather: today, and $git-helper.", &["weather", "git-helper"]),
            ("$weather $weather", &["weather"]),
            (r"\$weather", &[]),
            (r"\\$weather", &["weather"]),
            (r"\\\$weather", &[]),
            ("$HOME and $PATH", &[]),
            ("$nope $ $5", &[]),
            ("$$weather", &["weather"]),
            ("$a:b", &["a:b"]),
            ("$weatherly", &[]),
            ("天气$weather天气", &["weather"]),
            ("", &[]),
        ];
        for (request, skills) in table {
            let referenced = expand(request, find);
            assert_eq!(referenced.skills, skills, "{request}");
            assert!(referenced.text.ends_with(request) && (referenced.text == request) == skills.is_empty());
        }
    }

    #[test]
    fn the_model_is_told_what_to_read_and_then_the_request_as_it_was() {
        let expected = "This request names the skills below. Read the SKILL.md of each before you act:\n\
                        - weather\n- a:b (SKILL.md: ~/x/SKILL.md)\n\nUser request:\n$weather and $a:b";
        assert_eq!(expand("$weather and $a:b", find).text, expected);
    }

    #[test]
    fn at_most_eight_are_passed_on_and_the_rest_are_said() {
        let names: Vec<String> = (0..10).map(|number| format!("s{number}")).collect();
        let request: String = names.iter().map(|name| format!("${name} ")).collect();
        let by_name = |word: &str| {
            names.iter().find(|name| *name == word).map(|name| Named { name: name.as_str(), hidden_at: None })
        };
        let referenced = expand(&request, by_name);
        assert_eq!(referenced.skills, ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"]);
        assert_eq!(referenced.left_out, ["s8", "s9"]);
    }

    #[test]
    fn long_names_and_paths_are_bounded_and_cannot_begin_a_line() {
        let hidden = |word: &str| {
            let name = ["x", "y", "z"].into_iter().find(|name| *name == word)?;
            Some(Named { name, hidden_at: Some(format!("/a\n- evil/{}", "p".repeat(600))) })
        };
        let referenced = expand("$x $y $z", hidden);
        assert_eq!((referenced.skills, referenced.left_out), (vec!["x"], vec!["y", "z"]));
        let prefix = referenced.text.strip_suffix("$x $y $z").unwrap();
        assert!(prefix.chars().count() <= LONGEST_PREFIX);
        assert_eq!(prefix.lines().filter(|line| line.starts_with("- ")).count(), 1);
        assert!(prefix.lines().all(|line| line.chars().count() <= LONGEST_LINE));
    }
}
