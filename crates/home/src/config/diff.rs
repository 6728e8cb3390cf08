//! From the view that a client sends back to the edits that make the file say it.
//!
//! Promises: only the difference is edited, so that comments, `${VAR}`, unknown keys and hidden values survive; a
//! placeholder stands for what it stood for, or is refused; applying the edits gives the view.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};
use tarsus_protocol::{ErrorCode, Problem, REDACTED};

use super::agents::{self, Way};
use super::json5::{Document, Edit, Path, Step, same_value};
use super::shown::shown_as_written;

/// The edits that turn the document into one that shows `incoming`. The view of an unchanged document gives none.
///
/// # Errors
/// When a placeholder stands where nothing was hidden, or the agents are not what they have to be.
pub fn changes(document: &Document, incoming: &Value) -> Result<Vec<Edit>, ViewError> {
    let shown = shown_as_written(document);
    let mut stored = document.value();
    agents::list_entries(&mut stored);
    let incoming = as_written(&shown, incoming)?;
    let (Value::Object(shown), Value::Object(stored), Value::Object(incoming)) = (&shown, &stored, &incoming)
    else {
        return Err(ViewError::NotAnObject);
    };
    let mut diff = Diff { way: agents::way(document), at: Vec::new(), edits: Vec::new() };
    diff.object(shown, stored, incoming)?;
    Ok(diff.edits)
}

/// The incoming view without what was shown beyond the file: an empty list of agents.
fn as_written(shown: &Value, incoming: &Value) -> Result<Value, ViewError> {
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

/// Why a view cannot be taken over. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ViewError {
    /// It is something other than an object.
    #[error("a configuration is an object")]
    NotAnObject,
    /// The agents are in it in both ways.
    #[error("`agents.list` and `agents.entries` say the same; write one of them")]
    AgentsTwice,
    /// The agents are not a list of agents.
    #[error("`agents.list` is a list of objects, each with an `id` of its own")]
    Agents,
    /// A placeholder where nothing was hidden.
    #[error("`{path}` holds {REDACTED}, but nothing is hidden there")]
    Placeholder {
        /// Where.
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
    way: Way,
    at: Vec<Step>,
    edits: Vec<Edit>,
}

impl Diff {
    fn object(
        &mut self,
        shown: &Map<String, Value>,
        stored: &Map<String, Value>,
        new: &Map<String, Value>,
    ) -> Result<(), ViewError> {
        // What is added comes first, so that no object is empty in between.
        for (name, value) in new.iter().filter(|(name, _)| !shown.contains_key(*name)) {
            self.within(Step::Key(name.clone()), |diff| {
                diff.refuse_placeholders(value)?;
                diff.set(value.clone())
            })?;
        }
        for (name, old) in shown {
            let Some(value) = new.get(name) else { continue };
            let stored = stored.get(name).unwrap_or(old);
            self.within(Step::Key(name.clone()), |diff| diff.value(old, stored, value))?;
        }
        for name in shown.keys().filter(|name| !new.contains_key(*name)) {
            self.within(Step::Key(name.clone()), |diff| {
                diff.push(|path| Edit::Remove { path });
                Ok(())
            })?;
        }
        Ok(())
    }

    fn value(&mut self, shown: &Value, stored: &Value, new: &Value) -> Result<(), ViewError> {
        match (shown, stored, new) {
            (Value::Object(shown), Value::Object(stored), Value::Object(new)) => {
                self.object(shown, stored, new)
            }
            (Value::Array(shown), Value::Array(stored), new) if self.are_entries() => match new {
                Value::Array(new) => self.entries(shown, stored, new),
                _ => Err(ViewError::Agents),
            },
            (Value::Array(shown), Value::Array(stored), Value::Array(new)) => self.list(shown, stored, new),
            _ if same_to_a_client(shown, new) => Ok(()),
            _ => {
                self.refuse_placeholders(new)?;
                self.set(new.clone())
            }
        }
    }

    fn list(&mut self, shown: &[Value], stored: &[Value], new: &[Value]) -> Result<(), ViewError> {
        let matching = Matching::of(shown, new);
        if matching.kept.is_empty() && !shown.is_empty() {
            // Nothing stays where it was.
            let mut values = Vec::with_capacity(new.len());
            for (index, value) in new.iter().enumerate() {
                values.push(self.within(Step::Index(index), |diff| {
                    diff.restored(&matching, index, shown, stored, value)
                })?);
            }
            return self.set(Value::Array(values));
        }
        let kept_old: HashSet<usize> = matching.kept.iter().map(|(old, _)| *old).collect();
        let kept_new: HashSet<usize> = matching.kept.iter().map(|(_, new)| *new).collect();
        for index in (0..shown.len()).rev().filter(|index| !kept_old.contains(index)) {
            self.within(Step::Index(index), |diff| {
                diff.push(|path| Edit::Remove { path });
                Ok(())
            })?;
        }
        for (index, value) in new.iter().enumerate().filter(|(index, _)| !kept_new.contains(index)) {
            self.within(Step::Index(index), |diff| {
                let value = diff.restored(&matching, index, shown, stored, value)?;
                diff.push(|path| Edit::Insert { path, value });
                Ok(())
            })?;
        }
        for (old, index) in &matching.kept {
            self.within(Step::Index(*index), |diff| {
                // Without a name, an element of a list that grew or shrank may be another one at the same place.
                let certain = old == index && (shown.len() == new.len() || shown[*old] == new[*index]);
                if !matching.by_id && !certain {
                    diff.refuse_placeholders(&new[*index])?;
                }
                diff.value(&shown[*old], &stored[*old], &new[*index])
            })?;
        }
        Ok(())
    }

    /// An element for a new place, its placeholders filled from the element of the same id.
    fn restored(
        &self,
        matching: &Matching,
        index: usize,
        shown: &[Value],
        stored: &[Value],
        value: &Value,
    ) -> Result<Value, ViewError> {
        match matching.moved.get(&index) {
            Some(old) => self.fill(&shown[*old], &stored[*old], value),
            None => {
                self.refuse_placeholders(value)?;
                Ok(value.clone())
            }
        }
    }

    fn fill(&self, shown: &Value, stored: &Value, new: &Value) -> Result<Value, ViewError> {
        match (shown, stored, new) {
            _ if *shown == *new => Ok(stored.clone()),
            (Value::Object(shown), Value::Object(stored), Value::Object(new)) => {
                let filled = new.iter().map(|(name, value)| {
                    let old = shown.get(name).unwrap_or(&Value::Null);
                    let kept = stored.get(name).unwrap_or(&Value::Null);
                    Ok((name.clone(), self.fill(old, kept, value)?))
                });
                filled.collect::<Result<Map<_, _>, ViewError>>().map(Value::Object)
            }
            (Value::Array(shown), Value::Array(stored), Value::Array(new)) if shown.len() == new.len() => {
                let olds = shown.iter().zip(stored);
                let filled = olds.zip(new).map(|((shown, stored), new)| self.fill(shown, stored, new));
                filled.collect::<Result<Vec<_>, ViewError>>().map(Value::Array)
            }
            _ => {
                self.refuse_placeholders(new)?;
                Ok(new.clone())
            }
        }
    }

    fn are_entries(&self) -> bool {
        self.way == Way::Entries && self.at == [Step::Key("agents".to_owned()), Step::Key("list".to_owned())]
    }

    /// The list of agents of a file that has them by id. The order is the file's.
    fn entries(&mut self, shown: &[Value], stored: &[Value], new: &[Value]) -> Result<(), ViewError> {
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
            &mut self.at,
            vec![Step::Key("agents".to_owned()), Step::Key("entries".to_owned())],
        );
        self.object(&shown, &stored, &new)?;
        self.at = list;
        Ok(())
    }

    fn within<T>(
        &mut self,
        step: Step,
        act: impl FnOnce(&mut Self) -> Result<T, ViewError>,
    ) -> Result<T, ViewError> {
        self.at.push(step);
        let result = act(self);
        self.at.pop();
        result
    }

    fn set(&mut self, value: Value) -> Result<(), ViewError> {
        self.push(|path| Edit::Set { path, value });
        Ok(())
    }

    fn push(&mut self, edit: impl FnOnce(Path) -> Edit) {
        let steps = if self.are_entries() {
            vec![Step::Key("agents".to_owned()), Step::Key("entries".to_owned())]
        } else {
            self.at.clone()
        };
        self.edits.extend(Path::from_steps(steps).map(edit));
    }

    /// A placeholder may not stand where nothing was hidden.
    fn refuse_placeholders(&self, value: &Value) -> Result<(), ViewError> {
        let Some(below) = placeholder_in(value) else { return Ok(()) };
        let steps = self.at.iter().cloned().chain(below).collect();
        let path = Path::from_steps(steps).map(|path| path.to_string()).unwrap_or_default();
        Err(ViewError::Placeholder { path })
    }
}

/// Where the first placeholder in a value is.
fn placeholder_in(value: &Value) -> Option<Vec<Step>> {
    let below = |step: Step, value: &Value| {
        placeholder_in(value).map(|mut steps| {
            steps.insert(0, step);
            steps
        })
    };
    match value {
        Value::String(text) => (text == REDACTED).then(Vec::new),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(index, item)| below(Step::Index(index), item))
        }
        Value::Object(members) => {
            members.iter().find_map(|(name, value)| below(Step::Key(name.clone()), value))
        }
        _ => None,
    }
}

/// Whether a client that counts in doubles would send one value back as the other.
fn same_to_a_client(shown: &Value, new: &Value) -> bool {
    match (shown, new) {
        (Value::Number(shown), Value::Number(new)) => shown.as_f64() == new.as_f64(),
        _ => same_value(shown, new),
    }
}

/// Which element of a list became which.
struct Matching {
    /// Old and new index of elements that stay in order; both rise.
    kept: Vec<(usize, usize)>,
    /// New to old index of elements that changed places.
    moved: HashMap<usize, usize>,
    /// Whether elements were matched by what names them, not by where they stand.
    by_id: bool,
}

impl Matching {
    fn of(shown: &[Value], new: &[Value]) -> Self {
        match (names(shown), names(new)) {
            (Some(old), Some(names)) => Self::by_name(&old, &names),
            _ => Self::by_place(shown, new),
        }
    }

    fn by_name(old: &[&str], new: &[&str]) -> Self {
        let places: HashMap<&str, usize> = old.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        let matched: Vec<(usize, usize)> =
            new.iter().enumerate().filter_map(|(at, name)| places.get(name).map(|old| (*old, at))).collect();
        let kept = longest_rising(&matched);
        let in_order: HashSet<usize> = kept.iter().map(|(_, new)| *new).collect();
        let moved = matched
            .iter()
            .filter(|(_, new)| !in_order.contains(new))
            .map(|(old, new)| (*new, *old))
            .collect();
        Self { kept, moved, by_id: true }
    }

    /// What is equal at the beginning and at the end, and what is between place by place.
    fn by_place(shown: &[Value], new: &[Value]) -> Self {
        let most = shown.len().min(new.len());
        let same = |(old, new): &(&Value, &Value)| same_value(old, new);
        let head = shown.iter().zip(new).take_while(same).count();
        let tail = shown.iter().rev().zip(new.iter().rev()).take(most - head).take_while(same).count();
        let mut kept: Vec<(usize, usize)> = (0..most - tail).map(|at| (at, at)).collect();
        kept.extend((0..tail).rev().map(|at| (shown.len() - 1 - at, new.len() - 1 - at)));
        Self { kept, moved: HashMap::new(), by_id: false }
    }
}

/// What names each element: its `id`, or itself where it is a string. None when an element has no name, or two
/// have the same.
fn names(list: &[Value]) -> Option<Vec<&str>> {
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

/// The longest part of the pairs, which rise in the second, that rises in the first as well.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends[n]` is the pair that ends the best run of n + 1 pairs; `before` chains each pair to the one before it.
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
