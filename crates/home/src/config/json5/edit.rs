//! Edits of the source text by path.
//!
//! An edit changes only its own bytes: a value, or a member's line and at most one comma. [`Edit::Unset`] after an
//! [`Edit::Set`] of a new key restores the original bytes: brackets that `set` created have white space on both sides
//! of their only member and are removed with it; brackets that were already there have none before it and stay.

use std::fmt;

use serde_json::Value;
use tarsus_protocol::{ErrorCode, Problem};

use super::remove::{remove, unset};
use super::set::{insert, set};
use super::{Document, MAX_DEPTH, Path, Span, SyntaxError};

#[derive(Clone, PartialEq)]
pub enum Edit {
    /// Sets the value at a path and creates missing objects and lists. An index one past the end of a list appends.
    Set {
        /// Path of the value.
        path: Path,
        /// The new value.
        value: Value,
    },
    /// Inserts a value into a list before the element of that index.
    Insert {
        /// Path of the new element; the last step is an index.
        path: Path,
        /// The new value.
        value: Value,
    },
    /// Removes a member or element, and nothing else.
    Remove {
        /// Path of the member or element.
        path: Path,
    },
    /// Removes a member or element, and the enclosing objects that held nothing else.
    Unset {
        /// Path of the member or element.
        path: Path,
    },
}

impl Edit {
    /// Shorthand for [`Edit::Set`].
    pub fn set(path: Path, value: impl Into<Value>) -> Self {
        Self::Set { path, value: value.into() }
    }

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

/// Prints the path but not the value, which may be a secret.
impl fmt::Debug for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Set { .. } => "Set",
            Self::Insert { .. } => "Insert",
            Self::Remove { .. } => "Remove",
            Self::Unset { .. } => "Unset",
        };
        write!(f, "{name}({})", self.path())
    }
}

/// An edit that cannot be applied. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// No value at this path.
    #[error("nothing is set at `{0}`")]
    NotFound(Path),
    /// A step does not fit the value it is applied to, such as a key in a list.
    #[error("{place} is {found}; `{path}` needs {wanted} there")]
    WrongKind {
        /// The whole path.
        path: Path,
        /// The mismatching value, for display.
        place: String,
        /// What that value is, for display.
        found: &'static str,
        /// Required kind.
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
    /// The path is nested_layout than a document may be.
    #[error("the path has more than {MAX_DEPTH} steps")]
    TooDeep,
    /// The result would exceed a limit.
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

/// A replacement of a span of bytes.
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

/// Returns the text after an edit.
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
