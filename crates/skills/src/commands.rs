//! The slash commands of skills: a name for each that nothing else has, and the skill that a name means.
//!
//! Promises: built-in commands keep their names; of two skills with one name the earlier keeps it; a skill without a
//! command is said. Leaves to others: which skills may be invoked, and what happens then.

use std::collections::{BTreeMap, HashMap};

use crate::lookup::folded;

/// At most so many letters of a command.
const LONGEST: usize = 32;
/// The last number that a command is told apart by.
const LAST_NUMBER: u32 = 999;

/// The slash commands of an agent's skills.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commands {
    /// In the order of the skills.
    list: Vec<Command>,
    /// Places in the list by command.
    by_name: HashMap<String, usize>,
    /// Skills for which no name is left; `/skill NAME` reaches them all the same.
    pub unnamed: Vec<String>,
}

/// One slash command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The command, without the slash.
    pub name: String,
    /// The skill's name.
    pub skill: String,
}

impl Commands {
    /// Gives each skill its command. `skills` are names with the command that each would have alone
    /// ([`crate::Skill::slash_base`]); `built_in` are commands that are taken.
    #[must_use]
    pub fn of<'a>(
        skills: impl IntoIterator<Item = (&'a str, &'a str)>,
        built_in: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        // The number that each base is at, so that many clashes cost no more than few.
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut taken: HashMap<String, Option<usize>> =
            built_in.into_iter().map(|name| (name.to_lowercase(), None)).collect();
        let mut commands = Self::default();
        for (skill, base) in skills {
            let number = numbers.entry(base).or_insert(1);
            match free(base, number, |name| taken.contains_key(name)) {
                Some(name) => {
                    taken.insert(name.clone(), Some(commands.list.len()));
                    commands.list.push(Command { name, skill: skill.to_owned() });
                }
                None => commands.unnamed.push(skill.to_owned()),
            }
        }
        commands.by_name = taken.into_iter().filter_map(|(name, at)| Some((name, at?))).collect();
        commands
    }

    /// The commands, in the order of the skills.
    pub fn iter(&self) -> impl Iterator<Item = &Command> {
        self.list.iter()
    }

    /// The command that a word means: the command itself, a skill's name, or that with other separators. Upper and
    /// lower case are alike. None when the word fits several skills.
    #[must_use]
    pub fn find(&self, word: &str) -> Option<&Command> {
        let word = word.trim();
        if let Some(at) = self.by_name.get(&word.to_lowercase()) {
            return self.list.get(*at);
        }
        let exact = self.list.iter().find(|command| command.skill == word);
        exact.or_else(|| self.only(|skill| skill.to_lowercase() == word.to_lowercase())).or_else(|| {
            let folded_word = folded(word);
            self.only(|skill| folded(skill) == folded_word)
        })
    }

    fn only(&self, is_meant: impl Fn(&str) -> bool) -> Option<&Command> {
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

/// The first free name of `base`, `base_2` … `base_999`, `base_x`. `number` is the next to try, as the earlier ones
/// are taken for good.
fn free(base: &str, number: &mut u32, is_taken: impl Fn(&str) -> bool) -> Option<String> {
    while *number <= LAST_NUMBER {
        let name =
            if *number == 1 { cut(base, LONGEST).to_owned() } else { with_suffix(base, &number.to_string()) };
        *number += 1;
        if !is_taken(&name) {
            return Some(name);
        }
    }
    Some(with_suffix(base, "x")).filter(|name| !is_taken(name))
}

fn with_suffix(base: &str, suffix: &str) -> String {
    format!("{}_{suffix}", cut(base, LONGEST - 1 - suffix.len()))
}

fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(commands: &Commands) -> Vec<&str> {
        commands.iter().map(|command| command.name.as_str()).collect()
    }

    #[test]
    fn built_ins_and_earlier_skills_keep_their_names() {
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
        let commands = Commands::of(skills, ["Status", "help"]);
        let cut = format!("{}_2", "a".repeat(30));
        let expected = ["status_2", "weather", "weather_2", "weather_2_2", "weather_3", &*long, &*cut];
        assert_eq!(names(&commands), expected);
        assert!(commands.unnamed.is_empty());
    }

    #[test]
    fn when_every_number_is_taken_one_more_gets_an_x_and_the_rest_are_said() {
        let skills: Vec<String> = (0..1_002).map(|number| format!("天{number}")).collect();
        let commands = Commands::of(skills.iter().map(|name| (name.as_str(), "skill")), []);
        let names = names(&commands);
        assert_eq!(names[..3], ["skill", "skill_2", "skill_3"]);
        assert_eq!(names[998..], ["skill_999", "skill_x"]);
        assert_eq!(commands.unnamed, ["天1000", "天1001"]);
    }

    #[test]
    fn a_word_means_a_command_then_a_skill_then_a_skill_written_otherwise() {
        let skills = [
            ("Git Helper", "git_helper"),
            ("git_helper", "git_helper"),
            ("天气", "skill"),
            ("天气图", "skill"),
        ];
        let commands = Commands::of(skills, ["help"]);
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
