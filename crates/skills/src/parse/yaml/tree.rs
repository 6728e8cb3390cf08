//! Builds values from the parser's events, and checks what its grammar does not: duplicate keys, several documents, nesting,
//! and the indentation of flow collections.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::ops::Range;

use granit_parser::{Event, Options, Parser, ScalarStyle, Span, StructureStyle, options};

use super::fault::{self, FaultContext};
use super::stand_in::{has_stand_ins, without_stand_ins};
use super::{Document, Fault, Node, Schema, Value, scalar};

/// Nesting of collections.
const MAX_DEPTH: usize = 128;

fn parser_options() -> Options {
    options! {
        emit_unresolved_aliases: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
        // Only keys of block maps are limited, which `put` checks.
        simple_key_max_lookahead: usize::MAX,
    }
}

/// Parses a text that [`with_stand_ins`](super::with_stand_ins) returned.
pub(in crate::parse) fn parse(source: &str, schema: Schema) -> Document<'_> {
    parse_counting(source, schema).0
}

/// Parses a text and counts the events and the bytes that are read again.
fn parse_counting(source: &str, schema: Schema) -> (Document<'_>, usize) {
    let mut tree = Tree::new(source, schema);
    for step in Parser::new_from_str_with_options(source, parser_options()) {
        let fault = match step {
            Ok((event, span)) => tree.take(event, span).err(),
            Err(error) => {
                let context = tree.context();
                let at = context.place(error.kind(), error.marker().byte_offset().unwrap_or_default());
                let fault = fault::translate(&context, error.kind(), at);
                let left = tree.under_indented(at).filter(|_| !fault::is_quote_error(error.kind()));
                Some(left.map_or(fault, |left| fault::unclosed(&context, left)))
            }
        };
        if fault.is_some() {
            return tree.finish(fault);
        }
    }
    tree.finish(None)
}

/// Returns the offset of the first flow collection, if one comes before any error.
pub(in crate::parse) fn first_flow(source: &str) -> Option<usize> {
    let events = Parser::new_from_str_with_options(source, parser_options()).map_while(Result::ok);
    events
        .filter(|(event, _)| {
            matches!(
                event,
                Event::SequenceStart(StructureStyle::Flow, ..)
                    | Event::MappingStart(StructureStyle::Flow, ..)
            )
        })
        .find_map(|(_, span)| span.byte_range())
        .map(|range| range.start)
}

/// A key that can be compared.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Null,
    Bool(bool),
    Number(u64),
    Text(Cow<'a, str>),
}

fn key<'a>(value: &Value<'a>) -> Option<Key<'a>> {
    match value {
        Value::Null => Some(Key::Null),
        Value::Bool(value) => Some(Key::Bool(*value)),
        // NaN is not equal to itself. Adding zero turns -0 into 0.
        Value::Number(number) => (!number.is_nan()).then(|| Key::Number((number + 0.0).to_bits())),
        Value::Text(text) => Some(Key::Text(text.clone())),
        Value::Seq(_) | Value::Map(_) | Value::Alias(..) => None,
    }
}

enum Items<'a> {
    Seq(Vec<Node<'a>>),
    Map { pairs: Vec<(Node<'a>, Node<'a>)>, key: Option<Node<'a>>, seen: HashSet<Key<'a>> },
}

/// A collection that is not closed yet.
struct Open<'a> {
    items: Items<'a>,
    is_flow: bool,
    /// Column of its entries, if it is a block collection.
    column: usize,
    anchor: Option<usize>,
    start: usize,
}

impl<'a> Open<'a> {
    fn closed(self) -> Node<'a> {
        let value = match self.items {
            Items::Seq(items) => Value::Seq(items),
            Items::Map { mut pairs, key, .. } => {
                let null = Node { value: Value::Null, anchor: None, start: None };
                pairs.extend(key.map(|key| (key, null)));
                Value::Map(pairs)
            }
        };
        Node { value, anchor: self.anchor, start: Some(self.start) }
    }
}

struct Tree<'a> {
    source: &'a str,
    schema: Schema,
    has_stand_ins: bool,
    documents: usize,
    open: Vec<Open<'a>>,
    root: Option<Node<'a>>,
    /// Range of the last scalar, alias or collection.
    last: Range<usize>,
    last_is_collection: bool,
    /// Offset up to which the indentation of the open flow collection was checked.
    checked: usize,
    /// Events, and bytes of flow collections whose indentation was checked.
    steps: Cell<usize>,
}

impl<'a> Tree<'a> {
    fn new(source: &'a str, schema: Schema) -> Self {
        Self {
            source,
            schema,
            has_stand_ins: has_stand_ins(source),
            documents: 0,
            open: Vec::new(),
            root: None,
            last: 0..0,
            last_is_collection: false,
            checked: 0,
            steps: Cell::new(0),
        }
    }

    fn take(&mut self, event: Event<'a>, span: Span) -> Result<(), Fault> {
        self.steps.update(|steps| steps + 1);
        let range = span.byte_range().unwrap_or_default();
        if self.in_flow() {
            if let Some(left) = self.under_indented(range.start) {
                return Err(fault::unclosed(&self.context(), left));
            }
            self.checked = range.start;
        }
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(fault::several_documents(range.start));
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                // The parser returns `~` for an omitted value.
                let is_written = !range.is_empty();
                let text = if is_written { text } else { Cow::Borrowed("") };
                let text = if self.has_stand_ins { Cow::Owned(without_stand_ins(&text)) } else { text };
                if style != ScalarStyle::Plain && self.under_indented(range.end).is_some() {
                    return Err(self.context().unclosed_quote(range.start));
                }
                let value = scalar::value(text, style, tag.as_deref(), self.schema);
                let start = is_written.then_some(range.start);
                self.put(Node { value, anchor: numbered(anchor), start }, range, false)
            }
            Event::Alias(target) => self.alias(numbered(target), range),
            Event::UnresolvedAlias(_) => self.alias(None, range),
            Event::SequenceStart(style, anchor, _) => {
                self.begin(Items::Seq(Vec::new()), style, numbered(anchor), range.start, span.start.col())
            }
            Event::MappingStart(style, anchor, _) => {
                let items = Items::Map { pairs: Vec::new(), key: None, seen: HashSet::new() };
                self.begin(items, style, numbered(anchor), range.start, span.start.col())
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(open) => {
                    let whole = open.start..range.end;
                    self.put(open.closed(), whole, true)
                }
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn alias(&mut self, target: Option<usize>, range: Range<usize>) -> Result<(), Fault> {
        let name = self.source.get(range.start + 1..range.end).unwrap_or_default();
        let node = Node { value: Value::Alias(name, target), anchor: None, start: Some(range.start) };
        self.put(node, range, false)
    }

    fn begin(
        &mut self,
        items: Items<'a>,
        style: StructureStyle,
        anchor: Option<usize>,
        start: usize,
        column: usize,
    ) -> Result<(), Fault> {
        if self.open.len() == MAX_DEPTH {
            return Err(fault::too_deep(start));
        }
        let is_flow = style == StructureStyle::Flow;
        if is_flow && !self.in_flow() {
            self.checked = start;
        }
        // A list may have the column of the map around it; its event is then that of its first entry.
        let is_at_dash =
            matches!(items, Items::Map { .. }) || self.source.as_bytes().get(start) == Some(&b'-');
        let column = if is_at_dash { column } else { self.column().unwrap_or(column) };
        self.open.push(Open { items, is_flow, column, anchor, start });
        Ok(())
    }

    fn put(&mut self, node: Node<'a>, range: Range<usize>, is_collection: bool) -> Result<(), Fault> {
        let source = self.source;
        (self.last, self.last_is_collection) = (range.clone(), is_collection);
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.items {
            Items::Seq(items) => items.push(node),
            Items::Map { pairs, key: pending, seen } => match pending.take() {
                Some(key) => pairs.push((key, node)),
                None => {
                    let is_new = key(&node.value).is_none_or(|key| seen.insert(key));
                    *pending = Some(node);
                    if !is_new {
                        return Err(fault::duplicate_key(range.start));
                    }
                    if !open.is_flow && !is_collection {
                        return fault::check_key_length(source, range);
                    }
                }
            },
        }
        Ok(())
    }

    fn in_flow(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_flow)
    }

    /// The column of the innermost block collection.
    fn column(&self) -> Option<usize> {
        self.open.iter().rev().find(|open| !open.is_flow).map(|open| open.column)
    }

    /// Returns the first line of the open flow collection, up to an offset, that is not indented more than the block around
    /// it. Only the last closing bracket may be in the column of the block.
    fn under_indented(&self, until: usize) -> Option<usize> {
        if !self.in_flow() {
            return None;
        }
        let column = self.column()?;
        let is_outermost = self.open.iter().filter(|open| open.is_flow).count() == 1;
        self.steps.update(|steps| steps + until.saturating_sub(self.checked));
        let mut from = self.checked;
        while let Some(newline) = self.source.get(from..until)?.find('\n') {
            from += newline + 1;
            let line = self.source.get(from..)?.split('\n').next()?;
            let text = line.trim_start_matches(' ');
            let indent = line.len() - text.len();
            let is_end = text.starts_with([']', '}']) && from + indent == until;
            let is_allowed = indent > column || (is_end && is_outermost && indent == column);
            if !is_allowed && !text.starts_with('#') && !text.trim().is_empty() {
                return Some(from + indent);
            }
        }
        None
    }

    fn context(&self) -> FaultContext<'a> {
        let innermost = self.open.last();
        let is_map = innermost.is_some_and(|open| matches!(open.items, Items::Map { .. }));
        let has_key = innermost.is_some_and(|open| matches!(open.items, Items::Map { key: Some(_), .. }));
        // A pair inside a flow list is a map without brackets.
        let first = innermost.and_then(|open| self.source.as_bytes().get(open.start));
        FaultContext {
            source: self.source,
            in_braces: first == Some(&b'{'),
            in_flow: self.in_flow(),
            is_map,
            has_key,
            column: self.column(),
            last: self.last.clone(),
            last_is_collection: self.last_is_collection,
        }
    }

    fn finish(mut self, fault: Option<Fault>) -> (Document<'a>, usize) {
        let mut fault = fault;
        while let Some(open) = self.open.pop() {
            let start = open.start;
            let closed = self.put(open.closed(), start..start, true);
            fault = fault.or_else(|| closed.err());
        }
        (Document { root: self.root, fault }, self.steps.get())
    }
}

fn numbered(anchor: usize) -> Option<usize> {
    (anchor > 0).then_some(anchor)
}

#[cfg(test)]
mod tests {
    use tarsus_protocol::DiagnosticCode as Code;

    use super::*;

    #[test]
    fn work_is_linear_in_the_text() {
        let nested = |size: usize| format!("x: {}", "[{a: [".repeat(40) + &"b, ".repeat(size / 3));
        let shapes: [(&str, &dyn Fn(usize) -> String); 10] = [
            ("nested flow maps", &nested),
            ("flow lines", &|size| format!("x: {{{}}}", "\n  a: [1,\n   2],".repeat(size / 17))),
            ("quoted lines", &|size| format!("x: [\"{}\"]", "word\n  ".repeat(size / 7))),
            ("aliases", &|size| format!("a: &a b\nx: [{}]", "*a, ".repeat(size / 4))),
            ("a long line", &|size| format!("a: {}", "b ".repeat(size / 2))),
            ("a long line with colons", &|size| format!("a: {}", "b: ".repeat(size / 3))),
            ("keys", &|size| (0..size / 9).map(|number| format!("k{number}: v\n")).collect()),
            ("deep blocks", &|size| {
                (0..)
                    .map_while(|depth| {
                        (depth * depth / 2 < size).then(|| format!("{}a:\n", " ".repeat(depth)))
                    })
                    .collect()
            }),
            ("lists", &|size| format!("a:\n{}", "  - b\n".repeat(size / 6))),
            ("an open quote", &|size| format!("a: \"{}", "b\n ".repeat(size / 3))),
        ];
        for (shape, text) in shapes {
            let steps = |size: usize| {
                let text = text(size);
                (parse_counting(&text, Schema::Core).1, text.len())
            };
            let ((few, short), (many, long)) = (steps(31_250), steps(250_000));
            assert!(few <= 3 * short + 10 && many <= 3 * long + 10, "{shape}: {few} and {many} steps");
            assert!(many <= 9 * few + 1_000, "{shape}: {few} steps become {many}");
        }
    }

    #[test]
    fn nesting_is_limited_to_128_levels() {
        let code = |text: &str| parse(text, Schema::Core).fault.map(|fault| fault.code);
        let lists = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert_eq!(code(&lists(MAX_DEPTH)), None);
        assert_eq!(code(&lists(MAX_DEPTH + 1)), Some(Code::ResourceExhaustion));
        let block: String = (0..=MAX_DEPTH).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
        assert_eq!(code(&block), Some(Code::ResourceExhaustion));
    }
}
