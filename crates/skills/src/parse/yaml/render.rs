//! Converts values to text as JavaScript does: keys to property names, collections to compact JSON. Resolves aliases.

use std::borrow::Cow;
use std::collections::HashMap;

use tarsus_protocol::DiagnosticCode as Code;

use super::{Fault, Node, Value, js_number};

/// Bytes rendered of one text, however its aliases are nested.
pub(in crate::parse) const MAX_RENDERED: usize = 2 << 20;

/// Times that one anchor is resolved; more is taken for an attack.
const MAX_FOLLOWED: usize = 100;

/// A value as text.
#[derive(Debug, PartialEq)]
pub(in crate::parse) enum Rendered<'a> {
    Nothing,
    Scalar(Cow<'a, str>),
    /// Compact JSON of a map or a list.
    Structure(String),
}

/// Renders the values of one document.
pub(in crate::parse) struct Renderer<'n, 'a> {
    /// The target of each alias, by the address of its node.
    targets: HashMap<usize, &'n Node<'a>>,
    /// How often each anchored node was resolved, by its address.
    followed: HashMap<usize, usize>,
    /// Nodes that are being rendered.
    open: Vec<usize>,
    left: usize,
}

/// Why a value cannot be rendered.
enum Stop {
    /// It contains itself.
    Circular,
    TooMuch,
}

fn address(node: &Node<'_>) -> usize {
    std::ptr::from_ref(node).addr()
}

fn exception(message: impl Into<Cow<'static, str>>, node: &Node<'_>) -> Fault {
    Fault { code: Code::YamlException, message: message.into(), at: node.start.unwrap_or_default() }
}

const EXCESSIVE: &str = "Excessive alias count indicates a resource exhaustion attack";

impl<'n, 'a> Renderer<'n, 'a> {
    /// Resolves every alias of a document.
    ///
    /// # Errors
    /// If an alias has no anchor before it.
    pub(in crate::parse) fn new(root: &'n Node<'a>) -> Result<Self, Fault> {
        let mut anchors = Anchors::default();
        anchors.walk(root)?;
        Ok(Self { targets: anchors.targets, followed: HashMap::new(), open: Vec::new(), left: MAX_RENDERED })
    }

    /// Returns the entries of a map in the order of a JavaScript object: integer keys first, then in the order of the text.
    pub(in crate::parse) fn entries<'p>(
        &self,
        pairs: &'p [(Node<'a>, Node<'a>)],
    ) -> Vec<(Cow<'p, str>, &'p Node<'a>)>
    where
        'n: 'p,
    {
        let mut entries: Vec<(Cow<'p, str>, &'p Node<'a>)> = Vec::with_capacity(pairs.len());
        let is_text = |value: &Value<'_>| matches!(value, Value::Text(_));
        // String keys are distinct, but another key may have the same text as one of them.
        let may_conflict = pairs.iter().any(|(key, _)| !is_text(&key.value));
        let mut places: HashMap<String, usize> = HashMap::new();
        for (key, value) in pairs {
            let name = self.property(key);
            if may_conflict {
                if let Some(&place) = places.get(name.as_ref()) {
                    entries[place].1 = value;
                    continue;
                }
                places.insert(name.clone().into_owned(), entries.len());
            }
            entries.push((name, value));
        }
        if entries.iter().any(|(name, _)| array_index(name).is_some()) {
            entries.sort_by_key(|(name, _)| array_index(name).map_or(u64::MAX, u64::from));
        }
        entries
    }

    fn property<'p>(&self, key: &'p Node<'a>) -> Cow<'p, str>
    where
        'n: 'p,
    {
        match &self.target(key).value {
            Value::Null => Cow::Borrowed(""),
            Value::Text(text) => Cow::Borrowed(text),
            Value::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
            Value::Number(number) => Cow::Owned(js_number(*number)),
            Value::Seq(_) | Value::Map(_) | Value::Alias(..) => Cow::Owned(flow_text(key)),
        }
    }

    /// Returns the node, or the target of an alias.
    fn target<'p>(&self, node: &'p Node<'a>) -> &'p Node<'a>
    where
        'n: 'p,
    {
        self.targets.get(&address(node)).copied().unwrap_or(node)
    }

    fn follow<'p>(&mut self, node: &'p Node<'a>) -> Result<&'p Node<'a>, Stop>
    where
        'n: 'p,
    {
        let Some(&target) = self.targets.get(&address(node)) else {
            return Ok(node);
        };
        let times = self.followed.entry(address(target)).or_default();
        *times += 1;
        if *times > MAX_FOLLOWED { Err(Stop::TooMuch) } else { Ok(target) }
    }

    /// Renders one value.
    ///
    /// # Errors
    /// If the limit of bytes or of resolved anchors is exceeded.
    pub(in crate::parse) fn render<'p>(&mut self, node: &'p Node<'a>) -> Result<Rendered<'p>, Fault>
    where
        'n: 'p,
    {
        let Ok(target) = self.follow(node) else {
            return Err(exception(EXCESSIVE, node));
        };
        let mut json = String::new();
        Ok(match &target.value {
            Value::Null => Rendered::Nothing,
            Value::Text(text) => Rendered::Scalar(Cow::Borrowed(text)),
            Value::Bool(value) => Rendered::Scalar(Cow::Borrowed(if *value { "true" } else { "false" })),
            Value::Number(number) => Rendered::Scalar(Cow::Owned(js_number(*number))),
            Value::Seq(_) | Value::Map(_) | Value::Alias(..) => match self.json(target, &mut json) {
                Ok(()) => Rendered::Structure(json),
                Err(Stop::Circular) => Rendered::Nothing,
                Err(Stop::TooMuch) => return Err(exception(EXCESSIVE, node)),
            },
        })
    }

    fn json(&mut self, node: &Node<'a>, out: &mut String) -> Result<(), Stop> {
        let before = out.len();
        let node = self.follow(node)?;
        match &node.value {
            Value::Null | Value::Alias(..) => out.push_str("null"),
            Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Value::Number(number) if number.is_finite() => out.push_str(&js_number(*number)),
            Value::Number(_) => out.push_str("null"),
            Value::Text(text) => push_text(text, out),
            Value::Seq(items) => {
                self.enter(node)?;
                out.push('[');
                for (number, item) in items.iter().enumerate() {
                    if number > 0 {
                        out.push(',');
                    }
                    self.json(item, out)?;
                }
                out.push(']');
                self.open.pop();
                return self.spend(2);
            }
            Value::Map(pairs) => {
                self.enter(node)?;
                out.push('{');
                for (number, (name, value)) in self.entries(pairs).into_iter().enumerate() {
                    if number > 0 {
                        out.push(',');
                    }
                    push_text(&name, out);
                    out.push(':');
                    self.spend(name.len())?;
                    self.json(value, out)?;
                }
                out.push('}');
                self.open.pop();
                return self.spend(2);
            }
        }
        self.spend(out.len() - before)
    }

    fn enter(&mut self, node: &Node<'_>) -> Result<(), Stop> {
        let address = address(node);
        if self.open.contains(&address) {
            return Err(Stop::Circular);
        }
        self.open.push(address);
        Ok(())
    }

    fn spend(&mut self, bytes: usize) -> Result<(), Stop> {
        self.left = self.left.checked_sub(bytes).ok_or(Stop::TooMuch)?;
        Ok(())
    }
}

/// Returns the number of a property name that JavaScript orders as an array index.
pub(in crate::parse) fn array_index(name: &str) -> Option<u32> {
    let is_canonical = name == "0" || !name.starts_with(['0', '+']);
    name.parse().ok().filter(|&index| is_canonical && index < u32::MAX)
}

fn push_text(text: &str, out: &mut String) {
    match serde_json::to_string(text) {
        Ok(quoted) => out.push_str(&quoted),
        Err(_) => out.push_str("\"\""),
    }
}

/// Formats a collection that is a key as a flow collection.
fn flow_text(node: &Node<'_>) -> String {
    match &node.value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => js_number(*number),
        Value::Text(text) => text.clone().into_owned(),
        Value::Alias(name, _) => format!("*{name}"),
        Value::Seq(items) if items.is_empty() => "[]".to_owned(),
        Value::Seq(items) => format!("[ {} ]", items.iter().map(flow_text).collect::<Vec<_>>().join(", ")),
        Value::Map(pairs) if pairs.is_empty() => "{}".to_owned(),
        Value::Map(pairs) => {
            let pair =
                |(key, value): &(Node<'_>, Node<'_>)| format!("{}: {}", flow_text(key), flow_text(value));
            format!("{{ {} }}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
    }
}

#[derive(Default)]
struct Anchors<'n, 'a> {
    /// The nodes of the anchors so far.
    by_number: HashMap<usize, &'n Node<'a>>,
    targets: HashMap<usize, &'n Node<'a>>,
}

impl<'n, 'a> Anchors<'n, 'a> {
    fn walk(&mut self, node: &'n Node<'a>) -> Result<(), Fault> {
        if let Some(anchor) = node.anchor {
            self.by_number.insert(anchor, node);
        }
        match &node.value {
            Value::Seq(items) => items.iter().try_for_each(|item| self.walk(item)),
            Value::Map(pairs) => pairs.iter().try_for_each(|(key, value)| {
                self.walk(key)?;
                self.walk(value)
            }),
            Value::Alias(name, target) => {
                let Some(&target) = target.and_then(|target| self.by_number.get(&target)) else {
                    let message = "Unresolved alias (the anchor must be set before the alias)";
                    return Err(exception(format!("{message}: {name}"), node));
                };
                self.targets.insert(address(node), target);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
