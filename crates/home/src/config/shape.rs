//! The published JSON schema, and the same schema as [`Shape`]s for walking a document.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::Value;
use strsim::levenshtein;

use super::view::Config;

/// The JSON schema of `openclaw.json`, with descriptions and defaults.
#[must_use]
pub fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<Config>().to_value()
}

/// The values that are valid at a path.
#[derive(Debug, PartialEq)]
pub(super) enum Shape {
    Any,
    Secret,
    Null,
    Bool,
    Number { integer: bool, min: Option<f64>, max: Option<f64> },
    Text { choices: Vec<String> },
    AgentId,
    List(Box<Shape>),
    Map(Box<Shape>),
    Object(Object),
    OneOf(Vec<Shape>),
}

/// An object with known keys.
#[derive(Debug, PartialEq)]
pub(super) struct Object {
    pub(super) fields: BTreeMap<String, Field>,
    pub(super) required: Vec<String>,
}

/// A known key.
#[derive(Debug, PartialEq)]
pub(super) struct Field {
    pub(super) shape: Shape,
    /// Replaces an invalid value where the default would be more permissive than intended (`x-when-wrong`).
    pub(super) fallback: Option<Value>,
}

/// The shape of the whole file.
pub(super) static ROOT: LazyLock<Shape> = LazyLock::new(|| Shape::from_schema(&schema()));

impl Shape {
    fn from_schema(schema: &Value) -> Self {
        if schema.get("writeOnly") == Some(&Value::Bool(true)) {
            return Self::Secret;
        }
        if let Some(Value::Array(options)) = schema.get("anyOf").or_else(|| schema.get("oneOf")) {
            let shapes: Vec<Self> = options.iter().map(Self::from_schema).collect();
            return Self::union(shapes);
        }
        if let Some(Value::String(word)) = schema.get("const") {
            return Self::Text { choices: vec![word.clone()] };
        }
        match schema.get("type") {
            Some(Value::String(kind)) => Self::from_type(kind, schema),
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                Self::union(kinds.map(|kind| Self::from_type(kind, schema)).collect())
            }
            _ => Self::Any,
        }
    }

    /// Joins alternatives; string constants become one list of choices.
    fn union(shapes: Vec<Self>) -> Self {
        let mut words = Vec::new();
        let mut others = Vec::new();
        for shape in shapes {
            match shape {
                Self::Text { choices } if !choices.is_empty() => words.extend(choices),
                other => others.push(other),
            }
        }
        if !words.is_empty() {
            others.insert(0, Self::Text { choices: words });
        }
        match others.len() {
            1 => others.remove(0),
            _ => Self::OneOf(others),
        }
    }

    fn from_type(kind: &str, schema: &Value) -> Self {
        match kind {
            "null" => Self::Null,
            "boolean" => Self::Bool,
            "integer" | "number" => {
                let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
                // The schema has the width of an integer but no maximum.
                let widest = match schema.get("format").and_then(Value::as_str) {
                    Some("uint32") => Some(f64::from(u32::MAX)),
                    _ => None,
                };
                let max = limit("maximum").or(widest);
                Self::Number { integer: kind == "integer", min: limit("minimum"), max }
            }
            "string" if schema.get("format").is_some_and(|format| format == "agent-id") => Self::AgentId,
            "string" => {
                let choices = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
                Self::Text { choices: choices.filter_map(Value::as_str).map(str::to_owned).collect() }
            }
            "array" => Self::List(Box::new(schema.get("items").map_or(Self::Any, Self::from_schema))),
            "object" => Self::from_object(schema),
            _ => Self::Any,
        }
    }

    fn from_object(schema: &Value) -> Self {
        let Some(Value::Object(properties)) = schema.get("properties") else {
            return match schema.get("additionalProperties") {
                Some(values) => Self::Map(Box::new(Self::from_schema(values))),
                None => Self::Any,
            };
        };
        let field = |schema: &Value| Field {
            shape: Self::from_schema(schema),
            fallback: schema.get("x-when-wrong").cloned(),
        };
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        Self::Object(Object {
            fields: properties.iter().map(|(name, schema)| (name.clone(), field(schema))).collect(),
            required: required.filter_map(Value::as_str).map(str::to_owned).collect(),
        })
    }

    pub(super) fn is_secret(&self) -> bool {
        match self {
            Self::Secret => true,
            Self::OneOf(shapes) => shapes.iter().any(Self::is_secret),
            _ => false,
        }
    }

    /// Shape of a key's value; `Any` if the key is unknown.
    pub(super) fn member(&self, name: &str) -> &Self {
        match self {
            Self::Object(object) => object.fields.get(name).map_or(&Self::Any, |field| &field.shape),
            Self::Map(values) => values,
            Self::OneOf(shapes) => shapes
                .iter()
                .find(|shape| matches!(shape, Self::Object(_) | Self::Map(_)))
                .map_or(&Self::Any, |shape| shape.member(name)),
            _ => &Self::Any,
        }
    }

    pub(super) fn element(&self) -> &Self {
        match self {
            Self::List(items) => items,
            Self::OneOf(shapes) => shapes
                .iter()
                .find_map(|shape| match shape {
                    Self::List(items) => Some(&**items),
                    _ => None,
                })
                .unwrap_or(&Self::Any),
            _ => &Self::Any,
        }
    }

    /// Describes the expected value, for messages.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Any => "a value".to_owned(),
            Self::Secret => "a string or a reference to a secret".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Bool => "true or false".to_owned(),
            Self::Number { integer, min, max } => {
                let kind = if *integer { "a whole number" } else { "a number" };
                match (min, max) {
                    (Some(min), Some(max)) => format!("{kind} from {min} to {max}"),
                    (Some(min), None) => format!("{kind} from {min} on"),
                    (None, Some(max)) => format!("{kind} up to {max}"),
                    (None, None) => kind.to_owned(),
                }
            }
            Self::Text { choices } if choices.is_empty() => "a string".to_owned(),
            Self::Text { choices } => {
                let quoted: Vec<String> = choices.iter().map(|choice| format!("\"{choice}\"")).collect();
                format!("one of {}", quoted.join(", "))
            }
            Self::AgentId => "an agent id".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) | Self::Object(_) => "an object".to_owned(),
            Self::OneOf(shapes) => {
                let named = shapes.iter().filter(|shape| **shape != Self::Null).map(Self::description);
                named.collect::<Vec<_>>().join(" or ")
            }
        }
    }
}

pub(super) fn is_section(name: &str) -> bool {
    known_sections().any(|section| section == name)
}

/// Returns the section with the closest name, at most two edits away.
pub(super) fn closest_section(name: &str) -> Option<String> {
    const MAX_LENGTH: usize = 40;
    if name.len() > MAX_LENGTH {
        return None;
    }
    let near = known_sections().map(|section| (levenshtein(section, name), section));
    near.min().filter(|(distance, _)| *distance <= 2).map(|(_, section)| section.to_owned())
}

fn known_sections() -> impl Iterator<Item = &'static str> {
    let fields = match &*ROOT {
        Shape::Object(object) => Some(object.fields.keys().map(String::as_str)),
        _ => None,
    };
    fields.into_iter().flatten()
}
