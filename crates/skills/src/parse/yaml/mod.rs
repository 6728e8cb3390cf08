//! YAML 1.2 with the core schema: the values of a text, or the first thing that is wrong with it, under the code and in
//! the words of OpenClaw's loader.
//!
//! The grammar is that of the crate `granit-parser`; here its events become values ([`tree`]) and its errors become the
//! loader's ([`blame`]). Promises: linear time, at most 128 levels, no more than [`render::MAX_RENDERED`] bytes out of
//! aliases. The text holds no carriage returns.

mod blame;
mod legible;
mod number;
mod render;
mod scalar;
mod tree;

use std::borrow::Cow;

use tarsus_protocol::DiagnosticCode as Code;

pub(super) use legible::{legible, spaced};
pub(super) use number::js_number;
pub(super) use render::{Rendered, Renderer, array_index};
pub(super) use tree::{first_flow, read};

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: Code,
    pub(super) message: Cow<'static, str>,
    /// The byte of the text.
    pub(super) at: usize,
}

/// One node with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node<'a> {
    pub(super) value: Value<'a>,
    /// The number of its anchor.
    pub(super) anchor: Option<usize>,
    /// Where it starts; `None` for one that is not written.
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
    /// The name of an alias, and the anchor that it stands for when there is one before it.
    Alias(&'a str, Option<usize>),
}

/// A text as a whole.
#[derive(Debug)]
pub(super) struct Document<'a> {
    /// The outermost node, as far as it was read; `None` when there is none.
    pub(super) root: Option<Node<'a>>,
    /// The first thing that is wrong.
    pub(super) fault: Option<Fault>,
}

/// What a plain scalar may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Schema {
    /// A text, a number, a boolean or null.
    Core,
    /// A text, always.
    Texts,
}
