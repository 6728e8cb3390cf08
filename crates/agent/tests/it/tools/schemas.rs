//! The parameters of every tool, name by name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use tarsus_agent::tools::Toolbox;
use tarsus_guard::ToolId;

/// A parameter with its type; without a type where the interface gives none.
type Parameter = (&'static str, &'static str);

/// A tool as models and skills know it.
struct Row {
    name: &'static str,
    is_built: bool,
    /// The parameters that a call needs. A parameter with an alias is needed under neither name.
    required: &'static [&'static str],
    /// All parameters; `None` for a tool of which only the name is known.
    parameters: Option<&'static [Parameter]>,
}

const fn built(
    name: &'static str,
    required: &'static [&'static str],
    parameters: &'static [Parameter],
) -> Row {
    Row { name, is_built: true, required, parameters: Some(parameters) }
}

const fn pending(
    name: &'static str,
    required: &'static [&'static str],
    parameters: &'static [Parameter],
) -> Row {
    Row { name, is_built: false, required, parameters: Some(parameters) }
}

const fn only_named(name: &'static str) -> Row {
    Row { name, is_built: false, required: &[], parameters: None }
}

/// Every tool; those that are built in the order in which they are offered.
const TOOLS: &[Row] = &[
    built(
        "read",
        &[],
        &[("path", "string"), ("offset", "number"), ("limit", "number"), ("file_path", "string")],
    ),
    built("write", &["content"], &[("path", "string"), ("content", "string"), ("file_path", "string")]),
    built(
        "edit",
        &[],
        &[
            ("path", "string"),
            ("oldText", "string"),
            ("newText", "string"),
            ("file_path", "string"),
            ("old_string", "string"),
            ("new_string", "string"),
        ],
    ),
    built("apply_patch", &["input"], &[("input", "string")]),
    pending(
        "exec",
        &["command"],
        &[
            ("command", ""),
            ("workdir", ""),
            ("env", ""),
            ("yieldMs", ""),
            ("background", ""),
            ("timeout", ""),
            ("pty", ""),
            ("elevated", ""),
            ("host", ""),
            ("security", ""),
            ("ask", ""),
            ("node", ""),
        ],
    ),
    pending(
        "process",
        &["action"],
        &[
            ("action", ""),
            ("sessionId", ""),
            ("data", ""),
            ("keys", ""),
            ("hex", ""),
            ("literal", ""),
            ("text", ""),
            ("bracketed", ""),
            ("eof", ""),
            ("offset", ""),
            ("limit", ""),
            ("timeout", ""),
        ],
    ),
    built("memory_get", &["path"], &[("path", "string"), ("from", "number"), ("lines", "number")]),
    pending(
        "memory_search",
        &["query"],
        &[("query", "string"), ("maxResults", "number"), ("minScore", "number")],
    ),
    built(
        "web_search",
        &["query"],
        &[
            ("query", "string"),
            ("count", "number"),
            ("country", "string"),
            ("language", "string"),
            ("freshness", "string"),
            ("date_after", "string"),
            ("date_before", "string"),
            ("search_lang", "string"),
            ("ui_lang", "string"),
        ],
    ),
    built("web_fetch", &["url"], &[("url", "string"), ("extractMode", "string"), ("maxChars", "number")]),
    pending(
        "cron",
        &["action"],
        &[
            ("action", "string"),
            ("gatewayUrl", "string"),
            ("gatewayToken", "string"),
            ("timeoutMs", "number"),
            ("includeDisabled", "boolean"),
            ("job", "object"),
            ("jobId", "string"),
            ("id", "string"),
            ("patch", "object"),
            ("text", "string"),
            ("mode", "string"),
            ("runMode", "string"),
            ("contextMessages", "number"),
        ],
    ),
    pending(
        "sessions_list",
        &[],
        &[("kinds", "array"), ("limit", "number"), ("activeMinutes", "number"), ("messageLimit", "number")],
    ),
    pending(
        "sessions_history",
        &["sessionKey"],
        &[("sessionKey", "string"), ("limit", "number"), ("includeTools", "boolean")],
    ),
    pending(
        "sessions_send",
        &["message"],
        &[
            ("sessionKey", "string"),
            ("label", "string"),
            ("agentId", "string"),
            ("message", "string"),
            ("timeoutSeconds", "number"),
        ],
    ),
    pending(
        "sessions_spawn",
        &["task"],
        &[
            ("task", "string"),
            ("label", "string"),
            ("runtime", "string"),
            ("agentId", "string"),
            ("resumeSessionId", "string"),
            ("model", "string"),
            ("thinking", "string"),
            ("cwd", "string"),
            ("runTimeoutSeconds", "number"),
            ("timeoutSeconds", "number"),
            ("thread", "boolean"),
            ("mode", "string"),
            ("cleanup", "string"),
            ("sandbox", "string"),
            ("streamTo", "string"),
            ("attachments", "array"),
            ("attachAs", "object"),
        ],
    ),
    pending("sessions_yield", &[], &[("message", "string")]),
    pending(
        "subagents",
        &[],
        &[("action", "string"), ("target", "string"), ("message", "string"), ("recentMinutes", "number")],
    ),
    built("session_status", &[], &[("sessionKey", "string"), ("model", "string")]),
    built("agents_list", &[], &[]),
    pending(
        "message",
        &["action"],
        &[
            ("action", "string"),
            ("channel", "string"),
            ("to", "string"),
            ("text", "string"),
            ("emoji", "string"),
            ("messageId", "string"),
        ],
    ),
    only_named("gateway"),
    only_named("nodes"),
    only_named("browser"),
    only_named("canvas"),
    only_named("image"),
    only_named("tts"),
    built("apps_list", &[], &[]),
    built("app_status", &[], &[("name", "string")]),
    built("app_launch", &["name"], &[("name", "string")]),
    built("app_stop", &["name"], &[("name", "string")]),
    built(
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

/// A tool cannot be added without its parameters, and one that is built cannot stay pending.
#[test]
fn tool_schemas_match_the_table() {
    let offered = Toolbox::new().offered(200_000, |_| true);
    let names: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
    let expected: Vec<&Row> = TOOLS.iter().filter(|row| row.is_built).collect();
    assert_eq!(names, expected.iter().map(|row| row.name).collect::<Vec<_>>());
    for (tool, Row { name, required, parameters, .. }) in offered.iter().zip(expected) {
        let has = tool.parameters["properties"].as_object().unwrap();
        let wants: BTreeMap<&str, &str> = parameters.unwrap().iter().copied().collect();
        assert_eq!(
            has.keys().map(String::as_str).collect::<BTreeSet<_>>(),
            wants.keys().copied().collect(),
            "{name}"
        );
        for (parameter, kind) in wants.into_iter().filter(|(_, kind)| !kind.is_empty()) {
            assert_eq!(has[parameter]["type"], kind, "{name} {parameter}");
        }
        assert_eq!(tool.parameters["required"], json!(required), "{name}");
        assert_eq!(tool.parameters["type"], "object", "{name}");
    }
    let rows: BTreeSet<&str> = TOOLS.iter().map(|row| row.name).collect();
    assert_eq!(rows.len(), TOOLS.len(), "each tool has one row");
    assert_eq!(rows, ToolId::ALL.iter().map(|tool| tool.name()).collect(), "each tool has a row");
}

#[test]
fn words_of_a_parameter_are_listed() {
    let toolbox = Toolbox::new();
    for (tool, parameter, words) in [
        ("app_propose", "action", json!(["add", "edit", "delete", "policy"])),
        ("app_propose", "mode", json!(["full", "allowlist", "off"])),
        ("web_fetch", "extractMode", json!(["markdown", "text"])),
        ("web_search", "freshness", json!(["day", "week", "month", "year"])),
    ] {
        let parameters = toolbox.get(tool).unwrap().parameters();
        assert_eq!(parameters["properties"][parameter]["enum"], words, "{tool} {parameter}");
    }
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
    let offered = Toolbox::new().offered(200_000, |tool| tool == ToolId::Read);
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
    assert!(bytes < 5_500, "{bytes} bytes are about {} tokens", bytes / 4);
}
