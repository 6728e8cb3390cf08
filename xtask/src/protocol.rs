//! The protocol for the page: its JSON Schema and its TypeScript types.

use crate::{Generated, TaskError, typescript};

/// Both files.
pub fn generate() -> Result<Vec<Generated>, TaskError> {
    let schema = tarsus_protocol::schema::describe();
    let types = typescript::module(&schema).map_err(|(name, source)| TaskError::Type { name, source })?;
    Ok(vec![
        Generated { path: "studio/src/generated/protocol.json", text: format!("{schema:#}\n") },
        Generated {
            path: "studio/src/generated/protocol.ts",
            text: format!("// Made by `cargo xtask protocol` from crates/protocol. Do not edit.\n{types}"),
        },
    ])
}
