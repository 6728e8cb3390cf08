//! How a `Problem` looks to programs: as the JSON of a failed command, and as the error of a response.
//!
//! Both have the same code, sentence, hint, location and notes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::{ErrorCode, Problem, RpcCode, SourceLocation};

/// Output of a failed command with `--json`: `{"ok":false,"error":{…}}`.
///
/// ```
/// use tarsus_protocol::{CliFailure, ErrorCode, Problem};
///
/// let problem = Problem::new(ErrorCode::NotFound, "no app is called \"lasst z\"").hint("tarsus apps");
/// assert_eq!(
///     serde_json::to_string(&CliFailure::from(problem))?,
///     r#"{"ok":false,"error":{"code":"not-found","type":"cli_error","message":"no app is called \"lasst z\"","hint":"tarsus apps"}}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CliFailure {
    /// Always false.
    #[schemars(extend("const" = false))]
    ok: bool,
    /// The error.
    pub error: CliError,
    /// The skill concerned, as the user named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<Box<str>>,
}

/// The error of a failed command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CliError {
    /// The code; scripts may rely on it.
    pub code: ErrorCode,
    /// Name of this shape.
    #[serde(rename = "type")]
    pub kind: CliErrorKind,
    /// A sentence.
    pub message: String,
    /// The next step.
    pub hint: String,
    /// The position in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<SourceLocation>,
    /// Causes and consequences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Name of the shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CliErrorKind {
    /// An error of the command line.
    CliError,
}

impl From<Problem> for CliFailure {
    fn from(problem: Problem) -> Self {
        let hint = problem.next_step().to_owned();
        let error = CliError {
            code: problem.code,
            kind: CliErrorKind::CliError,
            message: sentence(&problem),
            hint,
            location: problem.location.map(|place| *place),
            notes: problem.notes,
        };
        Self { ok: false, error, skill: problem.skill }
    }
}

/// The message, with the label of the excerpt if there is one: programs do not see the excerpt.
fn sentence(problem: &Problem) -> String {
    let label =
        problem.location.as_ref().and_then(|place| place.excerpt.as_ref()).map(|excerpt| &excerpt.label);
    match label {
        Some(label) => format!("{}: {label}", problem.message),
        None => problem.message.clone(),
    }
}

/// The error of a response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorShape {
    /// The class of the error.
    pub code: WireCode,
    /// The error in a sentence; some clients match on its words.
    pub message: String,
    /// Data for clients.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::frame::present")]
    pub details: Option<Value>,
    /// Whether the same request may succeed later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
}

/// Class of an error on the wire: a known one, or one of a newer gateway.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum WireCode {
    /// A known code.
    Known(RpcCode),
    /// A code of a newer version.
    Other(String),
}

impl From<RpcCode> for WireCode {
    fn from(code: RpcCode) -> Self {
        Self::Known(code)
    }
}

impl From<Problem> for ErrorShape {
    fn from(problem: Problem) -> Self {
        let mut details = json!({ "code": problem.code, "hint": problem.next_step() });
        if let Some(place) = &problem.location {
            details["location"] = json!(place);
        }
        if !problem.notes.is_empty() {
            details["notes"] = json!(problem.notes);
        }
        Self {
            code: problem.code.rpc().into(),
            message: sentence(&problem),
            details: Some(details),
            retryable: problem.code.retryable().then_some(true),
        }
    }
}
