//! The check of parameters against the JSON schema of their type, with the error texts that clients know.
//!
//! The schema is generated from the type, so the two cannot differ.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::schema;
use crate::shape::{Reporter, Shape, ShapeStep, Violation};

/// Maximum number of reported faults.
const MAX_FAULTS: usize = 8;
/// Maximum characters of a key in an error.
const MAX_KEY_CHARS: usize = 80;

/// The valid parameters of a method.
///
/// ```
/// use serde_json::json;
/// use tarsus_protocol::rpc::{NoParams, ParamsShape};
///
/// let shape = ParamsShape::for_type::<NoParams>();
/// assert_eq!(shape.check(&json!({})), Ok(()));
/// assert_eq!(shape.check(&json!({"bogus": 1})), Err("at root: unexpected property 'bogus'".to_owned()));
/// ```
#[derive(Debug, Clone)]
pub struct ParamsShape(Shape);

impl ParamsShape {
    /// The shape of a type, as it is parsed.
    #[must_use]
    pub fn for_type<T: JsonSchema>() -> Self {
        Self(Shape::from_schema(&schema_of::<T>()))
    }

    /// Checks a value.
    ///
    /// # Errors
    /// All faults, as `at /path: message`, joined by `; `.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        let mut faults = Faults(Vec::new());
        self.0.check(value, &mut faults);
        if faults.0.is_empty() { Ok(()) } else { Err(faults.0.join("; ")) }
    }
}

fn schema_of<T: JsonSchema>() -> Value {
    let settings =
        SchemaSettings::draft2020_12().for_deserialize().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    schema::tidy(&mut schema);
    schema
}

struct Faults(Vec<String>);

impl Faults {
    fn add(&mut self, path: &[ShapeStep<'_>], fault: &str) {
        let fault = if path.is_empty() { fault.to_owned() } else { format!("at {}: {fault}", pointer(path)) };
        if self.0.len() < MAX_FAULTS && !self.0.contains(&fault) {
            self.0.push(fault);
        }
    }
}

impl Reporter for Faults {
    const LENIENT: bool = false;

    fn report(&mut self, path: &[ShapeStep<'_>], _: &Value, shape: &Shape, violation: Violation<'_>) {
        let fault = match violation {
            Violation::IgnoredKey => return,
            Violation::UnknownKey => {
                let Some((key, object)) = path.split_last() else { return };
                let root = if object.is_empty() { "at root: " } else { "" };
                return self.add(object, &format!("{root}unexpected property '{}'", key_text(key)));
            }
            Violation::MissingKeys(names) => {
                let faults = names.iter().map(|name| format!("must have required property '{name}'"));
                return faults.for_each(|fault| self.add(path, &fault));
            }
            Violation::Type => format!("must be {}", type_name(shape)),
            Violation::Choice if matches!(shape, Shape::Choice(choices) if choices.len() == 1) => {
                "must be equal to constant".to_owned()
            }
            Violation::Choice => "must be equal to one of the allowed values".to_owned(),
            Violation::Below(min) if matches!(shape, Shape::Text(_)) => {
                format!("must NOT have fewer than {min} characters")
            }
            Violation::Below(min) => format!("must be >= {min}"),
            Violation::Above(max) => match shape {
                Shape::Text(_) => format!("must NOT have more than {max} characters"),
                Shape::List(..) => format!("must NOT have more than {max} items"),
                _ => format!("must be <= {max}"),
            },
        };
        self.add(path, &fault);
    }
}

fn pointer(path: &[ShapeStep<'_>]) -> String {
    path.iter().map(|step| format!("/{}", key_text(step).replace('~', "~0").replace('/', "~1"))).collect()
}

fn key_text(step: &ShapeStep<'_>) -> String {
    match step {
        ShapeStep::Key(name) => name.chars().take(MAX_KEY_CHARS).collect(),
        ShapeStep::Index(index) => index.to_string(),
    }
}

fn type_name(shape: &Shape) -> &'static str {
    match shape {
        Shape::Null => "null",
        Shape::Bool => "boolean",
        Shape::Integer(_) => "integer",
        Shape::Number(_) => "number",
        Shape::Text(_) | Shape::Choice(_) | Shape::Format(_) | Shape::Secret => "string",
        Shape::List(..) => "array",
        Shape::Object { .. } => "object",
        Shape::Any | Shape::Nothing | Shape::OneOf(_) => "valid",
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::{Map, json};

    use super::*;

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    #[expect(dead_code, reason = "only its description counts")]
    struct SampleParams {
        session_key: String,
        #[schemars(range(min = 1, max = 5))]
        limit: Option<u32>,
        mode: Option<Mode>,
        inner: Option<Inner>,
        #[schemars(length(max = 2))]
        names: Option<Vec<String>>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Mode {
        /// The first choice.
        Now,
        /// The second choice.
        Later,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its description counts")]
    struct Inner {
        id: String,
    }

    #[test]
    fn every_fault_is_told_with_its_place_in_the_words_clients_know() {
        let shape = ParamsShape::for_type::<SampleParams>();
        let table = [
            (json!({"sessionKey": "a", "mode": "now", "inner": {"id": "x"}, "names": ["a", "b"]}), ""),
            (json!({}), "must have required property 'sessionKey'"),
            (json!([]), "must be object"),
            (json!(null), "must be object"),
            (json!({"sessionKey": "a", "bogus": 1}), "at root: unexpected property 'bogus'"),
            (json!({"sessionKey": 1}), "at /sessionKey: must be string"),
            (json!({"sessionKey": "a", "limit": null}), "at /limit: must be integer"),
            (json!({"sessionKey": "a", "limit": 0}), "at /limit: must be >= 1"),
            (json!({"sessionKey": "a", "limit": 6}), "at /limit: must be <= 5"),
            (json!({"sessionKey": "a", "limit": 1.5}), "at /limit: must be integer"),
            (json!({"sessionKey": "a", "mode": "x"}), "at /mode: must be equal to one of the allowed values"),
            (json!({"sessionKey": "a", "inner": {"id": "x", "y": 1}}), "at /inner: unexpected property 'y'"),
            (json!({"sessionKey": "a", "inner": {}}), "at /inner: must have required property 'id'"),
            (json!({"sessionKey": "a", "names": ["a", 1]}), "at /names/1: must be string"),
            (
                json!({"sessionKey": "a", "names": ["a", "b", "c"]}),
                "at /names: must NOT have more than 2 items",
            ),
            (
                json!({"limit": "x", "b": 1}),
                "must have required property 'sessionKey'; at /limit: must be integer; at root: unexpected property 'b'",
            ),
        ];
        for (value, expected) in table {
            assert_eq!(shape.check(&value).err().unwrap_or_default(), expected, "{value}");
        }
    }

    #[test]
    fn error_quotes_little_of_the_input() {
        let many: Map<String, Value> =
            (0..1_000).map(|at| (format!("{at}{}", "x".repeat(500)), Value::Null)).collect();
        let message = ParamsShape::for_type::<Inner>().check(&Value::Object(many)).unwrap_err();
        assert!(message.len() < 1_200, "{} bytes", message.len());
    }

    #[test]
    fn schemas_of_parameters_have_no_references() {
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        for method in crate::rpc::all() {
            let schema = (method.params)(&mut settings.clone().into_generator()).to_value();
            assert!(!schema.to_string().contains("$ref"), "{}", method.name);
        }
    }
}
