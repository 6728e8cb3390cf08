//! Parses the capabilities that a skill declares (`metadata.openclaw.capabilities`), in any of its three shapes.
//!
//! Every JSON value gives a bounded result. Unreadable entries grant nothing and are reported as problems; an unreadable
//! limit allows nothing. `SkillPermissions` decides whether a declared capability takes effect.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use tarsus_protocol::capability::Capability;
use tarsus_protocol::tool::{ToolId, ToolTier};

use crate::limits::{ConstraintEffect, SkillLimits};
use crate::sanitize::sanitize;

/// Capabilities that are read of one skill.
const MAX_ENTRIES: usize = 64;
/// Messages of one kind that are kept for one skill.
const MAX_MESSAGES: usize = 32;

/// The parsed declaration of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredCapabilities {
    /// The capabilities.
    pub capabilities: BTreeSet<Capability>,
    /// The same, in the order of the declaration.
    pub order: Vec<Capability>,
    /// The tools of which each capability needs one: those that the declaration names, else all of the capability.
    tools: BTreeMap<Capability, BTreeSet<ToolId>>,
    /// The limits that it declares for them.
    pub limits: SkillLimits,
    /// Unknown names, sanitized; they grant nothing.
    pub unknown: Vec<String>,
    /// Constraints that are not enforced, such as `shell.user: "root"`.
    pub advisory: Vec<String>,
    /// Unreadable entries, each with the consequence.
    pub problems: Vec<String>,
}

impl DeclaredCapabilities {
    /// Parses the value; a skill without one declares nothing.
    ///
    /// ```
    /// use tarsus_guard::DeclaredCapabilities;
    /// use tarsus_protocol::capability::Capability;
    ///
    /// let value = serde_json::json!({"bash": {"mode": "restricted", "allow": ["git"]}, "teleport": {}});
    /// let declared = DeclaredCapabilities::parse(Some(&value));
    /// assert!(declared.capabilities.contains(&Capability::Shell));
    /// assert_eq!(declared.limits.descriptions(|_| true), ["shell: only git"]);
    /// assert_eq!(declared.unknown, ["teleport"]);
    /// ```
    #[must_use]
    pub fn parse(value: Option<&Value>) -> Self {
        let mut declared = Self::default();
        match value {
            None | Some(Value::Null) => {}
            Some(Value::Array(items)) => {
                declared.check_count(items.len());
                items.iter().take(MAX_ENTRIES).for_each(|item| declared.read_list_entry(item));
            }
            Some(Value::Object(members)) => {
                declared.check_count(members.len());
                members
                    .iter()
                    .take(MAX_ENTRIES)
                    .for_each(|(name, value)| declared.read_map_entry(name, value));
            }
            Some(other) => {
                declared.add_problem(format!(
                    "`capabilities` is {}, not a list or an object: it grants nothing",
                    json_kind(other)
                ));
            }
        }
        declared
    }

    /// The tools of which each declared capability needs one, without those that the declaration switches off. A
    /// capability whose tools are all switched off needs none.
    pub fn needed_tools(&self) -> impl Iterator<Item = Vec<ToolId>> {
        let is_on = |tool: &ToolId| !self.limits.switches_off(*tool);
        let tools = self.order.iter().filter_map(|capability| self.tools.get(capability));
        tools
            .map(move |tools| tools.iter().copied().filter(is_on).collect())
            .filter(|on: &Vec<_>| !on.is_empty())
    }

    fn check_count(&mut self, length: usize) {
        if length > MAX_ENTRIES {
            self.add_problem(format!("only the first {MAX_ENTRIES} of {length} capabilities are read"));
        }
    }

    /// An entry of a list: a name, or a name with limits.
    fn read_list_entry(&mut self, item: &Value) {
        match item {
            Value::String(name) => self.declare(name, [].into_iter()),
            Value::Object(members) => self.read_object_entry(members),
            other => {
                self.add_problem(format!("an entry is {}, not a name: it grants nothing", json_kind(other)))
            }
        }
    }

    /// `{type|name, constraints}`. Limits beside these keys count too, so that none is lost by a wrong place.
    fn read_object_entry(&mut self, members: &Map<String, Value>) {
        let named = |key: &str| members.get(key).and_then(Value::as_str);
        let Some(name) = named("type").or_else(|| named("name")) else {
            return self.add_problem("an entry has neither `type` nor `name`: it grants nothing".to_owned());
        };
        let beside =
            members.iter().filter(|(key, _)| !matches!(key.as_str(), "type" | "name" | "constraints"));
        match members.get("constraints") {
            None | Some(Value::Null) => self.declare(name, beside),
            Some(Value::Object(constraints)) => self.declare(name, constraints.iter().chain(beside)),
            Some(other) => self.reject_constraints(name, other),
        }
    }

    /// A member of a map: a name and its limits.
    fn read_map_entry(&mut self, name: &str, value: &Value) {
        match value {
            Value::Bool(false) => {}
            Value::Null | Value::Bool(true) => self.declare(name, [].into_iter()),
            Value::Object(constraints) => self.declare(name, constraints.iter()),
            other => self.reject_constraints(name, other),
        }
    }

    fn reject_constraints(&mut self, name: &str, value: &Value) {
        // The same capability may be declared elsewhere without limits.
        if let Some(capability) = parse_capability(name) {
            self.limits.close(capability);
        }
        let name = sanitize(name);
        self.add_problem(format!(
            "the constraints of {name} are {}, not an object: it grants nothing",
            json_kind(value)
        ));
    }

    fn declare<'a>(&mut self, name: &str, constraints: impl Iterator<Item = (&'a String, &'a Value)>) {
        let Some(capability) = parse_capability(name) else {
            return self.unknown.push(sanitize(name));
        };
        if self.capabilities.insert(capability) {
            self.order.push(capability);
        }
        self.tools.entry(capability).or_default().extend(named_tools(name, capability));
        let (mut is_restricted, mut has_program_list) = (false, false);
        for (key, value) in constraints {
            let (effect, problem) = self.limits.narrow(capability, key, value);
            match effect {
                ConstraintEffect::Enforced => {}
                ConstraintEffect::Restricted => is_restricted = true,
                ConstraintEffect::ProgramList => has_program_list = true,
                ConstraintEffect::Advisory => {
                    let constraint =
                        format!("{capability}.{}: {}", sanitize(key), sanitize(&value.to_string()));
                    push_bounded(&mut self.advisory, constraint);
                }
            }
            if let Err(why) = problem {
                self.add_problem(format!("{capability}.{}: {why}", sanitize(key)));
            }
        }
        if is_restricted && !has_program_list {
            self.limits.ask_for_programs();
        }
    }

    fn add_problem(&mut self, problem: String) {
        push_bounded(&mut self.problems, problem);
    }
}

/// Parses a dotted name; only the first part counts.
fn parse_capability(name: &str) -> Option<Capability> {
    Capability::named(name.split('.').next().unwrap_or_default())
}

/// The tool that a declared name is the name of, else the tools of its capability.
fn named_tools(name: &str, capability: Capability) -> Vec<ToolId> {
    let first = name.split('.').next().unwrap_or_default();
    let tool = ToolId::from_name(&first.trim().to_ascii_lowercase().replace('-', "_"));
    match tool.filter(|tool| tool.tier() == ToolTier::Needs(capability)) {
        Some(tool) => vec![tool],
        None => capability.tools().collect(),
    }
}

/// Appends up to `MAX_MESSAGES` entries; one more says that there are others.
fn push_bounded(list: &mut Vec<String>, text: String) {
    match list.len() {
        ..MAX_MESSAGES => list.push(text),
        MAX_MESSAGES => list.push("and more".to_owned()),
        _ => {}
    }
}

fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
