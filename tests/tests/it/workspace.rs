//! The files of the workspace, and the tables of its pages as data.

use std::path::Path;

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

pub fn file(path: &str) -> String {
    let text = std::fs::read_to_string(root().join(path));
    text.unwrap_or_else(|error| panic!("{path}: {error}")).replace("\r\n", "\n")
}

/// Every file below a folder with one of these extensions, as a path from the root. Build output is left out.
pub fn source_files(folder: &str, extensions: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            if !["target", "node_modules", "dist"].iter().any(|skipped| path.ends_with(skipped)) {
                found.extend(source_files(&path, extensions));
            }
        } else if extensions.iter().any(|extension| path.ends_with(&format!(".{extension}"))) {
            found.push(path);
        }
    }
    found
}

/// The text under `## heading` of a page, up to the next heading of that level.
pub fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let start = format!("\n## {heading}\n");
    let (_, rest) = page.split_once(&start).unwrap_or_else(|| panic!("no heading {heading:?}"));
    rest.split("\n## ").next().unwrap_or_default()
}

/// The rows of the first table under `## heading` of a page, without its head; code marks are taken off.
pub fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let lines = section(page, heading)
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'));
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
