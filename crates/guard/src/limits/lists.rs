//! Lists of what is allowed, all of which hold.
//!
//! Promises: one more list only narrows; what cannot be read in one allows nothing; no more is kept than was agreed.

use std::collections::BTreeSet;

use serde_json::Value;

/// At most so many entries of all lists of one kind are read.
const MOST_ITEMS: usize = 256;
/// At most so many bytes of an entry.
const LONGEST_ITEM: usize = 512;

/// Lists that hold together; without any there is no limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lists<T>(Vec<BTreeSet<T>>);

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Ord> Lists<T> {
    /// Allows nothing any more.
    pub(super) fn close(&mut self) {
        self.add(BTreeSet::new());
    }

    /// Takes in one more list.
    ///
    /// # Errors
    /// What cannot be read in it; that allows nothing.
    pub(super) fn narrow(
        &mut self,
        value: &Value,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<(), String> {
        let (list, problem) = self.list(value, read);
        self.add(list);
        problem.map_or(Ok(()), |why| Err(format!("{why}: it allows nothing")))
    }

    fn add(&mut self, list: BTreeSet<T>) {
        if !self.0.contains(&list) {
            self.0.push(list);
        }
    }

    fn list(&self, value: &Value, read: impl Fn(&str) -> Result<T, String>) -> (BTreeSet<T>, Option<String>) {
        let mut list = BTreeSet::new();
        let mut problem = None;
        let Value::Array(items) = value else { return (list, Some("not a list".to_owned())) };
        let room = MOST_ITEMS.saturating_sub(self.0.iter().map(BTreeSet::len).sum());
        for item in items.iter().take(room) {
            let entry = match item.as_str().map(str::trim) {
                None => Err("an entry is not a text".to_owned()),
                Some("") => Err("an entry is empty".to_owned()),
                Some(text) if text.len() > LONGEST_ITEM => Err("an entry is too long".to_owned()),
                Some(text) => read(text),
            };
            match entry {
                Ok(entry) => drop(list.insert(entry)),
                Err(why) => problem = problem.or(Some(why)),
            }
        }
        if items.len() > room {
            problem = problem.or(Some(format!("only the first {MOST_ITEMS} entries are read")));
        }
        (list, problem)
    }

    /// Why what a call touches is not on every list; `None` when it is.
    pub(super) fn broken_by<F>(
        &self,
        touched: Option<&[F]>,
        what: &str,
        is: impl Fn(&F, &T) -> bool,
        shown: impl Fn(&F) -> String,
    ) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let listed = |one: &F| self.0.iter().all(|list| list.iter().any(|allowed| is(one, allowed)));
        match touched {
            // A call that touches nothing it could be judged by is one that was not looked at.
            None | Some([]) => Some(format!("which {what} it would use is not known")),
            Some(touched) => {
                let other = touched.iter().find(|one| !listed(one))?;
                Some(format!("{} is not one of its {what}", shown(other)))
            }
        }
    }

    /// In words; nothing when there is no limit.
    pub(super) fn described(&self, shown: impl Fn(&T) -> String) -> Option<String> {
        let only = |list: &BTreeSet<T>| match list.iter().map(&shown).collect::<Vec<_>>() {
            names if names.is_empty() => "nothing".to_owned(),
            names => format!("only {}", names.join(", ")),
        };
        let lists: Vec<String> = self.0.iter().map(only).collect();
        (!lists.is_empty()).then(|| lists.join(", and of these "))
    }
}
