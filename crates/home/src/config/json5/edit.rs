//! Edits of the text by the places of its values.
//!
//! An edit changes its own bytes only: a replaced value its value, a new member its line and at most one comma
//! before it, a removed one the same. [`Edit::Unset`] after a [`Edit::Set`] of a new key gives the bytes back:
//! brackets that `set` had to make have white space on both sides of their only member, and go with it; brackets
//! that stood there empty take the member without white space before it, and stay.

use std::fmt;

use serde_json::Value;
use tarsus_protocol::{ErrorCode, Problem};

use super::put::{insert, set};
use super::take::{remove, unset};
use super::{Document, MAX_DEPTH, Path, Span, SyntaxError};

/// One change.
#[derive(Clone, PartialEq)]
pub enum Edit {
    /// Puts a value at a path, with the objects and lists on the way that are missing. An index one past the
    /// end of a list appends.
    Set {
        /// Where.
        path: Path,
        /// What.
        value: Value,
    },
    /// Puts a value into a list before the element of that index.
    Insert {
        /// Where: the last step is an index.
        path: Path,
        /// What.
        value: Value,
    },
    /// Takes out a member or element, and nothing else.
    Remove {
        /// Which.
        path: Path,
    },
    /// Takes out a member or element, and the objects around it that held nothing else.
    Unset {
        /// Which.
        path: Path,
    },
}

impl Edit {
    /// A [`Edit::Set`].
    pub fn set(path: Path, value: impl Into<Value>) -> Self {
        Self::Set { path, value: value.into() }
    }

    /// Where the edit is.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Set { path, .. }
            | Self::Insert { path, .. }
            | Self::Remove { path }
            | Self::Unset { path } => path,
        }
    }
}

/// Shows where, not what: the value may be a secret.
impl fmt::Debug for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::Set { .. } => "Set",
            Self::Insert { .. } => "Insert",
            Self::Remove { .. } => "Remove",
            Self::Unset { .. } => "Unset",
        };
        write!(f, "{what}({})", self.path())
    }
}

/// Why an edit cannot be made. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// Nothing is there.
    #[error("nothing is set at `{0}`")]
    NotFound(Path),
    /// A step leads into something that has no such steps.
    #[error("{place} is {found}; `{path}` needs {wanted} there")]
    WrongKind {
        /// The whole path.
        path: Path,
        /// The value in the way.
        place: String,
        /// What it is.
        found: &'static str,
        /// What it would have to be.
        wanted: &'static str,
    },
    /// An index past the end.
    #[error("the index in `{path}` is past the end: the next free one is {length}")]
    PastEnd {
        /// The whole path.
        path: Path,
        /// How many elements there are.
        length: usize,
    },
    /// The path is deeper than a document may be.
    #[error("the path has more than {MAX_DEPTH} steps")]
    TooDeep,
    /// The result would pass a limit.
    #[error("the file would not be valid after this change: {0}")]
    Beyond(SyntaxError),
}

impl From<EditError> for Problem {
    fn from(error: EditError) -> Self {
        let code = match &error {
            EditError::NotFound(_) => ErrorCode::NotFound,
            EditError::WrongKind { .. } | EditError::PastEnd { .. } => ErrorCode::Usage,
            EditError::TooDeep => ErrorCode::TooLarge,
            EditError::Beyond(error) => error.code,
        };
        Self::new(code, error.to_string()).note("nothing was changed")
    }
}

/// Bytes to take out and what to put there.
pub(super) struct Splice {
    pub(super) span: Span,
    pub(super) text: String,
}

impl Splice {
    pub(super) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { span: Span { start: at, end: at }, text: text.into() }
    }

    pub(super) fn delete(start: usize, end: usize) -> Self {
        Self { span: Span { start, end }, text: String::new() }
    }
}

/// The text after an edit.
pub(super) fn apply(document: &Document, edit: &Edit) -> Result<String, EditError> {
    if edit.path().steps().len() > MAX_DEPTH {
        return Err(EditError::TooDeep);
    }
    let mut splices = match edit {
        Edit::Set { path, value } => set(document, path, value)?,
        Edit::Insert { path, value } => insert(document, path, value)?,
        Edit::Remove { path } => remove(document, path)?,
        Edit::Unset { path } => unset(document, path)?,
    };
    splices.sort_by_key(|splice| splice.span.start);
    let mut text = String::with_capacity(document.text().len() + 64);
    let mut at = 0;
    for splice in splices {
        text.push_str(&document.text()[at..splice.span.start]);
        text.push_str(&splice.text);
        at = splice.span.end;
    }
    text.push_str(&document.text()[at..]);
    Ok(text)
}
