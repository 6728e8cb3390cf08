//! The text between two values: white space, comments and at most one comma.

use super::Span;
use super::lexer::{is_line_break, is_space};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// White space within a line.
    Space,
    /// One line break: LF, CR LF, CR, U+2028 or U+2029.
    LineBreak,
    LineComment,
    BlockComment,
    Comma,
}

/// A gap in a parsed text, which therefore contains nothing else.
#[derive(Clone, Copy)]
pub(super) struct Gap<'t> {
    text: &'t str,
    span: Span,
}

impl<'t> Gap<'t> {
    pub(super) fn new(text: &'t str, start: usize, end: usize) -> Self {
        Self { text, span: Span { start, end } }
    }

    /// Returns the part of the gap from byte `start` on.
    pub(super) fn from(self, start: usize) -> Self {
        Self::new(self.text, start, self.span.end)
    }

    pub(super) fn within(self, span: Span) -> Self {
        Self { text: self.text, span }
    }

    pub(super) fn start(self) -> usize {
        self.span.start
    }

    pub(super) fn is_empty(self) -> bool {
        self.span.start == self.span.end
    }

    pub(super) fn str(self) -> &'t str {
        &self.text[self.span.start..self.span.end]
    }

    pub(super) fn comma(self) -> Option<usize> {
        self.pieces().find(|(piece, _)| *piece == Piece::Comma).map(|(_, span)| span.start)
    }

    pub(super) fn has_line_break(self) -> bool {
        self.str().contains(is_line_break)
    }

    pub(super) fn is_white(self) -> bool {
        self.str().chars().all(is_space)
    }

    pub(super) fn pieces(self) -> impl Iterator<Item = (Piece, Span)> + use<'t> {
        let Self { text, span: Span { start, end } } = self;
        let mut at = start;
        std::iter::from_fn(move || {
            let rest = &text[at..end];
            let first = rest.chars().next()?;
            let (piece, length) = match first {
                ',' => (Piece::Comma, 1),
                '/' if rest.starts_with("//") => {
                    (Piece::LineComment, rest.find(is_line_break).unwrap_or(rest.len()))
                }
                '/' => (Piece::BlockComment, rest[2..].find("*/").map_or(rest.len(), |at| at + 4)),
                '\r' if rest.starts_with("\r\n") => (Piece::LineBreak, 2),
                char if is_line_break(char) => (Piece::LineBreak, char.len_utf8()),
                _ => {
                    let end = rest.find(|char| is_line_break(char) || matches!(char, ',' | '/'));
                    (Piece::Space, end.unwrap_or(rest.len()))
                }
            };
            let span = Span { start: at, end: at + length };
            at = span.end;
            Some((piece, span))
        })
    }
}
