//! The JSON schema of everything on the wire.
//!
//! Deterministic: definitions are sorted by name.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::apps::{AppAnswer, AppChange, AppCheck, AppList, AppRun, AppStatusList};
use crate::connect::ConnectParams;
use crate::event::Event;
use crate::failure::CliFailure;
use crate::frame::Frame;
use crate::hello::HelloOk;
use crate::message::Message;
use crate::report::{DoctorReport, Health, ReadyReport, StatusReport};
use crate::rpc::{self, MethodInfo};
use crate::skills::{SkillSwitched, SkillsCheck, SkillsRefreshed, SkillsReport};
use crate::skills_check::SkillCheck;

/// The schema: all types under `$defs` (parameters as they are parsed, everything else as it is serialised), all methods
/// under `methods`, all events under `events`.
#[must_use]
pub fn describe() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    macro_rules! describe {
        ($($root:ty),* $(,)?) => { $(generator.subschema_for::<$root>();)* };
    }
    describe![Frame, Message, CliFailure, StatusReport, DoctorReport, Health, ReadyReport];
    describe![AppList, AppStatusList, AppCheck, AppRun, AppChange, AppAnswer];
    describe![SkillsReport, SkillsCheck, SkillCheck, SkillSwitched, SkillsRefreshed];
    describe![HelloOk];
    let events: Map<String, Value> = Event::ALL
        .iter()
        .map(|event| (event.as_str().to_owned(), event.payload(&mut generator).to_value()))
        .collect();
    let mut reader = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    reader.subschema_for::<ConnectParams>();
    let methods: Map<String, Value> = rpc::all()
        .map(|method| {
            let MethodInfo { name, about, scope, .. } = method;
            let (params, result) = ((method.params)(&mut reader), (method.result)(&mut generator));
            let description =
                json!({ "description": about, "scope": scope, "params": params, "result": result });
            ((*name).to_owned(), description)
        })
        .collect();

    let mut definitions = reader.take_definitions(true);
    definitions.extend(generator.take_definitions(true));
    let mut definitions: Vec<_> = definitions.into_iter().collect();
    definitions.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut definitions = Value::Object(definitions.into_iter().collect());
    tidy(&mut definitions);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The Tarsus protocol",
        "$defs": definitions,
        "methods": methods,
        "events": events,
    })
}

/// Removes what applies to the Rust types but not to the wire: examples in descriptions, and `null` for properties that
/// are absent instead.
pub(crate) fn tidy(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(tidy),
        Value::Object(keywords) => {
            if let Some(Value::String(description)) = keywords.get_mut("description")
                && let Some(example) = description.find("\n\n```")
            {
                description.truncate(example);
            }
            let required = keywords.get("required").cloned().unwrap_or_default();
            if let Some(Value::Object(properties)) = keywords.get_mut("properties") {
                for (name, property) in properties.iter_mut() {
                    if !required.as_array().is_some_and(|names| names.contains(&json!(name))) {
                        without_null(property);
                    }
                }
            }
            keywords.values_mut().for_each(tidy);
        }
        _ => {}
    }
}

fn without_null(property: &mut Value) {
    if let Some(Value::Array(kinds)) = property.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            property["type"] = kind.clone();
        }
    }
    if let Some(Value::Array(branches)) = property.get_mut("anyOf") {
        branches.retain(|branch| *branch != json!({ "type": "null" }));
        if let [Value::Object(only)] = branches.as_slice() {
            let only = only.clone();
            if let Value::Object(keywords) = property {
                keywords.shift_remove("anyOf");
                keywords.extend(only);
            }
        }
    }
}
