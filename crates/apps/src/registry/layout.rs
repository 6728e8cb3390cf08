//! How the file looks: a line of its own for every key, two spaces a level, a line break at the end.
//!
//! A file that has its apps on lines of their own keeps the layout that it has; one that does not is laid out anew.
//! Every plain value stays as it is written, byte for byte.

use tarsus_home::config::json5::{Document, Kind, Node, Span};

const INDENT: &str = "  ";

/// The text that a document should have instead of its own; none when it is laid out well.
pub(super) fn better(document: &Document) -> Option<String> {
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

/// Whether the first app begins on a line of its own.
fn has_lines(document: &Document) -> bool {
    match &document.root().kind {
        Kind::Object(members) => members.first().is_none_or(|first| {
            document.text()[document.root().span.start..first.key.span.start].contains(['\n', '\r'])
        }),
        _ => false,
    }
}

fn write(out: &mut String, text: &str, node: &Node, level: usize) {
    match &node.kind {
        Kind::Object(members) => {
            brackets(out, ('{', '}'), members, level, |out, member| {
                out.push_str(at(text, member.key.span));
                out.push_str(": ");
                write(out, text, &member.value, level + 1);
            });
        }
        Kind::Array(items)
            if items.iter().any(|item| matches!(item.kind, Kind::Array(_) | Kind::Object(_))) =>
        {
            brackets(out, ('[', ']'), items, level, |out, item| write(out, text, item, level + 1));
        }
        Kind::Array(items) => {
            let items: Vec<&str> = items.iter().map(|item| at(text, item.span)).collect();
            out.push('[');
            out.push_str(&items.join(", "));
            out.push(']');
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => out.push_str(at(text, node.span)),
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

fn at(text: &str, span: Span) -> &str {
    &text[span.start..span.end]
}
