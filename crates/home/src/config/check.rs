//! Checks a document against the schema and builds the typed configuration.
//!
//! Invalid values are dropped and reported with their position, unknown keys are reported, variables are expanded.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};
use tarsus_protocol::report::{ConfigFault, ConfigIssue};
use tarsus_protocol::shape::{Reporter, Shape, ShapeStep, ValueRange, Violation};

use super::agents;
use super::json5::{Document, Node, NodeKind, Path, PathStep};
use super::shape;
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
    let mut checker =
        Checker { document, variables, issues: IssueList::default(), warnings: IssueList::default() };
    let value = shape::ROOT.check(&document.value(), &mut checker);
    let mut value = value.unwrap_or_else(|| Value::Object(Map::new()));
    checker.check_agents(&mut value);
    checker.check_origins(&mut value);
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
    issues: IssueList,
    warnings: IssueList,
}

impl Checker<'_> {
    /// Converts `agents.entries` to the list and drops agents with an invalid or duplicate id.
    fn check_agents(&mut self, value: &mut Value) {
        let path = [ShapeStep::Key("agents")];
        if agents::ignored_entries(self.document).is_some() {
            let path = [path[0], ShapeStep::Key("entries")];
            let message = "ignored, because `agents.list` exists too";
            self.add(&path, ConfigFault::SecondPlace, |_| message.to_owned());
        }
        agents::list_entries(value);
        let Some(Value::Array(list)) = value.pointer_mut("/agents/list") else { return };
        let mut seen = HashSet::new();
        list.retain(|agent| {
            let id = agent.get("id").and_then(Value::as_str).unwrap_or_default();
            match id.parse::<AgentId>() {
                Ok(id) if seen.contains(&id) => {
                    let message = |_: &_| format!("the agent \"{id}\" appears twice; the first one applies");
                    self.add(&path, ConfigFault::AgentTwice, message);
                    false
                }
                Ok(id) => seen.insert(id),
                Err(error) => {
                    let id: String = id.chars().take(40).collect();
                    let message = |_: &_| format!("{} is none: {error}", Value::String(id));
                    self.add(&path, ConfigFault::NotAnAgentId, message);
                    false
                }
            }
        });
    }

    /// Drops origins that any page could have.
    fn check_origins(&mut self, value: &mut Value) {
        let path = [ShapeStep::Key("gateway"), ShapeStep::Key("controlUi"), ShapeStep::Key("allowedOrigins")];
        let Some(Value::Array(origins)) = value.pointer_mut("/gateway/controlUi/allowedOrigins") else {
            return;
        };
        let mut index = 0;
        origins.retain(|origin| {
            let fault = origin.as_str().and_then(origin_fault);
            if let Some(fault) = fault {
                let path = [path[0], path[1], path[2], ShapeStep::Index(index)];
                let message = format!("{fault}; name each page, as in \"https://studio.example:8443\"");
                self.add(&path, ConfigFault::WrongValue, |_| message);
            }
            index += 1;
            fault.is_none()
        });
    }

    /// Lists an issue, or a warning if the key is unknown, at the position of the value.
    fn add(&mut self, path: &[ShapeStep<'_>], code: ConfigFault, message: impl FnOnce(&Node) -> String) {
        let list = if code == ConfigFault::UnknownKey { &mut self.warnings } else { &mut self.issues };
        list.add(|| {
            let steps = path.iter().map(|step| match *step {
                ShapeStep::Key(name) => PathStep::Key(name.to_owned()),
                ShapeStep::Index(index) => PathStep::Index(index),
            });
            let path = Path::from_steps(steps.collect());
            let root = self.document.root();
            let node = path.as_ref().and_then(|path| self.document.get(path)).unwrap_or(root);
            let (line, column) = self.document.position(node.span.start);
            ConfigIssue {
                path: path.as_ref().map(Path::to_string).unwrap_or_default(),
                message: message(node),
                line: Some(line),
                column: Some(column),
                code: Some(code),
            }
        });
    }
}

impl Reporter for Checker<'_> {
    const LENIENT: bool = true;

    fn report(&mut self, path: &[ShapeStep<'_>], _: &Value, shape: &Shape, violation: Violation<'_>) {
        match violation {
            Violation::UnknownKey | Violation::IgnoredKey => {
                let message = "an unknown key; it is kept and has no effect";
                self.add(path, ConfigFault::UnknownKey, |_| message.to_owned());
            }
            Violation::MissingKeys(names) => self.add(path, ConfigFault::MissingKey, |_| {
                let name = names.first().copied().unwrap_or_default();
                format!("the key `{name}` is missing; this entry is ignored")
            }),
            _ => self.add(path, ConfigFault::WrongValue, |node| {
                format!("expected {}, found {}", description(shape), excerpt(node, shape))
            }),
        }
    }

    fn text<'t>(&mut self, path: &[ShapeStep<'_>], shape: &Shape, text: &'t str) -> Option<Cow<'t, str>> {
        let text = match self.variables {
            None if substitute::has_variable(text) => return None,
            None => Cow::Borrowed(text),
            Some(lookup) => match substitute::expand(text, lookup) {
                Ok(text) => Cow::Owned(text),
                Err(UnsetVariable(name)) => {
                    let message = |_: &_| format!("the variable {name} is not set");
                    self.add(path, ConfigFault::VariableNotSet, message);
                    return None;
                }
            },
        };
        // The schema has one format of strings.
        if matches!(shape, Shape::Format(_)) && text.parse::<AgentId>().is_err() {
            self.add(path, ConfigFault::NotAnAgentId, |_| AgentIdError.to_string());
            return None;
        }
        Some(text)
    }
}

/// Why an origin in `gateway.controlUi.allowedOrigins` names no page.
#[must_use]
pub fn origin_fault(origin: &str) -> Option<&'static str> {
    if origin.trim().eq_ignore_ascii_case("null") {
        return Some("\"null\" is the origin of every sandboxed frame and of every local file");
    }
    origin.contains('*').then_some("`*` would admit pages of any site")
}

/// Describes the expected value.
fn description(shape: &Shape) -> String {
    let limited = |kind: &str, limits: &ValueRange| match limits {
        ValueRange(Some(min), Some(max)) => format!("{kind} from {min} to {max}"),
        ValueRange(Some(min), None) => format!("{kind} from {min} on"),
        ValueRange(None, Some(max)) => format!("{kind} up to {max}"),
        ValueRange(None, None) => kind.to_owned(),
    };
    match shape {
        Shape::Any | Shape::Nothing => "a value".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Bool => "true or false".to_owned(),
        Shape::Integer(limits) => limited("a whole number", limits),
        Shape::Number(limits) => limited("a number", limits),
        Shape::Text(_) => "a string".to_owned(),
        Shape::Choice(choices) => {
            let quoted: Vec<String> = choices.iter().map(|choice| format!("\"{choice}\"")).collect();
            format!("one of {}", quoted.join(", "))
        }
        Shape::Format(_) => "an agent id".to_owned(),
        Shape::Secret => "a string or a reference to a secret".to_owned(),
        Shape::List(..) => "a list".to_owned(),
        Shape::Object { .. } => "an object".to_owned(),
        Shape::OneOf(shapes) => {
            let named = shapes.iter().filter(|shape| **shape != Shape::Null).map(description);
            named.collect::<Vec<_>>().join(" or ")
        }
    }
}

/// Describes an invalid value. Quotes it only if it cannot be a secret.
fn excerpt(node: &Node, shape: &Shape) -> String {
    match (&node.kind, shape) {
        (NodeKind::String(text), Shape::Choice(_)) => {
            let cut: String = text.chars().take(40).collect();
            Value::String(cut).to_string()
        }
        (NodeKind::Number(number), Shape::Integer(_) | Shape::Number(_)) => number.to_string(),
        _ => node.described().to_owned(),
    }
}
