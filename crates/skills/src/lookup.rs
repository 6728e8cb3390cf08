//! The skill that a person means: by name, by key, in other letters, with other separators.
//!
//! Promises: a name is never guessed; what is merely near is told with the error.

use std::collections::BTreeSet;

use tarsus_protocol::skills::{SkillStatus, SkillsReport};
use tarsus_protocol::text::typing_errors;
use tarsus_protocol::{ErrorCode, Problem};

use crate::prompt::text::{one_line, truncate};

/// At most so many near names are told.
const MOST_NEAR: usize = 5;
/// Longer names are not compared letter by letter.
const LONGEST_NEAR: usize = 64;
/// At most so many characters of what was asked for are repeated.
const LONGEST_SHOWN: usize = 80;

/// No skill, or more than one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// None is called that.
    #[error("no skill is called {wanted:?}")]
    NotFound {
        /// What was asked for.
        wanted: String,
        /// Names that are similar, the nearest first.
        near: Vec<String>,
    },
    /// Several are called that.
    #[error("{wanted:?} fits more than one skill: {}", names.join(", "))]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// Their names.
        names: Vec<String>,
    },
}

impl From<LookupError> for Problem {
    fn from(error: LookupError) -> Self {
        let message = error.to_string();
        match error {
            LookupError::NotFound { near, .. } if near.is_empty() => {
                Self::new(ErrorCode::NotFound, message).hint("`tarsus skills list` shows what there is")
            }
            LookupError::NotFound { near, .. } => {
                let quoted: Vec<String> = near.iter().map(|name| format!("{name:?}")).collect();
                Self::new(ErrorCode::NotFound, message)
                    .hint(format!("did you mean {}? `tarsus skills list` shows all", quoted.join(" or ")))
            }
            LookupError::Ambiguous { .. } => {
                Self::new(ErrorCode::Ambiguous, message).hint("use the exact name of the one you mean")
            }
        }
    }
}

/// Whether a name and a key are meant.
type Way<'w> = &'w dyn Fn(&str, &str) -> bool;

/// The skill of a report that `wanted` means; a shadowed one is never meant.
///
/// # Errors
/// When none or several are meant.
pub fn in_report<'r>(report: &'r SkillsReport, wanted: &str) -> Result<&'r SkillStatus, LookupError> {
    let counting: Vec<_> = report.skills.iter().filter(|skill| skill.shadowed_by.is_none()).collect();
    find(&counting, wanted, |skill| (&skill.name, &skill.skill_key)).copied()
}

/// The one that `wanted` means: of exactly this name, else of this key, else so in other letters, else with other
/// separators. `called` gives the name and the key of each.
///
/// # Errors
/// When none or several are meant.
pub fn find<'s, T>(
    skills: &'s [T],
    wanted: &str,
    called: impl Fn(&'s T) -> (&'s str, &'s str),
) -> Result<&'s T, LookupError> {
    let wanted = wanted.trim();
    let shown = || truncate(&one_line(wanted), LONGEST_SHOWN);
    let (lower, normal) = (wanted.to_lowercase(), folded(wanted));
    let ways: [Way<'_>; 4] = [
        &|name, _| name == wanted,
        &|_, key| key == wanted,
        &|name, key| name.to_lowercase() == lower || key.to_lowercase() == lower,
        &|name, key| folded(name) == normal || folded(key) == normal,
    ];
    for is_meant in ways {
        let mut meant = skills.iter().filter(|skill| {
            let (name, key) = called(skill);
            is_meant(name, key)
        });
        let Some(first) = meant.next() else { continue };
        let others: Vec<&T> = meant.collect();
        if others.is_empty() {
            return Ok(first);
        }
        let names: BTreeSet<&str> =
            std::iter::once(first).chain(others).map(|skill| called(skill).0).collect();
        let names = names.into_iter().map(|name| truncate(&one_line(name), LONGEST_SHOWN)).collect();
        return Err(LookupError::Ambiguous { wanted: shown(), names });
    }
    let near = near(&normal, skills.iter().map(|skill| called(skill).0));
    Err(LookupError::NotFound { wanted: shown(), near })
}

/// A name in small letters, with one hyphen for spaces, underscores and slashes.
pub(crate) fn folded(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for letter in name.trim().chars() {
        if letter.is_whitespace() || matches!(letter, '_' | '/') {
            if !folded.ends_with('-') {
                folded.push('-');
            }
        } else {
            folded.extend(letter.to_lowercase());
        }
    }
    folded
}

/// The names that are nearest to a folded one, the nearest first.
fn near<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let wanted_letters: Vec<char> = wanted.chars().take(LONGEST_NEAR + 1).collect();
    if wanted_letters.is_empty() || wanted_letters.len() > LONGEST_NEAR {
        return Vec::new();
    }
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|name| {
            let folded = folded(name);
            let letters: Vec<char> = folded.chars().take(LONGEST_NEAR + 1).collect();
            let most = match wanted_letters.len().min(letters.len()) {
                0..=2 => 0,
                3..=5 => 1,
                _ => 2,
            };
            let errors = typing_errors(&wanted_letters, &letters, most);
            // The beginning of a name, or a part of it, is further away than a wrong letter.
            let part = || (wanted_letters.len() >= 3 && folded.contains(wanted)).then_some(most + 1);
            Some((errors.or_else(part)?, name))
        })
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().take(MOST_NEAR).map(|(_, name)| truncate(&one_line(name), LONGEST_SHOWN)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKILLS: [(&str, &str); 7] = [
        ("weather", "weather"),
        ("Git Helper", "git"),
        ("git_helper", "git_helper"),
        ("notes", "daily/notes"),
        ("video-frames", "frames"),
        ("天气", "天气"),
        ("WEATHER-map", "WEATHER-map"),
    ];

    fn look(wanted: &str) -> Result<&'static str, LookupError> {
        find(&SKILLS, wanted, |skill| *skill).map(|skill| skill.0)
    }

    #[test]
    fn the_exact_name_counts_before_the_key_and_both_before_other_spellings() {
        let table = [
            ("weather", "weather"),
            (" weather ", "weather"),
            ("git", "Git Helper"),
            ("GIT", "Git Helper"),
            ("Git Helper", "Git Helper"),
            ("git_helper", "git_helper"),
            ("Weather", "weather"),
            ("daily/notes", "notes"),
            ("daily notes", "notes"),
            ("Daily_ Notes", "notes"),
            ("video frames", "video-frames"),
            ("weather_map", "WEATHER-map"),
            ("天气", "天气"),
        ];
        for (wanted, name) in table {
            assert_eq!(look(wanted), Ok(name), "{wanted}");
        }
    }

    #[test]
    fn what_fits_several_is_ambiguous_and_names_them() {
        let error = look("git-helper").unwrap_err();
        let names = ["Git Helper", "git_helper"].map(str::to_owned).to_vec();
        assert_eq!(error, LookupError::Ambiguous { wanted: "git-helper".into(), names });
        assert_eq!(Problem::from(error).code, ErrorCode::Ambiguous);
    }

    #[test]
    fn what_is_not_there_is_told_with_what_is_near() {
        let table: [(&str, &[&str]); 8] = [
            ("waether", &["weather"]),
            ("weathe", &["weather", "WEATHER-map"]),
            ("wether_map", &["WEATHER-map"]),
            ("frame", &["video-frames"]),
            ("note", &["notes"]),
            ("zzz", &[]),
            ("a", &[]),
            ("", &[]),
        ];
        for (wanted, near) in table {
            let near = near.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(look(wanted), Err(LookupError::NotFound { wanted: wanted.into(), near }), "{wanted}");
        }
        let problem = Problem::from(look("waether").unwrap_err());
        assert_eq!(problem.code, ErrorCode::NotFound);
        assert_eq!(problem.next_step(), "did you mean \"weather\"? `tarsus skills list` shows all");
    }

    #[test]
    fn a_hostile_word_is_repeated_short_and_on_one_line() {
        let error = look(&format!("x\n\x1b[2J{}", "y".repeat(10_000))).unwrap_err();
        let message = error.to_string();
        assert!(message.len() < 200 && !message.contains(['\n', '\x1b']), "{message}");
    }
}
