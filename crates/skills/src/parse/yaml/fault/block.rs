//! Errors in block collections: keys, list items, and text after a value.

use granit_parser::ErrorKind as Kind;
use tarsus_protocol::DiagnosticCode as Code;

use super::{COLUMN, FaultContext, ONE_LINE, bad_start, is_list_item, stray_bracket, token};
use crate::parse::yaml::Fault;

const NESTED: &str = "Nested mappings are not allowed in compact mappings";
const NO_VALUE: &str = "Implicit map keys need to be followed by map values";
const LIST_AS_KEY: &str = "A block sequence may not be used as an implicit map key";
const LIST_COLUMN: &str = "All sequence items must start at the same column";
const NO_DASH: &str = "Sequence item without - indicator";

impl FaultContext<'_> {
    pub(super) fn in_block(&self, kind: &Kind, at: usize) -> Fault {
        let rest = self.rest(at);
        match kind {
            Kind::MappingValueNotAllowed
                if self.has_newline(self.last.start, at)
                    && (self.is_first_of_line(self.last.start) || self.is_after_dash(self.last.start)) =>
            {
                Fault::new(Code::MultilineImplicitKey, ONE_LINE, self.last.start)
            }
            // A colon without a space after it is text.
            Kind::MappingValueNotAllowed
                if rest.get(1..).is_some_and(|rest| rest.starts_with(|next: char| !next.is_whitespace())) =>
            {
                Fault::new(Code::UnexpectedToken, "Unexpected scalar at node end", at)
            }
            Kind::MappingValueNotAllowed => Fault::new(Code::BlockAsImplicitKey, NESTED, self.last.start),
            Kind::MappingKeyNotAllowed => Fault::new(Code::BlockAsImplicitKey, NESTED, at),
            Kind::BlockSequenceEntryNotAllowed => {
                Fault::new(Code::UnexpectedToken, "Unexpected block-seq-ind on same line with key", at)
            }
            Kind::InvalidBlockScalarHeader
                if self.last_is_collection && !self.has_newline(self.last.end, at) =>
            {
                self.bar_after_flow(at)
            }
            Kind::InvalidBlockScalarHeader if !self.is_first_of_line(at) => block_header(rest, at),
            Kind::InvalidTrailingDoubleQuotedScalar | Kind::InvalidTrailingSingleQuotedScalar
                if !rest.starts_with(':') && self.rest_of_line(at).contains(": ") =>
            {
                Fault::new(Code::BlockAsImplicitKey, NESTED, at)
            }
            Kind::ExpectedDocumentStart if self.last_is_collection => self.unexpected(at),
            Kind::ExpectedDocumentStart => self.not_a_key(self.last.start),
            Kind::SimpleKeyExpected | Kind::InvalidSimpleKey
                if !self.is_map && self.column.is_some_and(|list| self.text_start(at).1 >= list) =>
            {
                self.at_line_start(at)
            }
            Kind::SimpleKeyExpected | Kind::InvalidSimpleKey | Kind::InvalidBlockScalarHeader => {
                self.not_a_key(at)
            }
            Kind::ExpectedBlockSequenceEntry if !self.is_first_of_line(at) => self.unexpected(at),
            Kind::ExpectedBlockSequenceEntry => {
                let (start, column) = self.text_start(at);
                match self.column {
                    Some(list) if column > list && is_list_item(rest) => {
                        Fault::new(Code::BadIndent, LIST_COLUMN, start)
                    }
                    Some(list) if column > list => Fault::new(Code::MissingChar, NO_DASH, start),
                    _ => Fault::new(Code::BadIndent, COLUMN, start),
                }
            }
            _ if self.is_first_of_line(at) || self.is_after_dash(at) => self.at_line_start(at),
            _ => bad_start(rest, at)
                .filter(|_| self.has_key && !self.has_value(at))
                .unwrap_or_else(|| self.unexpected(at)),
        }
    }

    /// A `|` or `>` behind a flow collection, as in `[a] | [b]`.
    fn bar_after_flow(&self, at: usize) -> Fault {
        if self.last.end == at {
            return self.unexpected(at);
        }
        let kind = if self.rest(self.last.start).starts_with('{') { "map" } else { "sequence" };
        Fault::new(Code::MissingChar, format!("Missing , or : between flow {kind} items"), at)
    }

    /// Whether the last key has a value before this offset.
    fn has_value(&self, at: usize) -> bool {
        let between = self.source.get(self.last.end..at).unwrap_or_default();
        !self.has_key
            || !between.trim_start().trim_start_matches(':').trim().is_empty()
            || !between.contains(':')
    }

    /// A line with wrong indentation or in the wrong collection.
    fn at_line_start(&self, at: usize) -> Fault {
        let (start, column) = self.text_start(at);
        let rest = self.rest(start);
        let is_in_column = self.column == Some(column);
        let is_after_block = self.last_is_collection && !self.rest(self.last.start).starts_with(['[', '{']);
        if is_list_item(rest) && (!is_in_column || is_after_block) {
            return Fault::new(Code::BlockAsImplicitKey, LIST_AS_KEY, start);
        }
        if (!is_in_column || !self.is_map) && self.column.is_some() {
            return Fault::new(Code::BadIndent, COLUMN, start);
        }
        self.not_a_key(start)
    }

    /// A line in the column of the keys without a key.
    fn not_a_key(&self, at: usize) -> Fault {
        let rest = self.rest(at);
        let mut lines = rest.split('\n');
        let line = lines.next().unwrap_or_default();
        if is_list_item(rest) {
            return Fault::new(Code::MultilineImplicitKey, ONE_LINE, at);
        }
        if matches!(rest.as_bytes(), [b'"' | b'\'' | b'[' | b'{' | b'*' | b'&' | b'!', ..]) {
            return Fault::new(Code::MissingChar, NO_VALUE, at);
        }
        let has_colon = line.contains(": ") || line.ends_with(':');
        // A plain scalar continues over lines that are neither less indented nor comments.
        let next = lines.find(|line| !line.trim().is_empty());
        let column = self.text_start(at).1;
        // A scalar with a first word of one character continues only over lines that are indented more.
        let is_word = !matches!(line.as_bytes(), [_] | [_, b' ' | b'\t', ..]);
        let runs_on = !has_colon
            && !line.contains(" #")
            && next.is_some_and(|next| {
                let text = next.trim_start_matches(' ');
                let indent = next.len() - text.len();
                let goes_on = indent > column || (is_word && indent == column);
                goes_on && !text.starts_with('#')
            });
        if runs_on || rest.starts_with(['|', '>']) {
            return Fault::new(Code::MultilineImplicitKey, ONE_LINE, at);
        }
        bad_start(rest, at).unwrap_or_else(|| Fault::new(Code::MissingChar, NO_VALUE, at))
    }

    /// Text after a complete value.
    pub(super) fn unexpected(&self, at: usize) -> Fault {
        let rest = self.rest(at);
        if rest.starts_with([']', '}']) {
            return stray_bracket(rest, at);
        }
        if self.last.is_empty() && rest.starts_with('&') {
            return Fault::new(Code::MultipleAnchors, "A node can have at most one anchor", at);
        }
        if self.last.is_empty() && rest.starts_with('*') {
            return Fault::new(Code::AliasProps, "An alias node must not specify any properties", at);
        }
        let between = self.source.get(self.last.end..at).unwrap_or_default();
        if self.has_key && self.is_first_of_line(self.last.start) && !between.contains(':') {
            return Fault::new(Code::MissingChar, NO_VALUE, self.last.start);
        }
        Fault::new(Code::UnexpectedToken, format!("Unexpected {} at node end", token(rest)), at)
    }

    /// Returns the offset of the next tab in an indentation.
    pub(super) fn tab(&self, at: usize) -> usize {
        let mut start = self.line_start(at);
        for line in self.rest(start).split('\n') {
            let text = line.trim_start_matches(' ');
            if text.starts_with('\t') && !text.trim().is_empty() {
                return start + line.len() - text.len();
            }
            start += line.len() + 1;
        }
        at
    }
}

/// A block scalar with text after its header.
fn block_header(rest: &str, at: usize) -> Fault {
    let line = rest.split('\n').next().unwrap_or_default();
    let (header, text) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let text = text.trim();
    let is_header = matches!(
        header.as_bytes(),
        [_] | [_, b'+' | b'-' | b'1'..=b'9'] | [_, b'+' | b'-', b'1'..=b'9'] | [_, b'1'..=b'9', b'+' | b'-']
    );
    if is_header && !text.is_empty() {
        return Fault::new(Code::UnexpectedToken, format!("Not a YAML token: {text}"), at);
    }
    Fault::new(Code::UnexpectedToken, format!("Block scalar header includes extra characters: {header}"), at)
}
