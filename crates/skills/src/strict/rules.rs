//! What the fields of a skill must be.

use unicode_normalization::UnicodeNormalization;

use super::frontmatter::{Fields, Value};

const ALLOWED: [&str; 6] = ["allowed-tools", "compatibility", "description", "license", "metadata", "name"];
const LONGEST_NAME: usize = 64;
const LONGEST_DESCRIPTION: usize = 1_024;
const LONGEST_COMPATIBILITY: usize = 500;

/// Everything that is wrong with the fields of a skill in a folder of this name.
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
        Some(value) => name(value, dir_name, &mut errors),
        None => errors.push("Missing required field in frontmatter: name".to_owned()),
    }
    match fields.get("description") {
        Some(Value::Text(text)) if !text.trim().is_empty() => {
            too_long("Description", text, LONGEST_DESCRIPTION, &mut errors);
        }
        Some(_) => errors.push("Field 'description' must be a non-empty string".to_owned()),
        None => errors.push("Missing required field in frontmatter: description".to_owned()),
    }
    match fields.get("compatibility") {
        Some(Value::Text(text)) => too_long("Compatibility", text, LONGEST_COMPATIBILITY, &mut errors),
        Some(_) => errors.push("Field 'compatibility' must be a string".to_owned()),
        None => {}
    }
    errors
}

fn too_long(what: &str, text: &str, limit: usize, errors: &mut Vec<String>) {
    let length = text.chars().count();
    if length > limit {
        errors.push(format!("{what} exceeds {limit} character limit ({length} chars)"));
    }
}

fn name(value: &Value, dir_name: &str, errors: &mut Vec<String>) {
    let name: String = match value {
        Value::Text(text) if !text.trim().is_empty() => text.trim().nfkc().collect(),
        _ => return errors.push("Field 'name' must be a non-empty string".to_owned()),
    };
    let length = name.chars().count();
    if length > LONGEST_NAME {
        errors.push(format!("Skill name '{name}' exceeds {LONGEST_NAME} character limit ({length} chars)"));
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
