//! Notices that a skill is used: in what a person writes, in what a tool reads, in what goes into and comes out of tools.
//!
//! Promises: one pass over a text, however many skills there are; rather one skill too many than one too few. Leaves to
//! others: a program that gets at a skill's files although a text names neither its folder nor the one around it.

mod spelling;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aho_corasick::AhoCorasick;
use serde_json::Value;
use tarsus_protocol::capability::TrustTier;

use crate::activation::{Activation, How, SkillId};
use crate::facts::Places;
use spelling::{Spellings, is_of_name};

/// A skill that is watched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// The skill.
    pub skill: SkillId,
    /// How far it is trusted.
    pub tier: TrustTier,
    /// Its folder, with every link followed.
    pub folder: PathBuf,
    /// Its slash command, without the slash.
    pub command: Option<String>,
}

/// The skills of a snapshot, ready to be found in texts.
#[derive(Debug, Clone)]
pub struct Watch {
    skills: Vec<Watched>,
    by_name: Words,
    by_command: Words,
    /// `$name`, and whose it is.
    mentions: Option<(AhoCorasick, Vec<usize>)>,
    /// How folders are written.
    folders: Option<Spellings>,
}

/// Words in lower case, and the skills that are meant by them: names may differ in case alone.
type Words = BTreeMap<String, Vec<usize>>;

impl Watch {
    /// Gets skills ready to be found.
    #[must_use]
    pub fn new(skills: Vec<Watched>, places: Places<'_>) -> Self {
        let by_name = words(skills.iter().map(|one| Some(one.skill.name.as_str())));
        let by_command = words(skills.iter().map(|one| one.command.as_deref()));
        let (mentions, owners): (Vec<String>, Vec<usize>) = by_name
            .iter()
            .flat_map(|(name, all)| all.iter().map(move |at| (format!("${name}"), *at)))
            .unzip();
        let mentions = AhoCorasick::new(&mentions).ok().map(|matcher| (matcher, owners));
        let folders = Spellings::of(skills.iter().map(|one| one.folder.as_path()), places);
        Self { skills, by_name, by_command, mentions, folders }
    }

    /// A person wrote this: `/command`, `/skill name`, `$name`.
    pub fn message(&self, text: &str, active: &mut Activation) {
        let text = text.to_lowercase();
        if let Some(line) = text.trim_start().strip_prefix('/') {
            self.slash(line, active);
        }
        let Some((matcher, owners)) = &self.mentions else { return unknown(active) };
        for found in matcher.find_overlapping_iter(&text) {
            if !text[found.end()..].starts_with(is_of_name) {
                self.activate(owners[found.pattern().as_usize()], How::Named, active);
            }
        }
    }

    /// A line after its slash. In groups a command may be addressed, as `/command@bot`.
    fn slash(&self, line: &str, active: &mut Activation) {
        let whole = line.split(char::is_whitespace).next().unwrap_or_default();
        let command = whole.split(['@', ':']).next().unwrap_or_default();
        for word in [whole, command] {
            self.all(self.by_command.get(word), How::Command, active);
        }
        if command == "skill" {
            let rest = &line[command.len()..];
            let rest = rest.strip_prefix('@').map_or(rest, |bot| bot.trim_start_matches(|c| !ends_word(c)));
            let rest = rest.trim_start_matches(ends_word);
            for (name, all) in &self.by_name {
                if rest.strip_prefix(name.as_str()).is_some_and(|after| !after.starts_with(is_of_name)) {
                    self.all(Some(all), How::Named, active);
                }
            }
        }
    }

    /// A skill is used by its name.
    pub fn named(&self, name: &str, how: How, active: &mut Activation) {
        self.all(self.by_name.get(&name.to_lowercase()), how, active);
    }

    /// A file is read; the path has every link followed.
    pub fn read(&self, path: &Path, active: &mut Activation) {
        for (at, one) in self.skills.iter().enumerate() {
            if path.starts_with(&one.folder) {
                self.activate(at, How::Read, active);
            }
        }
    }

    /// A text came out of a tool.
    pub fn text(&self, text: &str, active: &mut Activation) {
        let Some(folders) = &self.folders else { return unknown(active) };
        folders.named_in(text, |at| self.activate(at, How::Touched, active));
    }

    /// Arguments went into a tool.
    pub fn arguments(&self, arguments: &Value, active: &mut Activation) {
        match arguments {
            Value::String(text) => self.argument(text, active),
            Value::Array(items) => items.iter().for_each(|item| self.arguments(item, active)),
            Value::Object(members) => members.iter().for_each(|(key, value)| {
                self.argument(key, active);
                self.arguments(value, active);
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn argument(&self, text: &str, active: &mut Activation) {
        let Some(folders) = &self.folders else { return unknown(active) };
        folders.reached_by(text, |at| self.activate(at, How::Touched, active));
    }

    fn all(&self, skills: Option<&Vec<usize>>, how: How, active: &mut Activation) {
        skills.into_iter().flatten().for_each(|at| self.activate(*at, how, active));
    }

    fn activate(&self, at: usize, how: How, active: &mut Activation) {
        let Watched { skill, tier, .. } = &self.skills[at];
        active.activate(skill.clone(), *tier, how);
    }
}

/// Without a matcher nothing can be ruled out.
fn unknown(active: &mut Activation) {
    active.join(&Activation::unknown());
}

fn words<'a>(words: impl Iterator<Item = Option<&'a str>>) -> Words {
    let mut map = Words::new();
    for (at, word) in words.enumerate() {
        if let Some(word) = word.filter(|word| !word.is_empty()) {
            map.entry(word.to_lowercase()).or_default().push(at);
        }
    }
    map
}

fn ends_word(letter: char) -> bool {
    letter.is_whitespace() || letter == ':'
}
