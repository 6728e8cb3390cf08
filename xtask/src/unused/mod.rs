//! Lists public items of the crates that no product code uses, so that only tests keep them alive.
//!
//! A word search over the tokens of `crates/*/src` without `#[cfg(test)]`: an item counts as used if its name occurs
//! outside of its own definition, its own impl blocks and `pub use`. An item that shares its name with a used one is
//! missed; an item that is listed is unused.

#![allow(clippy::disallowed_methods, reason = "a tool of the workspace reads the workspace")]

mod token;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use token::{Token, is_word, tokens};

/// Items that may be unused, as `CRATE NAME reason`.
const ALLOWED: &str = include_str!("allowed.txt");
/// The words that declare an item, after `pub`.
const KINDS: [&str; 8] = ["fn", "struct", "enum", "trait", "const", "static", "type", "union"];
const QUALIFIERS: [&str; 4] = ["const", "async", "unsafe", "extern"];

/// A public item that no product code uses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnusedItem {
    path: String,
    line: usize,
    kind: String,
    name: String,
}

impl fmt::Display for UnusedItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {} {}", self.path, self.line, self.kind, self.name)
    }
}

/// Checks the workspace at `root`; the error lists what is unused and entries of the allow list without effect.
pub fn check(root: &Path) -> Result<(), String> {
    let mut sources = Vec::new();
    for folder in ["crates", "xtask"] {
        collect(&root.join(folder), root, &mut sources)
            .map_err(|error| format!("cannot read {folder}: {error}"))?;
    }
    let allowed: BTreeSet<(&str, &str)> = ALLOWED
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(krate, rest)| rest.split_once(' ').map(|(name, _)| (krate, name)))
        .collect();
    let found = unused(&sources);
    let is_allowed = |item: &UnusedItem| allowed.contains(&(crate_of(&item.path), item.name.as_str()));
    let stale = allowed.iter().filter(|(krate, name)| {
        !found.iter().any(|item| crate_of(&item.path) == *krate && item.name == *name)
    });
    let lines: Vec<String> = found
        .iter()
        .filter(|item| !is_allowed(item))
        .map(|item| format!("{item} is used by tests only, or not at all"))
        .chain(stale.map(|(krate, name)| format!("allowed.txt: {krate} {name} is used, or gone")))
        .collect();
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
}

/// `crates/host/src/lib.rs` belongs to `host`.
fn crate_of(path: &str) -> &str {
    path.split('/').nth(1).unwrap_or_default()
}

/// The Rust files below `folder` except those of integration tests.
fn collect(folder: &Path, root: &Path, sources: &mut Vec<(String, String)>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            if !(path.ends_with("tests") && folder.join("Cargo.toml").exists()) {
                collect(&path, root, sources)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            sources.push((name, std::fs::read_to_string(&path)?));
        }
    }
    Ok(())
}

/// A source file without its tests.
struct Source {
    path: String,
    tokens: Vec<(Token, usize)>,
    /// Modules that are declared for tests only, by the paths that their files can have.
    test_modules: Vec<String>,
}

/// Tokens of a file, by the file's index.
type Span = (usize, Range<usize>);

/// A declared public item with the tokens that define it.
struct Item {
    source: usize,
    line: usize,
    kind: String,
    name: String,
    /// Its definition and, for a type, its impl blocks: uses in there do not count.
    own: Vec<Span>,
    /// Whether it belongs to an impl block.
    is_associated: bool,
}

/// The unused public items of some files; only items below `crates/` are reported.
fn unused(files: &[(String, String)]) -> Vec<UnusedItem> {
    let mut sources: Vec<Source> = files.iter().map(|(path, text)| without_tests(path, text)).collect();
    let test_modules: BTreeSet<String> =
        sources.iter().flat_map(|source| source.test_modules.iter().cloned()).collect();
    let is_test = |path: &str| {
        test_modules
            .iter()
            .any(|module| path == format!("{module}.rs") || path.starts_with(&format!("{module}/")))
    };
    sources.retain(|source| !is_test(&source.path));

    let mut uses: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, source) in sources.iter().enumerate() {
        for (name, position) in occurrences(&source.tokens) {
            uses.entry(name).or_default().push((at, position));
        }
    }
    let mut unused: Vec<UnusedItem> = items(&sources)
        .into_iter()
        .filter(|item| sources[item.source].path.starts_with("crates/") && item.name != "main")
        .filter(|item| {
            let is_own = |(source, position): &(usize, usize)| {
                item.own.iter().any(|(file, range)| file == source && range.contains(position))
            };
            let is_use =
                |(source, position): &(usize, usize)| can_refer_to(item, &sources[*source].tokens, *position);
            let mut uses = uses.get(item.name.as_str()).into_iter().flatten();
            !uses.any(|one| is_use(one) && !is_own(one))
        })
        .map(|item| UnusedItem {
            path: sources[item.source].path.clone(),
            line: item.line,
            kind: item.kind,
            name: item.name,
        })
        .collect();
    unused.sort();
    unused
}

/// The names that a file mentions, with their positions; declarations, impl headers and `pub use` are not mentions.
fn occurrences(tokens: &[(Token, usize)]) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut attribute_end = 0;
    while at < tokens.len() {
        if is_attribute(tokens, at) {
            attribute_end = end_of_group(tokens, at + 1);
        }
        match &tokens[at].0 {
            Token::Ident(word) if word == "pub" && ident(tokens, at + 1) == Some("use") => {
                at = statement_end(tokens, at);
                continue;
            }
            Token::Ident(word) if word == "impl" && starts_item(tokens, at) => {
                let header = at..body_start(tokens, at);
                // Bounds and parameters in the header are mentions; the type itself is its last path.
                let own = impl_type(tokens, &header);
                found.extend(
                    header
                        .clone()
                        .filter(|position| Some(*position) != own)
                        .filter_map(|position| ident(tokens, position).map(|name| (name, position))),
                );
                at = header.end;
                continue;
            }
            Token::Ident(name) if !is_declared_name(tokens, at) => found.push((name.as_str(), at)),
            Token::Text(text) if at < attribute_end => {
                found.extend(text.split(|letter| !is_word(letter)).map(|word| (word, at)));
            }
            Token::Text(text) => {
                let captured = text.split('{').skip(1);
                found.extend(
                    captured
                        .map(|rest| (rest.split(|letter| !is_word(letter)).next().unwrap_or_default(), at)),
                );
            }
            Token::Ident(_) | Token::Punct(_) => {}
        }
        at += 1;
    }
    found
}

/// Whether a mention can mean an item, by the tokens around it: a method is called on a value or named by a path, anything
/// else does not follow a dot.
fn can_refer_to(item: &Item, tokens: &[(Token, usize)], at: usize) -> bool {
    let is_text = matches!(tokens[at].0, Token::Text(_));
    let follows = |letter| at > 0 && is_punct(tokens, at - 1, letter);
    let is_called = is_punct(tokens, at + 1, '(') || is_punct(tokens, at + 1, ':');
    match item.is_associated {
        true => is_text || follows(':') || (follows('.') && is_called),
        false => is_text || !follows('.'),
    }
}

/// Whether the identifier is the name in a declaration such as `fn name`.
fn is_declared_name(tokens: &[(Token, usize)], at: usize) -> bool {
    at > 0 && ident(tokens, at - 1).is_some_and(|word| KINDS.contains(&word) || word == "mod")
}

/// The public items that the files declare.
fn items(sources: &[Source]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut impls: BTreeMap<(String, String), Vec<Span>> = BTreeMap::new();
    for (source, Source { path, tokens, .. }) in sources.iter().enumerate() {
        for at in 0..tokens.len() {
            if ident(tokens, at) == Some("impl") && starts_item(tokens, at) {
                let start = body_start(tokens, at);
                if let Some(name) =
                    impl_type(tokens, &(at..start)).and_then(|position| ident(tokens, position))
                {
                    let range = at..end_of_group(tokens, start);
                    impls
                        .entry((crate_of(path).to_owned(), name.to_owned()))
                        .or_default()
                        .push((source, range));
                }
            }
            if ident(tokens, at) != Some("pub") || is_punct(tokens, at + 1, '(') {
                continue;
            }
            let mut next = at + 1;
            while ident(tokens, next).is_some_and(|word| QUALIFIERS.contains(&word))
                && (ident(tokens, next) != Some("const")
                    || ident(tokens, next + 1).is_some_and(|word| ["fn", "async", "unsafe"].contains(&word)))
                || matches!(tokens.get(next), Some((Token::Text(_), _)))
            {
                next += 1;
            }
            let (Some(kind), Some(name)) = (ident(tokens, next), ident(tokens, next + 1)) else { continue };
            if KINDS.contains(&kind) {
                items.push(Item {
                    source,
                    line: tokens[next + 1].1,
                    kind: kind.to_owned(),
                    name: name.to_owned(),
                    own: vec![(source, at..item_end(tokens, at))],
                    is_associated: false,
                });
            }
        }
    }
    for item in &mut items {
        let (source, Range { start, .. }) = item.own[0].clone();
        let is_around = |(file, range): &Span| *file == source && range.contains(&start);
        item.is_associated = impls.values().flatten().any(is_around);
        let krate = crate_of(&sources[item.source].path).to_owned();
        if item.kind != "fn" {
            item.own.extend(impls.get(&(krate, item.name.clone())).cloned().into_iter().flatten());
        }
    }
    items
}

/// The tokens of a file without everything below `#[cfg(test)]`.
fn without_tests(path: &str, text: &str) -> Source {
    let all = tokens(text);
    let mut kept = Vec::new();
    let mut test_modules = Vec::new();
    let mut at = 0;
    while at < all.len() {
        if is_attribute(&all, at) && is_cfg_test(&all[at..end_of_group(&all, at + 1)]) {
            let mut item = end_of_group(&all, at + 1);
            while is_attribute(&all, item) {
                item = end_of_group(&all, item + 1);
            }
            let end = item_end(&all, item);
            if let Some(name) =
                (item..end).find(|at| ident(&all, *at) == Some("mod")).and_then(|at| ident(&all, at + 1))
            {
                test_modules.push(module_path(path, name));
            }
            at = end;
        } else {
            kept.push(all[at].clone());
            at += 1;
        }
    }
    Source { path: path.to_owned(), tokens: kept, test_modules }
}

/// The path, without ending, of the module `name` that a file declares.
fn module_path(path: &str, name: &str) -> String {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    match file.strip_suffix(".rs").unwrap_or(file) {
        "mod" | "lib" | "main" => format!("{folder}/{name}"),
        stem => format!("{folder}/{stem}/{name}"),
    }
}

/// `cfg(test)` or `cfg(all(test, …))`, but not `cfg(any(test, …))` or `cfg(not(test))`.
fn is_cfg_test(attribute: &[(Token, usize)]) -> bool {
    let words: Vec<&str> = (0..attribute.len()).filter_map(|at| ident(attribute, at)).collect();
    matches!(words[..], ["cfg", "test", ..] | ["cfg", "all", "test", ..])
}

fn ident(tokens: &[(Token, usize)], at: usize) -> Option<&str> {
    match tokens.get(at) {
        Some((Token::Ident(word), _)) => Some(word),
        _ => None,
    }
}

fn is_punct(tokens: &[(Token, usize)], at: usize, letter: char) -> bool {
    tokens.get(at).is_some_and(|(token, _)| *token == Token::Punct(letter))
}

fn is_attribute(tokens: &[(Token, usize)], at: usize) -> bool {
    is_punct(tokens, at, '#') && is_punct(tokens, at + 1, '[')
}

/// Whether `impl` at this position starts a block, and is no `impl Trait` type.
fn starts_item(tokens: &[(Token, usize)], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    matches!(&tokens[before].0, Token::Punct(';' | '}' | '{' | ']'))
        || ident(tokens, before) == Some("unsafe")
}

/// The position of the type that an impl header is about: the last name of the path after `for`, or after the generics.
fn impl_type(tokens: &[(Token, usize)], header: &Range<usize>) -> Option<usize> {
    let generics = is_punct(tokens, header.start + 1, '<');
    let first = if generics { end_of_generics(tokens, header.start + 1) } else { header.start + 1 };
    let mut depth = 0_i32;
    let is_for = |(token, _): &(Token, usize)| {
        match token {
            Token::Punct('<') => depth += 1,
            Token::Punct('>') => depth -= 1,
            Token::Ident(_) | Token::Punct(_) | Token::Text(_) => {}
        }
        depth == 0 && *token == Token::Ident("for".to_owned())
    };
    let header = tokens.get(first..header.end)?;
    let start = header.iter().position(is_for).map_or(0, |at| at + 1);
    let is_path = |(token, _): &&(Token, usize)| match token {
        Token::Ident(word) => word != "where",
        Token::Punct(letter) => matches!(letter, ':' | '&'),
        Token::Text(_) => false,
    };
    let path = header[start..].iter().take_while(is_path).count();
    let name = (start..start + path).rev().find(|at| matches!(header[*at].0, Token::Ident(_)))?;
    Some(first + name)
}

fn end_of_generics(tokens: &[(Token, usize)], from: usize) -> usize {
    let mut depth = 0_i32;
    for at in from..tokens.len() {
        match &tokens[at].0 {
            Token::Punct('<') => depth += 1,
            Token::Punct('>') if !is_punct(tokens, at - 1, '-') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

fn body_start(tokens: &[(Token, usize)], from: usize) -> usize {
    (from..tokens.len()).find(|at| is_punct(tokens, *at, '{')).unwrap_or(tokens.len())
}

fn statement_end(tokens: &[(Token, usize)], from: usize) -> usize {
    (from..tokens.len()).find(|at| is_punct(tokens, *at, ';')).map_or(tokens.len(), |at| at + 1)
}

/// The end of an item: after its `;`, or after its block.
fn item_end(tokens: &[(Token, usize)], from: usize) -> usize {
    let mut at = from;
    while at < tokens.len() {
        match &tokens[at].0 {
            Token::Punct(';') => return at + 1,
            Token::Punct('(' | '[') => at = end_of_group(tokens, at),
            Token::Punct('{') => {
                let end = end_of_group(tokens, at);
                // `const X: T = T { … };` goes on.
                return if is_punct(tokens, end, ';') { end + 1 } else { end };
            }
            _ => at += 1,
        }
    }
    tokens.len()
}

/// The position after the group that opens at `from`.
fn end_of_group(tokens: &[(Token, usize)], from: usize) -> usize {
    let mut depth = 0_i32;
    for (at, (token, _)) in tokens.iter().enumerate().skip(from) {
        match token {
            Token::Punct('(' | '[' | '{') => depth += 1,
            Token::Punct(')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            return at + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests;
