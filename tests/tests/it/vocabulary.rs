//! Names in the code follow docs/dev/vocabulary.md.

use std::collections::{BTreeMap, BTreeSet};

use crate::workspace::{file, root, section, source_files, table};

const PAGE: &str = "docs/dev/vocabulary.md";

const MAX_TEST_NAME: usize = 80;

/// Words that are followed by the name of a type or module.
const RUST_ITEMS: [&str; 6] = ["struct", "enum", "trait", "type", "union", "mod"];
const TYPESCRIPT_ITEMS: [&str; 5] = ["type", "interface", "class", "enum", "namespace"];

/// Modules that give one type per platform under one name.
const PLATFORM_MODULES: [&str; 6] = ["linux", "macos", "other", "portable", "unix", "windows"];

/// The names that a source file declares.
#[derive(Debug, Default)]
struct Declared {
    /// Types, modules, components, and the file itself.
    items: BTreeSet<String>,
    functions: BTreeSet<String>,
}

impl Declared {
    fn from_source(path: &str, source: &str) -> Self {
        let is_rust = path.ends_with(".rs");
        let items = if is_rust { &RUST_ITEMS[..] } else { &TYPESCRIPT_ITEMS[..] };
        let mut declared = Self::default();
        for line in source.lines().map(str::trim).filter(|line| !line.starts_with(['/', '*'])) {
            let words = identifiers(line);
            for (position, pair) in words.windows(2).enumerate() {
                let name = pair[1].to_owned();
                let is_static_method =
                    !is_rust && position == 0 && pair[0] == "static" && line.contains(&format!("{name}("));
                let is_component = pair[0] == "function" && pair[1].starts_with(char::is_uppercase);
                if is_component || (items.contains(&pair[0]) && pair[1] != "of") {
                    declared.items.insert(name);
                } else if ["fn", "function"].contains(&pair[0]) || is_static_method {
                    declared.functions.insert(name);
                }
            }
        }
        declared.items.insert(stem(path).to_owned());
        declared
    }
}

fn identifiers(line: &str) -> Vec<&str> {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect()
}

/// The name of a file up to its first dot.
fn stem(path: &str) -> &str {
    path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default()
}

/// The names in code marks of a text.
fn marked(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The retired names of types, as types and as modules.
fn retired_items(page: &str) -> BTreeSet<String> {
    let names = marked(section(page, "Retired names")).filter(|name| name.starts_with(char::is_uppercase));
    let types: Vec<String> = names.map(str::to_owned).collect();
    assert!(types.len() >= 28, "{types:?}");
    let modules = types.iter().map(|name| name.to_lowercase());
    types.iter().cloned().chain(modules).collect()
}

/// The retired names of functions.
fn retired_functions(page: &str) -> BTreeSet<String> {
    let names = marked(section(page, "Retired names")).filter(|name| name.starts_with(char::is_lowercase));
    let functions: BTreeSet<String> = names.map(str::to_owned).collect();
    assert!(functions.contains("of"), "{functions:?}");
    functions
}

fn rust_files() -> Vec<String> {
    let folders = ["crates", "xtask", "benches", "tests", "fuzz"];
    folders.iter().flat_map(|folder| source_files(folder, &["rs"])).collect()
}

fn studio_files() -> Vec<String> {
    let folders = ["studio/src", "studio/e2e", "studio/scripts"];
    let files = folders.iter().flat_map(|folder| source_files(folder, &["ts", "tsx"]));
    files.filter(|path| !path.contains("/generated/")).collect()
}

#[test]
fn no_retired_name_is_declared() {
    let page = file(PAGE);
    let (items, functions) = (retired_items(&page), retired_functions(&page));
    let mut found = Vec::new();
    for path in rust_files().into_iter().chain(studio_files()) {
        let declared = Declared::from_source(&path, &file(&path));
        let bad_items = declared.items.intersection(&items);
        let bad_functions = declared.functions.intersection(&functions);
        found.extend(bad_items.chain(bad_functions).map(|name| format!("{path}: {name}")));
    }
    assert!(found.is_empty(), "retired names (see {PAGE}):\n{}", found.join("\n"));
}

#[test]
fn types_in_the_table_exist_in_their_crates() {
    let mut by_crate: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in source_files("crates", &["rs"]).iter().filter(|path| path.contains("/src/")) {
        let crate_name = path.split('/').nth(1).unwrap_or_default().to_owned();
        by_crate.entry(crate_name).or_default().extend(Declared::from_source(path, &file(path)).items);
    }
    let mut missing = Vec::new();
    for row in table(&file(PAGE), "Names") {
        // The marks are taken off a cell that is one piece of code.
        let cell = |text: &str| if text.contains('`') { text.to_owned() } else { format!("`{text}`") };
        let (names, crates) = (cell(&row[1]), cell(&row[2]));
        for name in marked(&names).filter(|name| name.starts_with(char::is_uppercase)) {
            let is_declared = marked(&crates)
                .any(|crate_name| by_crate.get(crate_name).is_some_and(|declared| declared.contains(name)));
            if !is_declared {
                missing.push(format!("{name} in {crates}"));
            }
        }
        let unknown = marked(&crates).filter(|crate_name| !by_crate.contains_key(*crate_name));
        missing.extend(unknown.map(|crate_name| format!("crate {crate_name}")));
    }
    assert!(missing.is_empty(), "{PAGE} names what does not exist:\n{}", missing.join("\n"));
}

/// The types that a file declares as `pub`, with any visibility of the modules around them.
fn public_types(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in source.lines() {
        let Some(rest) = line.trim_start().strip_prefix("pub ") else { continue };
        let words = identifiers(rest.trim_start_matches("unsafe "));
        if let [item, name, ..] = words[..]
            && item != "mod"
            && RUST_ITEMS.contains(&item)
            && !name.is_empty()
        {
            names.push(name.to_owned());
        }
    }
    names
}

#[test]
fn public_types_of_a_crate_have_different_names() {
    let mut declared: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for path in source_files("crates", &["rs"]) {
        let is_source = path.split('/').nth(2) == Some("src");
        if !is_source || PLATFORM_MODULES.contains(&stem(&path)) {
            continue;
        }
        let crate_name = path.split('/').nth(1).unwrap_or_default().to_owned();
        for name in public_types(&file(&path)) {
            declared.entry((crate_name.clone(), name)).or_default().push(path.clone());
        }
    }
    let shared: Vec<String> = declared
        .iter()
        .filter(|(_, paths)| paths.len() > 1)
        .map(|((crate_name, name), paths)| format!("{crate_name}: {name} in {}", paths.join(", ")))
        .collect();
    assert!(shared.is_empty(), "public types with one name:\n{}", shared.join("\n"));
}

/// The names of the test functions of a Rust file.
fn test_names(source: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim) {
        if line == "#[test]" || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some((_, rest)) = line.split_once("fn ").filter(|_| is_test) {
            names.extend(rest.split(['(', '<']).next());
            is_test = false;
        }
    }
    names
}

#[test]
fn test_names_fit_one_line() {
    let mut long = Vec::new();
    for path in rust_files() {
        let source = file(&path);
        let names = test_names(&source).into_iter().filter(|name| name.len() > MAX_TEST_NAME);
        long.extend(names.map(|name| format!("{path}: {name} ({})", name.len())));
    }
    assert!(long.is_empty(), "more than {MAX_TEST_NAME} characters:\n{}", long.join("\n"));
}

/// Whether a doc comment is one word of prose. A value in code marks is an example, which may be all there is to say.
fn is_one_word(text: &str) -> bool {
    text.split_whitespace().count() <= 1 && !text.contains('`')
}

/// The doc comments of a Rust file that are one word, with their line numbers.
fn one_word_docs(source: &str) -> Vec<(usize, &str)> {
    let doc = |line: &str| line.starts_with("///") || line.starts_with("//!");
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| doc(line)) {
        let before = index.checked_sub(1).and_then(|before| lines.get(before));
        let is_whole = ![before, lines.get(index + 1)].into_iter().flatten().any(|other| doc(other));
        if is_whole && is_one_word(&line[3..]) {
            found.push((index + 1, *line));
        }
    }
    found
}

/// The one-line doc comments of a TypeScript file that are one word, with their line numbers.
fn one_word_jsdocs(source: &str) -> Vec<(usize, &str)> {
    let lines = source.lines().map(str::trim).enumerate();
    let docs = lines.filter_map(|(index, line)| {
        let text = line.strip_prefix("/**")?.split("*/").next()?;
        (line.contains("*/") && is_one_word(text)).then_some((index + 1, line))
    });
    docs.collect()
}

#[test]
fn no_doc_comment_is_one_word() {
    let mut found = Vec::new();
    for path in rust_files().into_iter().chain(studio_files()) {
        let source = file(&path);
        let docs = if path.ends_with(".rs") { one_word_docs(&source) } else { one_word_jsdocs(&source) };
        found.extend(docs.into_iter().map(|(number, line)| format!("{path}:{number}: {line}")));
    }
    assert!(found.is_empty(), "doc comments of one word:\n{}", found.join("\n"));
}

#[test]
fn every_checked_folder_has_files() {
    assert!(root().join(PAGE).is_file());
    assert!(rust_files().len() > 500, "{}", rust_files().len());
    assert!(studio_files().len() > 150, "{}", studio_files().len());
}

#[test]
fn declarations_are_recognised() {
    let rust = "pub(crate) struct Alpha { a: u8 }\nenum Beta<'a> {}\nmod gamma;\nfn delta(x: u8) {}\nlet zeta = Eta::new();";
    let declared = Declared::from_source("crates/x/src/theta.rs", rust);
    assert_eq!(declared.items.iter().collect::<Vec<_>>(), ["Alpha", "Beta", "gamma", "theta"]);
    assert_eq!(declared.functions.iter().collect::<Vec<_>>(), ["delta"]);

    let typescript = "export type Alpha = { a: 1 };\nfunction Beta() {}\nfunction gamma() {}\n  static delta(shape: Zeta) {\nconst static_eta = 1;";
    let declared = Declared::from_source("studio/src/theta.tsx", typescript);
    assert_eq!(declared.items.iter().collect::<Vec<_>>(), ["Alpha", "Beta", "theta"]);
    assert_eq!(declared.functions.iter().collect::<Vec<_>>(), ["delta", "gamma"]);

    assert_eq!(
        public_types("pub struct A;\n  pub enum B {}\npub(crate) struct C;\npub fn d() {}\npub mod e;"),
        ["A", "B"]
    );
}

#[test]
fn test_names_and_docs_are_recognised() {
    let source = "#[test]\nfn alpha() {}\n#[tokio::test(flavor = \"x\")]\nasync fn beta() {}\nfn gamma() {}";
    assert_eq!(test_names(source), ["alpha", "beta"]);

    let docs = "/// Why.\npub a: u8,\n/// Two\n/// lines.\npub b: u8,\n/// Two words.\npub c: u8,\n//! Why.";
    assert_eq!(one_word_docs(docs), [(1, "/// Why."), (8, "//! Why.")]);
    assert_eq!(one_word_jsdocs("/** Why. */\n/** Two words. */\n/**\n * Why.\n */"), [(1, "/** Why. */")]);
}
