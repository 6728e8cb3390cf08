//! One text with its plain form and its parts, and what the rules find in it.
//!
//! Promises: each rule is asked only where one of its hints stands, and each part at most once a rule: the work grows
//! with the text. Leaves to others: decoded layers and the verdict (`scanner`).

use std::cell::LazyCell;
use std::ops::Range;

use tarsus_protocol::scan::{Mention, Segment};

use crate::blocks::{Blocks, Format, Part};
use crate::hosts::{Hosts, Whose};
use crate::mention;
use crate::name::misspelt;
use crate::normal::{Normal, Unseen, UnseenKind};
use crate::rule::{Check, How, Patterns, Places, Scope, Trick};
use crate::ruleset::{Entry, List, Ruleset};

/// A text as it is looked at.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    pub original: &'a str,
    pub normal: Normal,
    pub blocks: Blocks,
    /// Whether the file is a test's.
    pub is_fixture: bool,
    /// What the skill says about itself, in its plain form.
    pub about: Option<&'a str>,
}

/// Where a rule holds.
#[derive(Debug)]
pub(crate) struct Hit {
    /// The number of the rule.
    pub rule: usize,
    /// Where, in the original.
    pub range: Range<usize>,
    pub segment: Segment,
    pub mentions: Vec<Mention>,
}

/// The part that a rule's words were seen in last, and which of its lists.
#[derive(Clone, Copy)]
struct Seen {
    part: usize,
    lists: u8,
}

/// A rule and the part that it is asked about.
struct Asked {
    rule: usize,
    patterns: Patterns,
    part: Range<usize>,
}

impl<'a> Document<'a> {
    pub fn new(original: &'a str, format: Format, is_fixture: bool, about: Option<&'a str>) -> Self {
        let mut normal = Normal::of(original);
        let blocks = Blocks::of(&mut normal, format);
        Self { original, normal, blocks, is_fixture, about }
    }

    /// What every rule finds.
    pub fn hits(&self, rules: &Ruleset) -> Vec<Hit> {
        let mut hits = self.pattern_hits(rules);
        for (rule, entry) in rules.entries().iter().enumerate() {
            if let How::Unseen(trick) = entry.rule.how {
                let segment = if trick == Trick::Padding { Segment::Padding } else { Segment::File };
                let hit = |range| Hit { rule, range, segment, mentions: Vec::new() };
                hits.extend(self.tricks(trick).into_iter().map(hit));
            }
        }
        hits
    }

    fn pattern_hits(&self, rules: &Ruleset) -> Vec<Hit> {
        let mut used = vec![false; rules.entries().len()];
        let mut hits = Vec::new();
        let hosts = LazyCell::new(|| Hosts::of(self.normal.text.as_bytes()));
        for asked in self.asked(rules) {
            let (rule, entry) = (asked.rule, &rules.entries()[asked.rule]);
            // One place is enough to show a use.
            if !used[rule]
                && let Some(hit) = self.ask(entry, asked, || &hosts)
            {
                used[rule] = entry.is_use();
                hits.push(hit);
            }
        }
        hits
    }

    /// Which rules are asked about which parts: each that has one of its hints in it, once.
    fn asked(&self, rules: &Ruleset) -> Vec<Asked> {
        let mut last = vec![Seen { part: usize::MAX, lists: 0 }; rules.entries().len()];
        let mut all = Vec::new();
        let whole = Part { range: 0..self.normal.text.len(), holds: Places::ANY };
        rules.hinted(&self.normal.text, |rule, list, place| {
            let Some(patterns) = rules.entries()[rule].rule.how.patterns() else { return };
            let Some(block) = self.blocks.at(place) else { return };
            let (number, part) = match patterns.scope {
                Scope::Block => (block, &self.blocks.blocks[block].part),
                Scope::Section => {
                    let section = self.blocks.blocks[block].section;
                    (section, &self.blocks.sections[section])
                }
                Scope::Text => (0, &whole),
            };
            if !patterns.places.meets(part.holds) {
                return;
            }
            let seen = &mut last[rule];
            if seen.part != number {
                *seen = Seen { part: number, lists: 0 };
            }
            let wanted = List::Hints as u8 | if patterns.with.is_empty() { 0 } else { List::With as u8 };
            let complete = seen.lists == wanted;
            seen.lists |= list as u8;
            if !complete && seen.lists == wanted {
                all.push(Asked { rule, patterns, part: part.range.clone() });
            }
        });
        all
    }

    fn ask<'h>(&self, entry: &Entry, asked: Asked, hosts: impl Fn() -> &'h Hosts<'h>) -> Option<Hit> {
        let Asked { rule, patterns, part } = asked;
        let segment = |place: usize| self.blocks.segment(part.start + place);
        let text = &self.normal.text.as_bytes()[part.clone()];
        let found = entry.find(text, |range| {
            patterns.places.has(segment(range.start))
                && match patterns.check {
                    Check::None => true,
                    Check::Stranger => hosts().whose(&text[range], self.about) == Whose::Stranger,
                    Check::Own => hosts().whose(&text[range], self.about) == Whose::Own,
                    Check::NotOwn => hosts().whose(&text[range], self.about) != Whose::Own,
                    Check::Misspelt => misspelt(&text[range]),
                }
        })?;
        let (start, end) = (part.start + found.start, part.start + found.end);
        Some(Hit {
            rule,
            range: self.normal.origin(self.original, start..end),
            segment: segment(found.start),
            mentions: mention::reasons(self, start, end, entry.rule.mention),
        })
    }

    fn tricks(&self, trick: Trick) -> Vec<Range<usize>> {
        let unseen = |wanted: fn(&Unseen) -> bool| {
            let runs = self.normal.unseen.iter().filter(move |run| wanted(run));
            runs.map(|run| run.range.clone()).collect()
        };
        match trick {
            Trick::UnseenText => unseen(|run| match run.kind {
                UnseenKind::Tags | UnseenKind::Selectors => run.count >= 4,
                // Two characters can spell any text in bits.
                UnseenKind::ZeroWidth => run.count >= 16,
                UnseenKind::Bidi => false,
            }),
            Trick::TurnedText => unseen(|run| run.kind == UnseenKind::Bidi),
            Trick::SplitWords => self.split_words().into_iter().collect(),
            Trick::DisguisedWords => self.normal.disguised.iter().take(1).cloned().collect(),
            Trick::Padding => padding(self.original).into_iter().collect(),
        }
    }

    /// Several invisible characters inside words: one may be a slip of an editor.
    fn split_words(&self) -> Option<Range<usize>> {
        let inside = |run: &&Unseen| {
            let after = self.original[run.range.end..].chars().next();
            run.kind != UnseenKind::Bidi
                && run.count > 0
                && after.is_some_and(|next| next.is_ascii_alphanumeric())
        };
        let mut runs = self.normal.unseen.iter().filter(inside);
        let first = runs.next()?;
        runs.nth(1).map(|_| first.range.clone())
    }
}

/// Text behind so much emptiness that nobody scrolls to it.
fn padding(original: &str) -> Option<Range<usize>> {
    const LINES: usize = 40;
    const SPACES: usize = 200;
    let (mut lines, mut spaces) = (0, 0);
    for (at, character) in original.char_indices() {
        match character {
            '\n' => {
                lines += 1;
                spaces = 0;
            }
            _ if character.is_whitespace() => spaces += 1,
            _ if lines > LINES || spaces > SPACES => {
                let end = original[at..].find('\n').map_or(original.len(), |end| at + end);
                return Some(at..end);
            }
            _ => (lines, spaces) = (0, 0),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many bytes patterns are asked about, for a text in which every rule has its hints.
    fn work(times: usize, separator: &str) -> usize {
        let rules = Ruleset::bundled();
        let words = |patterns: Patterns| [patterns.hints, patterns.with].concat().join(" ");
        let hints = rules.rules().filter_map(|(_, rule)| rule.how.patterns().map(words));
        let text = (hints.collect::<Vec<_>>().join("\n") + separator).repeat(times);
        let document = Document::new(&text, Format::Markdown, false, None);
        document.asked(&rules).iter().map(|asked| asked.part.len()).sum()
    }

    #[test]
    fn twice_the_text_is_twice_the_work() {
        for separator in ["\n", "\n\n", "\n# title\n"] {
            let (once, twice) = (work(20, separator), work(40, separator));
            assert!(twice * 10 <= once * 21, "{separator:?}: {once} and {twice}");
        }
    }

    #[test]
    fn text_far_below_is_found_where_it_stands() {
        let text = format!("a{}é b\nc", "\n".repeat(60));
        assert_eq!(padding(&text).map(|range| text[range].to_owned()), Some("é b".to_owned()));
    }
}
