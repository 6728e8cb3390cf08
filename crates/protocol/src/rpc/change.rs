//! A field of a change: left out it stays, `null` takes it away.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

/// A new value, or `null` to take away what was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(from = "Option<T>")]
pub enum Change<T> {
    /// Nothing of its own from now on.
    Clear,
    /// This from now on.
    Set(T),
}

impl<T> From<Option<T>> for Change<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Clear, Self::Set)
    }
}

impl<T> From<Change<T>> for Option<T> {
    fn from(change: Change<T>) -> Self {
        match change {
            Change::Clear => None,
            Change::Set(value) => Some(value),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Change<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("ChangeOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({
            "description": "A new value, or `null` to take away what was set.",
            "anyOf": [value, { "type": "null" }]
        })
    }
}
