//! JSON5 without loss: bytes become a tree of values that knows its places in the text, and edits change only
//! their own bytes of that text.
//!
//! Promises: linear time; bounded size, depth and number of values; an error names line, column and what was
//! expected. One reader gives values, places and edits, so that the three never disagree. Strict JSON is the
//! same with fewer liberties. Leaves to others: what the values mean, and all files.

mod brackets;
mod edit;
mod gap;
mod lexer;
mod manner;
mod node;
mod number;
mod parser;
mod path;
mod put;
mod render;
mod source;
mod take;

pub use edit::{Edit, EditError};
pub use node::{Key, Kind, Member, Node, Span, same_value};
pub use path::{Path, PathError, Step};
pub use source::{MAX_BYTES, SyntaxError, Text};

use std::fmt;

use serde_json::Value;

/// Which liberties a text may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Comments, single quotes, bare keys, trailing commas and the rest of JSON5.
    Json5,
    /// JSON as RFC 8259 has it.
    Json,
}

/// At most so many brackets inside each other.
pub const MAX_DEPTH: usize = 128;

/// At most so many values in one text.
pub const MAX_VALUES: usize = 250_000;

/// A text together with the values in it.
#[derive(Clone, PartialEq)]
pub struct Document {
    text: Text,
    root: Node,
    comments: Vec<Span>,
    dialect: Dialect,
}

/// Shows nothing of the text, which may hold secrets.
impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Document({} bytes)", self.text.len())
    }
}

/// Reads a text whose outermost value is an object, and hands over each of its members as soon as it is read, so that
/// a long one needs no tree. `name` tells what a taken member was called.
///
/// # Errors
/// Those of [`Document::parse_object`], and in the same words.
pub fn read_members<T>(
    text: &Text,
    dialect: Dialect,
    take: impl FnMut(Member) -> T,
    name: fn(&T) -> &str,
) -> Result<Vec<T>, SyntaxError> {
    parser::parse_members(text, dialect, take, name).map_err(|failure| *failure)
}

impl Document {
    /// Reads a text.
    ///
    /// # Errors
    /// When it is not UTF-8, holds a NUL, is not of the dialect, names a key twice, or passes a limit.
    pub fn parse(bytes: &[u8], dialect: Dialect) -> Result<Self, SyntaxError> {
        let text = Text::new(bytes.to_vec())?;
        let (root, comments) = parser::parse(&text, dialect).map_err(|failure| *failure)?;
        Ok(Self { text, root, comments, dialect })
    }

    /// Reads a text whose outermost value is an object.
    ///
    /// # Errors
    /// Those of [`Document::parse`], and when it is something else.
    pub fn parse_object(bytes: &[u8], dialect: Dialect) -> Result<Self, SyntaxError> {
        let document = Self::parse(bytes, dialect)?;
        match document.root.kind {
            Kind::Object(_) => Ok(document),
            _ => Err(*parser::not_an_object(bytes, &document.root)),
        }
    }

    /// The text, byte for byte.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text alone.
    #[must_use]
    pub fn into_text(self) -> Text {
        self.text
    }

    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Where the comments are, in order.
    #[must_use]
    pub fn comments(&self) -> &[Span] {
        &self.comments
    }

    /// The value at a path.
    #[must_use]
    pub fn get(&self, path: &Path) -> Option<&Node> {
        path.steps().iter().try_fold(&self.root, Node::child)
    }

    /// All values, without their places.
    #[must_use]
    pub fn value(&self) -> Value {
        self.root.to_value()
    }

    /// Line and column of a byte, both from 1; columns count characters.
    #[must_use]
    pub fn position(&self, offset: usize) -> (u32, u32) {
        source::position(self.text.as_bytes(), offset)
    }

    /// The document after one edit.
    ///
    /// # Errors
    /// When there is nothing to edit at the path, or the result would pass a limit.
    pub fn edited(&self, edit: &Edit) -> Result<Self, EditError> {
        let text = edit::apply(self, edit)?;
        if text == *self.text {
            return Ok(self.clone());
        }
        Self::parse(text.as_bytes(), self.dialect).map_err(EditError::Beyond)
    }

    /// The document after several edits, each seeing what the ones before it did.
    ///
    /// # Errors
    /// Those of [`Document::edited`]; then no edit counts.
    pub fn edited_all(&self, edits: &[Edit]) -> Result<Self, EditError> {
        edits.iter().try_fold(self.clone(), |document, edit| document.edited(edit))
    }
}
