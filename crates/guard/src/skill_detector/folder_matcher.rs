//! Finds folders of skills in text, in any spelling.
//!
//! A folder is matched by its last two components, with either separator, in one pass over the text. Names that a shell
//! assembles at run time are not found.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};

use crate::call_facts::PathBases;

const SKILL_FILE: &str = "SKILL.md";
/// Longer than a file name can be on any supported system.
const MAX_NAME_CHARS: usize = 256;

/// Matches every spelling of the folders of skills.
#[derive(Debug, Clone)]
pub(super) struct FolderMatcher {
    matcher: AhoCorasick,
    targets: Vec<Target>,
}

/// The meaning of a pattern.
#[derive(Debug, Clone)]
enum Target {
    /// The folder of a skill.
    Folder(usize),
    /// Possibly the parent folder of skills.
    Parent { grandparent: String, skills: Vec<usize> },
}

impl FolderMatcher {
    /// `None` if the automaton would get too large.
    pub(super) fn new<'a>(
        folders: impl Iterator<Item = &'a Path>,
        path_bases: PathBases<'_>,
    ) -> Option<Self> {
        let mut texts = Vec::new();
        let mut targets = Vec::new();
        let mut parents: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        for (at, folder) in folders.enumerate() {
            let mut put = |text| {
                texts.push(text);
                targets.push(Target::Folder(at));
            };
            let names = folder.components().rev().filter_map(|component| match component {
                Component::Normal(name) => Some(name.to_string_lossy()),
                _ => None,
            });
            let mut bases = [Some(path_bases.workspace), path_bases.home].into_iter().flatten();
            match &names.collect::<Vec<_>>()[..] {
                [name, parent, around @ ..] if !bases.any(|base| base.starts_with(folder)) => {
                    put(format!("{parent}/{name}"));
                    put(format!("{name}/{SKILL_FILE}"));
                    let around = around.first().map(|around| around.to_lowercase()).unwrap_or_default();
                    parents.entry((parent.to_string(), around)).or_default().push(at);
                }
                // Its last components would match everywhere.
                _ => put(normalize_separators(&folder.to_string_lossy()).into_owned()),
            }
        }
        for ((name, around), skills) in parents {
            texts.push(name);
            targets.push(Target::Parent { grandparent: around, skills });
        }
        let matcher = AhoCorasickBuilder::new().ascii_case_insensitive(true).build(&texts).ok()?;
        Some(Self { matcher, targets })
    }

    /// Reports the skills whose folders a text names.
    pub(super) fn find_named(&self, text: &str, mut found: impl FnMut(usize)) {
        self.for_each_match(text, |target, _, _| match target {
            Target::Folder(at) => {
                found(*at);
                true
            }
            Target::Parent { .. } => false,
        });
    }

    /// Like `find_named`, and also reports all skills of a parent folder that a command names or globs.
    pub(super) fn find_reachable(&self, text: &str, mut found: impl FnMut(usize)) {
        self.for_each_match(text, |target, before, after| match target {
            Target::Folder(at) => {
                found(*at);
                true
            }
            Target::Parent { grandparent: around, skills } => {
                let is_reached = reaches_children(around, before, after);
                skills.iter().filter(|_| is_reached).for_each(|at| found(*at));
                is_reached
            }
        });
    }

    /// Calls `is_done` with each whole-name match and the text around it, until it returns true for that pattern.
    fn for_each_match(&self, text: &str, mut is_done: impl FnMut(&Target, &str, &str) -> bool) {
        let text = normalize_separators(text);
        let mut done = BTreeSet::new();
        for one in self.matcher.find_overlapping_iter(&*text) {
            let (pattern, before, after) =
                (one.pattern().as_usize(), &text[..one.start()], &text[one.end()..]);
            let rooted = text[one.range()].starts_with('/');
            let is_whole = (rooted || !before.ends_with(is_name_char)) && !after.starts_with(is_name_char);
            if is_whole && !done.contains(&pattern) && is_done(&self.targets[pattern], before, after) {
                done.insert(pattern);
            }
        }
    }
}

/// Whether a command that names a parent folder can reach every skill in it: by a glob, or because the folder itself is
/// named, below its grandparent or below a path that only the shell can expand.
fn reaches_children(around: &str, before: &str, after: &str) -> bool {
    let ends_name = |letter: char| letter == '/' || is_path_delimiter(letter);
    let parent = before.strip_suffix('/').map(|before| before.rsplit(ends_name).next().unwrap_or_default());
    let is_parent = parent.is_some_and(|parent| {
        parent == ".." || parent.contains(['$', '~', '*']) || parent.to_lowercase() == around
    });
    let next = after.strip_prefix('/').unwrap_or(after);
    let next: String = next.chars().take(MAX_NAME_CHARS).take_while(|letter| !ends_name(*letter)).collect();
    let is_glob = next.contains(['*', '?', '[']);
    // Without its grandparent, only a glob tells it from any other folder of that name.
    (parent.is_none() && is_glob)
        || (is_parent && (is_glob || next.is_empty() || next.contains(['{', '$', '`'])))
}

fn is_path_delimiter(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(letter, '\'' | '"' | ';' | '|' | '&' | '(' | ')' | '<' | '>' | ',' | '=')
}

/// Normalizes separators to `/` and removes `//`, `/./` and a leading `./`.
fn normalize_separators(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') && !text.contains("//") && !text.contains("./") {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '/' | '\\' if plain.ends_with('/') => {}
            '/' | '\\' if plain.strip_suffix('.').is_some_and(|start| !start.ends_with(is_path_char)) => {
                plain.pop();
            }
            '/' | '\\' => plain.push('/'),
            other => plain.push(other),
        }
    }
    Cow::Owned(plain)
}

fn is_path_char(letter: char) -> bool {
    is_name_char(letter) || letter == '.'
}

pub(super) fn is_name_char(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '-' | '_')
}
