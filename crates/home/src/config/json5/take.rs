//! Taking members and elements out of the text, with what belongs to them and nothing else.

use super::brackets::{Brackets, line_begin};
use super::edit::{EditError, Splice};
use super::gap::{Gap, Piece};
use super::{Document, Kind, Node, Path, Span, Step};

/// Takes out what a path leads to.
pub(super) fn remove(document: &Document, path: &Path) -> Result<Vec<Splice>, EditError> {
    take(document, &trail(document, path)?, path)
}

/// The same, with the brackets around it that held nothing else.
pub(super) fn unset(document: &Document, path: &Path) -> Result<Vec<Splice>, EditError> {
    let mut trail = trail(document, path)?;
    while trail.len() > 1 && is_made_for_its_member(document, &trail) {
        trail.pop();
    }
    take(document, &trail, path)
}

/// The nodes on the way to a path with the position of each in the one before it, the root left out.
fn trail<'d>(document: &'d Document, path: &Path) -> Result<Vec<(&'d Node, usize)>, EditError> {
    let mut node = document.root();
    let mut trail = Vec::new();
    for step in path.steps() {
        let position = match (&node.kind, step) {
            (Kind::Object(members), Step::Key(name)) => {
                members.iter().position(|member| member.key.name == *name)
            }
            (Kind::Array(_), step) => step.index(),
            _ => None,
        };
        trail.push((node, position.ok_or_else(|| EditError::NotFound(path.clone()))?));
        node = node.child(step).ok_or_else(|| EditError::NotFound(path.clone()))?;
    }
    Ok(trail)
}

/// Whether the brackets at the end of the trail hold one item with white space on both sides and nothing else.
fn is_made_for_its_member(document: &Document, trail: &[(&Node, usize)]) -> bool {
    let Some(brackets) = trail.last().and_then(|(node, _)| Brackets::of(document, node)) else {
        return false;
    };
    let (before, after) = (brackets.gap(0), brackets.gap(1.min(brackets.items.len())));
    let after = after.from(after.comma().map_or(after.start(), |comma| {
        let plain = Gap::new(document.text(), after.start(), comma).is_white();
        if plain { comma + 1 } else { after.start() }
    }));
    brackets.items.len() == 1 && [before, after].into_iter().all(|gap| !gap.is_empty() && gap.is_white())
}

fn take(document: &Document, trail: &[(&Node, usize)], path: &Path) -> Result<Vec<Splice>, EditError> {
    let removal = trail.last().and_then(|(node, at)| Some((Brackets::of(document, node)?, *at)));
    let (brackets, at) = removal.ok_or_else(|| EditError::NotFound(path.clone()))?;
    let is_root = trail.len() == 1;
    Ok(match is_root.then(|| only_line(&brackets)).flatten() {
        Some(span) => vec![Splice::delete(span.start, span.end)],
        None => take_out(&brackets, at),
    })
}

/// The only item of the root and its line, where `{` ends the line before it: what the first `set` wrote.
fn only_line(brackets: &Brackets<'_>) -> Option<Span> {
    let [item] = brackets.items[..] else { return None };
    let before = brackets.gap(0);
    let (begin, _) = line_begin(before)?;
    let after = brackets.gap(1);
    let after = after.from(after.comma().map_or(item.end, |comma| comma + 1));
    let (piece, line_break) = after.pieces().next()?;
    (begin == before.start() && piece == Piece::LineBreak)
        .then_some(Span { start: brackets.open, end: line_break.end })
}

fn take_out(brackets: &Brackets<'_>, at: usize) -> Vec<Splice> {
    let item = brackets.items[at];
    let is_last = at + 1 == brackets.items.len();
    let before = brackets.gap(at);
    let after = brackets.gap(at + 1);
    let own_comma = after.comma();
    let end = own_comma.map_or(item.end, |comma| comma + 1);
    let after = after.from(end);

    let mut splices = Vec::new();
    // A last item without a comma of its own leaves the one before it without one.
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
    let (start, end) = match (line_begin(before), rest_of_line(after)) {
        // Lines of its own: they go, with the comment at their end.
        (Some((begin, _)), Rest::Ends { at }) => (begin, at),
        // The bracket closes on its line: it moves up, unless it would end up in a comment.
        (Some((begin, _)), Rest::Goes { to_bracket: true })
            if is_last && !ends_in_line_comment(before, begin) =>
        {
            (begin, end)
        }
        (Some(_), _) => (item.start, space_after),
        (None, Rest::Goes { .. }) if !is_last => (item.start, space_after),
        (None, _) => (space_before(), end),
    };
    splices.push(Splice::delete(start, end));
    splices
}

/// What follows an item on its line.
enum Rest {
    /// Comments at most, then the line ends.
    Ends { at: usize },
    /// Something else.
    Goes { to_bracket: bool },
}

fn rest_of_line(after: Gap<'_>) -> Rest {
    for (piece, span) in after.pieces() {
        match piece {
            Piece::LineBreak => return Rest::Ends { at: span.start },
            Piece::BlockComment if after.within(span).has_line_break() => {
                return Rest::Goes { to_bracket: false };
            }
            Piece::Space | Piece::LineComment | Piece::BlockComment | Piece::Comma => {}
        }
    }
    Rest::Goes { to_bracket: true }
}

fn ends_in_line_comment(gap: Gap<'_>, line_break: usize) -> bool {
    gap.pieces().any(|(piece, span)| piece == Piece::LineComment && span.end == line_break)
}
