//! Rules compiled for use. The automaton of the hints is built for the first text, each pattern on first use.
//!
//! The hash covers every byte of this crate and the list of tools, and so everything that can change the findings.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};

use crate::hosts::addresses;
use crate::rule::{Detection, Patterns, Rule, RuleFamily};
use crate::rules::FAMILIES;

/// SHA-256 over the sources of this crate and the list of tools.
const HASH: &str = env!("TARSUS_SCAN_HASH");

/// Compiled rules.
#[derive(Debug)]
pub struct Ruleset {
    entries: Vec<CompiledRule>,
    hints: OnceLock<Option<HintAutomaton>>,
}

impl Ruleset {
    /// The rules that are part of Tarsus.
    #[must_use]
    pub fn bundled() -> Self {
        Self { entries: bundled().map(CompiledRule::new).collect(), hints: OnceLock::new() }
    }

    /// Changes with anything that can change the findings.
    #[must_use]
    pub fn hash(&self) -> &'static str {
        HASH
    }

    /// The rules with their families, in order.
    pub fn rules(&self) -> impl Iterator<Item = (&'static RuleFamily, &'static Rule)> + '_ {
        self.entries.iter().map(|entry| (entry.family, entry.rule))
    }

    pub(crate) fn entries(&self) -> &[CompiledRule] {
        &self.entries
    }

    /// Calls `each` with the rule, list and offset of every hint in a text, in order of their ends.
    pub(crate) fn hinted(&self, text: &str, mut each: impl FnMut(usize, List, usize)) {
        let Some(hints) = self.hints.get_or_init(|| HintAutomaton::build(&self.entries)) else { return };
        for found in hints.words.find_overlapping_iter(text) {
            let (rule, list) = hints.owners[found.pattern().as_usize()];
            each(usize::from(rule), list, found.start());
        }
    }
}

pub(crate) fn bundled() -> impl Iterator<Item = (&'static RuleFamily, &'static Rule)> {
    FAMILIES.iter().flat_map(|family| family.rules.iter().map(move |rule| (*family, rule)))
}

/// The hint list of a rule that a word belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Hints = 1,
    With = 2,
}

/// All hints in one automaton.
#[derive(Debug)]
struct HintAutomaton {
    words: AhoCorasick,
    /// The rule and list of each word.
    owners: Vec<(u16, List)>,
}

impl HintAutomaton {
    fn build(entries: &[CompiledRule]) -> Option<Self> {
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
pub(crate) struct CompiledRule {
    pub family: &'static RuleFamily,
    pub rule: &'static Rule,
    all: Vec<LazyRegex>,
    within: Vec<LazyRegex>,
    unless: Vec<LazyRegex>,
    leads_to: Vec<LazyRegex>,
    unless_to: Vec<LazyRegex>,
}

impl CompiledRule {
    fn new((family, rule): (&'static RuleFamily, &'static Rule)) -> Self {
        let lazy = |sources: &'static [&'static str]| sources.iter().copied().map(LazyRegex::new).collect();
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

    /// Whether it shows a capability use instead of a finding.
    pub fn is_use(&self) -> bool {
        matches!(self.rule.how, Detection::Use(..))
    }

    /// The first match of the first pattern that passes all conditions.
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

    /// Whether a match contains a URL that the rule is about. Without a URL it may lead anywhere.
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

/// A pattern that is compiled on first use. An invalid pattern matches nothing; a test finds it.
#[derive(Debug)]
pub(crate) struct LazyRegex {
    source: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl LazyRegex {
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

/// Patterns work on bytes: normalized text is mostly ASCII.
pub(crate) fn compile(source: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source).unicode(false).size_limit(4 << 20).dfa_size_limit(4 << 20).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_compiled_lazily() {
        let rules = Ruleset::bundled();
        assert_eq!(rules.hash().len(), 64);
        assert!(rules.hints.get().is_none());
        assert!(rules.entries.iter().all(|entry| entry.all.iter().all(|lazy| lazy.compiled.get().is_none())));
    }
}
