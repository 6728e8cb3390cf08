//! Shared code of benchmarks and measurements.
#![forbid(unsafe_code)]

pub mod instructions;
pub mod options;
pub mod report;
pub mod scan;
pub mod skills;

use std::fmt::Write;

/// The text of a registry with so many apps.
#[must_use]
pub fn registry(apps: usize) -> String {
    let mut text = "{".to_owned();
    for number in 0..apps {
        let comma = if number == 0 { "" } else { "," };
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "{comma}\n  \"Program {number} of Many\": {{\n    \"launch_path\": \"/opt/programs/{number}/run\",\n    \
             \"process_name\": \"program-{number}\",\n    \"mode\": \"allowlist\",\n    \"allowed_agents\": [\"main\"]\n  }}"
        );
    }
    text.push_str("\n}\n");
    text
}
