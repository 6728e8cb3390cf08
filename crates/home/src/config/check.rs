//! Checks a document against the schema and builds the typed configuration.
//!
//! Invalid values are dropped and reported with their position, unknown keys are reported, variables are expanded.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};
use tarsus_protocol::report::{ConfigFault, ConfigIssue};

use super::agents;
use super::json5::{Document, Node, NodeKind, Path, PathStep};
use super::shape::{self, Object, Shape};
use super::substitute::{self, Lookup, UnsetVariable};
use super::view::{Agent, AgentId, AgentIdError, Config};

/// Maximum number of issues, and of warnings, that are listed.
const MAX_LISTED: usize = 100;

/// A checked document.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The typed configuration; defaults where the document has no valid value.
    pub view: Config,
    /// Invalid values. All others are in effect.
    pub issues: Vec<ConfigIssue>,
    /// Unknown keys. They stay in the file.
    pub warnings: Vec<ConfigIssue>,
}

/// Checks a document. Without `variables`, strings with `${VAR}` count as valid and are left out of the view.
#[must_use]
pub fn check(document: &Document, variables: Option<Lookup<'_>>) -> Checked {
    // Fast path: building the schema is expensive, and a new user has no file.
    if matches!(&document.root().kind, NodeKind::Object(members) if members.is_empty()) {
        return Checked { view: ensure_agent(Config::default()), issues: Vec::new(), warnings: Vec::new() };
    }
    let mut checker = Checker {
        document,
        variables,
        path: Vec::new(),
        issues: IssueList::default(),
        warnings: IssueList::default(),
    };
    let mut value =
        checker.check_value(document.root(), &shape::ROOT).unwrap_or_else(|| Value::Object(Map::new()));
    checker.check_agents(&mut value);
    // Cannot fail, since invalid values were dropped. The error text is not used: it might quote a secret.
    let view = serde_json::from_value(value).unwrap_or_else(|_| {
        let message = "the file cannot be read; all defaults apply".to_owned();
        let code = Some(ConfigFault::Unreadable);
        checker.issues.add(|| ConfigIssue { path: String::new(), message, line: None, column: None, code });
        Config::default()
    });
    Checked {
        view: ensure_agent(view),
        issues: checker.issues.into_list(),
        warnings: checker.warnings.into_list(),
    }
}

/// Returns the issues of `after` that are not in `before`.
#[must_use]
pub fn issues_added(before: &[ConfigIssue], after: Vec<ConfigIssue>) -> Vec<ConfigIssue> {
    // Indices shift when a list changes, so issues are compared by path without digits.
    let identity = |issue: &ConfigIssue| {
        let digits = |char: char| char.is_ascii_digit();
        (issue.path.split(digits).collect::<String>(), issue.message.clone())
    };
    let mut known: HashMap<_, usize> = HashMap::new();
    for issue in before {
        *known.entry(identity(issue)).or_default() += 1;
    }
    let mut added = after;
    added.retain(|issue| match known.get_mut(&identity(issue)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    added
}

fn ensure_agent(mut view: Config) -> Config {
    if view.agents.list.is_empty() {
        view.agents.list.push(Agent::named(AgentId::main()));
    }
    view
}

#[derive(Default)]
struct IssueList {
    listed: Vec<ConfigIssue>,
    omitted: usize,
}

impl IssueList {
    /// Builds the issue only if it is listed: its line and column need a pass over the text.
    fn add(&mut self, make: impl FnOnce() -> ConfigIssue) {
        if self.listed.len() < MAX_LISTED {
            self.listed.push(make());
        } else {
            self.omitted += 1;
        }
    }

    fn into_list(mut self) -> Vec<ConfigIssue> {
        if self.omitted > 0 {
            let message = format!("{} more are not listed", self.omitted);
            let code = Some(ConfigFault::NotListed);
            self.listed.push(ConfigIssue { path: String::new(), message, line: None, column: None, code });
        }
        self.listed
    }
}

struct Checker<'a> {
    document: &'a Document,
    variables: Option<Lookup<'a>>,
    path: Vec<PathStep>,
    issues: IssueList,
    warnings: IssueList,
}

impl Checker<'_> {
    /// Returns the value for the view; reports it and returns `None` if it is invalid.
    fn check_value(&mut self, node: &Node, shape: &Shape) -> Option<Value> {
        match (shape, &node.kind) {
            (Shape::OneOf(shapes), _) => match shapes.iter().find(|shape| matches_kind(shape, node)) {
                Some(shape) => self.check_value(node, shape),
                None => self.report_wrong_value(node, shape),
            },
            (Shape::Any, NodeKind::Array(items)) => Some(self.check_items(items, &Shape::Any)),
            (Shape::Any, NodeKind::Object(_)) => self.check_map(node, &Shape::Any),
            (Shape::Any | Shape::Text { .. } | Shape::Secret | Shape::AgentId, NodeKind::String(text)) => {
                self.check_text(node, text, shape)
            }
            (Shape::Any, _) | (Shape::Null, NodeKind::Null) | (Shape::Bool, NodeKind::Bool(_)) => {
                Some(node.to_value())
            }
            (Shape::Number { integer, min, max }, NodeKind::Number(number)) => {
                let number_value = number.as_f64().unwrap_or(f64::NAN);
                let is_in_range = min.is_none_or(|min| number_value >= min)
                    && max.is_none_or(|max| number_value <= max)
                    && (!integer || number_value.fract() == 0.0);
                match is_in_range {
                    // `3.0` is an integer too, but serde would reject it.
                    true if *integer && number.is_f64() => Some(Value::from(number_value as i64)),
                    true => Some(node.to_value()),
                    false => self.report_wrong_value(node, shape),
                }
            }
            (Shape::Secret, NodeKind::Object(_)) if is_secret_reference(node) => Some(node.to_value()),
            (Shape::List(item), NodeKind::Array(items)) => Some(self.check_items(items, item)),
            (Shape::Map(values), NodeKind::Object(_)) => self.check_map(node, values),
            (Shape::Object(object), NodeKind::Object(_)) => self.check_object(node, object),
            _ => self.report_wrong_value(node, shape),
        }
    }

    fn check_text(&mut self, node: &Node, text: &str, shape: &Shape) -> Option<Value> {
        let text = match self.variables {
            None if substitute::has_variable(text) => return None,
            None => text.to_owned(),
            Some(lookup) => match substitute::expand(text, lookup) {
                Ok(text) => text,
                Err(UnsetVariable(name)) => {
                    self.report(node, ConfigFault::VariableNotSet, format!("the variable {name} is not set"));
                    return None;
                }
            },
        };
        match shape {
            Shape::Text { choices } if !choices.is_empty() && !choices.contains(&text) => {
                self.report_wrong_value(node, shape)
            }
            Shape::AgentId if text.parse::<AgentId>().is_err() => {
                self.report(node, ConfigFault::NotAnAgentId, AgentIdError.to_string());
                None
            }
            _ => Some(Value::String(text)),
        }
    }

    fn check_items(&mut self, items: &[Node], shape: &Shape) -> Value {
        let mut valid = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            self.path.push(PathStep::Index(index));
            valid.extend(self.check_value(item, shape));
            self.path.pop();
        }
        Value::Array(valid)
    }

    fn check_map(&mut self, node: &Node, shape: &Shape) -> Option<Value> {
        let mut valid = Map::new();
        for (name, value) in node.members() {
            self.path.push(PathStep::Key(name.to_owned()));
            if let Some(value) = self.check_value(value, shape) {
                valid.insert(name.to_owned(), value);
            }
            self.path.pop();
        }
        Some(Value::Object(valid))
    }

    fn check_object(&mut self, node: &Node, object: &Object) -> Option<Value> {
        let mut valid = Map::new();
        for (name, value) in node.members() {
            self.path.push(PathStep::Key(name.to_owned()));
            match object.fields.get(name) {
                // A key of OpenClaw that we keep and do not read.
                Some(field) if field.shape == Shape::Any => {}
                Some(field) => {
                    let value = self.check_value(value, &field.shape).or_else(|| field.fallback.clone());
                    valid.extend(value.map(|value| (name.to_owned(), value)));
                }
                None => self.warn_unknown_key(value),
            }
            self.path.pop();
        }
        let missing = object.required.iter().find(|name| node.member(name).is_none());
        if let Some(name) = missing {
            let message = format!("the key `{name}` is missing; this entry is ignored");
            self.report(node, ConfigFault::MissingKey, message);
            return None;
        }
        // An invalid required key was reported already.
        object.required.iter().all(|name| valid.contains_key(name)).then_some(Value::Object(valid))
    }

    /// Converts `agents.entries` to the list and drops agents with an invalid or duplicate id.
    fn check_agents(&mut self, value: &mut Value) {
        let document = self.document;
        let agents = document.root().member("agents").unwrap_or(document.root());
        self.path = vec![PathStep::Key("agents".to_owned())];
        if let Some(entries) = agents::ignored_entries(document) {
            self.path.push(PathStep::Key("entries".to_owned()));
            let message = "ignored, because `agents.list` exists too".to_owned();
            self.report(entries, ConfigFault::SecondPlace, message);
            self.path.pop();
        }
        agents::list_entries(value);
        let Some(Value::Array(list)) = value.pointer_mut("/agents/list") else { return };
        let mut seen = HashSet::new();
        list.retain(|agent| {
            let id = agent.get("id").and_then(Value::as_str).unwrap_or_default();
            match id.parse::<AgentId>() {
                Ok(id) if seen.contains(&id) => {
                    let message = format!("the agent \"{id}\" appears twice; the first one applies");
                    self.report(agents, ConfigFault::AgentTwice, message);
                    false
                }
                Ok(id) => seen.insert(id),
                Err(error) => {
                    let id: String = id.chars().take(40).collect();
                    let message = format!("{} is none: {error}", Value::String(id));
                    self.report(agents, ConfigFault::NotAnAgentId, message);
                    false
                }
            }
        });
    }

    fn report_wrong_value(&mut self, node: &Node, shape: &Shape) -> Option<Value> {
        let found = match &node.kind {
            NodeKind::String(text) if matches!(shape, Shape::Text { choices } if !choices.is_empty()) => {
                let cut: String = text.chars().take(40).collect();
                Value::String(cut).to_string()
            }
            NodeKind::Number(number) if matches!(shape, Shape::Number { .. }) => number.to_string(),
            _ => node.described().to_owned(),
        };
        let message = format!("expected {}, found {found}", shape.description());
        self.report(node, ConfigFault::WrongValue, message);
        None
    }

    fn report(&mut self, node: &Node, code: ConfigFault, message: String) {
        let (document, path) = (self.document, &self.path);
        self.issues.add(|| located_issue(document, path, node, code, message));
    }

    fn warn_unknown_key(&mut self, node: &Node) {
        let (document, path) = (self.document, &self.path);
        let message = || "an unknown key; it is kept and has no effect".to_owned();
        self.warnings.add(|| located_issue(document, path, node, ConfigFault::UnknownKey, message()));
    }
}

fn located_issue(
    document: &Document,
    path: &[PathStep],
    node: &Node,
    code: ConfigFault,
    message: String,
) -> ConfigIssue {
    let (line, column) = document.position(node.span.start);
    let path = Path::from_steps(path.to_vec()).map(|path| path.to_string()).unwrap_or_default();
    ConfigIssue { path, message, line: Some(line), column: Some(column), code: Some(code) }
}

/// True if a value has the JSON type that the shape expects.
fn matches_kind(shape: &Shape, node: &Node) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Secret => matches!(node.kind, NodeKind::String(_) | NodeKind::Object(_)),
        Shape::Null => node.kind == NodeKind::Null,
        Shape::Bool => matches!(node.kind, NodeKind::Bool(_)),
        Shape::Number { .. } => matches!(node.kind, NodeKind::Number(_)),
        Shape::Text { .. } | Shape::AgentId => matches!(node.kind, NodeKind::String(_)),
        Shape::List(_) => matches!(node.kind, NodeKind::Array(_)),
        Shape::Map(_) | Shape::Object(_) => matches!(node.kind, NodeKind::Object(_)),
        Shape::OneOf(shapes) => shapes.iter().any(|shape| matches_kind(shape, node)),
    }
}

/// True for `{source, id}` with an optional provider: a reference to a secret.
pub(super) fn is_secret_reference(node: &Node) -> bool {
    let text = |name: &str| match node.member(name).map(|node| &node.kind) {
        Some(NodeKind::String(text)) => Some(text.as_str()),
        _ => None,
    };
    matches!(text("source"), Some("env" | "file" | "exec"))
        && text("id").is_some()
        && node.members().all(|(name, value)| {
            matches!(name, "source" | "provider" | "id") && matches!(value.kind, NodeKind::String(_))
        })
}
