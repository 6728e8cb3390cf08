//! Every method's parameters and result survive parsing and serialising: what one end writes, the other end reads.

use serde_json::{Map, Value, json};
use tarsus_protocol::rpc;
use tarsus_protocol::schema::describe;

/// A value that fits most texts: a content hash has to be 64 hexadecimal digits.
const TEXT: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Samples are made from the published schema, so that a new method or property is covered at once.
struct Samples<'s> {
    root: &'s Value,
    /// Definitions that are being sampled, against recursion.
    open: Vec<String>,
}

impl Samples<'_> {
    /// Values that a schema accepts: among them one with the least and one with every property, and one for each
    /// alternative.
    fn of_schema(&mut self, schema: &Value) -> Vec<Value> {
        let Value::Object(keywords) = schema else { return vec![json!({ "any": [1, null] })] };
        if let Some(only) = keywords.get("const") {
            return vec![only.clone()];
        }
        if let Some(Value::Array(words)) = keywords.get("enum") {
            return words.clone();
        }
        if let Some(Value::String(pointer)) = keywords.get("$ref") {
            if self.open.contains(pointer) {
                return Vec::new();
            }
            self.open.push(pointer.clone());
            let target = self.root.pointer(pointer.trim_start_matches('#')).unwrap();
            let samples = self.of_schema(target);
            self.open.pop();
            return self.combined(samples, keywords);
        }
        let alternatives = keywords.get("anyOf").or_else(|| keywords.get("oneOf"));
        if let Some(Value::Array(alternatives)) = alternatives {
            let samples: Vec<Value> =
                alternatives.iter().flat_map(|alternative| self.of_schema(alternative)).collect();
            return self.combined(samples, keywords);
        }
        match keywords.get("type") {
            Some(Value::String(kind)) => self.of_kind(kind, keywords),
            Some(Value::Array(kinds)) => {
                kinds.iter().flat_map(|kind| self.of_kind(kind.as_str().unwrap(), keywords)).collect()
            }
            _ => vec![json!({ "any": [1, null] })],
        }
    }

    /// Adds the properties that stand beside a reference or beside alternatives.
    fn combined(&mut self, samples: Vec<Value>, keywords: &Map<String, Value>) -> Vec<Value> {
        if !keywords.contains_key("properties") {
            return samples;
        }
        let own = self.of_object(keywords);
        samples
            .into_iter()
            .flat_map(|sample| {
                own.iter().map(move |own| {
                    let mut members = sample.as_object().unwrap().clone();
                    members.extend(own.as_object().unwrap().clone());
                    Value::Object(members)
                })
            })
            .collect()
    }

    fn of_kind(&mut self, kind: &str, keywords: &Map<String, Value>) -> Vec<Value> {
        match kind {
            "null" => vec![Value::Null],
            "boolean" => vec![json!(true), json!(false)],
            "integer" => vec![json!(keywords.get("minimum").and_then(Value::as_u64).unwrap_or(3).max(1))],
            "number" => vec![json!(0.5)],
            "string" => vec![json!(TEXT)],
            "array" => {
                let least = keywords.get("minItems").and_then(Value::as_u64).unwrap_or(0);
                let items = self.of_schema(keywords.get("items").unwrap_or(&json!(true)));
                let all = Value::Array(items);
                if least == 0 { vec![json!([]), all] } else { vec![all] }
            }
            "object" => self.of_object(keywords),
            other => panic!("no samples of the type {other}"),
        }
    }

    fn of_object(&mut self, keywords: &Map<String, Value>) -> Vec<Value> {
        let Some(Value::Object(properties)) = keywords.get("properties") else {
            let values = keywords.get("additionalProperties").cloned().unwrap_or(json!(true));
            if values == json!(false) {
                return vec![json!({})];
            }
            let values = self.of_schema(&values);
            return values.into_iter().map(|value| json!({ "key": value })).chain([json!({})]).collect();
        };
        let required = keywords.get("required").cloned().unwrap_or_default();
        let is_required = |name: &str| required.as_array().is_some_and(|names| names.contains(&json!(name)));
        let mut choices: Vec<(&String, Vec<Value>)> =
            properties.iter().map(|(name, schema)| (name, self.of_schema(schema))).collect();
        // An optional list is left out when it is empty.
        for (_, values) in choices.iter_mut().filter(|(name, _)| !is_required(name)) {
            values.retain(|value| *value != json!([]) && *value != json!({}));
        }
        let first = |keep: &dyn Fn(&str) -> bool| -> Map<String, Value> {
            let kept = choices.iter().filter(|(name, _)| keep(name));
            kept.filter_map(|(name, values)| Some(((*name).clone(), values.first()?.clone()))).collect()
        };
        let (least, full) = (first(&is_required), first(&|_| true));
        let mut samples = vec![Value::Object(least), Value::Object(full.clone())];
        for (name, values) in &choices {
            for value in values.iter().skip(1) {
                let mut sample = full.clone();
                sample.insert((*name).clone(), value.clone());
                samples.push(Value::Object(sample));
            }
        }
        samples
    }
}

#[test]
fn every_methods_params_and_result_round_trip() {
    let document = describe();
    let mut number = 0;
    for method in rpc::all() {
        let described = &document["methods"][method.name];
        for (what, reserialize) in
            [("params", method.reserialize_params), ("result", method.reserialize_result)]
        {
            let samples = Samples { root: &document, open: Vec::new() }.of_schema(&described[what]);
            assert!(!samples.is_empty(), "{} has no samples of its {what}", method.name);
            for sample in samples {
                match reserialize(sample.clone()) {
                    Ok(again) => assert_eq!(again, sample, "the {what} of {}", method.name),
                    Err(error) => panic!("the {what} of {} reject {sample}: {error}", method.name),
                }
                number += 1;
            }
        }
    }
    assert!(number > 500, "only {number} samples");
}
