//! Names in the code follow docs/dev/vocabulary.md.

use std::collections::BTreeSet;

use crate::workspace::{file, section, source_files, table};

const PAGE: &str = "docs/dev/vocabulary.md";

/// Retired names that are still declared. Only ever shrinks.
const PENDING: &[&str] = &[
    "Asked",
    "Bench",
    "Came",
    "Gathered",
    "Given",
    "Heard",
    "Look",
    "Manner",
    "Part",
    "Place",
    "Ready",
    "Said",
    "Say",
    "Seen",
    "Shown",
    "Situation",
    "Standing",
    "Surroundings",
    "Told",
    "Wanted",
    "Wished",
    "of",
];

/// Words that are followed by the name of a type or module.
const RUST_ITEMS: [&str; 6] = ["struct", "enum", "trait", "type", "union", "mod"];
const TYPESCRIPT_ITEMS: [&str; 5] = ["type", "interface", "class", "enum", "namespace"];

/// The types and modules that a source file declares, the file itself included, and `of` where a function has that name.
fn declared(path: &str, source: &str) -> BTreeSet<String> {
    let items = if path.ends_with(".rs") { &RUST_ITEMS[..] } else { &TYPESCRIPT_ITEMS[..] };
    let mut names = BTreeSet::new();
    for line in source.lines().filter(|line| !line.trim_start().starts_with(['/', '*'])) {
        let words: Vec<&str> =
            line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
        for pair in words.windows(2) {
            let is_item = items.contains(&pair[0]) && pair[1] != "of";
            if is_item || pair == ["fn", "of"] {
                names.insert(pair[1].to_owned());
            }
        }
    }
    let stem = path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default();
    names.insert(stem.to_owned());
    names
}

/// The retired names, as types and as modules.
fn retired() -> BTreeSet<String> {
    let page = file(PAGE);
    let types: Vec<String> = section(&page, "Retired names")
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.starts_with(char::is_uppercase))
        .map(str::to_owned)
        .collect();
    assert!(types.len() >= 25, "{types:?}");
    let modules = types.iter().map(|name| name.to_lowercase());
    types.iter().cloned().chain(modules).chain(["of".to_owned()]).collect()
}

fn checked_files() -> Vec<String> {
    let folders = ["crates", "xtask", "benches", "tests", "fuzz", "studio/src"];
    let files = folders.iter().flat_map(|folder| source_files(folder, &["rs", "ts", "tsx"]));
    files.filter(|path| !path.contains("/generated/")).collect()
}

#[test]
fn no_retired_name_is_declared() {
    let retired = retired();
    let pending: BTreeSet<String> =
        PENDING.iter().flat_map(|name| [(*name).to_owned(), name.to_lowercase()]).collect();
    let mut found = Vec::new();
    for path in checked_files() {
        let names = declared(&path, &file(&path));
        let bad = names.iter().filter(|name| retired.contains(*name) && !pending.contains(*name));
        found.extend(bad.map(|name| format!("{path}: {name}")));
    }
    assert!(found.is_empty(), "retired names (see {PAGE}):\n{}", found.join("\n"));
}

#[test]
fn every_type_in_the_table_exists() {
    let files = source_files("crates", &["rs"]);
    let declared: BTreeSet<String> = files
        .iter()
        .filter(|path| path.contains("/src/"))
        .flat_map(|path| declared(path, &file(path)))
        .collect();
    let mut missing = Vec::new();
    for row in table(&file(PAGE), "Names") {
        // Code marks are taken off a cell that is one piece of code.
        let cell = if row[1].contains('`') { row[1].clone() } else { format!("`{}`", row[1]) };
        let names = cell.split('`').skip(1).step_by(2).filter(|name| name.starts_with(char::is_uppercase));
        missing.extend(names.filter(|name| !declared.contains(*name)).map(str::to_owned));
    }
    assert!(missing.is_empty(), "{PAGE} names types that do not exist: {missing:?}");
}

#[test]
fn declarations_are_recognised() {
    let rust = "pub(crate) struct Told { a: u8 }\nenum Said<'a> {}\nmod look;\nfn of(x: u8) {}\nlet told = Asked::new();";
    let names = declared("crates/x/src/bench.rs", rust);
    for name in ["Told", "Said", "look", "of", "bench"] {
        assert!(names.contains(name), "{name}");
    }
    assert!(!names.contains("Asked") && !names.contains("told"));
    assert!(declared("studio/src/a.tsx", "export type Came = { a: 1 };").contains("Came"));
}
