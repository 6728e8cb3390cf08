//! Assigns a unique slash command to each skill, and finds the skill that a command means.
//!
//! Built-in commands keep their names. Of two skills with the same name, the earlier one keeps it.

use std::collections::{BTreeMap, HashMap};

use crate::lookup::fold_name;

/// Characters of a command.
const MAX_CHARS: usize = 32;
/// Highest number that is appended to make a command unique.
const MAX_NUMBER: u32 = 999;

/// The slash commands of an agent's skills.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillCommands {
    /// In the order of the skills.
    list: Vec<SkillCommand>,
    /// Indices in `list` by lowercase command.
    by_name: HashMap<String, usize>,
    /// Skills for which no name is left. `/skill NAME` still invokes them.
    pub unnamed: Vec<String>,
}

/// The slash command of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillCommand {
    /// The command, without the slash.
    pub name: String,
    /// The skill's name.
    pub skill: String,
}

impl SkillCommands {
    /// Assigns the commands. `skills` are names with the preferred command of each ([`crate::Skill::slash_base`]);
    /// `built_in` are the commands that are taken.
    #[must_use]
    pub fn new<'a>(
        skills: impl IntoIterator<Item = (&'a str, &'a str)>,
        built_in: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        // The next number to try for each base, so that many conflicts take linear time.
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut taken: HashMap<String, Option<usize>> =
            built_in.into_iter().map(|name| (name.to_lowercase(), None)).collect();
        let mut commands = Self::default();
        for (skill, base) in skills {
            let number = numbers.entry(base).or_insert(1);
            match next_free(base, number, |name| taken.contains_key(name)) {
                Some(name) => {
                    taken.insert(name.clone(), Some(commands.list.len()));
                    commands.list.push(SkillCommand { name, skill: skill.to_owned() });
                }
                None => commands.unnamed.push(skill.to_owned()),
            }
        }
        commands.by_name = taken.into_iter().filter_map(|(name, at)| Some((name, at?))).collect();
        commands
    }

    /// The commands, in the order of the skills.
    pub fn iter(&self) -> impl Iterator<Item = &SkillCommand> {
        self.list.iter()
    }

    /// Finds a command by its name, the skill's name, or that name with other separators, ignoring case. `None` if the
    /// word matches several skills.
    #[must_use]
    pub fn find(&self, word: &str) -> Option<&SkillCommand> {
        let word = word.trim();
        if let Some(at) = self.by_name.get(&word.to_lowercase()) {
            return self.list.get(*at);
        }
        let exact = self.list.iter().find(|command| command.skill == word);
        exact.or_else(|| self.only(|skill| skill.to_lowercase() == word.to_lowercase())).or_else(|| {
            let folded = fold_name(word);
            self.only(|skill| fold_name(skill) == folded)
        })
    }

    fn only(&self, is_meant: impl Fn(&str) -> bool) -> Option<&SkillCommand> {
        let mut meant = self.list.iter().filter(|command| is_meant(&command.skill));
        let first = meant.next()?;
        meant.next().is_none().then_some(first)
    }

    /// The commands by skill.
    #[must_use]
    pub fn by_skill(&self) -> BTreeMap<&str, &str> {
        self.list.iter().map(|command| (command.skill.as_str(), command.name.as_str())).collect()
    }
}

/// Returns the first free name of `base`, `base_2` … `base_999`, `base_x`. `number` is the next one to try.
fn next_free(base: &str, number: &mut u32, is_taken: impl Fn(&str) -> bool) -> Option<String> {
    while *number <= MAX_NUMBER {
        let name = if *number == 1 {
            cut(base, MAX_CHARS).to_owned()
        } else {
            with_suffix(base, &number.to_string())
        };
        *number += 1;
        if !is_taken(&name) {
            return Some(name);
        }
    }
    Some(with_suffix(base, "x")).filter(|name| !is_taken(name))
}

fn with_suffix(base: &str, suffix: &str) -> String {
    format!("{}_{suffix}", cut(base, MAX_CHARS - 1 - suffix.len()))
}

fn cut(text: &str, max: usize) -> &str {
    text.char_indices().nth(max).map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(commands: &SkillCommands) -> Vec<&str> {
        commands.iter().map(|command| command.name.as_str()).collect()
    }

    #[test]
    fn built_in_commands_and_earlier_skills_keep_their_names() {
        let long = "a".repeat(32);
        let skills = [
            ("status", "status"),
            ("weather", "weather"),
            ("Weather", "weather"),
            ("weather 2", "weather_2"),
            ("WEATHER", "weather"),
            (&*long, &*long),
            ("b", &*long),
        ];
        let commands = SkillCommands::new(skills, ["Status", "help"]);
        let cut = format!("{}_2", "a".repeat(30));
        let expected = ["status_2", "weather", "weather_2", "weather_2_2", "weather_3", &*long, &*cut];
        assert_eq!(names(&commands), expected);
        assert!(commands.unnamed.is_empty());
    }

    #[test]
    fn skills_without_a_free_name_are_reported() {
        let skills: Vec<String> = (0..1_002).map(|number| format!("天{number}")).collect();
        let commands = SkillCommands::new(skills.iter().map(|name| (name.as_str(), "skill")), []);
        let names = names(&commands);
        assert_eq!(names[..3], ["skill", "skill_2", "skill_3"]);
        assert_eq!(names[998..], ["skill_999", "skill_x"]);
        assert_eq!(commands.unnamed, ["天1000", "天1001"]);
    }

    #[test]
    fn word_matches_a_command_before_a_skill_name() {
        let skills = [
            ("Git Helper", "git_helper"),
            ("git_helper", "git_helper"),
            ("天气", "skill"),
            ("天气图", "skill"),
        ];
        let commands = SkillCommands::new(skills, ["help"]);
        let table = [
            ("git_helper", Some("Git Helper")),
            ("GIT_HELPER_2", Some("git_helper")),
            ("Git Helper", Some("Git Helper")),
            ("git helper", Some("Git Helper")),
            // Both skills are called this.
            ("git-helper", None),
            ("天气", Some("天气")),
            (" skill_2 ", Some("天气图")),
            ("help", None),
            ("", None),
        ];
        for (word, skill) in table {
            assert_eq!(commands.find(word).map(|command| command.skill.as_str()), skill, "{word}");
        }
    }
}
