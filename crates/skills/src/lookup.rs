//! Finds the skill that a user names: by name or key, in any case, with any separators.
//!
//! A skill is never guessed; similar names are part of the error.

use std::collections::BTreeSet;

use strsim::osa_distance;
use tarsus_protocol::skills::{SkillStatus, SkillsReport};
use tarsus_protocol::{ErrorCode, Problem};

use crate::prompt::text::{one_line, truncate};

/// Similar names in an error.
const MAX_SIMILAR: usize = 5;
/// Characters of a name that is compared letter by letter.
const MAX_COMPARED_CHARS: usize = 64;
/// Characters of a name in an error.
const MAX_SHOWN_CHARS: usize = 80;

/// No skill, or more than one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// No skill has this name or key.
    #[error("no skill is called {wanted:?}")]
    NotFound {
        /// The requested name.
        wanted: String,
        /// Similar names, the most similar first.
        near: Vec<String>,
    },
    /// Several skills have this name or key.
    #[error("{wanted:?} matches more than one skill: {}", names.join(", "))]
    Ambiguous {
        /// The requested name.
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
                Self::new(ErrorCode::NotFound, message).hint("`tarsus skills list` shows all skills")
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

/// Whether a skill's name and key match.
type Matches<'w> = &'w dyn Fn(&str, &str) -> bool;

/// Finds a skill of a report, ignoring shadowed ones.
///
/// # Errors
/// If none or several match.
pub fn find_in_report<'r>(report: &'r SkillsReport, wanted: &str) -> Result<&'r SkillStatus, LookupError> {
    let counting: Vec<_> = report.skills.iter().filter(|skill| skill.shadowed_by.is_none()).collect();
    find(&counting, wanted, |skill| (&skill.name, &skill.skill_key)).copied()
}

/// Finds a skill by its exact name, else by its exact key, else ignoring case, else ignoring separators too. `names`
/// returns the name and the key of a skill.
///
/// # Errors
/// If none or several match.
pub fn find<'s, T>(
    skills: &'s [T],
    wanted: &str,
    names: impl Fn(&'s T) -> (&'s str, &'s str),
) -> Result<&'s T, LookupError> {
    let wanted = wanted.trim();
    let shown = || truncate(&one_line(wanted), MAX_SHOWN_CHARS);
    let (lower, folded) = (wanted.to_lowercase(), fold_name(wanted));
    let steps: [Matches<'_>; 4] = [
        &|name, _| name == wanted,
        &|_, key| key == wanted,
        &|name, key| name.to_lowercase() == lower || key.to_lowercase() == lower,
        &|name, key| fold_name(name) == folded || fold_name(key) == folded,
    ];
    for matches in steps {
        let mut found = skills.iter().filter(|skill| {
            let (name, key) = names(skill);
            matches(name, key)
        });
        let Some(first) = found.next() else { continue };
        let others: Vec<&T> = found.collect();
        if others.is_empty() {
            return Ok(first);
        }
        let names: BTreeSet<&str> =
            std::iter::once(first).chain(others).map(|skill| names(skill).0).collect();
        let names = names.into_iter().map(|name| truncate(&one_line(name), MAX_SHOWN_CHARS)).collect();
        return Err(LookupError::Ambiguous { wanted: shown(), names });
    }
    let near = similar_names(&folded, skills.iter().map(|skill| names(skill).0));
    Err(LookupError::NotFound { wanted: shown(), near })
}

/// Lowercases a name and replaces runs of spaces, underscores and slashes by one hyphen.
pub(crate) fn fold_name(name: &str) -> String {
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

/// Returns the names that are most similar to a folded one, the most similar first.
fn similar_names<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let length = wanted.chars().take(MAX_COMPARED_CHARS + 1).count();
    if length == 0 || length > MAX_COMPARED_CHARS {
        return Vec::new();
    }
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|name| {
            let folded = fold_name(name);
            let compared: String = folded.chars().take(MAX_COMPARED_CHARS + 1).collect();
            let compared_length = compared.chars().count();
            let max_errors = match length.min(compared_length) {
                0..=2 => 0,
                3..=5 => 1,
                _ => 2,
            };
            let errors = (length.abs_diff(compared_length) <= max_errors)
                .then(|| osa_distance(wanted, &compared))
                .filter(|errors| *errors <= max_errors);
            // A part of a name is less similar than one with typing errors.
            let part = || (length >= 3 && folded.contains(wanted)).then_some(max_errors + 1);
            Some((errors.or_else(part)?, name))
        })
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().take(MAX_SIMILAR).map(|(_, name)| truncate(&one_line(name), MAX_SHOWN_CHARS)).collect()
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

    fn find_name(wanted: &str) -> Result<&'static str, LookupError> {
        find(&SKILLS, wanted, |skill| *skill).map(|skill| skill.0)
    }

    #[test]
    fn exact_name_is_preferred_to_key_and_other_spellings() {
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
            assert_eq!(find_name(wanted), Ok(name), "{wanted}");
        }
    }

    #[test]
    fn ambiguous_name_lists_the_skills() {
        let error = find_name("git-helper").unwrap_err();
        let names = ["Git Helper", "git_helper"].map(str::to_owned).to_vec();
        assert_eq!(error, LookupError::Ambiguous { wanted: "git-helper".into(), names });
        assert_eq!(Problem::from(error).code, ErrorCode::Ambiguous);
    }

    #[test]
    fn unknown_name_suggests_similar_ones() {
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
            assert_eq!(
                find_name(wanted),
                Err(LookupError::NotFound { wanted: wanted.into(), near }),
                "{wanted}"
            );
        }
        let problem = Problem::from(find_name("waether").unwrap_err());
        assert_eq!(problem.code, ErrorCode::NotFound);
        assert_eq!(problem.next_step(), "did you mean \"weather\"? `tarsus skills list` shows all");
    }

    #[test]
    fn hostile_name_is_quoted_short_and_on_one_line() {
        let error = find_name(&format!("x\n\x1b[2J{}", "y".repeat(10_000))).unwrap_err();
        let message = error.to_string();
        assert!(message.len() < 200 && !message.contains(['\n', '\x1b']), "{message}");
    }
}
