//! The valid shape of a JSON value, compiled from a JSON schema, and the one walk that checks a value against it.
//!
//! Only the keywords that our types produce are supported. A [`Reporter`] words the violations.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

/// The values that are valid at one point of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Every value.
    Any,
    /// No value: the shape of keys that are not allowed.
    Nothing,
    /// `null`.
    Null,
    /// `true` and `false`.
    Bool,
    /// Integers of a size.
    Integer(ValueRange),
    /// Numbers of a size.
    Number(ValueRange),
    /// Strings with a number of characters.
    Text(ValueRange),
    /// One of these strings.
    Choice(Vec<String>),
    /// Strings of a format that the reporter knows.
    Format(String),
    /// A string or a reference to a secret (`writeOnly`).
    Secret,
    /// Lists with a number of items.
    List(Box<Shape>, ValueRange),
    /// Objects with known members.
    Object {
        /// The known keys.
        fields: BTreeMap<String, ShapeField>,
        /// The keys that must be there.
        required: Vec<String>,
        /// The shape of the values of other keys. Without one, such keys are ignored.
        others: Option<Box<Shape>>,
    },
    /// Alternatives. String constants are one of them, together.
    OneOf(Vec<Shape>),
}

/// A minimum and a maximum.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ValueRange(pub Option<f64>, pub Option<f64>);

/// A known key of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeField {
    /// The shape of its value.
    pub shape: Shape,
    /// Replaces an invalid value where the default would be more permissive than intended (`x-when-wrong`).
    pub fallback: Option<Value>,
}

impl Shape {
    /// Compiles a schema without references.
    #[must_use]
    pub fn from_schema(schema: &Value) -> Self {
        if *schema == false {
            return Self::Nothing;
        }
        if schema["writeOnly"] == true {
            return Self::Secret;
        }
        if let Some(branches) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
            return Self::union(branches.iter().map(Self::from_schema));
        }
        match &schema["type"] {
            Value::Array(types) => Self::union(types.iter().map(|name| Self::from_type(name, schema))),
            name => Self::from_type(name, schema),
        }
    }

    fn union(shapes: impl Iterator<Item = Self>) -> Self {
        let (mut choices, mut others) = (Vec::new(), Vec::new());
        for shape in shapes {
            match shape {
                Self::Choice(more) => choices.extend(more),
                other => others.push(other),
            }
        }
        if !choices.is_empty() {
            others.insert(0, Self::Choice(choices));
        }
        Self::OneOf(others)
    }

    fn from_type(name: &Value, schema: &Value) -> Self {
        let limits = |min: &str, max: &str| ValueRange(schema[min].as_f64(), schema[max].as_f64());
        let texts = |keyword: &str| -> Vec<String> {
            let texts = schema[keyword].as_array().into_iter().flatten().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        match name.as_str().unwrap_or_default() {
            "null" => Self::Null,
            "boolean" => Self::Bool,
            "integer" => Self::Integer(limits("minimum", "maximum")),
            "number" => Self::Number(limits("minimum", "maximum")),
            "string" => match (&schema["const"], &schema["enum"], &schema["format"]) {
                (Value::String(only), _, _) => Self::Choice(vec![only.clone()]),
                (_, Value::Array(_), _) => Self::Choice(texts("enum")),
                (_, _, Value::String(format)) => Self::Format(format.clone()),
                _ => Self::Text(limits("minLength", "maxLength")),
            },
            "array" => {
                let items = schema.get("items").map_or(Self::Any, Self::from_schema);
                Self::List(Box::new(items), ValueRange(None, schema["maxItems"].as_f64()))
            }
            "object" => {
                let field = |(name, schema): (&String, &Value)| {
                    let fallback = schema.get("x-when-wrong").cloned();
                    (name.clone(), ShapeField { shape: Self::from_schema(schema), fallback })
                };
                let others = schema.get("additionalProperties");
                Self::Object {
                    fields: schema["properties"].as_object().into_iter().flatten().map(field).collect(),
                    required: texts("required"),
                    others: others.map(|schema| Box::new(Self::from_schema(schema))),
                }
            }
            _ => Self::Any,
        }
    }

    /// True if valid values are secrets.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        match self {
            Self::Secret => true,
            Self::OneOf(shapes) => shapes.iter().any(Self::is_secret),
            _ => false,
        }
    }

    /// The shape of a key's value; `Any` if the key is unknown.
    #[must_use]
    pub fn member(&self, name: &str) -> &Self {
        match self {
            Self::Object { fields, others, .. } => {
                fields.get(name).map(|field| &field.shape).or(others.as_deref()).unwrap_or(&Self::Any)
            }
            Self::OneOf(shapes) => Self::first_known(shapes.iter().map(|shape| shape.member(name))),
            _ => &Self::Any,
        }
    }

    /// The shape of a list's items; `Any` if this is no list.
    #[must_use]
    pub fn element(&self) -> &Self {
        match self {
            Self::List(items, _) => items,
            Self::OneOf(shapes) => Self::first_known(shapes.iter().map(Self::element)),
            _ => &Self::Any,
        }
    }

    fn first_known<'s>(mut shapes: impl Iterator<Item = &'s Self>) -> &'s Self {
        shapes.find(|shape| **shape != Self::Any).unwrap_or(&Self::Any)
    }

    /// Reports the violations of a value. A lenient reporter gets what is valid; `None` if nothing is.
    pub fn check(&self, value: &Value, reporter: &mut impl Reporter) -> Option<Value> {
        Walk { path: Vec::new(), reporter, is_silent: false, violations: 0 }.value(self, value)
    }

    fn has_type_of(&self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::Nothing => false,
            Self::Null => value.is_null(),
            Self::Bool => value.is_boolean(),
            Self::Integer(_) | Self::Number(_) => value.is_number(),
            Self::Text(_) | Self::Choice(_) | Self::Format(_) => value.is_string(),
            Self::Secret => value.is_string() || value.is_object(),
            Self::List(..) => value.is_array(),
            Self::Object { .. } => value.is_object(),
            Self::OneOf(shapes) => shapes.iter().any(|shape| shape.has_type_of(value)),
        }
    }
}

/// True for `{source, id}` with an optional provider: a reference to a secret.
#[must_use]
pub fn is_secret_reference(value: &Value) -> bool {
    let is_known = |name: &str| matches!(name, "source" | "provider" | "id");
    matches!(value["source"].as_str(), Some("env" | "file" | "exec"))
        && value["id"].is_string()
        && value.as_object().into_iter().flatten().all(|(name, value)| is_known(name) && value.is_string())
}

/// One step from a value into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeStep<'v> {
    /// Into an object.
    Key(&'v str),
    /// Into a list.
    Index(usize),
}

/// Why a value does not fit its shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Violation<'s> {
    /// It has another type, or a fraction.
    Type,
    /// It is none of the valid strings.
    Choice,
    /// Its size is below this minimum.
    Below(f64),
    /// Its size is above this maximum.
    Above(f64),
    /// The object lacks these keys, at least one.
    MissingKeys(Vec<&'s str>),
    /// The key is not allowed.
    UnknownKey,
    /// The key is unknown and does no harm.
    IgnoredKey,
}

/// Words the violations that the walk finds.
pub trait Reporter {
    /// True to keep what is valid: the type alone chooses between alternatives, unread keys are dropped, and a missing
    /// key is reported after the others. Otherwise a value is valid or not, and the walk returns nothing to use.
    const LENIENT: bool;

    /// Takes a violation.
    fn report(&mut self, path: &[ShapeStep<'_>], value: &Value, shape: &Shape, violation: Violation<'_>);

    /// The text to check and to keep in place of a string; `None` to drop it.
    fn text<'t>(&mut self, _: &[ShapeStep<'_>], _: &Shape, text: &'t str) -> Option<Cow<'t, str>> {
        Some(Cow::Borrowed(text))
    }
}

struct Walk<'v, 'r, R> {
    path: Vec<ShapeStep<'v>>,
    reporter: &'r mut R,
    /// True while alternatives are tried.
    is_silent: bool,
    violations: usize,
}

impl<'v, R: Reporter> Walk<'v, '_, R> {
    fn value(&mut self, shape: &Shape, value: &'v Value) -> Option<Value> {
        match (shape, value) {
            (Shape::Any, _) if !R::LENIENT => None,
            (Shape::Nothing, _) => self.report(value, shape, Violation::UnknownKey),
            (Shape::OneOf(shapes), _) => self.one_of(shape, shapes, value),
            _ if !shape.has_type_of(value) => self.report(value, shape, Violation::Type),
            (Shape::Secret, Value::Object(_)) => match is_secret_reference(value) {
                true => Some(value.clone()),
                false => self.report(value, shape, Violation::Type),
            },
            (_, Value::Null | Value::Bool(_)) => Some(value.clone()),
            (_, Value::Number(number)) => self.number(shape, value, number),
            (_, Value::String(text)) => self.text(shape, value, text),
            (_, Value::Array(items)) => self.list(shape, value, items),
            (_, Value::Object(members)) => self.object(shape, value, members),
        }
    }

    fn one_of(&mut self, shape: &Shape, shapes: &[Shape], value: &'v Value) -> Option<Value> {
        if R::LENIENT {
            return match shapes.iter().find(|shape| shape.has_type_of(value)) {
                Some(shape) => self.value(shape, value),
                None => self.report(value, shape, Violation::Type),
            };
        }
        let (was_silent, before) = (self.is_silent, self.violations);
        self.is_silent = true;
        let is_valid = shapes.iter().any(|shape| {
            let before = self.violations;
            self.value(shape, value);
            self.violations == before
        });
        (self.is_silent, self.violations) = (was_silent, before);
        if is_valid {
            return None;
        }
        if let [Shape::Choice(_)] = shapes {
            return self.report(value, shape, Violation::Choice);
        }
        shapes.iter().for_each(|shape| drop(self.value(shape, value)));
        None
    }

    fn number(&mut self, shape: &Shape, value: &Value, number: &Number) -> Option<Value> {
        let size = number.as_f64().unwrap_or(f64::NAN);
        match shape {
            Shape::Integer(_) if size.fract() != 0.0 => self.report(value, shape, Violation::Type),
            Shape::Integer(limits) | Shape::Number(limits) => {
                self.limit(shape, value, *limits, size)?;
                // `3.0` is an integer too, but serde would reject it.
                let is_odd = number.is_f64() && matches!(shape, Shape::Integer(_));
                Some(if is_odd { Value::from(size as i64) } else { value.clone() })
            }
            _ => Some(value.clone()),
        }
    }

    fn text(&mut self, shape: &Shape, value: &Value, text: &str) -> Option<Value> {
        let text = self.reporter.text(&self.path, shape, text)?;
        match shape {
            Shape::Choice(choices) if !choices.iter().any(|choice| *choice == text) => {
                return self.report(value, shape, Violation::Choice);
            }
            Shape::Text(limits) => self.limit(shape, value, *limits, text.chars().count() as f64)?,
            _ => {}
        }
        R::LENIENT.then(|| Value::String(text.into_owned()))
    }

    fn list(&mut self, shape: &Shape, value: &Value, items: &'v [Value]) -> Option<Value> {
        if let Shape::List(_, limits) = shape {
            self.limit(shape, value, *limits, items.len() as f64)?;
        }
        let mut valid = Vec::new();
        for (index, item) in items.iter().enumerate() {
            self.path.push(ShapeStep::Index(index));
            valid.extend(self.value(shape.element(), item));
            self.path.pop();
        }
        Some(Value::Array(valid))
    }

    fn object(&mut self, shape: &Shape, value: &Value, members: &'v Map<String, Value>) -> Option<Value> {
        let required = if let Shape::Object { required, .. } = shape { required.as_slice() } else { &[] };
        let missing = required.iter().map(String::as_str).filter(|name| !members.contains_key(*name));
        let mut missing = Some(missing.collect::<Vec<_>>()).filter(|names| !names.is_empty());
        if !R::LENIENT
            && let Some(names) = missing.take()
        {
            self.report(value, shape, Violation::MissingKeys(names));
        }
        let mut valid = Map::new();
        for (name, member) in members {
            self.path.push(ShapeStep::Key(name));
            let member = match shape {
                Shape::Object { fields, others, .. } => match (fields.get(name), others) {
                    (Some(field), _) if R::LENIENT && field.shape == Shape::Any => None,
                    (Some(field), _) => self.value(&field.shape, member).or_else(|| field.fallback.clone()),
                    (None, Some(others)) => self.value(others, member),
                    (None, None) => self.report(member, shape, Violation::IgnoredKey),
                },
                _ => self.value(&Shape::Any, member),
            };
            self.path.pop();
            valid.extend(member.map(|member| (name.clone(), member)));
        }
        if let Some(names) = missing {
            return self.report(value, shape, Violation::MissingKeys(names));
        }
        // An invalid required key was reported already.
        required.iter().all(|name| valid.contains_key(name)).then_some(Value::Object(valid))
    }

    fn limit(
        &mut self,
        shape: &Shape,
        value: &Value,
        ValueRange(min, max): ValueRange,
        size: f64,
    ) -> Option<()> {
        let below = min.filter(|min| size < *min).map(Violation::Below);
        match below.or_else(|| max.filter(|max| size > *max).map(Violation::Above)) {
            Some(violation) => self.report(value, shape, violation).map(drop),
            None => Some(()),
        }
    }

    fn report(&mut self, value: &Value, shape: &Shape, violation: Violation<'_>) -> Option<Value> {
        self.violations += usize::from(violation != Violation::IgnoredKey);
        if !self.is_silent {
            self.reporter.report(&self.path, value, shape, violation);
        }
        None
    }
}
