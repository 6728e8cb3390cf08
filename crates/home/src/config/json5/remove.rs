//! Removes members and elements from the text, together with their comma, line and trailing comment.

use super::brackets::{Brackets, line_break_before};
use super::edit::{EditError, Splice};
use super::gap::{Gap, Piece};
use super::{Document, Node, NodeKind, Path, PathStep, Span};

pub(super) fn remove(document: &Document, path: &Path) -> Result<Vec<Splice>, EditError> {
    remove_last(document, &resolve_trail(document, path)?, path)
}

/// Removes the value, and the enclosing brackets that held nothing else.
pub(super) fn unset(document: &Document, path: &Path) -> Result<Vec<Splice>, EditError> {
    let mut trail = resolve_trail(document, path)?;
    while trail.len() > 1 && holds_only_padded_item(document, &trail) {
        trail.pop();
    }
    remove_last(document, &trail, path)
}

/// Returns the containers from the root to the value, each with the position of the next step in it.
fn resolve_trail<'d>(document: &'d Document, path: &Path) -> Result<Vec<(&'d Node, usize)>, EditError> {
    let mut node = document.root();
    let mut trail = Vec::new();
    for step in path.steps() {
        let position = match (&node.kind, step) {
            (NodeKind::Object(members), PathStep::Key(name)) => {
                members.iter().position(|member| member.key.name == *name)
            }
            (NodeKind::Array(_), step) => step.index(),
            _ => None,
        };
        trail.push((node, position.ok_or_else(|| EditError::NotFound(path.clone()))?));
        node = node.child(step).ok_or_else(|| EditError::NotFound(path.clone()))?;
    }
    Ok(trail)
}

/// True if the innermost brackets hold one item with white space on both sides and nothing else: `set` created them.
fn holds_only_padded_item(document: &Document, trail: &[(&Node, usize)]) -> bool {
    let Some(brackets) = trail.last().and_then(|(node, _)| Brackets::from_node(document, node)) else {
        return false;
    };
    let (before, after) = (brackets.gap(0), brackets.gap(1.min(brackets.items.len())));
    let after = after.from(after.comma().map_or(after.start(), |comma| {
        let plain = Gap::new(document.text(), after.start(), comma).is_white();
        if plain { comma + 1 } else { after.start() }
    }));
    brackets.items.len() == 1 && [before, after].into_iter().all(|gap| !gap.is_empty() && gap.is_white())
}

fn remove_last(document: &Document, trail: &[(&Node, usize)], path: &Path) -> Result<Vec<Splice>, EditError> {
    let removal = trail.last().and_then(|(node, at)| Some((Brackets::from_node(document, node)?, *at)));
    let (brackets, at) = removal.ok_or_else(|| EditError::NotFound(path.clone()))?;
    let is_root = trail.len() == 1;
    Ok(match is_root.then(|| only_root_item(&brackets)).flatten() {
        Some(span) => vec![Splice::delete(span.start, span.end)],
        None => remove_item(&brackets, at),
    })
}

/// Returns the line of the only root item if `{` ends the line before it: the first `set` wrote it.
fn only_root_item(brackets: &Brackets<'_>) -> Option<Span> {
    let [item] = brackets.items[..] else { return None };
    let before = brackets.gap(0);
    let (begin, _) = line_break_before(before)?;
    let after = brackets.gap(1);
    let after = after.from(after.comma().map_or(item.end, |comma| comma + 1));
    let (piece, line_break) = after.pieces().next()?;
    (begin == before.start() && piece == Piece::LineBreak)
        .then_some(Span { start: brackets.open, end: line_break.end })
}

fn remove_item(brackets: &Brackets<'_>, at: usize) -> Vec<Splice> {
    let item = brackets.items[at];
    let is_last = at + 1 == brackets.items.len();
    let before = brackets.gap(at);
    let after = brackets.gap(at + 1);
    let own_comma = after.comma();
    let end = own_comma.map_or(item.end, |comma| comma + 1);
    let after = after.from(end);

    let mut splices = Vec::new();
    // The last item has no trailing comma: remove the comma before it instead.
    if is_last
        && own_comma.is_none()
        && let Some(comma) = before.comma()
    {
        splices.push(Splice::delete(comma, comma + 1));
    }
    let space_before = || match before.pieces().last() {
        Some((Piece::Space, span)) => span.start,
        _ => item.start,
    };
    let space_after = match after.pieces().next() {
        Some((Piece::Space, span)) => span.end,
        _ => end,
    };
    let (start, end) = match (line_break_before(before), rest_of_line(after)) {
        // The item has its lines to itself: remove them, with the trailing comment.
        (Some((begin, _)), LineRest::LineEnd { at }) => (begin, at),
        // The closing bracket is on the same line: move it up, unless it would land in a line comment.
        (Some((begin, _)), LineRest::More { to_bracket: true })
            if is_last && !ends_in_line_comment(before, begin) =>
        {
            (begin, end)
        }
        (Some(_), _) => (item.start, space_after),
        (None, LineRest::More { .. }) if !is_last => (item.start, space_after),
        (None, _) => (space_before(), end),
    };
    splices.push(Splice::delete(start, end));
    splices
}

/// The rest of the line after an item.
enum LineRest {
    /// The line ends, after comments at most.
    LineEnd { at: usize },
    /// More text follows; `to_bracket` if that is the closing bracket.
    More { to_bracket: bool },
}

fn rest_of_line(after: Gap<'_>) -> LineRest {
    for (piece, span) in after.pieces() {
        match piece {
            Piece::LineBreak => return LineRest::LineEnd { at: span.start },
            Piece::BlockComment if after.within(span).has_line_break() => {
                return LineRest::More { to_bracket: false };
            }
            Piece::Space | Piece::LineComment | Piece::BlockComment | Piece::Comma => {}
        }
    }
    LineRest::More { to_bracket: true }
}

fn ends_in_line_comment(gap: Gap<'_>, line_break: usize) -> bool {
    gap.pieces().any(|(piece, span)| piece == Piece::LineComment && span.end == line_break)
}
