//! The state of the parser at an error, and the text around an offset.

use std::ops::Range;

use granit_parser::ErrorKind as Kind;

use super::is_list_item;

/// The state of the parser at an error.
#[derive(Clone)]
pub(in super::super) struct FaultContext<'a> {
    pub(in super::super) source: &'a str,
    /// Whether the innermost collection is a flow collection.
    pub(in super::super) in_flow: bool,
    /// Whether it starts with a brace.
    pub(in super::super) in_braces: bool,
    /// Whether it is a map.
    pub(in super::super) is_map: bool,
    /// Whether a key of it has no value yet.
    pub(in super::super) has_key: bool,
    /// Column of the innermost block collection.
    pub(in super::super) column: Option<usize>,
    /// Range of the last value.
    pub(in super::super) last: Range<usize>,
    pub(in super::super) last_is_collection: bool,
}

impl<'a> FaultContext<'a> {
    /// Returns the offset of an error. For an unclosed collection the parser reports the opening bracket.
    pub(in super::super) fn place(&self, kind: &Kind, at: usize) -> usize {
        let close = match kind {
            Kind::UnclosedFlowCollection { .. } => None,
            Kind::MismatchedFlowCollectionEnd { close, .. } => self.rest(self.last.end).find(*close),
            _ => return at.min(self.source.len()),
        };
        close.map_or(self.source.len(), |close| self.last.end + close)
    }

    /// Returns the context at an offset. The parser reads ahead, so brackets before the offset may have had no event yet.
    pub(super) fn with_brackets(&self, at: usize) -> Self {
        let mut context = self.clone();
        let between = self.source.get(self.last.end..at).unwrap_or_default();
        let is_flow = between.trim_start_matches([':', '-', ' ', '\t', '\n']).starts_with(['{', '[']);
        if !self.in_flow && !is_flow {
            return context;
        }
        let (mut quote, mut depth) = (None, usize::from(self.in_flow));
        for character in between.chars() {
            match (quote, character) {
                (None, '{' | '[') => {
                    depth += 1;
                    context.is_map = character == '{';
                    (context.in_braces, context.has_key) = (context.is_map, false);
                }
                (None, '}' | ']') => depth = depth.saturating_sub(1),
                (None, ':') => context.has_key |= context.is_map,
                (None, '"' | '\'') => quote = Some(character),
                (Some(open), _) if open == character => quote = None,
                _ => {}
            }
        }
        context.in_flow = depth > 0;
        context
    }

    pub(super) fn rest(&self, at: usize) -> &'a str {
        self.source.get(at..).unwrap_or_default()
    }

    pub(super) fn rest_of_line(&self, at: usize) -> &'a str {
        self.rest(at).split('\n').next().unwrap_or_default()
    }

    pub(super) fn line_start(&self, at: usize) -> usize {
        let before = self.source.get(..at).unwrap_or_default();
        before.rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// Returns the end of the previous line.
    pub(super) fn line_before(&self, at: usize) -> usize {
        self.line_start(at).saturating_sub(1)
    }

    /// Returns the offset of the text of a line, and its column.
    pub(super) fn text_start(&self, at: usize) -> (usize, usize) {
        let start = self.line_start(at);
        let rest = self.rest(start);
        let column = rest.len() - rest.trim_start_matches(' ').len();
        (start + column, column)
    }

    pub(super) fn is_first_of_line(&self, at: usize) -> bool {
        self.text_start(at).0 == at
    }

    pub(super) fn is_after_dash(&self, at: usize) -> bool {
        let (start, _) = self.text_start(at);
        is_list_item(self.rest(start))
            && self.source.get(start + 1..at).is_some_and(|text| text.trim().is_empty())
    }

    /// Whether two offsets are on different lines.
    pub(super) fn has_newline(&self, from: usize, to: usize) -> bool {
        self.source.get(from..to).is_some_and(|between| between.contains('\n'))
    }

    /// Whether the block scalar after the last value has an indentation indicator.
    pub(super) fn has_fixed_indent(&self) -> bool {
        let header = self.rest(self.last.end).trim_start_matches([':', ' ', '\t', '|', '>', '+', '-']);
        header.starts_with(|first: char| first.is_ascii_digit())
    }
}
