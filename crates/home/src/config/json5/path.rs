//! Paths in the notation of the command line: `agents.list[0].name`, `agents.list.0.name`, `skills.entries["my.key"].enabled`.

use std::fmt;
use std::str::FromStr;

use super::MAX_DEPTH;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathStep {
    /// A key of an object. On a list, a key of digits is an index.
    Key(String),
    /// An index into a list, from 0.
    Index(usize),
}

impl PathStep {
    pub(super) fn index(&self) -> Option<usize> {
        match self {
            Self::Index(index) => Some(*index),
            // `usize::from_str` would take a sign as well.
            Self::Key(name) if name.bytes().all(|byte| byte.is_ascii_digit()) => name.parse().ok(),
            Self::Key(_) => None,
        }
    }
}

/// The path of a value: at least one step from the root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(Vec<PathStep>);

/// A text that is not a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigPathError {
    /// An empty path, or an empty key between two dots.
    #[error("a key is missing in the path `{0}`")]
    MissingKey(String),
    /// A bracket that is not `[0]` or `["key"]`.
    #[error("a bracket in the path `{0}` is neither `[0]` nor `[\"key\"]`")]
    Bracket(String),
    /// A step that follows a bracket without a dot.
    #[error("a dot is missing after `]` in the path `{0}`")]
    MissingDot(String),
    /// More steps than a document may be deep.
    #[error("the path has more than {MAX_DEPTH} steps")]
    TooLong,
}

impl Path {
    /// Builds a path; `None` without steps.
    #[must_use]
    pub fn from_steps(steps: Vec<PathStep>) -> Option<Self> {
        (!steps.is_empty()).then_some(Self(steps))
    }

    /// The path of one key of the root.
    #[must_use]
    pub fn key(name: impl Into<String>) -> Self {
        Self(vec![PathStep::Key(name.into())])
    }

    /// Appends a key.
    #[must_use]
    pub fn join(&self, name: impl Into<String>) -> Self {
        self.with_step(PathStep::Key(name.into()))
    }

    /// Appends an index.
    #[must_use]
    pub fn at(&self, index: usize) -> Self {
        self.with_step(PathStep::Index(index))
    }

    fn with_step(&self, step: PathStep) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// The steps, from the root.
    #[must_use]
    pub fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// Formats the first `count` steps; empty for the root.
    pub(super) fn prefix_text(&self, count: usize) -> String {
        Self(self.0[..count].to_vec()).to_string()
    }
}

/// True if a key needs no quotes in a path.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '-' | '$'))
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Key(name) if is_plain(name) => {
                    write!(f, "{}{name}", if at == 0 { "" } else { "." })?;
                }
                PathStep::Key(name) => write!(f, "[{}]", serde_json::Value::from(name.as_str()))?,
            }
        }
        Ok(())
    }
}

impl FromStr for Path {
    type Err = ConfigPathError;

    fn from_str(text: &str) -> Result<Self, ConfigPathError> {
        let mut steps = Vec::new();
        let mut rest = text;
        loop {
            if steps.len() == MAX_DEPTH {
                return Err(ConfigPathError::TooLong);
            }
            if let Some(inside) = rest.strip_prefix('[') {
                let (step, after) =
                    parse_bracket(inside).ok_or_else(|| ConfigPathError::Bracket(text.to_owned()))?;
                steps.push(step);
                rest = after;
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                if name.is_empty() {
                    return Err(ConfigPathError::MissingKey(text.to_owned()));
                }
                steps.push(PathStep::Key(name.to_owned()));
                rest = after;
            }
            match rest.strip_prefix('.') {
                Some(after) if after.starts_with('[') => {
                    return Err(ConfigPathError::MissingKey(text.to_owned()));
                }
                Some(after) => rest = after,
                None if rest.is_empty() => return Ok(Self(steps)),
                None if rest.starts_with('[') => {}
                None => return Err(ConfigPathError::MissingDot(text.to_owned())),
            }
        }
    }
}

/// Parses `0]…` or `"key"]…`, after the opening bracket.
fn parse_bracket(inside: &str) -> Option<(PathStep, &str)> {
    if !inside.starts_with('"') {
        let (number, after) = inside.split_once(']')?;
        let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        return digits.then(|| number.parse().ok()).flatten().map(|index| (PathStep::Index(index), after));
    }
    let mut values = serde_json::Deserializer::from_str(inside).into_iter::<String>();
    let name = values.next()?.ok()?;
    let after = inside.get(values.byte_offset()..)?.strip_prefix(']')?;
    Some((PathStep::Key(name), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> PathStep {
        PathStep::Key(name.to_owned())
    }

    #[test]
    fn invalid_paths_are_rejected_with_the_reason() {
        let missing = |text: &str| ConfigPathError::MissingKey(text.to_owned());
        let bracket = |text: &str| ConfigPathError::Bracket(text.to_owned());
        let table = [
            ("", missing("")),
            (".", missing(".")),
            ("a.", missing("a.")),
            ("a..b", missing("a..b")),
            ("a.[0]", missing("a.[0]")),
            ("a[", bracket("a[")),
            ("a[]", bracket("a[]")),
            ("a[-1]", bracket("a[-1]")),
            ("a[+1]", bracket("a[+1]")),
            ("a[x]", bracket("a[x]")),
            ("a[\"b]", bracket("a[\"b]")),
            ("a[99999999999999999999]", bracket("a[99999999999999999999]")),
            ("a[0]b", ConfigPathError::MissingDot("a[0]b".to_owned())),
        ];
        for (text, error) in table {
            assert_eq!(text.parse::<Path>(), Err(error), "{text:?}");
        }
        assert_eq!("a.".repeat(MAX_DEPTH + 1).parse::<Path>(), Err(ConfigPathError::TooLong));
    }

    #[test]
    fn paths_parse_and_print_in_normal_form() {
        let table = [
            ("a", vec![key("a")], "a"),
            (
                "agents.list[0].name",
                vec![key("agents"), key("list"), PathStep::Index(0), key("name")],
                "agents.list[0].name",
            ),
            (
                "agents.list.0.name",
                vec![key("agents"), key("list"), key("0"), key("name")],
                "agents.list.0.name",
            ),
            ("s[\"my.key\"].x", vec![key("s"), key("my.key"), key("x")], "s[\"my.key\"].x"),
            ("[\"a]\\\"\\n\"][2]", vec![key("a]\"\n"), PathStep::Index(2)], "[\"a]\\\"\\n\"][2]"),
            ("s[\"plain\"]", vec![key("s"), key("plain")], "s.plain"),
            ("s[\"\"]", vec![key("s"), key("")], "s[\"\"]"),
            ("技能.git-helper", vec![key("技能"), key("git-helper")], "技能.git-helper"),
        ];
        for (text, steps, shown) in table {
            let path: Path = text.parse().unwrap();
            assert_eq!(path.steps(), steps, "{text}");
            assert_eq!(path.to_string(), shown);
            assert_eq!(shown.parse::<Path>().unwrap().steps(), steps);
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(256))]
        #[test]
        fn printed_paths_parse_back(names in proptest::collection::vec(
            proptest::prop_oneof![
                "\\PC{0,8}".prop_map(PathStep::Key),
                (0usize..99).prop_map(PathStep::Index),
            ], 1..8)) {
            let path = Path::from_steps(names).unwrap();
            proptest::prop_assert_eq!(path.to_string().parse::<Path>(), Ok(path));
        }
    }

    use proptest::strategy::Strategy as _;
}
