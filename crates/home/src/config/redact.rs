//! What of a document nobody is shown: known secrets by their type, others by the name of their key.
//!
//! A variable (`${VAR}`) and a reference to where a secret is kept are not secrets and stay. Layout and comments
//! stay too, but for what a comment says after a key that looks like a secret's.

use std::collections::HashSet;

use serde_json::{Map, Value};
use tarsus_protocol::REDACTED;

use super::check::is_reference;
use super::json5::{Document, Kind, Node, Span};
use super::shape::{self, Shape};
use super::substitute;

/// The secrets of a document.
pub(super) struct Hidden<'d> {
    document: &'d Document,
    places: Vec<Span>,
    starts: HashSet<usize>,
}

impl<'d> Hidden<'d> {
    pub(super) fn in_document(document: &'d Document) -> Self {
        let mut places = Vec::new();
        find(document.root(), &shape::ROOT, false, &mut places);
        let starts = places.iter().map(|place| place.start).collect();
        Self { document, places, starts }
    }

    /// All values, a placeholder for each secret.
    pub(super) fn value(&self) -> Value {
        self.shown(self.document.root())
    }

    fn shown(&self, node: &Node) -> Value {
        match &node.kind {
            Kind::Object(_) => Value::Object(
                node.members()
                    .map(|(name, value)| (name.to_owned(), self.shown(value)))
                    .collect::<Map<_, _>>(),
            ),
            Kind::Array(items) => items.iter().map(|item| self.shown(item)).collect(),
            _ if self.starts.contains(&node.span.start) => Value::from(REDACTED),
            _ => node.to_value(),
        }
    }

    /// The text, a placeholder for each secret.
    pub(super) fn text(&self) -> String {
        let text = self.document.text();
        let secrets = self.places.iter().map(|place| (*place, format!("\"{REDACTED}\"")));
        let comments = self.document.comments().iter().map(|place| {
            let lines = text[place.start..place.end].split_inclusive('\n');
            (*place, lines.map(cover).collect())
        });
        let mut parts: Vec<(Span, String)> = secrets.chain(comments).collect();
        parts.sort_by_key(|(place, _)| place.start);
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (place, part) in parts {
            out.push_str(&text[at..place.start]);
            out.push_str(&part);
            at = place.end;
        }
        out.push_str(&text[at..]);
        out
    }
}

fn find(node: &Node, shape: &Shape, secret: bool, places: &mut Vec<Span>) {
    let secret = secret || shape.is_secret();
    match &node.kind {
        Kind::Object(_) if secret && is_reference(node) => {}
        Kind::Object(_) => {
            for (name, value) in node.members() {
                let shape = shape.key(name);
                let secret = secret || (*shape == Shape::Any && names_a_secret(name));
                find(value, shape, secret, places);
            }
        }
        Kind::Array(items) => {
            for item in items {
                find(item, shape.element(), secret, places);
            }
        }
        Kind::String(text) if secret && !text.is_empty() && !substitute::is_variable(text) => {
            places.push(node.span)
        }
        Kind::Number(_) if secret => places.push(node.span),
        Kind::String(_) | Kind::Number(_) | Kind::Bool(_) | Kind::Null => {}
    }
}

/// Whether a key that we do not know is named like one that holds a secret.
fn names_a_secret(name: &str) -> bool {
    let name: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|char| char.to_ascii_lowercase()).collect();
    // `secrets` is the section that says where secrets are kept; `tokens` counts what a model reads.
    name != "secrets"
        && (name.ends_with("token")
            || [
                "password",
                "passwd",
                "passphrase",
                "secret",
                "apikey",
                "privatekey",
                "accesskey",
                "credential",
            ]
            .iter()
            .any(|word| name.contains(word)))
}

/// A line with everything covered that follows a key named like a secret's. Keeps the number of characters.
pub(super) fn cover(line: &str) -> String {
    let Some(from) = end_of_secret_key(line) else { return line.to_owned() };
    let (before, after) = line.split_at(from);
    let covered = after.chars().map(|char| match char {
        '"' | '\'' | '{' | '}' | '[' | ']' | ':' | ',' | '=' | '*' | '/' => char,
        char if char.is_whitespace() => char,
        _ => '•',
    });
    before.chars().chain(covered).collect()
}

/// Where the first key that is named like a secret's ends, when a value follows it.
fn end_of_secret_key(line: &str) -> Option<usize> {
    let is_word = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let mut at = 0;
    while let Some(start) = line[at..].find(is_word) {
        let start = at + start;
        let end = line[start..].find(|char| !is_word(char)).map_or(line.len(), |length| start + length);
        let rest = line[end..].trim_start_matches(['"', '\'']).trim_start();
        if names_a_secret(&line[start..end]) && rest.starts_with([':', '=', '"', '\'']) {
            return Some(end);
        }
        at = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::json5::Dialect;
    use super::*;
    use serde_json::json;

    fn document(text: &str) -> Document {
        Document::parse(text.as_bytes(), Dialect::Json5).unwrap()
    }

    #[test]
    fn every_place_of_a_secret_is_covered_and_nothing_else() {
        let document = document(
            r#"{
  // token: "old-one" stays out too, "the token is long" does not
  gateway: { port: 1, auth: { mode: "token", token: 'hush1', password: "${PW}" }, remote: { token: "a${B}", password: 7 } },
  models: { providers: { x: { apiKey: "hush2", headers: { Authorization: "hush3", X: "" }, baseUrl: "http://x" } } },
  skills: { entries: { s: { apiKey: {source: "env", provider: "default", id: "K"}, env: { A: "hush4" }, config: { token: "hush5" } } } },
  channels: { telegram: { botToken: "hush6", tokens: 3, maxTokens: 4, accounts: [{ client_secret: ["hush7"] }] } },
  secrets: { providers: { default: { source: "env" } } },
  "own-api-key": { value: "hush8", on: true },
}"#,
        );
        let hidden = Hidden::in_document(&document);
        let shown = json!({
            "gateway": {
                "port": 1,
                "auth": { "mode": "token", "token": REDACTED, "password": "${PW}" },
                "remote": { "token": REDACTED, "password": REDACTED },
            },
            "models": { "providers": { "x": {
                "apiKey": REDACTED, "headers": { "Authorization": REDACTED, "X": "" }, "baseUrl": "http://x",
            } } },
            "skills": { "entries": { "s": {
                "apiKey": { "source": "env", "provider": "default", "id": "K" },
                "env": { "A": REDACTED },
                "config": { "token": REDACTED },
            } } },
            "channels": { "telegram": {
                "botToken": REDACTED, "tokens": 3, "maxTokens": 4, "accounts": [{ "client_secret": [REDACTED] }],
            } },
            "secrets": { "providers": { "default": { "source": "env" } } },
            "own-api-key": { "value": REDACTED, "on": true },
        });
        assert_eq!(hidden.value(), shown);
        let text = hidden.text();
        assert_eq!(Document::parse(text.as_bytes(), Dialect::Json5).unwrap().value(), shown);
        assert!(!text.contains("hush") && !text.contains("old-one"), "{text}");
        assert_eq!(text.lines().count(), document.text().lines().count());
    }

    #[test]
    fn a_line_is_covered_only_where_a_value_follows_a_secret_key() {
        let table = [
            ("// the token is made at first start", "// the token is made at first start"),
            ("// token: abc, x", "// token: •••, •"),
            ("  \"apiKey\" \"sk-é\"", "  \"apiKey\" \"••••\""),
            ("GATEWAY_TOKEN=abc", "GATEWAY_TOKEN=•••"),
            ("tokens: 3", "tokens: 3"),
            ("", ""),
        ];
        for (line, covered) in table {
            assert_eq!(cover(line), covered);
        }
    }
}
