//! Generates the protocol for Studio: its JSON Schema and its TypeScript types.
//!
//! It includes ids that other crates send as plain strings and that Studio translates: an id without
//! a translation does not compile there.

use serde_json::{Map, Value, json};
use tarsus_guard::ToolId;
use tarsus_scan::Ruleset;

use crate::{Generated, TaskError, typescript};

pub fn generate() -> Result<Vec<Generated>, TaskError> {
    let mut schema = tarsus_protocol::schema::describe();
    if let Some(Value::Object(definitions)) = schema.get_mut("$defs") {
        add_ids(definitions);
    }
    let types = typescript::module(&schema).map_err(|(name, source)| TaskError::Type { name, source })?;
    Ok(vec![
        Generated { path: "studio/src/generated/protocol.json", text: format!("{schema:#}\n") },
        Generated {
            path: "studio/src/generated/protocol.ts",
            text: format!("// Made by `cargo xtask protocol` from crates/protocol. Do not edit.\n{types}"),
        },
    ])
}

/// Adds the ids of rules and tools, and keeps the definitions sorted by name.
fn add_ids(definitions: &mut Map<String, Value>) {
    let rules = Ruleset::bundled();
    let rules = rules.rules().map(|(_, rule)| json!({ "const": rule.id, "description": rule.title }));
    let tools = ToolId::ALL.iter().map(|tool| json!({ "const": tool.name() }));
    let ids = |description: &str, ids: Vec<Value>| json!({ "description": description, "oneOf": ids });
    let new = [
        ("RuleId", ids("A rule of the scanner: `Finding.rule`.", rules.collect())),
        ("ToolId", ids("A tool of Tarsus: `CatalogTool.id`.", tools.collect())),
    ];
    definitions.extend(new.map(|(name, ids)| (name.to_owned(), ids)));
    definitions.sort_keys();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_and_every_tool_is_one_of_the_ids() {
        let files = generate().unwrap();
        let schema: Value = serde_json::from_str(&files[0].text).unwrap();
        let ids = |name: &str| -> Vec<String> {
            let ids = schema["$defs"][name]["oneOf"].as_array().unwrap();
            ids.iter().map(|id| id["const"].as_str().unwrap().to_owned()).collect()
        };
        let rules: Vec<_> = Ruleset::bundled().rules().map(|(_, rule)| rule.id.to_owned()).collect();
        let tools: Vec<_> = ToolId::ALL.iter().map(|tool| tool.name().to_owned()).collect();
        assert_eq!((ids("RuleId"), ids("ToolId")), (rules, tools));
    }
}
