//! A lossless JSON5 parser and editor: a tree of values with spans, and edits that change only their own bytes.
//!
//! Parsing takes linear time and is bounded in size, depth and number of values. Errors name line, column and what
//! was expected. Strict JSON is the same grammar with fewer features. No file access.

mod brackets;
mod edit;
mod gap;
mod lexer;
mod node;
mod number;
mod parser;
mod path;
mod remove;
mod render;
mod set;
mod source;
mod style;
mod syntax_error_kind;

pub use edit::{Edit, EditError};
pub use node::{Key, Member, Node, NodeKind, Span, same_value};
pub use path::{ConfigPathError, Path, PathStep};
pub use source::{MAX_BYTES, SourceText, SyntaxError};
pub use syntax_error_kind::{Expected, Found, SyntaxErrorKind, ValueKind};

use std::fmt;

use serde_json::Value;

/// The grammar that a text is parsed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonDialect {
    /// Comments, single quotes, bare keys, trailing commas and the rest of JSON5.
    Json5,
    /// JSON as RFC 8259 has it.
    Json,
}

/// Maximum nesting depth of brackets.
pub const MAX_DEPTH: usize = 128;

/// Maximum number of values in one text.
pub const MAX_VALUES: usize = 250_000;

/// A parsed text: its bytes and the tree of its values.
#[derive(Clone, PartialEq)]
pub struct Document {
    text: SourceText,
    root: Node,
    comments: Vec<Span>,
    dialect: JsonDialect,
}

/// Prints only the length: the text may hold secrets.
impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Document({} bytes)", self.text.len())
    }
}

/// Parses a text whose root is an object and passes each member to `take` as soon as it is parsed, so that a long
/// object needs no tree. `name` returns the key of a converted member, for the duplicate check.
///
/// # Errors
/// The same errors, with the same texts, as [`Document::parse_object`].
pub fn read_members<T>(
    text: &SourceText,
    dialect: JsonDialect,
    take: impl FnMut(Member) -> T,
    name: fn(&T) -> &str,
) -> Result<Vec<T>, SyntaxError> {
    parser::parse_members(text, dialect, take, name).map_err(|failure| *failure)
}

impl Document {
    /// Parses a text.
    ///
    /// # Errors
    /// When it is not UTF-8, holds a NUL, does not match the dialect, repeats a key, or exceeds a limit.
    pub fn parse(bytes: &[u8], dialect: JsonDialect) -> Result<Self, SyntaxError> {
        let text = SourceText::new(bytes.to_vec())?;
        let (root, comments) = parser::parse(&text, dialect).map_err(|failure| *failure)?;
        Ok(Self { text, root, comments, dialect })
    }

    /// Parses a text whose root is an object.
    ///
    /// # Errors
    /// As [`Document::parse`], and when the root is not an object.
    pub fn parse_object(bytes: &[u8], dialect: JsonDialect) -> Result<Self, SyntaxError> {
        let document = Self::parse(bytes, dialect)?;
        match document.root.kind {
            NodeKind::Object(_) => Ok(document),
            _ => Err(*parser::not_an_object(bytes, &document.root)),
        }
    }

    /// The source text, byte for byte.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Drops the tree and returns the text.
    #[must_use]
    pub fn into_text(self) -> SourceText {
        self.text
    }

    /// The root value.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Spans of the comments, in order.
    #[must_use]
    pub fn comments(&self) -> &[Span] {
        &self.comments
    }

    /// The value at a path.
    #[must_use]
    pub fn get(&self, path: &Path) -> Option<&Node> {
        path.steps().iter().try_fold(&self.root, Node::child)
    }

    /// Converts the tree to a plain JSON value.
    #[must_use]
    pub fn value(&self) -> Value {
        self.root.to_value()
    }

    /// Line and column of a byte, both from 1; columns count characters.
    #[must_use]
    pub fn position(&self, offset: usize) -> (u32, u32) {
        source::position(self.text.as_bytes(), offset)
    }

    /// Returns the document after one edit.
    ///
    /// # Errors
    /// When there is nothing to edit at the path, or the result would exceed a limit.
    pub fn edited(&self, edit: &Edit) -> Result<Self, EditError> {
        let text = edit::apply(self, edit)?;
        if text == *self.text {
            return Ok(self.clone());
        }
        Self::parse(text.as_bytes(), self.dialect).map_err(EditError::Beyond)
    }

    /// Returns the document after several edits, applied in order.
    ///
    /// # Errors
    /// As [`Document::edited`]; then no edit is applied.
    pub fn edited_all(&self, edits: &[Edit]) -> Result<Self, EditError> {
        edits.iter().try_fold(self.clone(), |document, edit| document.edited(edit))
    }
}
