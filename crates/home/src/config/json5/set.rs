//! Sets and inserts values: replaces them in place, appends them, or fills empty brackets.

use serde_json::Value;

use super::brackets::Brackets;
use super::edit::{EditError, Splice};
use super::gap::{Gap, Piece};
use super::render::{Layout, quoted};
use super::style::{style_beside, style_in_empty, style_in_empty_root};
use super::{Document, Node, NodeKind, Path, PathStep, same_value};

pub(super) fn set(document: &Document, path: &Path, value: &Value) -> Result<Vec<Splice>, EditError> {
    let mut parents: Vec<&Node> = Vec::new();
    let mut node = document.root();
    for (at, step) in path.steps().iter().enumerate() {
        parents.push(node);
        let Some(child) = node.child(step) else {
            return add_missing(document, path, at, &parents, value);
        };
        node = child;
    }
    if same_value(&node.to_value(), value) {
        return Ok(Vec::new());
    }
    let parent = parents.last().copied().unwrap_or(node);
    let text = match (&node.kind, value) {
        (NodeKind::String(_), Value::String(text))
            if document.text()[node.span.start..].starts_with('\'') =>
        {
            quoted(text, '\'')
        }
        _ => style_beside(document, parent, node.span.start).render_value(value),
    };
    Ok(vec![Splice { span: node.span, text }])
}

/// Creates the missing containers from step `at` on inside the last of `parents`.
fn add_missing(
    document: &Document,
    path: &Path,
    at: usize,
    parents: &[&Node],
    value: &Value,
) -> Result<Vec<Splice>, EditError> {
    let (step, rest) = (&path.steps()[at], &path.steps()[at + 1..]);
    let parent = parents.last().copied().unwrap_or(document.root());
    check_kind(path, at, parent)?;
    if let (NodeKind::Array(items), Some(index)) = (&parent.kind, step.index())
        && index != items.len()
    {
        return Err(EditError::PastEnd { path: path.clone(), length: items.len() });
    }
    if rest.iter().any(|step| matches!(step, PathStep::Index(index) if *index != 0)) {
        return Err(EditError::PastEnd { path: path.clone(), length: 0 });
    }
    let Some(brackets) = Brackets::from_node(document, parent) else {
        return Err(EditError::NotFound(path.clone()));
    };
    let style = match brackets.items.last() {
        Some(last) => style_beside(document, parent, last.start),
        None if parents.len() == 1 => style_in_empty_root(document, &brackets),
        None => style_in_empty(document, parent),
    };
    let value = style.render_at(rest, value);
    let item = match step {
        PathStep::Key(name) if matches!(parent.kind, NodeKind::Object(_)) => {
            style.render_member(name, &value)
        }
        _ => value,
    };
    Ok(if brackets.items.is_empty() {
        vec![Splice::insert(brackets.open, first_item(&item, &style.layout))]
    } else {
        append_item(&brackets, &item, &style.layout)
    })
}

fn check_kind(path: &Path, at: usize, parent: &Node) -> Result<(), EditError> {
    let step = &path.steps()[at];
    let wanted = match (&parent.kind, step) {
        (NodeKind::Object(_), PathStep::Key(_)) => return Ok(()),
        (NodeKind::Array(_), step) if step.index().is_some() => return Ok(()),
        (_, PathStep::Key(_)) => "an object",
        (_, PathStep::Index(_)) => "a list",
    };
    let place = if at == 0 { "the whole file".to_owned() } else { format!("`{}`", path.prefix_text(at)) };
    Err(EditError::WrongKind { path: path.clone(), place, found: parent.described(), wanted })
}

fn first_item(item: &str, layout: &Layout) -> String {
    match layout {
        Layout::Line => item.to_owned(),
        Layout::Block { indent, line_break, .. } => format!("{line_break}{indent}{item}{line_break}"),
    }
}

fn append_item(brackets: &Brackets<'_>, item: &str, layout: &Layout) -> Vec<Splice> {
    let last = brackets.items[brackets.items.len() - 1];
    let tail = brackets.gap(brackets.items.len());
    let comma = tail.comma();
    let own_comma = if comma.is_some() { "," } else { "" };
    let tail = tail.from(comma.map_or(last.end, |comma| comma + 1));
    let mut splices = Vec::new();
    if comma.is_none() {
        splices.push(Splice::insert(last.end, ","));
    }
    let (at, before) = match layout {
        Layout::Line => (end_of_comments(tail), " ".to_owned()),
        Layout::Block { indent, line_break, .. } => (end_of_line(tail), format!("{line_break}{indent}")),
    };
    splices.push(Splice::insert(at, format!("{before}{item}{own_comma}")));
    splices
}

fn end_of_comments(tail: Gap<'_>) -> usize {
    let comments =
        tail.pieces().filter(|(piece, _)| matches!(piece, Piece::LineComment | Piece::BlockComment));
    comments.last().map_or(tail.start(), |(_, span)| span.end)
}

/// Returns the end of the line that `tail` starts on, or the end of its comments if the bracket closes on that line.
fn end_of_line(tail: Gap<'_>) -> usize {
    let mut end = tail.start();
    for (piece, span) in tail.pieces() {
        match piece {
            Piece::LineBreak => return span.start,
            Piece::LineComment | Piece::BlockComment => end = span.end,
            Piece::Space | Piece::Comma => {}
        }
    }
    end
}

pub(super) fn insert(document: &Document, path: &Path, value: &Value) -> Result<Vec<Splice>, EditError> {
    let (last, parents) = path.steps().split_last().ok_or(EditError::TooDeep)?;
    let list = parents.iter().try_fold(document.root(), Node::child);
    let list = list.ok_or_else(|| EditError::NotFound(path.clone()))?;
    let NodeKind::Array(items) = &list.kind else {
        return Err(EditError::WrongKind {
            path: path.clone(),
            place: format!("`{}`", path.prefix_text(parents.len())),
            found: list.described(),
            wanted: "a list",
        });
    };
    match last.index() {
        Some(index) if index < items.len() => {
            let at = items[index].span.start;
            let style = style_beside(document, list, at);
            let text = style.render_value(value);
            let indent = Brackets::from_node(document, list).and_then(|brackets| brackets.indent(index));
            Ok(vec![match (&style.layout, indent) {
                (Layout::Block { line_break, .. }, Some(indent)) => {
                    Splice::insert(at, format!("{text},{line_break}{indent}"))
                }
                _ => Splice::insert(at, format!("{text}, ")),
            }])
        }
        Some(index) if index == items.len() => set(document, path, value),
        _ => Err(EditError::PastEnd { path: path.clone(), length: items.len() }),
    }
}
