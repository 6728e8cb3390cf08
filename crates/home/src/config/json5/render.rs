//! Renders values as text in the style of their surroundings.

use serde_json::Value;

use super::PathStep;

/// Lists of plain values up to this length stay on one line.
const SHORT_LIST: usize = 80;

/// How neighbouring keys are quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyStyle {
    Double,
    Single,
    Bare,
}

/// How brackets are laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Layout {
    /// Everything on one line.
    Line,
    /// One member per line; the line of the opening bracket is indented by `indent`.
    Block { indent: String, unit: String, line_break: &'static str },
}

/// The style at one position of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) keys: KeyStyle,
    pub(super) layout: Layout,
}

impl Style {
    pub(super) fn render_value(&self, value: &Value) -> String {
        let mut out = String::new();
        self.write(&mut out, value, &self.layout);
        out
    }

    pub(super) fn render_member(&self, name: &str, value: &str) -> String {
        format!("{}: {value}", self.render_key(name))
    }

    /// Renders the value inside the containers that `steps` require. White space on both sides of each member marks
    /// these brackets as created for it, so that `unset` can remove them again.
    pub(super) fn render_at(&self, steps: &[PathStep], value: &Value) -> String {
        self.render_nested(steps, value, &self.layout)
    }

    fn render_nested(&self, steps: &[PathStep], value: &Value, layout: &Layout) -> String {
        let Some((step, rest)) = steps.split_first() else {
            let mut out = String::new();
            self.write(&mut out, value, layout);
            return out;
        };
        let (before, after, inner) = match layout {
            Layout::Line => (" ".to_owned(), " ".to_owned(), Layout::Line),
            Layout::Block { indent, line_break, .. } => {
                let inner = layout.nested_layout();
                let before = format!("{line_break}{}", inner.indent());
                (before, format!("{line_break}{indent}"), inner)
            }
        };
        let inside = self.render_nested(rest, value, &inner);
        match step {
            PathStep::Key(name) => format!("{{{before}{}{after}}}", self.render_member(name, &inside)),
            PathStep::Index(_) => format!("[{before}{inside}{after}]"),
        }
    }

    fn render_key(&self, name: &str) -> String {
        match self.keys {
            KeyStyle::Bare if is_bare(name) => name.to_owned(),
            KeyStyle::Single => quoted(name, '\''),
            KeyStyle::Bare | KeyStyle::Double => quoted(name, '"'),
        }
    }

    fn write(&self, out: &mut String, value: &Value, layout: &Layout) {
        match value {
            Value::String(text) => out.push_str(&quoted(text, '"')),
            Value::Array(items) if !items.is_empty() => {
                let layout = if is_short_list(items) { &Layout::Line } else { layout };
                self.write_brackets(out, ('[', ']'), items, layout, |out, item, layout| {
                    self.write(out, item, layout);
                });
            }
            Value::Object(members) if !members.is_empty() => {
                self.write_brackets(out, ('{', '}'), members, layout, |out, (name, value), layout| {
                    out.push_str(&self.render_key(name));
                    out.push_str(": ");
                    self.write(out, value, layout);
                });
            }
            plain => out.push_str(&plain.to_string()),
        }
    }

    fn write_brackets<T>(
        &self,
        out: &mut String,
        (open, close): (char, char),
        items: impl IntoIterator<Item = T>,
        layout: &Layout,
        mut write: impl FnMut(&mut String, T, &Layout),
    ) {
        out.push(open);
        let inner = layout.nested_layout();
        let pad = if open == '{' { " " } else { "" };
        for (at, item) in items.into_iter().enumerate() {
            match &inner {
                Layout::Line if at == 0 => out.push_str(pad),
                Layout::Line => out.push_str(", "),
                Layout::Block { indent, line_break, .. } => {
                    out.push_str(if at == 0 { "" } else { "," });
                    out.push_str(line_break);
                    out.push_str(indent);
                }
            }
            write(out, item, &inner);
        }
        match layout {
            Layout::Line => out.push_str(pad),
            Layout::Block { indent, line_break, .. } => {
                out.push_str(line_break);
                out.push_str(indent);
            }
        }
        out.push(close);
    }
}

impl Layout {
    fn nested_layout(&self) -> Self {
        match self {
            Self::Line => Self::Line,
            Self::Block { indent, unit, line_break } => {
                Self::Block { indent: format!("{indent}{unit}"), unit: unit.clone(), line_break }
            }
        }
    }

    fn indent(&self) -> &str {
        match self {
            Self::Line => "",
            Self::Block { indent, .. } => indent,
        }
    }
}

fn is_short_list(items: &[Value]) -> bool {
    let length = |item: &Value| match item {
        Value::String(text) => text.len() + 4,
        _ => 8,
    };
    items.iter().all(|item| !item.is_array() && !item.is_object())
        && items.iter().map(length).sum::<usize>() <= SHORT_LIST
}

fn is_bare(name: &str) -> bool {
    name.starts_with(|char: char| char.is_ascii_alphabetic() || matches!(char, '_' | '$'))
        && name.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '$'))
}

/// Quotes a string. Control characters, line breaks and invisible characters are escaped.
pub(super) fn quoted(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for char in text.chars() {
        match char {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char if char == quote => {
                out.push('\\');
                out.push(char);
            }
            '\0'..='\u{1F}'
            | '\u{7F}'..='\u{9F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}' => out.push_str(&format!("\\u{:04x}", char as u32)),
            char => out.push(char),
        }
    }
    out.push(quote);
    out
}
