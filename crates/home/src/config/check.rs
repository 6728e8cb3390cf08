//! A document against the shape of the file: what is wrong is dropped and told with its place, what is unknown is
//! told, variables are filled in, and the rest becomes the typed view.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};
use tarsus_protocol::report::{ConfigFault, ConfigIssue};

use super::agents;
use super::json5::{Document, Kind, Node, Path, Step};
use super::shape::{self, Object, Shape};
use super::substitute::{self, Lookup, Missing};
use super::view::{Agent, AgentId, AgentIdError, Config};

/// At most so many findings of a kind are listed.
const MOST_LISTED: usize = 100;

/// What a document says.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The typed view; a default wherever the document is silent or wrong.
    pub view: Config,
    /// What is wrong. Everything else holds.
    pub issues: Vec<ConfigIssue>,
    /// Keys that nobody knows. They are kept in the file.
    pub warnings: Vec<ConfigIssue>,
}

/// Reads a document. Without `variables`, `${VAR}` is taken to be well and left out of the view.
#[must_use]
pub fn check(document: &Document, variables: Option<Lookup<'_>>) -> Checked {
    // The shape of the file is not free, and most commands of a new user have no file.
    if matches!(&document.root().kind, Kind::Object(members) if members.is_empty()) {
        return Checked { view: with_an_agent(Config::default()), issues: Vec::new(), warnings: Vec::new() };
    }
    let mut walk = Walk {
        document,
        variables,
        path: Vec::new(),
        issues: Findings::default(),
        warnings: Findings::default(),
    };
    let mut value = walk.take(document.root(), &shape::ROOT).unwrap_or_else(|| Value::Object(Map::new()));
    walk.check_agents(&mut value);
    // Cannot fail: what does not fit was left out. The error itself might quote a secret.
    let view = serde_json::from_value(value).unwrap_or_else(|_| {
        let message = "the file cannot be read as a whole; every default holds".to_owned();
        let code = Some(ConfigFault::Unreadable);
        walk.issues.add(|| ConfigIssue { path: String::new(), message, line: None, column: None, code });
        Config::default()
    });
    Checked {
        view: with_an_agent(view),
        issues: walk.issues.into_list(),
        warnings: walk.warnings.into_list(),
    }
}

/// What is wrong after a change that was not wrong before it.
#[must_use]
pub fn issues_added(before: &[ConfigIssue], after: Vec<ConfigIssue>) -> Vec<ConfigIssue> {
    // Places in lists move, so that an issue is known by its place without the indices.
    let known_by = |issue: &ConfigIssue| {
        let digits = |char: char| char.is_ascii_digit();
        (issue.path.split(digits).collect::<String>(), issue.message.clone())
    };
    let mut known: HashMap<_, usize> = HashMap::new();
    for issue in before {
        *known.entry(known_by(issue)).or_default() += 1;
    }
    let mut added = after;
    added.retain(|issue| match known.get_mut(&known_by(issue)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    added
}

fn with_an_agent(mut view: Config) -> Config {
    if view.agents.list.is_empty() {
        view.agents.list.push(Agent::named(AgentId::main()));
    }
    view
}

#[derive(Default)]
struct Findings {
    listed: Vec<ConfigIssue>,
    left_out: usize,
}

impl Findings {
    /// The finding is made only when it is listed: its line and column cost a pass over the text.
    fn add(&mut self, make: impl FnOnce() -> ConfigIssue) {
        if self.listed.len() < MOST_LISTED {
            self.listed.push(make());
        } else {
            self.left_out += 1;
        }
    }

    fn into_list(mut self) -> Vec<ConfigIssue> {
        if self.left_out > 0 {
            let message = format!("{} more are not listed", self.left_out);
            let code = Some(ConfigFault::NotListed);
            self.listed.push(ConfigIssue { path: String::new(), message, line: None, column: None, code });
        }
        self.listed
    }
}

struct Walk<'a> {
    document: &'a Document,
    variables: Option<Lookup<'a>>,
    path: Vec<Step>,
    issues: Findings,
    warnings: Findings,
}

impl Walk<'_> {
    /// The value for the view, or nothing when it is wrong.
    fn take(&mut self, node: &Node, shape: &Shape) -> Option<Value> {
        match (shape, &node.kind) {
            (Shape::OneOf(shapes), _) => match shapes.iter().find(|shape| is_meant(shape, node)) {
                Some(shape) => self.take(node, shape),
                None => self.wrong(node, shape),
            },
            (Shape::Any, Kind::Array(items)) => Some(self.take_items(items, &Shape::Any)),
            (Shape::Any, Kind::Object(_)) => self.take_map(node, &Shape::Any),
            (Shape::Any | Shape::Text { .. } | Shape::Secret | Shape::AgentId, Kind::String(text)) => {
                self.take_text(node, text, shape)
            }
            (Shape::Any, _) | (Shape::Null, Kind::Null) | (Shape::Bool, Kind::Bool(_)) => {
                Some(node.to_value())
            }
            (Shape::Number { integer, least, most }, Kind::Number(number)) => {
                let worth = number.as_f64().unwrap_or(f64::NAN);
                let fits = least.is_none_or(|least| worth >= least)
                    && most.is_none_or(|most| worth <= most)
                    && (!integer || worth.fract() == 0.0);
                match fits {
                    // `3.0` is a whole number too, but not for the reader of the view.
                    true if *integer && number.is_f64() => Some(Value::from(worth as i64)),
                    true => Some(node.to_value()),
                    false => self.wrong(node, shape),
                }
            }
            (Shape::Secret, Kind::Object(_)) if is_reference(node) => Some(node.to_value()),
            (Shape::List(item), Kind::Array(items)) => Some(self.take_items(items, item)),
            (Shape::Map(values), Kind::Object(_)) => self.take_map(node, values),
            (Shape::Object(object), Kind::Object(_)) => self.take_object(node, object),
            _ => self.wrong(node, shape),
        }
    }

    fn take_text(&mut self, node: &Node, text: &str, shape: &Shape) -> Option<Value> {
        let text = match self.variables {
            None if substitute::has_variable(text) => return None,
            None => text.to_owned(),
            Some(lookup) => match substitute::expand(text, lookup) {
                Ok(text) => text,
                Err(Missing(name)) => {
                    self.issue(node, ConfigFault::VariableNotSet, format!("the variable {name} is not set"));
                    return None;
                }
            },
        };
        match shape {
            Shape::Text { choices } if !choices.is_empty() && !choices.contains(&text) => {
                self.wrong(node, shape)
            }
            Shape::AgentId if text.parse::<AgentId>().is_err() => {
                self.issue(node, ConfigFault::NotAnAgentId, AgentIdError.to_string());
                None
            }
            _ => Some(Value::String(text)),
        }
    }

    fn take_items(&mut self, items: &[Node], shape: &Shape) -> Value {
        let mut taken = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            self.path.push(Step::Index(index));
            taken.extend(self.take(item, shape));
            self.path.pop();
        }
        Value::Array(taken)
    }

    fn take_map(&mut self, node: &Node, shape: &Shape) -> Option<Value> {
        let mut taken = Map::new();
        for (name, value) in node.members() {
            self.path.push(Step::Key(name.to_owned()));
            if let Some(value) = self.take(value, shape) {
                taken.insert(name.to_owned(), value);
            }
            self.path.pop();
        }
        Some(Value::Object(taken))
    }

    fn take_object(&mut self, node: &Node, object: &Object) -> Option<Value> {
        let mut taken = Map::new();
        for (name, value) in node.members() {
            self.path.push(Step::Key(name.to_owned()));
            match object.fields.get(name) {
                // Kept as it is, and nobody here reads it.
                Some(field) if field.shape == Shape::Any => {}
                Some(field) => {
                    let value = self.take(value, &field.shape).or_else(|| field.when_wrong.clone());
                    taken.extend(value.map(|value| (name.to_owned(), value)));
                }
                None => self.unknown(value),
            }
            self.path.pop();
        }
        let missing = object.required.iter().find(|name| node.member(name).is_none());
        if let Some(name) = missing {
            let message = format!("the key `{name}` is missing; this entry is left out");
            self.issue(node, ConfigFault::MissingKey, message);
            return None;
        }
        // A required key that was wrong has been told already.
        object.required.iter().all(|name| taken.contains_key(name)).then_some(Value::Object(taken))
    }

    /// Agents by id become the list; an id is well formed and counts once.
    fn check_agents(&mut self, value: &mut Value) {
        let document = self.document;
        let agents = document.root().member("agents").unwrap_or(document.root());
        self.path = vec![Step::Key("agents".to_owned())];
        if let Some(entries) = agents::ignored_entries(document) {
            self.path.push(Step::Key("entries".to_owned()));
            let message = "`agents.list` is there as well, and holds".to_owned();
            self.issue(entries, ConfigFault::SecondPlace, message);
            self.path.pop();
        }
        agents::list_entries(value);
        let Some(Value::Array(list)) = value.pointer_mut("/agents/list") else { return };
        let mut seen = HashSet::new();
        list.retain(|agent| {
            let id = agent.get("id").and_then(Value::as_str).unwrap_or_default();
            match id.parse::<AgentId>() {
                Ok(id) if seen.contains(&id) => {
                    let message = format!("the agent \"{id}\" is there twice; the first one holds");
                    self.issue(agents, ConfigFault::AgentTwice, message);
                    false
                }
                Ok(id) => seen.insert(id),
                Err(error) => {
                    let id: String = id.chars().take(40).collect();
                    let message = format!("{} is none: {error}", Value::String(id));
                    self.issue(agents, ConfigFault::NotAnAgentId, message);
                    false
                }
            }
        });
    }

    fn wrong(&mut self, node: &Node, shape: &Shape) -> Option<Value> {
        let found = match &node.kind {
            Kind::String(text) if matches!(shape, Shape::Text { choices } if !choices.is_empty()) => {
                let cut: String = text.chars().take(40).collect();
                Value::String(cut).to_string()
            }
            Kind::Number(number) if matches!(shape, Shape::Number { .. }) => number.to_string(),
            _ => node.described().to_owned(),
        };
        let message = format!("expected {}, found {found}", shape.described());
        self.issue(node, ConfigFault::WrongValue, message);
        None
    }

    fn issue(&mut self, node: &Node, code: ConfigFault, message: String) {
        let (document, path) = (self.document, &self.path);
        self.issues.add(|| finding(document, path, node, code, message));
    }

    fn unknown(&mut self, node: &Node) {
        let (document, path) = (self.document, &self.path);
        let message = || "an unknown key; it is kept and has no effect".to_owned();
        self.warnings.add(|| finding(document, path, node, ConfigFault::UnknownKey, message()));
    }
}

fn finding(
    document: &Document,
    path: &[Step],
    node: &Node,
    code: ConfigFault,
    message: String,
) -> ConfigIssue {
    let (line, column) = document.position(node.span.start);
    let path = Path::from_steps(path.to_vec()).map(|path| path.to_string()).unwrap_or_default();
    ConfigIssue { path, message, line: Some(line), column: Some(column), code: Some(code) }
}

/// Whether a value is of the kind that a shape is about.
fn is_meant(shape: &Shape, node: &Node) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Secret => matches!(node.kind, Kind::String(_) | Kind::Object(_)),
        Shape::Null => node.kind == Kind::Null,
        Shape::Bool => matches!(node.kind, Kind::Bool(_)),
        Shape::Number { .. } => matches!(node.kind, Kind::Number(_)),
        Shape::Text { .. } | Shape::AgentId => matches!(node.kind, Kind::String(_)),
        Shape::List(_) => matches!(node.kind, Kind::Array(_)),
        Shape::Map(_) | Shape::Object(_) => matches!(node.kind, Kind::Object(_)),
        Shape::OneOf(shapes) => shapes.iter().any(|shape| is_meant(shape, node)),
    }
}

/// `{source, id}`, with a provider or without: where a secret is kept, not the secret.
pub(super) fn is_reference(node: &Node) -> bool {
    let text = |name: &str| match node.member(name).map(|node| &node.kind) {
        Some(Kind::String(text)) => Some(text.as_str()),
        _ => None,
    };
    matches!(text("source"), Some("env" | "file" | "exec"))
        && text("id").is_some()
        && node.members().all(|(name, value)| {
            matches!(name, "source" | "provider" | "id") && matches!(value.kind, Kind::String(_))
        })
}
