//! Generates TypeScript types from a JSON Schema document.
//!
//! Every definition becomes one exported type with its description; a schema without a counterpart is
//! an error. Limits on length and number are left out.

use serde_json::{Map, Value};

/// A schema that this generator does not support.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("no TypeScript type for {0}")]
pub struct NotSupported(String);

/// A type as text, and whether it needs brackets beside an operator.
struct Type {
    text: String,
    compound: bool,
}

impl Type {
    fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), compound: false }
    }

    /// Types joined by an operator.
    fn joined(mut parts: Vec<Self>, operator: &str) -> Self {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let parts: Vec<_> = parts.into_iter().map(Self::in_brackets).collect();
        Self { text: parts.join(operator), compound: true }
    }

    fn in_brackets(self) -> String {
        if self.compound { format!("({})", self.text) } else { self.text }
    }
}

/// One exported type per entry of `$defs`, in order, one of all `methods` and one of all `events`; an error names the
/// definition, method or event.
pub fn module(schema: &Value) -> Result<String, (String, NotSupported)> {
    let no_definitions = Map::new();
    let definitions = schema.get("$defs").and_then(Value::as_object).unwrap_or(&no_definitions);
    let mut module = String::new();
    for (name, definition) in definitions {
        let Type { text, .. } = type_from(definition, 0).map_err(|error| (name.clone(), error))?;
        let gap = if text.starts_with('\n') { "" } else { " " };
        let comment = comment(definition, 0);
        module.push_str(&format!("\n{comment}export type {name} ={gap}{text};\n"));
    }
    if let Some(methods) = schema.get("methods").and_then(Value::as_object) {
        module.push_str("\n/** Every method by its name: what it takes, and what it answers. */\nexport type Methods = {\n");
        for (name, method) in methods {
            let part = |key: &str| type_from(&method[key], 1).map_err(|error| (name.clone(), error));
            let (params, result) = (part("params")?.text, part("result")?.text);
            let (comment, name) = (comment(method, 1), property_name(name));
            module.push_str(&format!("{comment}  {name}: {{ params: {params}; result: {result} }};\n"));
        }
        module.push_str("};\n");
    }
    if let Some(events) = schema.get("events").and_then(Value::as_object) {
        module.push_str("\n/** Every event by its name: what it says. */\nexport type Events = {\n");
        for (name, payload) in events {
            let Type { text, .. } = type_from(payload, 1).map_err(|error| (name.clone(), error))?;
            module.push_str(&format!("  {}: {text};\n", property_name(name)));
        }
        module.push_str("};\n");
    }
    Ok(module)
}

/// The type of a schema: the intersection of everything it requires.
fn type_from(schema: &Value, depth: usize) -> Result<Type, NotSupported> {
    let Value::Object(keywords) = schema else {
        return match schema {
            Value::Bool(true) => Ok(Type::plain("unknown")),
            Value::Bool(false) => Ok(Type::plain("never")),
            other => Err(NotSupported(other.to_string())),
        };
    };
    let mut demands = Vec::new();
    if let Some(reference) = keywords.get("$ref") {
        demands.push(referenced(reference)?);
    }
    if let Some(value) = keywords.get("const") {
        demands.push(literal(value)?);
    } else if let Some(Value::Array(values)) = keywords.get("enum") {
        demands.push(union(values.iter().map(literal))?);
    } else if let Some(kind) = keywords.get("type") {
        // Beside a reference or a union, a bare `type: object` adds nothing.
        let chosen = ["$ref", "oneOf", "anyOf", "allOf"].iter().any(|key| keywords.contains_key(*key));
        if !chosen || keywords.contains_key("properties") {
            demands.push(of_kind(kind, keywords, depth)?);
        }
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(Value::Array(branches)) = keywords.get(choice) {
            demands.push(choice_of(branches, depth)?);
        }
    }
    if let Some(Value::Array(parts)) = keywords.get("allOf") {
        for part in parts {
            demands.push(type_from(part, depth)?);
        }
    }
    Ok(if demands.is_empty() { Type::plain("unknown") } else { Type::joined(demands, " & ") })
}

fn referenced(reference: &Value) -> Result<Type, NotSupported> {
    reference
        .as_str()
        .and_then(|path| path.strip_prefix("#/$defs/"))
        .map(Type::plain)
        .ok_or_else(|| NotSupported(format!("the reference {reference}")))
}

fn literal(value: &Value) -> Result<Type, NotSupported> {
    match value {
        Value::Array(_) | Value::Object(_) => Err(NotSupported(format!("the constant {value}"))),
        simple => Ok(Type::plain(simple.to_string())),
    }
}

fn of_kind(kind: &Value, keywords: &Map<String, Value>, depth: usize) -> Result<Type, NotSupported> {
    match (kind, kind.as_str()) {
        (Value::Array(kinds), _) => union(kinds.iter().map(|kind| of_kind(kind, keywords, depth))),
        (_, Some(name @ ("string" | "boolean" | "null"))) => Ok(Type::plain(name)),
        (_, Some("integer" | "number")) => Ok(Type::plain("number")),
        (_, Some("array")) => list(keywords, depth),
        (_, Some("object")) => object(keywords, depth),
        _ => Err(NotSupported(format!("the type {kind}"))),
    }
}

fn list(keywords: &Map<String, Value>, depth: usize) -> Result<Type, NotSupported> {
    if let Some(places) = keywords.get("prefixItems") {
        return Err(NotSupported(format!("the tuple {places}")));
    }
    let item = type_from(keywords.get("items").unwrap_or(&Value::Bool(true)), depth)?;
    Ok(Type::plain(format!("{}[]", item.in_brackets())))
}

fn object(keywords: &Map<String, Value>, depth: usize) -> Result<Type, NotSupported> {
    let others = keywords.get("additionalProperties").filter(|schema| !schema.is_boolean());
    let Some(Value::Object(properties)) = keywords.get("properties") else {
        let Type { text, .. } = type_from(others.unwrap_or(&Value::Bool(true)), depth)?;
        return Ok(Type::plain(format!("Record<string, {text}>")));
    };
    if others.is_some() {
        return Err(NotSupported("named properties beside a map".into()));
    }
    let no_names = Vec::new();
    let required = keywords.get("required").and_then(Value::as_array).unwrap_or(&no_names);
    let indent = "  ".repeat(depth);
    let mut lines = String::new();
    for (name, schema) in properties {
        let optional = if required.iter().any(|required| required == name) { "" } else { "?" };
        let Type { text, .. } = type_from(schema, depth + 1)?;
        let (comment, name) = (comment(schema, depth + 1), property_name(name));
        lines.push_str(&format!("{comment}{indent}  {name}{optional}: {text};\n"));
    }
    Ok(Type::plain(format!("{{\n{lines}{indent}}}")))
}

fn union(branches: impl Iterator<Item = Result<Type, NotSupported>>) -> Result<Type, NotSupported> {
    Ok(Type::joined(branches.collect::<Result<_, _>>()?, " | "))
}

/// The branches on one line, or one per line if they have descriptions.
fn choice_of(branches: &[Value], depth: usize) -> Result<Type, NotSupported> {
    if !branches.iter().any(|branch| branch.get("description").is_some()) {
        return union(branches.iter().map(|branch| type_from(branch, depth)));
    }
    let indent = "  ".repeat(depth + 1);
    let mut lines = String::new();
    for branch in branches {
        let branch_type = type_from(branch, depth + 1)?.in_brackets();
        lines.push_str(&format!("\n{}{indent}| {branch_type}", comment(branch, depth + 1)));
    }
    Ok(Type { text: lines, compound: true })
}

fn property_name(name: &str) -> String {
    let mut characters = name.chars();
    let plain = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_');
    if plain { name.to_owned() } else { Value::from(name).to_string() }
}

fn comment(schema: &Value, depth: usize) -> String {
    let Some(description) = schema.get("description").and_then(Value::as_str) else {
        return String::new();
    };
    let indent = "  ".repeat(depth);
    let words = description.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "*\\/");
    format!("{indent}/** {words} */\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_has_no_counterpart_is_refused_by_name() {
        let table = [
            (json!({"type": "tuple"}), "no TypeScript type for the type \"tuple\""),
            (json!({"const": [1]}), "no TypeScript type for the constant [1]"),
            (json!({"$ref": "other.json"}), "no TypeScript type for the reference \"other.json\""),
            (json!({"type": "array", "prefixItems": []}), "no TypeScript type for the tuple []"),
            (json!(7), "no TypeScript type for 7"),
            (
                json!({"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}),
                "no TypeScript type for named properties beside a map",
            ),
        ];
        for (schema, message) in table {
            let (name, error) = module(&json!({"$defs": {"Odd": schema}})).unwrap_err();
            assert_eq!((name.as_str(), error.to_string().as_str()), ("Odd", message));
        }
    }

    #[test]
    fn each_construct_has_its_type() {
        let table = [
            (json!(true), "unknown"),
            (json!(false), "never"),
            (json!({}), "unknown"),
            (json!({"description": "anything"}), "unknown"),
            (json!({"type": "string", "minLength": 1}), "string"),
            (json!({"type": "integer", "format": "uint64"}), "number"),
            (json!({"type": ["integer", "null"]}), "number | null"),
            (json!({"type": "string", "const": "a\"b"}), r#""a\"b""#),
            (json!({"enum": ["a", 1, null]}), r#""a" | 1 | null"#),
            (json!({"type": "array"}), "unknown[]"),
            (json!({"type": "array", "items": {"type": "string"}}), "string[]"),
            (json!({"type": "array", "items": {"type": ["string", "null"]}}), "(string | null)[]"),
            (json!({"type": "object"}), "Record<string, unknown>"),
            (json!({"type": "object", "additionalProperties": {"type": "number"}}), "Record<string, number>"),
            (json!({"type": "array", "items": {"enum": ["{", "|"]}}), r#"("{" | "|")[]"#),
            (json!({"$ref": "#/$defs/SourceLocation"}), "SourceLocation"),
            (
                json!({"anyOf": [{"$ref": "#/$defs/SourceLocation"}, {"type": "null"}]}),
                "SourceLocation | null",
            ),
            (json!({"allOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}), "A & B"),
            (
                json!({"$ref": "#/$defs/A", "type": "object", "properties": {"t": {"const": 1}}, "required": ["t"]}),
                "A & {\n  t: 1;\n}",
            ),
            (
                json!({"type": "object", "properties": {"a-b": true, "c": {"description": "Why.", "type": "string"}}}),
                "{\n  \"a-b\"?: unknown;\n  /** Why. */\n  c?: string;\n}",
            ),
            (
                json!({"type": "object", "oneOf": [{"const": 1}, {"const": 2}], "properties": {"x": true}}),
                "{\n  x?: unknown;\n} & (1 | 2)",
            ),
        ];
        for (schema, text) in table {
            assert_eq!(type_from(&schema, 0).unwrap().text, text, "{schema}");
        }
    }

    #[test]
    fn definitions_are_exported_with_their_descriptions() {
        let schema = json!({"$defs": {
            "Level": {"description": "How\nbad */ it is.", "oneOf": [
                {"const": "ok", "description": "Fine."},
                {"const": "error", "description": "Not fine."}
            ]},
            "Port": {"type": "integer"}
        }});
        assert_eq!(
            module(&schema).unwrap(),
            "\n/** How bad *\\/ it is. */\nexport type Level =\n  /** Fine. */\n  | \"ok\"\n  /** Not fine. */\n  | \"error\";\n\nexport type Port = number;\n"
        );
    }
}
