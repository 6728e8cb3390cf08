//! How a `Problem` looks to programs: as the JSON of a failed command, and as the error of a reply.
//!
//! Promises: both say the same (word, sentence, next step, place, notes). Leaves to others: the text for
//! people, and details that belong to one method.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::{ErrorCode, Place, Problem, RpcCode};

/// What a failed command prints with `--json`: `{"ok":false,"error":{…}}`.
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
    /// What went wrong.
    pub error: CliError,
    /// The skill that it is about, as it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<Box<str>>,
}

/// The error of a failed command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CliError {
    /// The one word that scripts may rely on.
    pub code: ErrorCode,
    /// Tells this shape from others.
    #[serde(rename = "type")]
    pub kind: CliErrorKind,
    /// What went wrong, in a sentence.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// Where, if it is in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Place>,
    /// Why, and what follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The name of the shape.
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
            location: problem.place.map(|place| *place),
            notes: problem.notes,
        };
        Self { ok: false, error, skill: problem.skill }
    }
}

/// What went wrong and, where a line of a file is to blame, what is wrong with it: a program sees no excerpt.
fn sentence(problem: &Problem) -> String {
    let label = problem.place.as_ref().and_then(|place| place.excerpt.as_ref()).map(|excerpt| &excerpt.label);
    match label {
        Some(label) => format!("{}: {label}", problem.message),
        None => problem.message.clone(),
    }
}

/// The error of a reply on the wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorShape {
    /// The class of the error.
    pub code: WireCode,
    /// What went wrong, in a sentence; some clients match on its words.
    pub message: String,
    /// What else a client may act on.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::frame::present")]
    pub details: Option<Value>,
    /// Whether the same request may succeed later without a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
}

/// A code on the wire: one of ours, or one that a newer gateway made up.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum WireCode {
    /// A code that this version knows.
    Known(RpcCode),
    /// A code that it does not know.
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
        if let Some(place) = &problem.place {
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
