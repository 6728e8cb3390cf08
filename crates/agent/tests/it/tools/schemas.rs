//! The parameters of every tool, name by name.

use serde_json::{Value, json};
use tarsus_agent::tools::Toolbox;

/// A tool, the parameters that a call needs, and all parameters with their types.
type Row = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

/// The interface that models and skills know, in the order in which tools are offered.
const EXPECTED: [Row; 12] = [
    ("read", &[], &[("path", "string"), ("offset", "number"), ("limit", "number"), ("file_path", "string")]),
    ("write", &["content"], &[("path", "string"), ("file_path", "string"), ("content", "string")]),
    (
        "edit",
        &[],
        &[
            ("path", "string"),
            ("file_path", "string"),
            ("oldText", "string"),
            ("old_string", "string"),
            ("newText", "string"),
            ("new_string", "string"),
        ],
    ),
    ("apply_patch", &["input"], &[("input", "string")]),
    ("memory_get", &["path"], &[("path", "string"), ("from", "number"), ("lines", "number")]),
    ("session_status", &[], &[("sessionKey", "string"), ("model", "string")]),
    ("agents_list", &[], &[]),
    ("apps_list", &[], &[]),
    ("app_status", &[], &[("name", "string")]),
    ("app_launch", &["name"], &[("name", "string")]),
    ("app_stop", &["name"], &[("name", "string")]),
    (
        "app_propose",
        &["action", "name"],
        &[
            ("action", "string"),
            ("name", "string"),
            ("launch_path", "string"),
            ("runtime_exe", "string"),
            ("process_name", "string"),
            ("mode", "string"),
            ("allowed_agents", "array"),
        ],
    ),
];

#[test]
fn tool_schemas_match_the_snapshot() {
    let offered = Toolbox::new().offered(200_000, |_| true);
    let names: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, EXPECTED.map(|(name, _, _)| name));
    for (tool, (name, required, properties)) in offered.iter().zip(EXPECTED) {
        let of_type = |(name, schema): (&String, &Value)| (name.clone(), schema["type"].clone());
        let has: Vec<_> = tool.parameters["properties"].as_object().unwrap().iter().map(of_type).collect();
        let wants: Vec<_> = properties.iter().map(|(name, kind)| ((*name).to_owned(), json!(kind))).collect();
        let sorted = |mut list: Vec<(String, Value)>| {
            list.sort_by(|(one, _), (other, _)| one.cmp(other));
            list
        };
        assert_eq!(sorted(has), sorted(wants), "{name}");
        assert_eq!(tool.parameters["required"], json!(required), "{name}");
        assert_eq!(tool.parameters["type"], "object", "{name}");
    }
    let propose = &offered[11].parameters["properties"];
    assert_eq!(propose["action"]["enum"], json!(["add", "edit", "delete", "policy"]));
    assert_eq!(propose["mode"]["enum"], json!(["full", "allowlist", "off"]));
}

#[test]
fn every_tool_and_parameter_has_a_description() {
    let toolbox = Toolbox::new();
    for tool in toolbox.allowed(|_| true) {
        let name = tool.id().name();
        assert!(!tool.line().is_empty() && tool.line().len() < 80 && !tool.line().ends_with('.'), "{name}");
        assert!(tool.description().ends_with('.'), "{name}");
        for field in tool.fields() {
            assert!(field.about.len() > 8, "{name} {}", field.name);
        }
        assert!(std::ptr::eq(toolbox.get(name).unwrap(), tool));
    }
}

#[test]
fn denied_tools_are_not_offered() {
    let offered = Toolbox::new().offered(200_000, |tool| tool == tarsus_guard::ToolId::Read);
    assert_eq!(offered.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["read"]);
}

/// A small model has a window of 4,096 tokens for everything.
#[test]
fn tool_schemas_fit_a_small_window() {
    let offered = Toolbox::new().offered(4_096, |_| true);
    let bytes: usize = offered
        .iter()
        .map(|tool| tool.name.len() + tool.description.len() + json!(tool.parameters).to_string().len())
        .sum();
    assert!(bytes < 5_000, "{bytes} bytes are about {} tokens", bytes / 4);
}
