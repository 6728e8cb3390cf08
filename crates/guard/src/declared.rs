//! What a skill asks for: the value of `metadata.openclaw.capabilities`, in any of its three shapes.
//!
//! Promises: every JSON value gives an answer; it is bounded; what cannot be read gives nothing and is told. A limit
//! that cannot be read is the narrowest one. Leaves to others: whether what is asked for counts (`standing`).

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use tarsus_protocol::capability::Capability;

use crate::limits::{Limits, Read};
use crate::shown::shown;

/// At most so many capabilities are read of one skill.
const MOST_ENTRIES: usize = 64;
/// At most so many things of one kind are told about one skill.
const MOST_TOLD: usize = 32;

/// What a skill asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declared {
    /// The capabilities.
    pub capabilities: BTreeSet<Capability>,
    /// The limits that it puts on them.
    pub limits: Limits,
    /// Names that nobody knows, fit to be shown; they give nothing.
    pub unknown: Vec<String>,
    /// What it says about a capability that is not enforced, as `shell.user: "root"`.
    pub advisory: Vec<String>,
    /// What cannot be read, and what follows.
    pub problems: Vec<String>,
}

impl Declared {
    /// Reads the value; a skill without one asks for nothing.
    ///
    /// ```
    /// use tarsus_guard::Declared;
    /// use tarsus_protocol::capability::Capability;
    ///
    /// let value = serde_json::json!({"bash": {"mode": "restricted", "allow": ["git"]}, "teleport": {}});
    /// let declared = Declared::read(Some(&value));
    /// assert!(declared.capabilities.contains(&Capability::Shell));
    /// assert_eq!(declared.limits.described(|_| true), ["shell: only git"]);
    /// assert_eq!(declared.unknown, ["teleport"]);
    /// ```
    #[must_use]
    pub fn read(value: Option<&Value>) -> Self {
        let mut declared = Self::default();
        match value {
            None | Some(Value::Null) => {}
            Some(Value::Array(items)) => {
                declared.count(items.len());
                items.iter().take(MOST_ENTRIES).for_each(|item| declared.item(item));
            }
            Some(Value::Object(members)) => {
                declared.count(members.len());
                members.iter().take(MOST_ENTRIES).for_each(|(name, value)| declared.member(name, value));
            }
            Some(other) => {
                declared.problem(format!(
                    "capabilities are {}, not a list or a map: they give nothing",
                    kind(other)
                ));
            }
        }
        declared
    }

    fn count(&mut self, length: usize) {
        if length > MOST_ENTRIES {
            self.problem(format!("only the first {MOST_ENTRIES} of {length} capabilities are read"));
        }
    }

    /// An entry of a list: a name, or a name with limits.
    fn item(&mut self, item: &Value) {
        match item {
            Value::String(name) => self.ask(name, [].into_iter()),
            Value::Object(members) => self.described_item(members),
            other => self.problem(format!("an entry is {}, not a name: it gives nothing", kind(other))),
        }
    }

    /// `{type|name, constraints}`. Limits beside these keys count too, so that none is lost by a wrong place.
    fn described_item(&mut self, members: &Map<String, Value>) {
        let named = |key: &str| members.get(key).and_then(Value::as_str);
        let Some(name) = named("type").or_else(|| named("name")) else {
            return self.problem("an entry has neither `type` nor `name`: it gives nothing".to_owned());
        };
        let beside =
            members.iter().filter(|(key, _)| !matches!(key.as_str(), "type" | "name" | "constraints"));
        match members.get("constraints") {
            None | Some(Value::Null) => self.ask(name, beside),
            Some(Value::Object(constraints)) => self.ask(name, constraints.iter().chain(beside)),
            Some(other) => self.unreadable(name, other),
        }
    }

    /// A member of a map: a name and its limits.
    fn member(&mut self, name: &str, value: &Value) {
        match value {
            Value::Bool(false) => {}
            Value::Null | Value::Bool(true) => self.ask(name, [].into_iter()),
            Value::Object(constraints) => self.ask(name, constraints.iter()),
            other => self.unreadable(name, other),
        }
    }

    fn unreadable(&mut self, name: &str, value: &Value) {
        // Said elsewhere without limits, it would be without any.
        if let Some(capability) = named(name) {
            self.limits.close(capability);
        }
        let name = shown(name);
        self.problem(format!("the constraints of {name} are {}, not a map: it gives nothing", kind(value)));
    }

    fn ask<'a>(&mut self, name: &str, constraints: impl Iterator<Item = (&'a String, &'a Value)>) {
        let Some(capability) = named(name) else {
            return self.unknown.push(shown(name));
        };
        self.capabilities.insert(capability);
        let (mut restricted, mut named) = (false, false);
        for (key, value) in constraints {
            let (read, problem) = self.limits.narrow(capability, key, value);
            match read {
                Read::Enforced => {}
                Read::Restricted => restricted = true,
                Read::Programs => named = true,
                Read::Advisory => {
                    let said = format!("{capability}.{}: {}", shown(key), shown(&value.to_string()));
                    tell(&mut self.advisory, said);
                }
            }
            if let Err(why) = problem {
                self.problem(format!("{capability}.{}: {why}", shown(key)));
            }
        }
        if restricted && !named {
            self.limits.close_programs();
        }
    }

    fn problem(&mut self, problem: String) {
        tell(&mut self.problems, problem);
    }
}

/// The capability of a name, which may have parts: the first counts.
fn named(name: &str) -> Option<Capability> {
    Capability::named(name.split('.').next().unwrap_or_default())
}

/// Adds to a list for people, whose last entry says that there is more.
fn tell(list: &mut Vec<String>, text: String) {
    match list.len() {
        ..MOST_TOLD => list.push(text),
        MOST_TOLD => list.push("and more, which is not shown".to_owned()),
        _ => {}
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}
