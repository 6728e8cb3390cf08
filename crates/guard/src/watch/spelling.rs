//! Folders of skills in texts, however they are written.
//!
//! Promises: a folder is found by its last two names, so from anywhere above it and with either kind of separator; one
//! pass over the text. Leaves to others: names that a shell puts together.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};

use crate::facts::Places;

/// The file that every skill has.
const SKILL_FILE: &str = "SKILL.md";
/// No system has longer names.
const LONGEST_NAME: usize = 256;

/// How the folders of skills are written.
#[derive(Debug, Clone)]
pub(super) struct Spellings {
    matcher: AhoCorasick,
    meant: Vec<Meant>,
}

/// What a text means.
#[derive(Debug, Clone)]
enum Meant {
    /// The folder of a skill.
    Folder(usize),
    /// A folder with skills in it, perhaps: the name of the folder around it, and the skills.
    Shelf { around: String, skills: Vec<usize> },
}

impl Spellings {
    /// Those of the folders, which are told apart by their places; `None` when they are too many.
    pub(super) fn of<'a>(folders: impl Iterator<Item = &'a Path>, places: Places<'_>) -> Option<Self> {
        let mut texts = Vec::new();
        let mut meant = Vec::new();
        let mut shelves: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        for (at, folder) in folders.enumerate() {
            let mut put = |text| {
                texts.push(text);
                meant.push(Meant::Folder(at));
            };
            let names = folder.components().rev().filter_map(|component| match component {
                Component::Normal(name) => Some(name.to_string_lossy()),
                _ => None,
            });
            let mut places = [Some(places.workspace), places.home].into_iter().flatten();
            match &names.collect::<Vec<_>>()[..] {
                [name, parent, around @ ..] if !places.any(|place| place.starts_with(folder)) => {
                    put(format!("{parent}/{name}"));
                    put(format!("{name}/{SKILL_FILE}"));
                    let around = around.first().map(|around| around.to_lowercase()).unwrap_or_default();
                    shelves.entry((parent.to_string(), around)).or_default().push(at);
                }
                // Its last names would be found everywhere.
                _ => put(folded(&folder.to_string_lossy()).into_owned()),
            }
        }
        for ((name, around), skills) in shelves {
            texts.push(name);
            meant.push(Meant::Shelf { around, skills });
        }
        let matcher = AhoCorasickBuilder::new().ascii_case_insensitive(true).build(&texts).ok()?;
        Some(Self { matcher, meant })
    }

    /// The skills whose folders a text names.
    pub(super) fn named_in(&self, text: &str, mut found: impl FnMut(usize)) {
        self.each(text, |meant, _, _| match meant {
            Meant::Folder(at) => {
                found(*at);
                true
            }
            Meant::Shelf { .. } => false,
        });
    }

    /// The same, and the skills that a command can reach because it names the folder around them, or a pattern in it.
    pub(super) fn reached_by(&self, text: &str, mut found: impl FnMut(usize)) {
        self.each(text, |meant, before, after| match meant {
            Meant::Folder(at) => {
                found(*at);
                true
            }
            Meant::Shelf { around, skills } => {
                let is_opened = is_opened(around, before, after);
                skills.iter().filter(|_| is_opened).for_each(|at| found(*at));
                is_opened
            }
        });
    }

    /// What is found as whole names, with the text before and after it, until it was `enough`.
    fn each(&self, text: &str, mut enough: impl FnMut(&Meant, &str, &str) -> bool) {
        let text = folded(text);
        let mut done = BTreeSet::new();
        for one in self.matcher.find_overlapping_iter(&*text) {
            let (pattern, before, after) =
                (one.pattern().as_usize(), &text[..one.start()], &text[one.end()..]);
            let rooted = text[one.range()].starts_with('/');
            let is_whole = (rooted || !before.ends_with(is_of_name)) && !after.starts_with(is_of_name);
            if is_whole && !done.contains(&pattern) && enough(&self.meant[pattern], before, after) {
                done.insert(pattern);
            }
        }
    }
}

/// Whether a command that names a shelf can reach everything on it: by a pattern, or because the shelf itself is named,
/// from the folder around it or from a place that only the shell knows.
fn is_opened(around: &str, before: &str, after: &str) -> bool {
    let ends_name = |letter: char| letter == '/' || ends_path(letter);
    let parent = before.strip_suffix('/').map(|before| before.rsplit(ends_name).next().unwrap_or_default());
    let is_shelf = parent.is_some_and(|parent| {
        parent == ".." || parent.contains(['$', '~', '*']) || parent.to_lowercase() == around
    });
    let next = after.strip_prefix('/').unwrap_or(after);
    let next: String = next.chars().take(LONGEST_NAME).take_while(|letter| !ends_name(*letter)).collect();
    let is_glob = next.contains(['*', '?', '[']);
    // From the folder around it nothing but a pattern tells it from any folder of its name.
    (parent.is_none() && is_glob)
        || (is_shelf && (is_glob || next.is_empty() || next.contains(['{', '$', '`'])))
}

/// Whether a path ends before this letter of a command line.
fn ends_path(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(letter, '\'' | '"' | ';' | '|' | '&' | '(' | ')' | '<' | '>' | ',' | '=')
}

/// A text with one kind of separator, and without the parts of paths that lead nowhere (`//`, `/./`, `./` at the start).
fn folded(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') && !text.contains("//") && !text.contains("./") {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '/' | '\\' if plain.ends_with('/') => {}
            '/' | '\\' if plain.strip_suffix('.').is_some_and(|start| !start.ends_with(is_of_path)) => {
                plain.pop();
            }
            '/' | '\\' => plain.push('/'),
            other => plain.push(other),
        }
    }
    Cow::Owned(plain)
}

fn is_of_path(letter: char) -> bool {
    is_of_name(letter) || letter == '.'
}

/// Whether a letter goes on with a name.
pub(super) fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '-' | '_')
}
