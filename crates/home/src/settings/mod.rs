//! Tarsus's own settings, `tarsus/tarsus.json5`: keys that OpenClaw would reject in its own file.
//!
//! Missing values have defaults. An invalid value is an error with its position, because a typo in a security setting
//! must not fall back silently. Unknown keys stay in the file and are listed.

mod change;
mod edits;
mod records;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tarsus_protocol::{ErrorCode, Excerpt, Problem, SourceLocation};

pub use change::{Changed, change};
pub use records::{SkillRecordChange, SkillRecords};
pub use tarsus_protocol::rpc::journal::LogLevel;

use crate::Home;
use crate::config::json5::{Document, EditError, JsonDialect, MAX_BYTES, Node, NodeKind, SyntaxError};
use crate::files::{self, FileError, Locked};

/// Contents of a new settings file: all settings, commented out.
pub const DEFAULT_TEXT: &str = r#"// Tarsus's own settings. What OpenClaw reads as well is in openclaw.json.
// Everything is optional; the values shown are the defaults.
{
  // skills: {
  //   pinned: [], // names of skills that come first in the prompt
  //   load: {
  //     lenient: false, // true: skills whose file can be read only in part are used too
  //   },
  //   security: {
  //     // When the limits on community skills apply:
  //     //   "active"  while such a skill is in use in a session
  //     //   "loaded"  as soon as one is loaded
  //     //   "off"     never
  //     enforcement: "active",
  //     // `tarsus skills trust|grant|accept` keep here what you decided about single skills: trust, grants, seen, accepted, disabled.
  //   },
  // },
  // logs: {
  //   level: "info", // "error", "warn", "info", "debug" or "trace"
  //   maxBytes: 10485760, // then a new file is begun
  //   keep: 5, // older files that stay
  // },
}
"#;

/// Tarsus's own settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// When the limits on community skills apply (`skills.security.enforcement`).
    pub enforcement: Enforcement,
    /// Names of the skills that come first in the prompt (`skills.pinned`).
    pub pinned_skills: Vec<String>,
    /// True to load skills whose file can be parsed only in part (`skills.load.lenient`).
    pub lenient_skills: bool,
    /// The owner's decisions about single skills (`skills.security.trust|grants|seen|accepted|disabled`).
    pub skills: SkillRecords,
    /// Log level and retention.
    pub logs: Logs,
    /// Unknown keys, such as `logs.colour`.
    pub unknown: Vec<String>,
}

/// When the limits on community skills apply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Enforcement {
    /// While such a skill is in use in a session.
    #[default]
    Active,
    /// As soon as one is loaded.
    Loaded,
    /// Capabilities are not enforced.
    Off,
}

impl Enforcement {
    pub const ALL: [Self; 3] = [Self::Active, Self::Loaded, Self::Off];

    /// The value in the settings file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Loaded => "loaded",
            Self::Off => "off",
        }
    }
}

/// Log level and retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Logs {
    /// Minimum level.
    pub level: LogLevel,
    /// Maximum size of a log file.
    pub max_bytes: u64,
    /// Number of older files to keep.
    pub keep: u32,
}

impl Default for Logs {
    fn default() -> Self {
        Self { level: LogLevel::Info, max_bytes: 10 * 1024 * 1024, keep: 5 }
    }
}

/// The settings cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// Access to the file failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is not valid JSON5.
    #[error("{}: {error}", path.display())]
    Syntax {
        /// Path of the settings file.
        path: PathBuf,
        error: SyntaxError,
    },
    /// A setting has an invalid value.
    #[error("{}:{line}:{column}: {key} must be {expected}", path.display())]
    Wrong {
        /// Path of the settings file.
        path: PathBuf,
        /// Path of the setting.
        key: String,
        /// The expected value.
        expected: &'static str,
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
        /// The text of that line.
        text: String,
    },
    /// An edit of the text failed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The `agree` callback rejected the change.
    #[error("{0}")]
    NotAgreed(Box<Problem>),
}

impl SettingsError {
    fn is_disk_full(&self) -> bool {
        matches!(self, Self::File(error) if error.is_disk_full())
    }
}

impl From<SettingsError> for Problem {
    fn from(error: SettingsError) -> Self {
        match error {
            SettingsError::File(error) => error.into(),
            SettingsError::Edit(error) => error.into(),
            SettingsError::NotAgreed(problem) => *problem,
            SettingsError::Syntax { path, error } => error.problem(&path, "the settings are not valid JSON5"),
            SettingsError::Wrong { path, key, expected, line, column, text } => {
                let label = format!("must be {expected}");
                let excerpt = Excerpt { text, offset: column.saturating_sub(1) as usize, label };
                Self::new(ErrorCode::Malformed, format!("the setting {key} has a wrong value")).at(
                    SourceLocation { path, line: Some(line), column: Some(column), excerpt: Some(excerpt) },
                )
            }
        }
    }
}

/// Creates the settings file if it is missing. Returns true if it was created.
///
/// # Errors
/// When it cannot be read or written.
pub fn ensure(home: &Home) -> Result<bool, FileError> {
    let path = home.settings_path();
    if files::open(&path)?.is_some() {
        return Ok(false);
    }
    let locked = Locked::take(&path)?;
    if locked.read(MAX_BYTES)?.is_some() {
        return Ok(false);
    }
    // Need not survive a power cut: the next start creates it again.
    locked.replace_soon(DEFAULT_TEXT.as_bytes())?;
    Ok(true)
}

/// Loads the settings; defaults if there is no file.
///
/// # Errors
/// When the file cannot be read, is not JSON5, or has an invalid value.
pub fn load(home: &Home) -> Result<Settings, SettingsError> {
    let path = home.settings_path();
    let Some(bytes) = files::read(&path, MAX_BYTES)? else { return Ok(Settings::default()) };
    parse(path, &bytes).map(|(_, settings)| settings)
}

fn parse(path: PathBuf, bytes: &[u8]) -> Result<(Document, Settings), SettingsError> {
    let document = match Document::parse_object(bytes, JsonDialect::Json5) {
        Ok(document) => document,
        Err(error) => return Err(SettingsError::Syntax { path, error }),
    };
    let mut settings = Settings::default();
    match settings.apply("", document.root()) {
        Ok(()) => Ok((document, settings)),
        Err(WrongValue { key, expected, start }) => {
            let (line, column) = document.position(start);
            let text = document.text().lines().nth(line as usize - 1).unwrap_or_default().to_owned();
            Err(SettingsError::Wrong { path, key, expected, line, column, text })
        }
    }
}

struct WrongValue {
    key: String,
    expected: &'static str,
    start: usize,
}

impl Settings {
    /// Applies the value at `key`, the path from the root.
    fn apply(&mut self, key: &str, node: &Node) -> Result<(), WrongValue> {
        let wrong = |expected| WrongValue { key: key.to_owned(), expected, start: node.span.start };
        match key {
            "" | "skills" | "skills.load" | "skills.security" | "logs" => {
                if !matches!(node.kind, NodeKind::Object(_)) {
                    return Err(wrong("an object"));
                }
                for (name, value) in node.members() {
                    let below = if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
                    self.apply(&below, value)?;
                }
            }
            "skills.security.enforcement" => {
                self.enforcement = Enforcement::ALL
                    .into_iter()
                    .find(|mode| mode.name() == string_or_empty(node))
                    .ok_or_else(|| wrong("\"active\", \"loaded\" or \"off\""))?;
            }
            "skills.security.trust" => {
                self.skills.trust = records_by_name(key, node, "an object with a tier and a hash")?
            }
            "skills.security.grants" => {
                self.skills.grants =
                    records_by_name(key, node, "an object with a hash and a list of capabilities")?;
            }
            "skills.security.seen" => {
                self.skills.seen =
                    records_by_name(key, node, "an object with a hash and a list of capabilities")?;
            }
            "skills.security.accepted" => {
                self.skills.accepted =
                    records_by_name(key, node, "a list of objects with a rule, a hash and a reason")?;
            }
            "skills.security.disabled" => {
                self.skills.disabled = records_by_name(key, node, "true or false")?;
            }
            "skills.pinned" => {
                self.pinned_skills = string_list(node).ok_or_else(|| wrong("a list of names"))?;
            }
            "skills.load.lenient" => {
                self.lenient_skills = match node.kind {
                    NodeKind::Bool(lenient) => lenient,
                    _ => return Err(wrong("true or false")),
                };
            }
            "logs.level" => {
                self.logs.level = match string_or_empty(node) {
                    "error" => LogLevel::Error,
                    "warn" => LogLevel::Warn,
                    "info" => LogLevel::Info,
                    "debug" => LogLevel::Debug,
                    "trace" => LogLevel::Trace,
                    _ => return Err(wrong("\"error\", \"warn\", \"info\", \"debug\" or \"trace\"")),
                };
            }
            "logs.maxBytes" => {
                self.logs.max_bytes = unsigned(node)
                    .filter(|bytes| (64 * 1024..=1024 * 1024 * 1024).contains(bytes))
                    .ok_or_else(|| wrong("a number from 65536 to 1073741824"))?;
            }
            "logs.keep" => {
                self.logs.keep = unsigned(node)
                    .and_then(|files| u32::try_from(files).ok())
                    .filter(|files| *files <= 100)
                    .ok_or_else(|| wrong("a number from 0 to 100"))?;
            }
            _ => self.unknown.push(key.to_owned()),
        }
        Ok(())
    }
}

/// Deserialises the records of an object, by skill name.
fn records_by_name<T: DeserializeOwned>(
    key: &str,
    node: &Node,
    expected: &'static str,
) -> Result<BTreeMap<String, T>, WrongValue> {
    let NodeKind::Object(_) = node.kind else {
        return Err(WrongValue { key: key.to_owned(), expected: "an object", start: node.span.start });
    };
    let record = |(name, node): (&str, &Node)| match serde_json::from_value(node.to_value()) {
        Ok(record) => Ok((name.to_owned(), record)),
        Err(_) => Err(WrongValue { key: format!("{key}.{name}"), expected, start: node.span.start }),
    };
    node.members().map(record).collect()
}

fn string_or_empty(node: &Node) -> &str {
    match &node.kind {
        NodeKind::String(text) => text,
        _ => "",
    }
}

/// `None` unless the node is a list of strings.
fn string_list(node: &Node) -> Option<Vec<String>> {
    let NodeKind::Array(items) = &node.kind else { return None };
    let text = |item: &Node| match &item.kind {
        NodeKind::String(text) => Some(text.clone()),
        _ => None,
    };
    items.iter().map(text).collect()
}

fn unsigned(node: &Node) -> Option<u64> {
    match &node.kind {
        NodeKind::Number(number) => number.as_u64(),
        _ => None,
    }
}
