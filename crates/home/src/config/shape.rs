//! The published JSON schema, and the shape that documents are checked against.

use std::sync::LazyLock;

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;
use strsim::levenshtein;
use tarsus_protocol::shape::Shape;

use super::view::Config;

/// The JSON schema of `openclaw.json`, with descriptions and defaults.
#[must_use]
pub fn schema() -> Value {
    schema_with(settings())
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true)
}

fn schema_with(settings: SchemaSettings) -> Value {
    settings.into_generator().into_root_schema_for::<Config>().to_value()
}

/// The shape of the whole file.
pub(super) static ROOT: LazyLock<Shape> = LazyLock::new(|| {
    // The schema has the width of an integer but no maximum.
    let limit_width = |schema: &mut Schema| {
        if schema.get("format").is_some_and(|format| format == "uint32") && schema.get("maximum").is_none() {
            schema.insert("maximum".to_owned(), u32::MAX.into());
        }
    };
    Shape::from_schema(&schema_with(settings().with_transform(RecursiveTransform(limit_width))))
});

pub(super) fn is_section(name: &str) -> bool {
    known_sections().any(|section| section == name)
}

/// Returns the section with the closest name, at most two edits away.
pub(super) fn closest_section(name: &str) -> Option<String> {
    const MAX_LENGTH: usize = 40;
    if name.len() > MAX_LENGTH {
        return None;
    }
    let near = known_sections().map(|section| (levenshtein(section, name), section));
    near.min().filter(|(distance, _)| *distance <= 2).map(|(_, section)| section.to_owned())
}

fn known_sections() -> impl Iterator<Item = &'static str> {
    let fields = match &*ROOT {
        Shape::Object { fields, .. } => Some(fields.keys().map(String::as_str)),
        _ => None,
    };
    fields.into_iter().flatten()
}
