//! Generates the reference of the configuration, a page of the user guide, from its schema.
//!
//! It has every key that is read, with its values, and names every key that is only kept.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tarsus_home::config::schema;
use tarsus_home::settings;

use crate::Generated;

const HEAD: &str = "\
# Configuration reference

Every key of `openclaw.json` that Tarsus reads. [Configuration](config.md) says how the file is read and changed, and
`tarsus config schema` prints the same as a JSON Schema. `cargo xtask config` writes this page from the code.

In a path, `[]` stands for any place of a list and `<name>` for any name. A *secret* is a text, preferably `${NAME}` from
the environment, or a reference `{ source, provider, id }`; it is never shown. A key without a default is optional. Keys
about tools that run commands are read and checked, and have no effect yet.

```console
$ tarsus config set gateway.reload.mode hot
set gateway.reload.mode to \"hot\"
$ tarsus config set gateway.reload.mode warm
error: invalid config: gateway.reload.mode: …
  nothing was changed
  `tarsus config schema` shows the type of each key
```
";

/// The generated page.
pub fn generate() -> Generated {
    Generated { path: "docs/reference/config-reference.md", text: page(&schema(), settings::DEFAULT_TEXT) }
}

fn page(schema: &Value, own_settings: &str) -> String {
    let mut text = HEAD.to_owned();
    let mut kept = Vec::new();
    for (name, section) in properties(schema).into_iter().flatten() {
        if section.is_object() {
            text.push_str(&Section::from_schema(name, section).text());
        } else {
            kept.push(code(name));
        }
    }
    let others = "These are OpenClaw's. Tarsus keeps them as they are and does not use them: ";
    text.push_str(&format!("\n## Other sections\n\n{}\n", lines(&format!("{others}{}.", kept.join(", ")))));
    text.push_str(&format!(
        "\n## Tarsus's own settings\n\nOpenClaw refuses a file with keys that it does not know. Settings that only Tarsus \
         knows are in a file of their own,\n`~/.openclaw/tarsus/tarsus.json5`. The first start writes it like this:\n\n\
         ```json5\n{own_settings}```\n\n## See also\n\n- [Configuration](config.md), [tools of agents](tools.md)\n- \
         [Language models](../guides/models.md), [skills](../guides/skills.md), [the gateway](gateway.md)\n"
    ));
    text
}

/// One section of the file.
#[derive(Default)]
struct Section<'s> {
    name: &'s str,
    about: &'s str,
    rows: Vec<[String; 4]>,
    kept: Vec<String>,
    /// Where an object with these properties was described already.
    described: BTreeMap<String, String>,
}

impl<'s> Section<'s> {
    fn from_schema(name: &'s str, schema: &'s Value) -> Self {
        let mut section = Self { name, about: about(schema), ..Self::default() };
        section.walk(name, schema);
        section
    }

    /// The keys of an object with their types, and below them the keys of those types.
    fn walk(&mut self, path: &str, schema: &Value) {
        for (name, key) in properties(schema).into_iter().flatten() {
            let path = format!("{path}.{name}");
            if !key.is_object() {
                self.kept.push(code(&path));
                continue;
            }
            let default = match &key["default"] {
                Value::Null => String::new(),
                Value::Array(list) if list.is_empty() => String::new(),
                Value::Object(object) if object.is_empty() => String::new(),
                value => code(&value.to_string()),
            };
            self.rows.push([code(&path), takes(key), default, format!("{}{}", about(key), choices(key))]);
            self.walk_into(&path, key);
        }
    }

    fn walk_into(&mut self, path: &str, schema: &Value) {
        if schema["writeOnly"] == true {
            return;
        }
        for option in options(schema) {
            self.walk_into(path, option);
        }
        if schema["items"].is_object() {
            self.walk_into(&format!("{path}[]"), &schema["items"]);
        }
        if schema["additionalProperties"].is_object() {
            self.walk_into(&format!("{path}.<name>"), &schema["additionalProperties"]);
        }
        let Some(inner) = properties(schema) else { return };
        let key = Value::Object(inner.clone()).to_string();
        match self.described.get(&key) {
            Some(other) => {
                self.rows.push([code(path), format!("as {other}"), String::new(), about(schema).to_owned()])
            }
            None => {
                self.described.insert(key, code(path));
                self.walk(path, schema);
            }
        }
    }

    fn text(&self) -> String {
        let mut text = format!(
            "\n## {}\n\n{}\n\n| key | takes | default | what it is |\n|---|---|---|---|\n",
            self.name, self.about
        );
        for row in &self.rows {
            let cells = row.each_ref().map(|cell| cell.replace('|', "\\|"));
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        if !self.kept.is_empty() {
            let kept = format!("Kept for OpenClaw and not used: {}.", self.kept.join(", "));
            text.push_str(&format!("\n{}\n", lines(&kept)));
        }
        text
    }
}

/// Wraps a text at 120 characters.
fn lines(text: &str) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        if length + 1 + word.len() > 120 {
            lines.push('\n');
            length = 0;
        } else if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines.push_str(word);
        length += word.len();
    }
    lines
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema["properties"].as_object()
}

fn about(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// The types of a value, without `null`, which means no value.
fn options(schema: &Value) -> impl Iterator<Item = &Value> {
    let options = [&schema["anyOf"], &schema["oneOf"]].into_iter().filter_map(Value::as_array);
    options.flatten().filter(|option| option["type"] != "null")
}

/// The type of a key, in a few words.
fn takes(schema: &Value) -> String {
    if schema["writeOnly"] == true {
        return "secret".to_owned();
    }
    if !schema["const"].is_null() {
        return code(&schema["const"].to_string());
    }
    let words = |values: &[Value]| -> Vec<String> {
        values.iter().filter(|value| !value.is_null()).map(|value| code(&value.to_string())).collect()
    };
    let several: Vec<String> = options(schema).map(takes).collect();
    if !several.is_empty() {
        return several.join(" or ");
    }
    if let Some(values) = schema["enum"].as_array() {
        return words(values).join(" or ");
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.clone(),
        kind => vec![kind.clone()],
    };
    let kind = |kind: &Value| match kind.as_str() {
        Some("string") => Some("text".to_owned()),
        Some("boolean") => Some("`true` or `false`".to_owned()),
        Some("integer") => Some(whole_number(schema)),
        Some("number") => Some("number".to_owned()),
        Some("array") => Some(format!("list of {}", takes(&schema["items"]))),
        Some("object") if schema["additionalProperties"].is_object() => {
            Some(format!("by name: {}", takes(&schema["additionalProperties"])))
        }
        Some("object") => Some("section".to_owned()),
        _ => None,
    };
    let kinds: Vec<String> = kinds.iter().filter_map(kind).collect();
    if kinds.is_empty() { "anything".to_owned() } else { kinds.join(" or ") }
}

fn whole_number(schema: &Value) -> String {
    match (schema["minimum"].as_i64(), schema["maximum"].as_i64()) {
        (Some(least), Some(most)) => format!("whole number from {least} to {most}"),
        _ => "whole number".to_owned(),
    }
}

/// The meaning of each allowed word.
fn choices(schema: &Value) -> String {
    let meant = |option: &Value| match (&option["const"], about(option)) {
        (Value::String(word), about) if !about.is_empty() => format!(" {}: {about}", code(word)),
        _ => choices(option),
    };
    options(schema).map(meant).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_key_takes_is_said_in_words() {
        for (schema, expected) in [
            (json!({ "type": ["string", "null"] }), "text"),
            (json!({ "type": "integer", "minimum": 1, "maximum": 9 }), "whole number from 1 to 9"),
            (json!({ "type": ["integer", "null"], "minimum": 0 }), "whole number"),
            (json!({ "type": "array", "items": { "type": "string" } }), "list of text"),
            (json!({ "type": "object", "additionalProperties": { "writeOnly": true } }), "by name: secret"),
            (json!({ "anyOf": [{ "writeOnly": true, "anyOf": [] }, { "type": "null" }] }), "secret"),
            (json!({ "enum": ["a", null, "b"] }), r#"`"a"` or `"b"`"#),
            (json!({ "oneOf": [{ "const": "a" }, { "const": "b" }] }), r#"`"a"` or `"b"`"#),
            (json!({ "type": "boolean" }), "`true` or `false`"),
            (json!({}), "anything"),
        ] {
            assert_eq!(takes(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn config_reference_lists_each_key_once_with_its_choices() {
        let agent = json!({ "type": "object", "properties": { "id": { "type": "string", "description": "The id." } } });
        let schema = json!({ "properties": {
            "agents": { "description": "Agents.", "properties": {
                "mode": { "description": "How.", "default": "on", "oneOf": [
                    { "const": "on", "description": "Yes." }, { "const": "off", "description": "No | never." } ] },
                "list": { "type": "array", "items": agent, "description": "All.", "default": [] },
                "entries": { "type": "object", "additionalProperties": agent, "description": "Again." },
                "sandbox": true,
            } },
            "meta": true,
        } });
        let page = page(&schema, "{}\n");
        let expected = "
## agents

Agents.

| key | takes | default | what it is |
|---|---|---|---|
| `agents.mode` | `\"on\"` or `\"off\"` | `\"on\"` | How. `on`: Yes. `off`: No \\| never. |
| `agents.list` | list of section |  | All. |
| `agents.list[].id` | text |  | The id. |
| `agents.entries` | by name: section |  | Again. |
| `agents.entries.<name>` | as `agents.list[]` |  |  |

Kept for OpenClaw and not used: `agents.sandbox`.

## Other sections

These are OpenClaw's. Tarsus keeps them as they are and does not use them: `meta`.
";
        assert!(page.contains(expected), "{page}");
    }
}
