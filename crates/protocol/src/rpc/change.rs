//! An optional field of a patch: absent leaves the value, `null` clears it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};

/// A new value, or `null` to clear the old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(from = "Option<T>")]
pub enum FieldChange<T> {
    /// Clears the value; written as `null`.
    Clear,
    /// Replaces the value.
    Set(T),
}

impl<T> From<Option<T>> for FieldChange<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Clear, Self::Set)
    }
}

impl<T> From<FieldChange<T>> for Option<T> {
    fn from(change: FieldChange<T>) -> Self {
        match change {
            FieldChange::Clear => None,
            FieldChange::Set(value) => Some(value),
        }
    }
}

impl<T: Serialize> Serialize for FieldChange<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Clear => serializer.serialize_none(),
            Self::Set(value) => serializer.serialize_some(value),
        }
    }
}

impl<T: JsonSchema> JsonSchema for FieldChange<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("ChangeOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({
            "description": "A new value, or `null` to clear the old one.",
            "anyOf": [value, { "type": "null" }]
        })
    }
}
