//! The tree of values, each with its span in the text.

use std::fmt;

use serde_json::{Map, Number, Value};

use super::path::PathStep;

/// A byte range of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// A value with its span.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Byte range of the value.
    pub span: Span,
    /// What it is, with its contents.
    pub kind: NodeKind,
}

/// What a value is, with its contents.
#[derive(Clone, PartialEq)]
pub enum NodeKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number; the text at its span is how it was written.
    Number(Number),
    /// A string, decoded.
    String(String),
    /// A list.
    Array(Vec<Node>),
    /// Keys and values, in the order of the text; no key occurs twice.
    Object(Vec<Member>),
}

/// One member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub key: Key,
    pub value: Node,
}

/// A key with its span, quotes included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Byte range of the key.
    pub span: Span,
    /// The key, decoded.
    pub name: String,
}

impl Node {
    /// Returns the value of a key, if this is an object that has it.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Self> {
        match &self.kind {
            NodeKind::Object(members) => {
                members.iter().find(|member| member.key.name == name).map(|member| &member.value)
            }
            _ => None,
        }
    }

    /// Iterates over keys and values; empty unless this is an object.
    pub fn members(&self) -> impl Iterator<Item = (&str, &Self)> {
        let members = match &self.kind {
            NodeKind::Object(members) => members.as_slice(),
            _ => &[],
        };
        members.iter().map(|member| (member.key.name.as_str(), &member.value))
    }

    /// Returns the value one step down. On a list, a key of digits is an index.
    #[must_use]
    pub fn child(&self, step: &PathStep) -> Option<&Self> {
        match (&self.kind, step) {
            (NodeKind::Array(items), step) => items.get(step.index()?),
            (NodeKind::Object(_), PathStep::Key(name)) => self.member(name),
            _ => None,
        }
    }

    /// Converts to a plain JSON value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.kind {
            NodeKind::Null => Value::Null,
            NodeKind::Bool(value) => Value::Bool(*value),
            NodeKind::Number(number) => Value::Number(number.clone()),
            NodeKind::String(text) => Value::String(text.clone()),
            NodeKind::Array(items) => items.iter().map(Self::to_value).collect(),
            NodeKind::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|member| (member.key.name.clone(), member.value.to_value()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// Returns what the value is, for messages: "a string", "an object".
    #[must_use]
    pub fn described(&self) -> &'static str {
        self.kind.described()
    }
}

impl NodeKind {
    fn described(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

/// Prints only the kind: the value may be a secret.
impl fmt::Debug for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.described())
    }
}

/// Compares two values. Numbers are compared numerically (`1.0` equals `1`), keys in any order.
#[must_use]
pub fn same_value(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            // Two integers compare exactly; `as_f64` would round large ones.
            left == right || ((left.is_f64() || right.is_f64()) && left.as_f64() == right.as_f64())
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same_value(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, value)| right.get(key).is_some_and(|other| same_value(value, other)))
        }
        _ => left == right,
    }
}
