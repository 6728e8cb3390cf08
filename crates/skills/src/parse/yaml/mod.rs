//! Parses YAML 1.2 with the core schema, and reports the first error with the code and message of OpenClaw's loader.
//!
//! The crate `granit-parser` parses; [`tree`] builds values from its events, and [`fault`] translates its errors. Takes
//! linear time, at most 128 levels and [`render::MAX_RENDERED`] bytes of expanded aliases. The text must not contain
//! carriage returns.

mod fault;
mod number;
mod render;
mod scalar;
mod stand_in;
mod tree;

use std::borrow::Cow;

use tarsus_protocol::DiagnosticCode as Code;

pub(super) use number::js_number;
pub(super) use render::{Rendered, Renderer, array_index};
pub(super) use stand_in::{with_colon_spaces, with_stand_ins};
pub(super) use tree::{first_flow, parse};

/// The first error in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: Code,
    pub(super) message: Cow<'static, str>,
    /// Offset in the text.
    pub(super) at: usize,
}

impl Fault {
    fn new(code: Code, message: impl Into<Cow<'static, str>>, at: usize) -> Self {
        Self { code, message: message.into(), at }
    }
}

/// One node with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node<'a> {
    pub(super) value: Value<'a>,
    /// The number of its anchor.
    pub(super) anchor: Option<usize>,
    /// Its offset; `None` for an omitted value.
    pub(super) start: Option<usize>,
}

/// A value. Maps keep their order; an alias is resolved when it is rendered.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(Cow<'a, str>),
    Seq(Vec<Node<'a>>),
    Map(Vec<(Node<'a>, Node<'a>)>),
    /// The name of an alias, and its anchor if there is one before it.
    Alias(&'a str, Option<usize>),
}

/// A parsed text.
#[derive(Debug)]
pub(super) struct Document<'a> {
    /// The outermost node, as far as it was parsed.
    pub(super) root: Option<Node<'a>>,
    /// The first error.
    pub(super) fault: Option<Fault>,
}

/// How plain scalars are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Schema {
    /// To strings, numbers, booleans and null.
    Core,
    /// To strings only.
    Strings,
}
