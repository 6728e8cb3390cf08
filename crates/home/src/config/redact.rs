//! What of a document nobody is shown: known secrets by their type, others by the name of their key.
//!
//! A variable (`${VAR}`) and a reference to where a secret is kept are not secrets and stay. Layout and comments
//! stay too, but for what a comment says after a key that looks like a secret's.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};
use tarsus_protocol::REDACTED;

use super::check::is_reference;
use super::json5::{Document, Kind, Node, Path, Span, Step};
use super::looks::{self, cover};
use super::shape::{self, Shape};
use super::substitute::{self, Lookup};
use crate::Secret;

/// The secrets of a document.
pub(super) struct Hidden<'d> {
    document: &'d Document,
    places: Vec<Span>,
    starts: HashSet<usize>,
}

impl<'d> Hidden<'d> {
    pub(super) fn in_document(document: &'d Document) -> Self {
        let mut places = Vec::new();
        each_secret(document, &mut |_, node| {
            if is_literal(node) {
                places.push(node.span);
            }
        });
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

/// A secret of the file that is another one now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretChange {
    /// Where it is or was.
    pub path: Path,
    /// Whether something is there now.
    pub is_set: bool,
}

/// The secrets that differ in two versions of a file, also where a variable or a reference stands for one. What is
/// there is not told. An element of a list is the same one as long as its index is.
#[must_use]
pub fn secrets_changed(before: &Document, after: &Document) -> Vec<SecretChange> {
    let (mut old, new) = (values(before), values(after));
    let mut changed = Vec::new();
    for (path, value) in new {
        if old.remove(&path).as_ref() != Some(&value) {
            changed.push(SecretChange { path, is_set: true });
        }
    }
    changed.extend(old.into_keys().map(|path| SecretChange { path, is_set: false }));
    changed
}

fn values(document: &Document) -> BTreeMap<Path, Value> {
    let mut values = BTreeMap::new();
    each_secret(document, &mut |at, node| {
        if let Some(path) = Path::from_steps(at.to_vec()) {
            values.insert(path, node.to_value());
        }
    });
    values
}

/// The secrets of a file themselves, so that they can be kept out of what is said and shown. Where variables stand for
/// one, what they stand for; a reference is followed by whoever uses it.
#[must_use]
pub fn secrets_in(document: &Document, lookup: Lookup<'_>) -> Vec<Secret> {
    let mut secrets = Vec::new();
    each_secret(document, &mut |_, node| match &node.kind {
        // What is not set stands for nothing.
        Kind::String(text) => secrets.extend(substitute::expand(text, lookup).ok().map(Secret::new)),
        Kind::Number(_) => secrets.push(Secret::new(node.to_value().to_string())),
        _ => {}
    });
    secrets
}

/// Shows `see` every place that holds a secret, or what stands for one.
fn each_secret(document: &Document, see: &mut dyn FnMut(&[Step], &Node)) {
    walk(document.root(), &shape::ROOT, Secrecy::Open, &mut Vec::new(), see);
}

/// How far what is below a key is secret.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Secrecy {
    /// Only what looks like a secret itself.
    Open,
    /// Every text: what such a key holds has names that anybody may choose.
    Texts,
    /// Every text and number.
    All,
}

fn walk(
    node: &Node,
    shape: &Shape,
    so_far: Secrecy,
    at: &mut Vec<Step>,
    see: &mut dyn FnMut(&[Step], &Node),
) {
    let secrecy = if shape.is_secret() { Secrecy::All } else { so_far };
    match &node.kind {
        Kind::Object(_) if secrecy > Secrecy::Open && is_reference(node) => see(at, node),
        Kind::Object(_) => {
            for (name, value) in node.members() {
                let shape = shape.key(name);
                let named = if *shape == Shape::Any { named(name) } else { Secrecy::Open };
                at.push(Step::Key(name.to_owned()));
                walk(value, shape, secrecy.max(named), at, see);
                at.pop();
            }
        }
        Kind::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                at.push(Step::Index(index));
                walk(item, shape.element(), secrecy, at, see);
                at.pop();
            }
        }
        Kind::String(text) if !text.is_empty() && (secrecy > Secrecy::Open || looks::secret(text)) => {
            see(at, node)
        }
        Kind::Number(_) if secrecy == Secrecy::All => see(at, node),
        Kind::String(_) | Kind::Number(_) | Kind::Bool(_) | Kind::Null => {}
    }
}

/// What the name of a key that we do not know says of what it holds.
fn named(name: &str) -> Secrecy {
    if looks::names_a_secret(name) {
        Secrecy::All
    } else if looks::names_a_box(name) {
        Secrecy::Texts
    } else {
        Secrecy::Open
    }
}

/// Whether the secret itself stands there.
fn is_literal(node: &Node) -> bool {
    match &node.kind {
        Kind::String(text) => !substitute::is_variable(text),
        Kind::Number(_) => true,
        _ => false,
    }
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
  env: { vars: { GITHUB_PAT: "hush9", DATABASE_URL: "hush10", LEVEL: "${LEVEL}" }, shellEnv: { enabled: true, timeoutMs: 5 } },
  mcp: { servers: { x: { command: "npx", env: { LINEAR: "hush11", K: { source: "env", id: "K" } }, headers: { Cookie: "hush12" } } } },
  proxy: { url: "http://user:hush13@proxy:1", plain: "http://proxy:1/?page=2" }, // was sk-hush14000000000000000, and no more
  web: { hook: "https://x.example/?api_key=hush15", STRIPE_KEY: "hush16", mainKey: "main" },
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
        });
        assert_eq!(hidden.value(), shown);
        let text = hidden.text();
        assert_eq!(Document::parse(text.as_bytes(), Dialect::Json5).unwrap().value(), shown);
        assert!(!text.contains("hush") && !text.contains("old-one"), "{text}");
        assert_eq!(text.lines().count(), document.text().lines().count());
    }

    #[test]
    fn the_secrets_themselves_are_found_with_what_variables_stand_for() {
        let document = document(
            r#"{ gateway: { port: 1, auth: { token: "one", password: "${PW}" }, remote: { token: "a${PW}", password: 7 } },
                 models: { providers: { x: { apiKey: "${NOT_SET}", baseUrl: "http://x" } } },
                 skills: { entries: { s: { apiKey: { source: "env", provider: "default", id: "K" }, env: { A: "two" } } } } }"#,
        );
        let lookup = |name: &str| (name == "PW").then(|| "hush".to_owned());
        let found: Vec<String> =
            secrets_in(&document, &lookup).iter().map(|secret| secret.expose().to_owned()).collect();
        assert_eq!(found, ["one", "hush", "ahush", "7", "two"]);
    }

    #[test]
    fn a_secret_that_differs_is_named_by_its_place_alone() {
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
        let told: Vec<_> = secrets_changed(&before, &after)
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
        assert_eq!(told, expected.map(|(path, is_set)| (path.to_owned(), is_set)));
        assert_eq!(secrets_changed(&before, &before), []);
    }
}
