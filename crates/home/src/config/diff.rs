//! Computes the edits that turn a document into the view that a client sends back.
//!
//! Only differences are edited, so comments, `${VAR}`, unknown keys and redacted values survive. A placeholder keeps the
//! stored secret, or is rejected where nothing was redacted. Applying the edits yields the view.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};
use tarsus_protocol::{ErrorCode, Problem, REDACTED};

use super::agents::{self, AgentsForm};
use super::client_view::redacted_view;
use super::json5::{Document, Edit, Path, PathStep, same_value};

/// Returns the edits after which the view of the document is `incoming`; none if nothing differs.
///
/// # Errors
/// When there is a placeholder where nothing was redacted, or the agents are invalid.
pub fn changes(document: &Document, incoming: &Value) -> Result<Vec<Edit>, ViewError> {
    let shown = redacted_view(document);
    let mut stored = document.value();
    agents::list_entries(&mut stored);
    let incoming = without_defaults(&shown, incoming)?;
    let (Value::Object(shown), Value::Object(stored), Value::Object(incoming)) = (&shown, &stored, &incoming)
    else {
        return Err(ViewError::NotAnObject);
    };
    let mut diff = Diff { form: agents::detect_form(document), path: Vec::new(), edits: Vec::new() };
    diff.diff_object(shown, stored, incoming)?;
    Ok(diff.edits)
}

/// Removes the empty list of agents that the view shows and the file does not contain.
fn without_defaults(shown: &Value, incoming: &Value) -> Result<Value, ViewError> {
    let mut incoming = incoming.clone();
    let both = |view: &Value| {
        view.pointer("/agents/list").is_some()
            && view.pointer("/agents/entries").is_some_and(Value::is_object)
    };
    if both(&incoming) && !both(shown) {
        return Err(ViewError::AgentsTwice);
    }
    agents::list_entries(&mut incoming);
    let Value::Object(members) = &mut incoming else { return Ok(incoming) };
    if let Some(Value::Object(agents)) = members.get_mut("agents") {
        let is_empty = agents.get("list").is_some_and(|list| list.as_array().is_some_and(Vec::is_empty));
        if is_empty && shown.pointer("/agents/list").is_none() {
            agents.shift_remove("list");
        }
        if agents.is_empty() && shown.get("agents").is_none() {
            members.shift_remove("agents");
        }
    }
    Ok(incoming)
}

/// A view that cannot be applied. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// The view is not an object.
    #[error("a configuration is an object")]
    NotAnObject,
    /// Both `agents.list` and `agents.entries` are present.
    #[error("use either `agents.list` or `agents.entries`, not both")]
    AgentsTwice,
    /// `agents.list` is not a list of agents with unique ids.
    #[error("`agents.list` must be a list of objects with different `id`s")]
    Agents,
    /// A placeholder where nothing was redacted.
    #[error("`{path}` is {REDACTED}, but there is no stored secret")]
    Placeholder {
        /// Path of the placeholder.
        path: String,
    },
}

impl From<ViewError> for Problem {
    fn from(error: ViewError) -> Self {
        let problem = Self::new(ErrorCode::Usage, error.to_string()).note("nothing was changed");
        match error {
            ViewError::Placeholder { .. } => {
                problem.hint("write the value itself, or a variable such as `${NAME}`")
            }
            _ => problem,
        }
    }
}

struct Diff {
    form: AgentsForm,
    path: Vec<PathStep>,
    edits: Vec<Edit>,
}

impl Diff {
    fn diff_object(
        &mut self,
        shown: &Map<String, Value>,
        stored: &Map<String, Value>,
        new: &Map<String, Value>,
    ) -> Result<(), ViewError> {
        // Additions come first, so that no object is empty in between.
        for (name, value) in new.iter().filter(|(name, _)| !shown.contains_key(*name)) {
            self.within(PathStep::Key(name.clone()), |diff| {
                diff.refuse_placeholders(value)?;
                diff.set(value.clone())
            })?;
        }
        for (name, old) in shown {
            let Some(value) = new.get(name) else { continue };
            let stored = stored.get(name).unwrap_or(old);
            self.within(PathStep::Key(name.clone()), |diff| diff.diff_value(old, stored, value))?;
        }
        for name in shown.keys().filter(|name| !new.contains_key(*name)) {
            self.within(PathStep::Key(name.clone()), |diff| {
                diff.push(|path| Edit::Remove { path });
                Ok(())
            })?;
        }
        Ok(())
    }

    fn diff_value(&mut self, shown: &Value, stored: &Value, new: &Value) -> Result<(), ViewError> {
        match (shown, stored, new) {
            (Value::Object(shown), Value::Object(stored), Value::Object(new)) => {
                self.diff_object(shown, stored, new)
            }
            (Value::Array(shown), Value::Array(stored), new) if self.is_at_entries() => match new {
                Value::Array(new) => self.diff_entries(shown, stored, new),
                _ => Err(ViewError::Agents),
            },
            (Value::Array(shown), Value::Array(stored), Value::Array(new)) => {
                self.diff_list(shown, stored, new)
            }
            _ if equal_as_double(shown, new) => Ok(()),
            _ => {
                self.refuse_placeholders(new)?;
                self.set(new.clone())
            }
        }
    }

    fn diff_list(&mut self, shown: &[Value], stored: &[Value], new: &[Value]) -> Result<(), ViewError> {
        let matching = Matching::new(shown, new);
        if matching.kept.is_empty() && !shown.is_empty() {
            // No element is kept: replace the whole list.
            let mut values = Vec::with_capacity(new.len());
            for (index, value) in new.iter().enumerate() {
                values.push(self.within(PathStep::Index(index), |diff| {
                    diff.restore_element(&matching, index, shown, stored, value)
                })?);
            }
            return self.set(Value::Array(values));
        }
        let kept_old: HashSet<usize> = matching.kept.iter().map(|(old, _)| *old).collect();
        let kept_new: HashSet<usize> = matching.kept.iter().map(|(_, new)| *new).collect();
        for index in (0..shown.len()).rev().filter(|index| !kept_old.contains(index)) {
            self.within(PathStep::Index(index), |diff| {
                diff.push(|path| Edit::Remove { path });
                Ok(())
            })?;
        }
        for (index, value) in new.iter().enumerate().filter(|(index, _)| !kept_new.contains(index)) {
            self.within(PathStep::Index(index), |diff| {
                let value = diff.restore_element(&matching, index, shown, stored, value)?;
                diff.push(|path| Edit::Insert { path, value });
                Ok(())
            })?;
        }
        for (old, index) in &matching.kept {
            self.within(PathStep::Index(*index), |diff| {
                // Elements without an id may have shifted if the length changed.
                let is_same_element =
                    old == index && (shown.len() == new.len() || shown[*old] == new[*index]);
                if !matching.by_id && !is_same_element {
                    diff.refuse_placeholders(&new[*index])?;
                }
                diff.diff_value(&shown[*old], &stored[*old], &new[*index])
            })?;
        }
        Ok(())
    }

    /// Returns a new or moved element, with placeholders filled from the old element of the same id.
    fn restore_element(
        &self,
        matching: &Matching,
        index: usize,
        shown: &[Value],
        stored: &[Value],
        value: &Value,
    ) -> Result<Value, ViewError> {
        match matching.moved.get(&index) {
            Some(old) => self.fill_placeholders(&shown[*old], &stored[*old], value),
            None => {
                self.refuse_placeholders(value)?;
                Ok(value.clone())
            }
        }
    }

    fn fill_placeholders(&self, shown: &Value, stored: &Value, new: &Value) -> Result<Value, ViewError> {
        match (shown, stored, new) {
            _ if *shown == *new => Ok(stored.clone()),
            (Value::Object(shown), Value::Object(stored), Value::Object(new)) => {
                let filled = new.iter().map(|(name, value)| {
                    let old = shown.get(name).unwrap_or(&Value::Null);
                    let kept = stored.get(name).unwrap_or(&Value::Null);
                    Ok((name.clone(), self.fill_placeholders(old, kept, value)?))
                });
                filled.collect::<Result<Map<_, _>, ViewError>>().map(Value::Object)
            }
            (Value::Array(shown), Value::Array(stored), Value::Array(new)) if shown.len() == new.len() => {
                let olds = shown.iter().zip(stored);
                let filled =
                    olds.zip(new).map(|((shown, stored), new)| self.fill_placeholders(shown, stored, new));
                filled.collect::<Result<Vec<_>, ViewError>>().map(Value::Array)
            }
            _ => {
                self.refuse_placeholders(new)?;
                Ok(new.clone())
            }
        }
    }

    fn is_at_entries(&self) -> bool {
        self.form == AgentsForm::Entries
            && self.path == [PathStep::Key("agents".to_owned()), PathStep::Key("list".to_owned())]
    }

    /// Compares the list of agents with a file that uses `agents.entries`. The order of the file is kept.
    fn diff_entries(&mut self, shown: &[Value], stored: &[Value], new: &[Value]) -> Result<(), ViewError> {
        let by_id = |list: &[Value]| -> Option<Map<String, Value>> {
            let mut members = Map::new();
            for agent in list {
                let mut agent = agent.as_object()?.clone();
                let id = agent.shift_remove("id")?.as_str()?.to_owned();
                if members.insert(id, Value::Object(agent)).is_some() {
                    return None;
                }
            }
            Some(members)
        };
        let new = by_id(new).ok_or(ViewError::Agents)?;
        let (shown, stored) =
            (by_id(shown).ok_or(ViewError::Agents)?, by_id(stored).ok_or(ViewError::Agents)?);
        let list = std::mem::replace(
            &mut self.path,
            vec![PathStep::Key("agents".to_owned()), PathStep::Key("entries".to_owned())],
        );
        self.diff_object(&shown, &stored, &new)?;
        self.path = list;
        Ok(())
    }

    fn within<T>(
        &mut self,
        step: PathStep,
        act: impl FnOnce(&mut Self) -> Result<T, ViewError>,
    ) -> Result<T, ViewError> {
        self.path.push(step);
        let result = act(self);
        self.path.pop();
        result
    }

    fn set(&mut self, value: Value) -> Result<(), ViewError> {
        self.push(|path| Edit::Set { path, value });
        Ok(())
    }

    fn push(&mut self, edit: impl FnOnce(Path) -> Edit) {
        let steps = if self.is_at_entries() {
            vec![PathStep::Key("agents".to_owned()), PathStep::Key("entries".to_owned())]
        } else {
            self.path.clone()
        };
        self.edits.extend(Path::from_steps(steps).map(edit));
    }

    /// Rejects placeholders where nothing was redacted.
    fn refuse_placeholders(&self, value: &Value) -> Result<(), ViewError> {
        let Some(below) = find_placeholder(value) else { return Ok(()) };
        let steps = self.path.iter().cloned().chain(below).collect();
        let path = Path::from_steps(steps).map(|path| path.to_string()).unwrap_or_default();
        Err(ViewError::Placeholder { path })
    }
}

/// Returns the path of the first placeholder in a value.
fn find_placeholder(value: &Value) -> Option<Vec<PathStep>> {
    let below = |step: PathStep, value: &Value| {
        find_placeholder(value).map(|mut steps| {
            steps.insert(0, step);
            steps
        })
    };
    match value {
        Value::String(text) => (text == REDACTED).then(Vec::new),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(index, item)| below(PathStep::Index(index), item))
        }
        Value::Object(members) => {
            members.iter().find_map(|(name, value)| below(PathStep::Key(name.clone()), value))
        }
        _ => None,
    }
}

/// Compares values as a client that stores numbers as doubles would.
fn equal_as_double(shown: &Value, new: &Value) -> bool {
    match (shown, new) {
        (Value::Number(shown), Value::Number(new)) => shown.as_f64() == new.as_f64(),
        _ => same_value(shown, new),
    }
}

/// Pairs old and new elements of a list.
struct Matching {
    /// Old and new index of the elements that keep their order; both increase.
    kept: Vec<(usize, usize)>,
    /// New to old index of the elements that moved.
    moved: HashMap<usize, usize>,
    /// True if elements were matched by id, false if by position.
    by_id: bool,
}

impl Matching {
    fn new(shown: &[Value], new: &[Value]) -> Self {
        match (element_names(shown), element_names(new)) {
            (Some(old), Some(names)) => Self::by_name(&old, &names),
            _ => Self::by_position(shown, new),
        }
    }

    fn by_name(old: &[&str], new: &[&str]) -> Self {
        let places: HashMap<&str, usize> = old.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        let matched: Vec<(usize, usize)> =
            new.iter().enumerate().filter_map(|(at, name)| places.get(name).map(|old| (*old, at))).collect();
        let kept = longest_increasing(&matched);
        let in_order: HashSet<usize> = kept.iter().map(|(_, new)| *new).collect();
        let moved = matched
            .iter()
            .filter(|(_, new)| !in_order.contains(new))
            .map(|(old, new)| (*new, *old))
            .collect();
        Self { kept, moved, by_id: true }
    }

    /// Matches the equal prefix and suffix, and the elements between them by index.
    fn by_position(shown: &[Value], new: &[Value]) -> Self {
        let most = shown.len().min(new.len());
        let same = |(old, new): &(&Value, &Value)| same_value(old, new);
        let head = shown.iter().zip(new).take_while(same).count();
        let tail = shown.iter().rev().zip(new.iter().rev()).take(most - head).take_while(same).count();
        let mut kept: Vec<(usize, usize)> = (0..most - tail).map(|at| (at, at)).collect();
        kept.extend((0..tail).rev().map(|at| (shown.len() - 1 - at, new.len() - 1 - at)));
        Self { kept, moved: HashMap::new(), by_id: false }
    }
}

/// Returns the name of each element: its `id`, or the string itself. `None` if a name is missing or not unique.
fn element_names(list: &[Value]) -> Option<Vec<&str>> {
    fn name(value: &Value) -> Option<&str> {
        let name = match value {
            Value::String(text) => text,
            Value::Object(members) => members.get("id")?.as_str()?,
            _ => return None,
        };
        (name != REDACTED).then_some(name)
    }
    let names: Vec<&str> = list.iter().map(name).collect::<Option<_>>()?;
    let distinct: HashSet<&str> = names.iter().copied().collect();
    (distinct.len() == names.len()).then_some(names)
}

/// Returns the longest subsequence that increases in the first index; the pairs are sorted by the second.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends[n]` is the last pair of the best run of n + 1 pairs; `before` links each pair to its predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].0 < pair.0);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut run: Vec<(usize, usize)> =
        std::iter::successors(ends.last().copied(), |at| before[*at]).map(|at| pairs[at]).collect();
    run.reverse();
    run
}
