//! One text, normalized and split into blocks, and the rules that match in it.
//!
//! A rule runs only where one of its hints occurs, and at most once for each range: the work is linear in the text.

use std::cell::LazyCell;
use std::ops::Range;

use tarsus_protocol::scan::{Mention, Segment};

use crate::blocks::{Blocks, Format, TextRange};
use crate::hosts::{HostCounts, HostOwner};
use crate::mention;
use crate::name::is_misspelt;
use crate::normalize::{InvisibleKind, InvisibleRun, NormalizedText};
use crate::orders;
use crate::rule::{AddressCheck, Detection, HiddenTextKind, Patterns, RuleScope, SegmentSet};
use crate::ruleset::{CompiledRule, List, Ruleset};

#[derive(Debug)]
pub(crate) struct Document<'a> {
    pub original: &'a str,
    pub normal: NormalizedText,
    pub blocks: Blocks,
    /// Whether the file is test data.
    pub is_fixture: bool,
    /// Where its text is part of every prompt.
    pub in_prompts: InPrompts,
    /// The skill's frontmatter, normalized.
    pub about: Option<&'a str>,
}

/// The part of a text that every prompt contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InPrompts {
    Nothing,
    /// The name and the description of a SKILL.md.
    Description,
    /// All of it, decoded from a description.
    All,
}

/// A match of a rule.
#[derive(Debug)]
pub(crate) struct Hit {
    /// The index of the rule.
    pub rule: usize,
    /// In the original text.
    pub range: Range<usize>,
    pub segment: Segment,
    pub mentions: Vec<Mention>,
}

/// The last range with a hint of a rule, and which of its hint lists matched there.
#[derive(Clone, Copy)]
struct HintState {
    part: usize,
    lists: u8,
}

/// A rule to run on a range.
struct PatternJob {
    rule: usize,
    patterns: Patterns,
    part: Range<usize>,
}

impl<'a> Document<'a> {
    pub fn new(original: &'a str, format: Format, is_fixture: bool, about: Option<&'a str>) -> Self {
        let mut normal = NormalizedText::new(original);
        let blocks = Blocks::parse(&mut normal, format);
        Self { original, normal, blocks, is_fixture, in_prompts: InPrompts::Nothing, about }
    }

    pub fn hits(&self, rules: &Ruleset) -> Vec<Hit> {
        let mut hits = self.pattern_hits(rules);
        for (rule, entry) in rules.entries().iter().enumerate() {
            let (segment, ranges) = match entry.rule.how {
                Detection::Order => (Segment::Frontmatter, self.orders()),
                Detection::InvisibleRun(HiddenTextKind::Padding) => {
                    (Segment::Padding, self.tricks(HiddenTextKind::Padding))
                }
                Detection::InvisibleRun(trick) => (Segment::File, self.tricks(trick)),
                _ => continue,
            };
            hits.extend(ranges.into_iter().map(|range| Hit { rule, range, segment, mentions: Vec::new() }));
        }
        hits
    }

    fn orders(&self) -> Vec<Range<usize>> {
        let text = &self.normal.text;
        let found = match self.in_prompts {
            InPrompts::Nothing => Vec::new(),
            InPrompts::Description => orders::in_frontmatter(text),
            InPrompts::All => orders::in_text(text, 0).into_iter().collect(),
        };
        found.into_iter().map(|range| self.normal.origin(self.original, range)).collect()
    }

    fn pattern_hits(&self, rules: &Ruleset) -> Vec<Hit> {
        let mut used = vec![false; rules.entries().len()];
        let mut hits = Vec::new();
        let hosts = LazyCell::new(|| HostCounts::count(self.normal.text.as_bytes()));
        for job in self.pattern_jobs(rules) {
            let (rule, entry) = (job.rule, &rules.entries()[job.rule]);
            // One place is enough to show a capability use.
            if !used[rule]
                && let Some(hit) = self.ask(entry, job, || &hosts)
            {
                used[rule] = entry.is_use();
                hits.push(hit);
            }
        }
        hits
    }

    /// The rules to run, each once for every range with its hints.
    fn pattern_jobs(&self, rules: &Ruleset) -> Vec<PatternJob> {
        let mut last = vec![HintState { part: usize::MAX, lists: 0 }; rules.entries().len()];
        let mut all = Vec::new();
        let whole = TextRange { range: 0..self.normal.text.len(), segments: SegmentSet::ANY };
        rules.hinted(&self.normal.text, |rule, list, place| {
            let Some(patterns) = rules.entries()[rule].rule.how.patterns() else { return };
            let Some(block) = self.blocks.at(place) else { return };
            let (number, part) = match patterns.scope {
                RuleScope::Block => (block, &self.blocks.blocks[block].part),
                RuleScope::Section => {
                    let section = self.blocks.blocks[block].section;
                    (section, &self.blocks.sections[section])
                }
                RuleScope::Text => (0, &whole),
            };
            if !patterns.places.meets(part.segments) {
                return;
            }
            let seen = &mut last[rule];
            if seen.part != number {
                *seen = HintState { part: number, lists: 0 };
            }
            let wanted = List::Hints as u8 | if patterns.with.is_empty() { 0 } else { List::With as u8 };
            let complete = seen.lists == wanted;
            seen.lists |= list as u8;
            if !complete && seen.lists == wanted {
                all.push(PatternJob { rule, patterns, part: part.range.clone() });
            }
        });
        all
    }

    fn ask<'h>(
        &self,
        entry: &CompiledRule,
        job: PatternJob,
        hosts: impl Fn() -> &'h HostCounts<'h>,
    ) -> Option<Hit> {
        let PatternJob { rule, patterns, part } = job;
        let segment = |place: usize| self.blocks.segment(part.start + place);
        let text = &self.normal.text.as_bytes()[part.clone()];
        let found = entry.find(text, |range| {
            patterns.places.has(segment(range.start))
                && match patterns.check {
                    AddressCheck::None => true,
                    AddressCheck::Stranger => {
                        hosts().owner_of(&text[range], self.about) == HostOwner::Stranger
                    }
                    AddressCheck::Own => hosts().owner_of(&text[range], self.about) == HostOwner::Own,
                    AddressCheck::NotOwn => hosts().owner_of(&text[range], self.about) != HostOwner::Own,
                    AddressCheck::Misspelt => is_misspelt(&text[range]),
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

    fn tricks(&self, trick: HiddenTextKind) -> Vec<Range<usize>> {
        let unseen = |wanted: fn(&InvisibleRun) -> bool| {
            let runs = self.normal.invisible.iter().filter(move |run| wanted(run));
            runs.map(|run| run.range.clone()).collect()
        };
        match trick {
            HiddenTextKind::UnseenText => unseen(|run| match run.kind {
                InvisibleKind::Tags | InvisibleKind::Selectors => run.count >= 4,
                // Two characters can encode any text in bits.
                InvisibleKind::ZeroWidth => run.count >= 16,
                InvisibleKind::Bidi => false,
            }),
            HiddenTextKind::TurnedText => unseen(|run| run.kind == InvisibleKind::Bidi),
            HiddenTextKind::SplitWords => self.split_words().into_iter().collect(),
            HiddenTextKind::DisguisedWords => self.normal.disguised.iter().take(1).cloned().collect(),
            HiddenTextKind::Padding => padding(self.original).into_iter().collect(),
        }
    }

    /// Several invisible characters inside words; a single one may be an editing mistake.
    fn split_words(&self) -> Option<Range<usize>> {
        let inside = |run: &&InvisibleRun| {
            let after = self.original[run.range.end..].chars().next();
            run.kind != InvisibleKind::Bidi
                && run.count > 0
                && after.is_some_and(|next| next.is_ascii_alphanumeric())
        };
        let mut runs = self.normal.invisible.iter().filter(inside);
        let first = runs.next()?;
        runs.nth(1).map(|_| first.range.clone())
    }
}

/// Text after so much white space that readers do not scroll to it.
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

    /// The bytes that patterns run on, for a text with the hints of every rule.
    fn work(times: usize, separator: &str) -> usize {
        let rules = Ruleset::bundled();
        let words = |patterns: Patterns| [patterns.hints, patterns.with].concat().join(" ");
        let hints = rules.rules().filter_map(|(_, rule)| rule.how.patterns().map(words));
        let text = (hints.collect::<Vec<_>>().join("\n") + separator).repeat(times);
        let document = Document::new(&text, Format::Markdown, false, None);
        document.pattern_jobs(&rules).iter().map(|job| job.part.len()).sum()
    }

    #[test]
    fn work_is_linear_in_the_text() {
        for separator in ["\n", "\n\n", "\n# title\n"] {
            let (once, twice) = (work(20, separator), work(40, separator));
            assert!(twice * 10 <= once * 21, "{separator:?}: {once} and {twice}");
        }
    }

    #[test]
    fn padded_text_is_found_at_its_position() {
        let text = format!("a{}é b\nc", "\n".repeat(60));
        assert_eq!(padding(&text).map(|range| text[range].to_owned()), Some("é b".to_owned()));
    }
}
