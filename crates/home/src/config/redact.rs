//! Redacts the secrets of a document: known ones by their type, others by the name of their key or their text.
//!
//! Variables (`${VAR}`) and secret references are not secrets and stay, as do layout and comments. In comments,
//! text after a key with a secret's name is masked.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};
use tarsus_protocol::REDACTED;
use tarsus_protocol::shape::{Shape, is_secret_reference};

use super::json5::{Document, Node, NodeKind, Path, PathStep, Span};
use super::secret_heuristics::{self, mask_comment};
use super::shape;
use super::substitute::{self, Lookup};
use crate::Secret;

/// The literal secrets of a document.
pub(super) struct Redaction<'d> {
    document: &'d Document,
    spans: Vec<Span>,
    starts: HashSet<usize>,
}

impl<'d> Redaction<'d> {
    pub(super) fn in_document(document: &'d Document) -> Self {
        let mut spans = Vec::new();
        visit_secrets(document, &mut |_, node| {
            if is_literal(node) {
                spans.push(node.span);
            }
        });
        let starts = spans.iter().map(|span| span.start).collect();
        Self { document, spans, starts }
    }

    /// Returns all values, with a placeholder for each secret.
    pub(super) fn value(&self) -> Value {
        self.redact(self.document.root())
    }

    fn redact(&self, node: &Node) -> Value {
        match &node.kind {
            NodeKind::Object(_) => Value::Object(
                node.members()
                    .map(|(name, value)| (name.to_owned(), self.redact(value)))
                    .collect::<Map<_, _>>(),
            ),
            NodeKind::Array(items) => items.iter().map(|item| self.redact(item)).collect(),
            _ if self.starts.contains(&node.span.start) => Value::from(REDACTED),
            _ => node.to_value(),
        }
    }

    /// Returns the text, with a placeholder for each secret.
    pub(super) fn text(&self) -> String {
        let text = self.document.text();
        let secrets = self.spans.iter().map(|span| (*span, format!("\"{REDACTED}\"")));
        let comments = self.document.comments().iter();
        let comments = comments.map(|span| (*span, mask_comment(&text[span.start..span.end])));
        let mut parts: Vec<(Span, String)> = secrets.chain(comments).collect();
        parts.sort_by_key(|(span, _)| span.start);
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (span, part) in parts {
            out.push_str(&text[at..span.start]);
            out.push_str(&part);
            at = span.end;
        }
        out.push_str(&text[at..]);
        out
    }
}

/// A secret that differs between two versions of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretChange {
    /// Path of the secret.
    pub path: Path,
    /// False if it was removed.
    pub is_set: bool,
}

/// Returns the secrets that differ between two versions of a file, including variables and references in their place.
/// Reports paths only, no values. Elements of lists are compared by index.
#[must_use]
pub fn secrets_changed(before: &Document, after: &Document) -> Vec<SecretChange> {
    let (mut old, new) = (secret_values(before), secret_values(after));
    let mut changed = Vec::new();
    for (path, value) in new {
        if old.remove(&path).as_ref() != Some(&value) {
            changed.push(SecretChange { path, is_set: true });
        }
    }
    changed.extend(old.into_keys().map(|path| SecretChange { path, is_set: false }));
    changed
}

fn secret_values(document: &Document) -> BTreeMap<Path, Value> {
    let mut values = BTreeMap::new();
    visit_secrets(document, &mut |at, node| {
        if let Some(path) = Path::from_steps(at.to_vec()) {
            values.insert(path, node.to_value());
        }
    });
    values
}

/// Returns the values of all secrets, so that callers can mask them in output. Variables are expanded, and references to
/// variables resolved; secrets in a store are not included.
#[must_use]
pub fn secrets_in(document: &Document, lookup: Lookup<'_>) -> Vec<Secret> {
    let mut secrets = Vec::new();
    visit_secrets(document, &mut |_, node| match &node.kind {
        // An unset variable has no value to mask.
        NodeKind::String(text) => secrets.extend(substitute::expand(text, lookup).ok().map(Secret::new)),
        NodeKind::Number(_) => secrets.push(Secret::new(node.to_value().to_string())),
        NodeKind::Object(_) => secrets.extend(referenced_variable(&node.to_value(), lookup)),
        _ => {}
    });
    secrets
}

/// The value of `{ source: "env", id }`.
fn referenced_variable(reference: &Value, lookup: Lookup<'_>) -> Option<Secret> {
    let is_variable = reference["source"] == "env";
    reference["id"].as_str().filter(|_| is_variable).and_then(lookup).map(Secret::new)
}

/// Calls `visit` for every secret, and for every variable or reference in the place of one.
fn visit_secrets(document: &Document, visit: &mut dyn FnMut(&[PathStep], &Node)) {
    walk(document.root(), &shape::ROOT, Secrecy::ByContent, &mut Vec::new(), visit);
}

/// Which values below a key are secret.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Secrecy {
    /// Only strings that look like a secret.
    ByContent,
    /// Every string: the keys below are user-chosen.
    Strings,
    /// Every string and number.
    All,
}

fn walk(
    node: &Node,
    shape: &Shape,
    inherited: Secrecy,
    at: &mut Vec<PathStep>,
    visit: &mut dyn FnMut(&[PathStep], &Node),
) {
    let secrecy = if shape.is_secret() { Secrecy::All } else { inherited };
    match &node.kind {
        NodeKind::Object(_) if secrecy > Secrecy::ByContent && is_secret_reference(&node.to_value()) => {
            visit(at, node)
        }
        NodeKind::Object(_) => {
            for (name, value) in node.members() {
                let shape = shape.member(name);
                let named = if *shape == Shape::Any { secrecy_of_key(name) } else { Secrecy::ByContent };
                at.push(PathStep::Key(name.to_owned()));
                walk(value, shape, secrecy.max(named), at, visit);
                at.pop();
            }
        }
        NodeKind::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                at.push(PathStep::Index(index));
                walk(item, shape.element(), secrecy, at, visit);
                at.pop();
            }
        }
        NodeKind::String(text)
            if !text.is_empty()
                && (secrecy > Secrecy::ByContent || secret_heuristics::looks_like_secret(text)) =>
        {
            visit(at, node)
        }
        NodeKind::Number(_) if secrecy == Secrecy::All => visit(at, node),
        NodeKind::String(_) | NodeKind::Number(_) | NodeKind::Bool(_) | NodeKind::Null => {}
    }
}

/// Secrecy of the values below a key that the schema does not know.
fn secrecy_of_key(name: &str) -> Secrecy {
    if secret_heuristics::names_a_secret(name) {
        Secrecy::All
    } else if secret_heuristics::is_free_form_map(name) {
        Secrecy::Strings
    } else {
        Secrecy::ByContent
    }
}

/// True unless the value is a variable or a reference.
fn is_literal(node: &Node) -> bool {
    match &node.kind {
        NodeKind::String(text) => !substitute::is_variable(text),
        NodeKind::Number(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::json5::JsonDialect;
    use super::*;
    use serde_json::json;

    fn document(text: &str) -> Document {
        Document::parse(text.as_bytes(), JsonDialect::Json5).unwrap()
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
  env: { vars: { GITHUB_PAT: "hush9", DATABASE_URL: "hush10", LEVEL: "${LEVEL}" }, shellEnv: { enabled: true, timeoutMs: 5 } },
  mcp: { servers: { x: { command: "npx", env: { LINEAR: "hush11", K: { source: "env", id: "K" } }, headers: { Cookie: "hush12" } } } },
  proxy: { url: "http://user:hush13@proxy:1", plain: "http://proxy:1/?page=2" }, // was sk-hush14000000000000000, and no more
  web: { hook: "https://x.example/?api_key=hush15", STRIPE_KEY: "hush16", mainKey: "main" },
  hooks: { pem: "-----BEGIN KEY-----\\nhush17", db: ["Server=x;Password=hush18"], auth_header: "Basic aHVzaDE5Omh1c2g=", level: "Basic" },
}"#,
        );
        let hidden = Redaction::in_document(&document);
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
            "env": {
                "vars": { "GITHUB_PAT": REDACTED, "DATABASE_URL": REDACTED, "LEVEL": "${LEVEL}" },
                "shellEnv": { "enabled": true, "timeoutMs": 5 },
            },
            "mcp": { "servers": { "x": {
                "command": "npx", "env": { "LINEAR": REDACTED, "K": { "source": "env", "id": "K" } },
                "headers": { "Cookie": REDACTED },
            } } },
            "proxy": { "url": REDACTED, "plain": "http://proxy:1/?page=2" },
            "web": { "hook": REDACTED, "STRIPE_KEY": REDACTED, "mainKey": "main" },
            "hooks": { "pem": REDACTED, "db": [REDACTED], "auth_header": REDACTED, "level": "Basic" },
        });
        assert_eq!(hidden.value(), shown);
        let text = hidden.text();
        assert_eq!(Document::parse(text.as_bytes(), JsonDialect::Json5).unwrap().value(), shown);
        assert!(!text.contains("hush") && !text.contains("aHVz") && !text.contains("old-one"), "{text}");
        assert_eq!(text.lines().count(), document.text().lines().count());
    }

    #[test]
    fn secrets_are_collected_with_variables_expanded() {
        let document = document(
            r#"{ gateway: { port: 1, auth: { token: "one", password: "${PW}" }, remote: { token: "a${PW}", password: 7 } },
                 models: { providers: { x: { apiKey: "${NOT_SET}", baseUrl: "http://x" } } },
                 skills: { entries: { s: { apiKey: { source: "env", provider: "default", id: "K" }, env: { A: "two" } } } },
                 channels: { telegram: { botToken: { source: "env", provider: "default", id: "PW" } } } }"#,
        );
        let lookup = |name: &str| (name == "PW").then(|| "hush".to_owned());
        let found: Vec<String> =
            secrets_in(&document, &lookup).iter().map(|secret| secret.expose().to_owned()).collect();
        assert_eq!(found, ["one", "hush", "ahush", "7", "two", "hush"]);
    }

    #[test]
    fn changed_secrets_are_reported_by_path_only() {
        let before = document(
            r#"{ gateway: { port: 1, auth: { token: "a" }, remote: { token: "same", password: "gone" } },
                 skills: { entries: { "x.y": { apiKey: { source: "env", provider: "p", id: "A" }, env: { K: "${K}" } } } },
                 channels: { telegram: { botToken: "b" } } }"#,
        );
        let after = document(
            r#"{ gateway: { port: 2, auth: { token: 'b' }, remote: { token: 'same', password: "" } },
                 skills: { entries: { "x.y": { apiKey: { source: "env", provider: "p", id: "B" }, env: { K: "k", L: 1 } } } },
                 channels: {} }"#,
        );
        let changed: Vec<_> = secrets_changed(&before, &after)
            .into_iter()
            .map(|change| (change.path.to_string(), change.is_set))
            .collect();
        let expected = [
            ("gateway.auth.token", true),
            (r#"skills.entries["x.y"].apiKey"#, true),
            (r#"skills.entries["x.y"].env.K"#, true),
            (r#"skills.entries["x.y"].env.L"#, true),
            ("channels.telegram.botToken", false),
            ("gateway.remote.password", false),
        ];
        assert_eq!(changed, expected.map(|(path, is_set)| (path.to_owned(), is_set)));
        assert_eq!(secrets_changed(&before, &before), []);
    }
}
