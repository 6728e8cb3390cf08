//! Detects that a skill is used: in messages, in files that tools read, in tool arguments and tool output.
//!
//! Each text is searched once, however many skills there are. False positives are preferred to misses. A program that
//! reaches a skill's files without naming its folder or the parent folder is not detected.

mod folder_matcher;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aho_corasick::AhoCorasick;
use serde_json::Value;
use tarsus_protocol::capability::TrustTier;

use crate::activation::{Activation, ActivationCause, SkillId};
use crate::call_facts::PathBases;
use folder_matcher::{FolderMatcher, is_name_char};

/// A skill to detect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectableSkill {
    /// The skill.
    pub skill: SkillId,
    /// Its effective trust tier.
    pub tier: TrustTier,
    /// Its folder, with links resolved.
    pub folder: PathBuf,
    /// Its slash command, without the slash.
    pub command: Option<String>,
}

/// The detector for the skills of a snapshot.
#[derive(Debug, Clone)]
pub struct SkillDetector {
    skills: Vec<DetectableSkill>,
    by_name: Words,
    by_command: Words,
    /// `$name` patterns, and the skill of each.
    mentions: Option<(AhoCorasick, Vec<usize>)>,
    folders: Option<FolderMatcher>,
}

/// Lowercase words and the skills they refer to: names may differ only in case.
type Words = BTreeMap<String, Vec<usize>>;

impl SkillDetector {
    /// Builds the detector.
    #[must_use]
    pub fn new(skills: Vec<DetectableSkill>, path_bases: PathBases<'_>) -> Self {
        let by_name = index_words(skills.iter().map(|one| Some(one.skill.name.as_str())));
        let by_command = index_words(skills.iter().map(|one| one.command.as_deref()));
        let (mentions, owners): (Vec<String>, Vec<usize>) = by_name
            .iter()
            .flat_map(|(name, all)| all.iter().map(move |at| (format!("${name}"), *at)))
            .unzip();
        let mentions = AhoCorasick::new(&mentions).ok().map(|matcher| (matcher, owners));
        let folders = FolderMatcher::new(skills.iter().map(|one| one.folder.as_path()), path_bases);
        Self { skills, by_name, by_command, mentions, folders }
    }

    /// Activates the skills that a person's message refers to: `/command`, `/skill name`, `$name`.
    pub fn detect_in_message(&self, text: &str, active: &mut Activation) {
        let text = text.to_lowercase();
        if let Some(line) = text.trim_start().strip_prefix('/') {
            self.activate_slash_command(line, active);
        }
        let Some((matcher, owners)) = &self.mentions else { return mark_unknown(active) };
        for found in matcher.find_overlapping_iter(&text) {
            if !text[found.end()..].starts_with(is_name_char) {
                self.activate(owners[found.pattern().as_usize()], ActivationCause::Named, active);
            }
        }
    }

    /// Handles the text after a leading slash. In groups a command may be addressed, as `/command@bot`.
    fn activate_slash_command(&self, line: &str, active: &mut Activation) {
        let whole = line.split(char::is_whitespace).next().unwrap_or_default();
        let command = whole.split(['@', ':']).next().unwrap_or_default();
        for word in [whole, command] {
            self.activate_all(self.by_command.get(word), ActivationCause::Command, active);
        }
        if command == "skill" {
            let rest = &line[command.len()..];
            let rest = rest.strip_prefix('@').map_or(rest, |bot| bot.trim_start_matches(|c| !is_word_end(c)));
            let rest = rest.trim_start_matches(is_word_end);
            for (name, all) in &self.by_name {
                if rest.strip_prefix(name.as_str()).is_some_and(|after| !after.starts_with(is_name_char)) {
                    self.activate_all(Some(all), ActivationCause::Named, active);
                }
            }
        }
    }

    /// Activates the skills of a name.
    pub fn activate_by_name(&self, name: &str, cause: ActivationCause, active: &mut Activation) {
        self.activate_all(self.by_name.get(&name.to_lowercase()), cause, active);
    }

    /// Activates the skills around a file that is read; links in `path` are resolved.
    pub fn detect_read(&self, path: &Path, active: &mut Activation) {
        for (at, one) in self.skills.iter().enumerate() {
            if path.starts_with(&one.folder) {
                self.activate(at, ActivationCause::Read, active);
            }
        }
    }

    /// Activates the skills whose folders a tool's output names.
    pub fn detect_in_output(&self, text: &str, active: &mut Activation) {
        let Some(folders) = &self.folders else { return mark_unknown(active) };
        folders.find_named(text, |at| self.activate(at, ActivationCause::Touched, active));
    }

    /// Activates the skills whose folders the arguments of a tool name or reach.
    pub fn detect_in_arguments(&self, arguments: &Value, active: &mut Activation) {
        match arguments {
            Value::String(text) => self.scan_argument(text, active),
            Value::Array(items) => items.iter().for_each(|item| self.detect_in_arguments(item, active)),
            Value::Object(members) => members.iter().for_each(|(key, value)| {
                self.scan_argument(key, active);
                self.detect_in_arguments(value, active);
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn scan_argument(&self, text: &str, active: &mut Activation) {
        let Some(folders) = &self.folders else { return mark_unknown(active) };
        folders.find_reachable(text, |at| self.activate(at, ActivationCause::Touched, active));
    }

    fn activate_all(&self, skills: Option<&Vec<usize>>, cause: ActivationCause, active: &mut Activation) {
        skills.into_iter().flatten().for_each(|at| self.activate(*at, cause, active));
    }

    fn activate(&self, at: usize, cause: ActivationCause, active: &mut Activation) {
        let DetectableSkill { skill, tier, .. } = &self.skills[at];
        active.activate(skill.clone(), *tier, cause);
    }
}

/// Fails closed: without a matcher, any skill may have been used.
fn mark_unknown(active: &mut Activation) {
    active.join(&Activation::unknown());
}

fn index_words<'a>(words: impl Iterator<Item = Option<&'a str>>) -> Words {
    let mut map = Words::new();
    for (at, word) in words.enumerate() {
        if let Some(word) = word.filter(|word| !word.is_empty()) {
            map.entry(word.to_lowercase()).or_default().push(at);
        }
    }
    map
}

fn is_word_end(letter: char) -> bool {
    letter.is_whitespace() || letter == ':'
}
