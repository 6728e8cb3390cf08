//! Allow lists that are intersected.
//!
//! Another list only narrows, an unreadable entry allows nothing, and the number of entries is bounded.

use std::collections::BTreeSet;

use serde_json::Value;

/// Entries that are read of all lists of one kind.
const MAX_ITEMS: usize = 256;
const MAX_ITEM_BYTES: usize = 512;

/// Lists that all apply; without any list there is no limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AllowLists<T>(Vec<BTreeSet<T>>);

impl<T> Default for AllowLists<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Ord> AllowLists<T> {
    /// Adds an empty list, which allows nothing.
    pub(super) fn close(&mut self) {
        self.add(BTreeSet::new());
    }

    /// Adds a list.
    ///
    /// # Errors
    /// If an entry cannot be read; that entry allows nothing.
    pub(super) fn narrow(
        &mut self,
        value: &Value,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<(), String> {
        let (list, problem) = self.parse_list(value, read);
        self.add(list);
        problem.map_or(Ok(()), |why| Err(format!("{why}: it allows nothing")))
    }

    fn add(&mut self, list: BTreeSet<T>) {
        if !self.0.contains(&list) {
            self.0.push(list);
        }
    }

    fn parse_list(
        &self,
        value: &Value,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> (BTreeSet<T>, Option<String>) {
        let mut list = BTreeSet::new();
        let mut problem = None;
        let Value::Array(items) = value else { return (list, Some("not a list".to_owned())) };
        let room = MAX_ITEMS.saturating_sub(self.0.iter().map(BTreeSet::len).sum());
        for item in items.iter().take(room) {
            let entry = match item.as_str().map(str::trim) {
                None => Err("an entry is not a text".to_owned()),
                Some("") => Err("an entry is empty".to_owned()),
                Some(text) if text.len() > MAX_ITEM_BYTES => Err("an entry is too long".to_owned()),
                Some(text) => read(text),
            };
            match entry {
                Ok(entry) => drop(list.insert(entry)),
                Err(why) => problem = problem.or(Some(why)),
            }
        }
        if items.len() > room {
            problem = problem.or(Some(format!("only the first {MAX_ITEMS} entries are read")));
        }
        (list, problem)
    }

    /// Returns why something that a call touches is not on every list; `None` if all is.
    pub(super) fn violation<F>(
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
            // An empty list of facts means that the call was not analysed.
            None | Some([]) => Some(format!("which {what} it would use is not known")),
            Some(touched) => {
                let other = touched.iter().find(|one| !listed(one))?;
                Some(format!("{} is not one of its {what}", shown(other)))
            }
        }
    }

    /// Describes the lists; `None` if there is no limit.
    pub(super) fn description(&self, shown: impl Fn(&T) -> String) -> Option<String> {
        let only = |list: &BTreeSet<T>| match list.iter().map(&shown).collect::<Vec<_>>() {
            names if names.is_empty() => "nothing".to_owned(),
            names => format!("only {}", names.join(", ")),
        };
        let lists: Vec<String> = self.0.iter().map(only).collect();
        (!lists.is_empty()).then(|| lists.join(", and of these "))
    }
}
