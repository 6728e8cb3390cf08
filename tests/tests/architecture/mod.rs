//! ARCHITECTURE.md as data: the rows of the table under a heading.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reads the workspace"
)]

use std::path::Path;

/// The root of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// A file of the workspace.
pub fn file(path: &str) -> String {
    let text = std::fs::read_to_string(root().join(path));
    text.unwrap_or_else(|error| panic!("{path}: {error}")).replace("\r\n", "\n")
}

/// The rows of the first table under `## heading` of a page, without its head; code marks are taken off.
pub fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let start = format!("\n## {heading}\n");
    let (_, rest) = page.split_once(&start).unwrap_or_else(|| panic!("no heading {heading:?}"));
    let section = rest.split("\n## ").next().unwrap_or_default();
    let lines =
        section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let rows: Vec<_> = lines.skip(2).map(cells).collect();
    assert!(!rows.is_empty(), "no table under {heading:?}");
    rows
}

fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
    inner.split('|').map(|cell| plain(cell.trim())).collect()
}

/// A cell that is one piece of code, without its marks; any other cell as it is.
fn plain(cell: &str) -> String {
    match cell.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
        Some(code) if !code.contains('`') => code.to_owned(),
        _ => cell.to_owned(),
    }
}
