//! Detects the style around a position: line breaks, indentation and the quotes of keys.

use super::brackets::Brackets;
use super::lexer::is_space;
use super::render::{KeyStyle, Layout, Style};
use super::{Document, JsonDialect, Node, NodeKind};

/// Style for the first member of an empty root object.
pub(super) fn style_in_empty_root(document: &Document, brackets: &Brackets<'_>) -> Style {
    let layout = block_layout(document, brackets, indent_unit(document));
    Style { keys: key_style(document, document.root()), layout }
}

/// Style for the first item in empty brackets.
pub(super) fn style_in_empty(document: &Document, parent: &Node) -> Style {
    Style { keys: key_style(document, parent), layout: Layout::Line }
}

/// Style for an item of `parent`, next to the item that starts at `beside`.
pub(super) fn style_beside(document: &Document, parent: &Node, beside: usize) -> Style {
    let keys = key_style(document, parent);
    let multi_line = Brackets::from_node(document, parent).filter(Brackets::is_multi_line);
    let layout = multi_line.map_or(Layout::Line, |brackets| {
        let near = brackets.items.iter().position(|item| item.start <= beside && beside <= item.end);
        let indent = near
            .and_then(|at| brackets.indent(at))
            .or_else(|| (0..brackets.items.len()).rev().find_map(|at| brackets.indent(at)));
        let indent = match indent {
            Some(indent) => indent.to_owned(),
            None => format!("{}{}", line_indent(document.text(), brackets.open), indent_unit(document)),
        };
        block_layout(document, &brackets, indent)
    });
    Style { keys, layout }
}

fn block_layout(document: &Document, brackets: &Brackets<'_>, indent: String) -> Layout {
    let inside = &document.text()[brackets.open..brackets.close];
    let line_break = first_line_break(inside).or_else(|| first_line_break(document.text())).unwrap_or("\n");
    Layout::Block { indent, unit: indent_unit(document), line_break }
}

fn first_line_break(text: &str) -> Option<&'static str> {
    let at = text.find(['\n', '\r'])?;
    Some(match &text[at..] {
        rest if rest.starts_with("\r\n") => "\r\n",
        rest if rest.starts_with('\r') => "\r",
        _ => "\n",
    })
}

/// One level of indentation, taken from the first root member that starts a line.
fn indent_unit(document: &Document) -> String {
    let root = Brackets::from_node(document, document.root());
    let first = root.and_then(|root| (0..root.items.len()).find_map(|at| root.indent(at)));
    first.filter(|indent| !indent.is_empty()).unwrap_or("  ").to_owned()
}

fn line_indent(text: &str, at: usize) -> &str {
    let line = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let rest = &text[line..at];
    let length = rest.find(|char| !is_space(char) || char == '\u{FEFF}').unwrap_or(rest.len());
    &rest[..length]
}

/// Quotes of the last key in `parent`, else of the first key in the text.
fn key_style(document: &Document, parent: &Node) -> KeyStyle {
    if document.dialect == JsonDialect::Json {
        return KeyStyle::Double;
    }
    let key = match (&parent.kind, &document.root().kind) {
        (NodeKind::Object(members), _) if !members.is_empty() => members.last(),
        (_, NodeKind::Object(members)) => members.first(),
        _ => None,
    };
    match key.map(|member| document.text()[member.key.span.start..].chars().next()) {
        Some(Some('\'')) => KeyStyle::Single,
        Some(Some('"')) | None | Some(None) => KeyStyle::Double,
        Some(Some(_)) => KeyStyle::Bare,
    }
}
