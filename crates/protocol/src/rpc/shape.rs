//! The check of parameters against the JSON schema of their type, with the error texts that clients know.
//!
//! The schema is generated from the type, so the two cannot differ. Only the keywords that our types produce are
//! supported.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::schema;

/// Maximum number of reported faults.
const MAX_FAULTS: usize = 8;

/// The JSON schema of a type, to check values against.
///
/// ```
/// use serde_json::json;
/// use tarsus_protocol::rpc::{NoParams, Shape};
///
/// let shape = Shape::for_type::<NoParams>();
/// assert_eq!(shape.check(&json!({})), Ok(()));
/// assert_eq!(shape.check(&json!({"bogus": 1})), Err("at root: unexpected property 'bogus'".to_owned()));
/// ```
#[derive(Debug, Clone)]
pub struct Shape {
    schema: Value,
}

impl Shape {
    /// The shape of a type, as it is parsed.
    #[must_use]
    pub fn for_type<T: JsonSchema>() -> Self {
        let generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
        let mut schema = generator.into_root_schema_for::<T>().to_value();
        schema::tidy(&mut schema);
        Self { schema }
    }

    /// Checks a value.
    ///
    /// # Errors
    /// All faults, as `at /path: message`, joined by `; `.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        let mut faults = Faults { root: &self.schema, at: String::new(), found: Vec::new() };
        faults.value(&self.schema, value);
        if faults.found.is_empty() { Ok(()) } else { Err(faults.found.join("; ")) }
    }
}

struct Faults<'s> {
    root: &'s Value,
    at: String,
    found: Vec<String>,
}

impl Faults<'_> {
    fn value(&mut self, schema: &Value, value: &Value) {
        let Value::Object(schema) = schema else { return };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let root = self.root;
            if let Some(target) = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) {
                self.value(target, value);
            }
        }
        if let Some(Value::Array(branches)) = schema.get("anyOf").or_else(|| schema.get("oneOf")) {
            self.branches(branches, value);
        }
        if let Some(kinds) = schema.get("type")
            && !is_of(kinds, value)
        {
            return self.fault(format!("must be {}", named(kinds)));
        }
        let allowed = schema.get("enum").and_then(Value::as_array);
        if allowed.is_some_and(|allowed| !allowed.contains(value)) {
            return self.fault("must be equal to one of the allowed values".to_owned());
        }
        if schema.get("const").is_some_and(|only| only != value) {
            return self.fault("must be equal to constant".to_owned());
        }
        match value {
            Value::Object(members) => self.object(schema, members),
            Value::Array(items) => self.list(schema, items),
            Value::String(text) => self.text(schema, text),
            Value::Number(number) => self.number(schema, number.as_f64().unwrap_or(f64::NAN)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// One branch has to match; if none does, the faults of all are reported.
    fn branches(&mut self, branches: &[Value], value: &Value) {
        let mut tries = Vec::new();
        for branch in branches {
            let mut faults = Faults { root: self.root, at: self.at.clone(), found: Vec::new() };
            faults.value(branch, value);
            if faults.found.is_empty() {
                return;
            }
            tries.extend(faults.found);
        }
        let choices: Option<Vec<&Value>> = branches.iter().map(|branch| branch.get("const")).collect();
        if choices.is_some() {
            return self.fault("must be equal to one of the allowed values".to_owned());
        }
        tries.into_iter().for_each(|fault| self.add(fault));
    }

    fn object(&mut self, schema: &Map<String, Value>, members: &Map<String, Value>) {
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            if let Some(name) = name.as_str().filter(|name| !members.contains_key(*name)) {
                self.fault(format!("must have required property '{name}'"));
            }
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, value) in members {
            match (properties.and_then(|known| known.get(name)), schema.get("additionalProperties")) {
                (Some(property), _) => self.within(name, |faults| faults.value(property, value)),
                (None, Some(Value::Bool(false))) => {
                    let place = if self.at.is_empty() { "root" } else { &self.at };
                    let name: String = name.chars().take(80).collect();
                    let fault = format!("at {place}: unexpected property '{name}'");
                    self.add(fault);
                }
                (None, Some(others)) => self.within(name, |faults| faults.value(others, value)),
                (None, None) => {}
            }
        }
    }

    fn list(&mut self, schema: &Map<String, Value>, items: &[Value]) {
        if let Some(most) = limit(schema, "maxItems").filter(|most| items.len() as f64 > *most) {
            return self.fault(format!("must NOT have more than {most} items"));
        }
        if let Some(shape) = schema.get("items") {
            for (index, item) in items.iter().enumerate() {
                self.within(&index.to_string(), |faults| faults.value(shape, item));
            }
        }
    }

    fn text(&mut self, schema: &Map<String, Value>, text: &str) {
        let length = text.chars().count() as f64;
        if let Some(least) = limit(schema, "minLength").filter(|least| length < *least) {
            self.fault(format!("must NOT have fewer than {least} characters"));
        }
        if let Some(most) = limit(schema, "maxLength").filter(|most| length > *most) {
            self.fault(format!("must NOT have more than {most} characters"));
        }
    }

    fn number(&mut self, schema: &Map<String, Value>, number: f64) {
        if let Some(least) = limit(schema, "minimum").filter(|least| number < *least) {
            self.fault(format!("must be >= {least}"));
        }
        if let Some(most) = limit(schema, "maximum").filter(|most| number > *most) {
            self.fault(format!("must be <= {most}"));
        }
    }

    fn within(&mut self, name: &str, check: impl FnOnce(&mut Self)) {
        let length = self.at.len();
        self.at.push('/');
        self.at.push_str(&name.chars().take(80).collect::<String>().replace('~', "~0").replace('/', "~1"));
        check(self);
        self.at.truncate(length);
    }

    fn fault(&mut self, fault: String) {
        let fault = if self.at.is_empty() { fault } else { format!("at {}: {fault}", self.at) };
        self.add(fault);
    }

    fn add(&mut self, fault: String) {
        if self.found.len() < MAX_FAULTS && !self.found.contains(&fault) {
            self.found.push(fault);
        }
    }
}

fn limit(schema: &Map<String, Value>, keyword: &str) -> Option<f64> {
    schema.get(keyword).and_then(Value::as_f64)
}

fn is_of(kinds: &Value, value: &Value) -> bool {
    match kinds {
        Value::Array(kinds) => kinds.iter().any(|kind| is_of(kind, value)),
        kind => match kind.as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("null") => value.is_null(),
            Some("number") => value.is_number(),
            Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            _ => true,
        },
    }
}

fn named(kinds: &Value) -> String {
    match kinds {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        kind => kind.as_str().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

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
        let shape = Shape::for_type::<SampleParams>();
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
        let message = Shape::for_type::<Inner>().check(&Value::Object(many)).unwrap_err();
        assert!(message.len() < 1_200, "{} bytes", message.len());
    }
}
