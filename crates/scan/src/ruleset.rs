//! Rules that can be asked. The automaton of their hints is made for the first text, each pattern when it is first asked.
//!
//! Promises: having a ruleset and asking for its hash compiles nothing; the hash changes with every byte of this crate,
//! and so with anything that changes what is found. Leaves to others: what the rules say (`rules`), and where they are asked (`document`).

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};

use crate::hosts::addresses;
use crate::rule::{Family, How, Patterns, Rule};
use crate::rules::FAMILIES;

/// SHA-256 over the sources of this crate: whatever decides what is found, rules and code alike.
const HASH: &str = env!("TARSUS_SCAN_HASH");

/// Rules, ready to be asked.
#[derive(Debug)]
pub struct Ruleset {
    entries: Vec<Entry>,
    hints: OnceLock<Option<Hints>>,
}

impl Ruleset {
    /// The rules that Tarsus brings along.
    #[must_use]
    pub fn bundled() -> Self {
        Self { entries: bundled().map(Entry::of).collect(), hints: OnceLock::new() }
    }

    /// Changes with anything that changes what is found.
    #[must_use]
    pub fn hash(&self) -> &'static str {
        HASH
    }

    /// The rules with their families, in order.
    pub fn rules(&self) -> impl Iterator<Item = (&'static Family, &'static Rule)> + '_ {
        self.entries.iter().map(|entry| (entry.family, entry.rule))
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Calls with the rule, the list and the place of each word that stands in a text, in order of their ends.
    pub(crate) fn hinted(&self, text: &str, mut each: impl FnMut(usize, List, usize)) {
        let Some(hints) = self.hints.get_or_init(|| Hints::of(&self.entries)) else { return };
        for found in hints.words.find_overlapping_iter(text) {
            let (rule, list) = hints.owners[found.pattern().as_usize()];
            each(usize::from(rule), list, found.start());
        }
    }
}

/// Every bundled rule with its family.
pub(crate) fn bundled() -> impl Iterator<Item = (&'static Family, &'static Rule)> {
    FAMILIES.iter().flat_map(|family| family.rules.iter().map(move |rule| (*family, rule)))
}

/// A rule's list that a word belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Hints = 1,
    With = 2,
}

/// All words as one automaton.
#[derive(Debug)]
struct Hints {
    words: AhoCorasick,
    /// Which entry a word belongs to, and there which list.
    owners: Vec<(u16, List)>,
}

impl Hints {
    fn of(entries: &[Entry]) -> Option<Self> {
        let (mut words, mut owners) = (Vec::<&str>::new(), Vec::new());
        for (number, entry) in (0_u16..).zip(entries) {
            let Some(patterns) = entry.rule.how.patterns() else { continue };
            for (list, of_list) in [(List::Hints, patterns.hints), (List::With, patterns.with)] {
                words.extend(of_list);
                owners.extend(of_list.iter().map(|_| (number, list)));
            }
        }
        Some(Self { words: AhoCorasick::new(words).ok()?, owners })
    }
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub family: &'static Family,
    pub rule: &'static Rule,
    all: Vec<Lazy>,
    within: Vec<Lazy>,
    unless: Vec<Lazy>,
    leads_to: Vec<Lazy>,
    unless_to: Vec<Lazy>,
}

impl Entry {
    fn of((family, rule): (&'static Family, &'static Rule)) -> Self {
        let lazy = |sources: &'static [&'static str]| sources.iter().copied().map(Lazy::new).collect();
        let of = |list: fn(Patterns) -> &'static [&'static str]| rule.how.patterns().map(list).map(lazy);
        let lists: [fn(Patterns) -> &'static [&'static str]; 5] = [
            |patterns| patterns.all,
            |patterns| patterns.within,
            |patterns| patterns.unless,
            |patterns| patterns.leads_to,
            |patterns| patterns.unless_to,
        ];
        let [all, within, unless, leads_to, unless_to] = lists.map(|list| of(list).unwrap_or_default());
        Self { family, rule, all, within, unless, leads_to, unless_to }
    }

    /// Whether it shows a use and is no finding.
    pub fn is_use(&self) -> bool {
        matches!(self.rule.how, How::Use(..))
    }

    /// The first match of the first pattern in a part that the rule is for, when the others match as well.
    pub fn find(&self, text: &[u8], fits: impl Fn(Range<usize>) -> bool) -> Option<Range<usize>> {
        let (first, others) = self.all.split_first()?;
        let place = first.get()?.find_iter(text).find(|found| {
            fits(found.range())
                && self.within.iter().all(|within| within.matches(found.as_bytes()))
                && !self.unless.iter().any(|unless| unless.matches(found.as_bytes()))
                && self.leads(found.as_bytes())
        })?;
        others.iter().all(|other| other.matches(text)).then(|| place.range())
    }

    /// Whether a stretch leads where the rule is about. One without an address may lead anywhere.
    fn leads(&self, stretch: &[u8]) -> bool {
        if self.leads_to.is_empty() && self.unless_to.is_empty() {
            return true;
        }
        let mut addresses = addresses(stretch).peekable();
        if addresses.peek().is_none() {
            return self.leads_to.is_empty();
        }
        addresses.any(|address| {
            self.leads_to.iter().all(|pattern| pattern.matches(address))
                && !self.unless_to.iter().any(|pattern| pattern.matches(address))
        })
    }
}

/// A pattern that is compiled when it is first asked. One that cannot be compiled would be a mistake in a rule's file,
/// which a test finds; it matches nothing.
#[derive(Debug)]
pub(crate) struct Lazy {
    source: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Lazy {
    pub const fn new(source: &'static str) -> Self {
        Self { source, compiled: OnceLock::new() }
    }

    pub fn get(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(self.source).ok()).as_ref()
    }

    pub fn matches(&self, text: &[u8]) -> bool {
        self.get().is_some_and(|pattern| pattern.is_match(text))
    }
}

/// Patterns see bytes: lower-case text whose letters beyond ASCII are few.
pub(crate) fn compile(source: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source).unicode(false).size_limit(4 << 20).dfa_size_limit(4 << 20).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_compiled_before_the_first_text() {
        let rules = Ruleset::bundled();
        assert_eq!(rules.hash().len(), 64);
        assert!(rules.hints.get().is_none());
        assert!(rules.entries.iter().all(|entry| entry.all.iter().all(|lazy| lazy.compiled.get().is_none())));
    }
}
