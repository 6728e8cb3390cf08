//! Layout of the file: one line per key, indented by two spaces, with a final newline.
//!
//! A file with its apps on separate lines keeps its layout; any other file is reformatted. Plain values stay as they are
//! written, byte for byte.

use tarsus_home::config::json5::{Document, Node, NodeKind, Span};

const INDENT: &str = "  ";

/// The reformatted text of a document; `None` if its layout is kept.
pub(super) fn reformat(document: &Document) -> Option<String> {
    let text = document.text();
    let mut out = String::with_capacity(text.len() + 64);
    if !has_lines(document) {
        write(&mut out, text, document.root(), 0);
    } else if text.ends_with('\n') {
        return None;
    } else {
        out.push_str(text);
    }
    out.push('\n');
    Some(out)
}

/// Whether the first app starts on a line of its own.
fn has_lines(document: &Document) -> bool {
    match &document.root().kind {
        NodeKind::Object(members) => members.first().is_none_or(|first| {
            document.text()[document.root().span.start..first.key.span.start].contains(['\n', '\r'])
        }),
        _ => false,
    }
}

fn write(out: &mut String, text: &str, node: &Node, level: usize) {
    match &node.kind {
        NodeKind::Object(members) => {
            brackets(out, ('{', '}'), members, level, |out, member| {
                out.push_str(slice(text, member.key.span));
                out.push_str(": ");
                write(out, text, &member.value, level + 1);
            });
        }
        NodeKind::Array(items)
            if items.iter().any(|item| matches!(item.kind, NodeKind::Array(_) | NodeKind::Object(_))) =>
        {
            brackets(out, ('[', ']'), items, level, |out, item| write(out, text, item, level + 1));
        }
        NodeKind::Array(items) => {
            let items: Vec<&str> = items.iter().map(|item| slice(text, item.span)).collect();
            out.push('[');
            out.push_str(&items.join(", "));
            out.push(']');
        }
        NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::String(_) => {
            out.push_str(slice(text, node.span))
        }
    }
}

fn brackets<T>(
    out: &mut String,
    (open, close): (char, char),
    items: &[T],
    level: usize,
    mut write: impl FnMut(&mut String, &T),
) {
    out.push(open);
    for (number, item) in items.iter().enumerate() {
        out.push_str(if number == 0 { "\n" } else { ",\n" });
        out.push_str(&INDENT.repeat(level + 1));
        write(out, item);
    }
    if !items.is_empty() {
        out.push('\n');
        out.push_str(&INDENT.repeat(level));
    }
    out.push(close);
}

fn slice(text: &str, span: Span) -> &str {
    &text[span.start..span.end]
}
