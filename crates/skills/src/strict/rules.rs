//! The rules for the fields of a skill.

use unicode_normalization::UnicodeNormalization;

use super::frontmatter::{Fields, Value};

const ALLOWED: [&str; 6] = ["allowed-tools", "compatibility", "description", "license", "metadata", "name"];
const MAX_NAME_CHARS: usize = 64;
const MAX_DESCRIPTION_CHARS: usize = 1_024;
const MAX_COMPATIBILITY_CHARS: usize = 500;

/// Returns the violations of the fields of a skill in a folder with this name.
#[must_use]
pub fn validate_fields(fields: &Fields, dir_name: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let mut unknown: Vec<&str> = fields.names().filter(|name| !ALLOWED.contains(name)).collect();
    if !unknown.is_empty() {
        unknown.sort_unstable();
        let allowed = ALLOWED.map(|name| format!("'{name}'")).join(", ");
        let unknown = unknown.join(", ");
        errors.push(format!("Unexpected fields in frontmatter: {unknown}. Only [{allowed}] are allowed."));
    }
    match fields.get("name") {
        Some(value) => check_name(value, dir_name, &mut errors),
        None => errors.push("Missing required field in frontmatter: name".to_owned()),
    }
    match fields.get("description") {
        Some(Value::Text(text)) if !text.trim().is_empty() => {
            check_length("Description", text, MAX_DESCRIPTION_CHARS, &mut errors);
        }
        Some(_) => errors.push("Field 'description' must be a non-empty string".to_owned()),
        None => errors.push("Missing required field in frontmatter: description".to_owned()),
    }
    match fields.get("compatibility") {
        Some(Value::Text(text)) => check_length("Compatibility", text, MAX_COMPATIBILITY_CHARS, &mut errors),
        Some(_) => errors.push("Field 'compatibility' must be a string".to_owned()),
        None => {}
    }
    errors
}

fn check_length(what: &str, text: &str, limit: usize, errors: &mut Vec<String>) {
    let length = text.chars().count();
    if length > limit {
        errors.push(format!("{what} exceeds {limit} character limit ({length} chars)"));
    }
}

fn check_name(value: &Value, dir_name: &str, errors: &mut Vec<String>) {
    let name: String = match value {
        Value::Text(text) if !text.trim().is_empty() => text.trim().nfkc().collect(),
        _ => return errors.push("Field 'name' must be a non-empty string".to_owned()),
    };
    let length = name.chars().count();
    if length > MAX_NAME_CHARS {
        errors.push(format!("Skill name '{name}' exceeds {MAX_NAME_CHARS} character limit ({length} chars)"));
    }
    if name.to_lowercase() != name {
        errors.push(format!("Skill name '{name}' must be lowercase"));
    }
    if name.starts_with('-') || name.ends_with('-') {
        errors.push("Skill name cannot start or end with a hyphen".to_owned());
    }
    if name.contains("--") {
        errors.push("Skill name cannot contain consecutive hyphens".to_owned());
    }
    if !name.chars().all(|character| character.is_alphanumeric() || character == '-') {
        let rule = "Only letters, digits, and hyphens are allowed.";
        errors.push(format!("Skill name '{name}' contains invalid characters. {rule}"));
    }
    if dir_name.nfkc().collect::<String>() != name {
        errors.push(format!("Directory name '{dir_name}' must match skill name '{name}'"));
    }
}
