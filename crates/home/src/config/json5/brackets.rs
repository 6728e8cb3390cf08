//! The spans of the items of an object or list, and the gaps between them.

use super::gap::{Gap, Piece};
use super::{Document, Node, NodeKind, Span};

/// The spans inside an object or list.
pub(super) struct Brackets<'d> {
    text: &'d str,
    /// Offset after the opening bracket.
    pub(super) open: usize,
    /// Offset of the closing bracket.
    pub(super) close: usize,
    /// Spans of the members (key to value) or elements.
    pub(super) items: Vec<Span>,
}

impl<'d> Brackets<'d> {
    pub(super) fn from_node(document: &'d Document, node: &Node) -> Option<Self> {
        let items = match &node.kind {
            NodeKind::Object(members) => members
                .iter()
                .map(|member| Span { start: member.key.span.start, end: member.value.span.end })
                .collect(),
            NodeKind::Array(items) => items.iter().map(|item| item.span).collect(),
            _ => return None,
        };
        Some(Self { text: document.text(), open: node.span.start + 1, close: node.span.end - 1, items })
    }

    /// The gap before an item, or before the closing bracket.
    pub(super) fn gap(&self, at: usize) -> Gap<'d> {
        let start = if at == 0 { self.open } else { self.items[at - 1].end };
        Gap::new(self.text, start, self.items.get(at).map_or(self.close, |item| item.start))
    }

    pub(super) fn is_multi_line(&self) -> bool {
        (0..=self.items.len()).any(|at| self.gap(at).has_line_break())
    }

    /// The white space before an item that is the first thing on its line.
    pub(super) fn indent(&self, at: usize) -> Option<&'d str> {
        let (_, indent) = line_break_before(self.gap(at))?;
        Some(&self.text[indent..self.items[at].start])
    }
}

/// Returns start and end of the line break that only white space separates from the end of the gap.
pub(super) fn line_break_before(gap: Gap<'_>) -> Option<(usize, usize)> {
    let mut begin = None;
    for (piece, span) in gap.pieces() {
        match piece {
            Piece::LineBreak => begin = Some((span.start, span.end)),
            Piece::Space => {}
            Piece::Comma | Piece::LineComment | Piece::BlockComment => begin = None,
        }
    }
    begin
}
