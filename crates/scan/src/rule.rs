//! What a rule is: data that says what to look for, where, and how much it counts.
//!
//! Promises: a rule is written in one place with texts that it must flag and must not. Leaves to others: making
//! something that can be asked out of it (`ruleset`), and the rules themselves (`rules`).

use tarsus_protocol::capability::Capability;
use tarsus_protocol::scan::{Category, Segment, Severity};

use crate::inventory::Oddity;

/// Rules about one kind of harm.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// The kind of harm.
    pub category: Category,
    /// The entry of OWASP's Agentic Skills Top 10.
    pub owasp: &'static str,
    /// What to do about a finding.
    pub fix: &'static str,
    /// The rules.
    pub rules: &'static [Rule],
}

/// One rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its id, which never changes its meaning.
    pub id: &'static str,
    /// What was found, in a few words.
    pub title: &'static str,
    /// How serious it is by itself.
    pub severity: Severity,
    /// Why it matters.
    pub why: &'static str,
    /// The entry of OWASP's list, where it is another one than the family's.
    pub owasp: Option<&'static str>,
    /// How it is found.
    pub how: How,
    /// Whether text that only speaks of it counts for less.
    pub mention: OnMention,
    /// Texts that it must flag.
    pub flags: &'static [&'static str],
    /// Texts that it must not flag.
    pub passes: &'static [&'static str],
}

/// How a rule finds something.
#[derive(Debug, Clone, Copy)]
pub enum How {
    /// By patterns over the plain form of a text.
    Text(Patterns),
    /// By patterns, too, but it shows what a skill uses and is no finding by itself.
    Use(Capability, Patterns),
    /// By something that the text's plain form has lost.
    Unseen(Trick),
    /// By what a file is.
    File(Oddity),
    /// By what is known from elsewhere.
    Outside(Outside),
}

impl How {
    /// The patterns, when it has some.
    #[must_use]
    pub const fn patterns(self) -> Option<Patterns> {
        match self {
            Self::Text(patterns) | Self::Use(_, patterns) => Some(patterns),
            Self::Unseen(_) | Self::File(_) | Self::Outside(_) => None,
        }
    }
}

/// Patterns over the plain form of a text.
#[derive(Debug, Clone, Copy)]
pub struct Patterns {
    /// The parts of a text that the first pattern may match in.
    pub places: Places,
    /// What all patterns have to match in.
    pub scope: Scope,
    /// Words of which one has to be there before any pattern is asked.
    pub hints: &'static [&'static str],
    /// Words of which one has to be there as well; none when the hints are enough.
    pub with: &'static [&'static str],
    /// All of these match; the first one says where.
    pub all: &'static [&'static str],
    /// All of these match in what the first one matched.
    pub within: &'static [&'static str],
    /// None of these matches there.
    pub unless: &'static [&'static str],
    /// One of the addresses there matches all of these...
    pub leads_to: &'static [&'static str],
    /// ... and none of these. An address that only stands beside another one excuses nothing.
    pub unless_to: &'static [&'static str],
    /// What else has to hold for what the first one matched.
    pub check: Check,
}

/// What a pattern cannot say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Nothing else.
    None,
    /// Its address belongs to somebody of whom the text hardly speaks otherwise.
    Stranger,
    /// Its address is that of the service which the skill's name or description names.
    Own,
    /// Its address is another one.
    NotOwn,
    /// A name in it is that of something well known, but for a slip.
    Misspelt,
}

/// What nobody sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trick {
    /// Tag characters or runs of variation selectors.
    UnseenText,
    /// Characters that turn the direction of reading.
    TurnedText,
    /// Invisible characters inside words.
    SplitWords,
    /// Words of two scripts.
    DisguisedWords,
    /// Text far behind blank lines or spaces.
    Padding,
}

/// What is only known when a skill stands among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// It has the name of another one.
    SameName,
    /// Its name is another one's but for a slip.
    NearName,
    /// It uses what it does not declare.
    Undeclared,
    /// It declares what it does not use.
    Unused,
}

/// How far apart the patterns of a rule may match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One paragraph, list, table, fence.
    Block,
    /// From one heading to the next.
    Section,
    /// The whole text.
    Text,
}

/// What text that only speaks of something does to a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnMention {
    /// A critical finding becomes a warning; quotation marks count.
    Sentence,
    /// A critical finding becomes a warning; quotation marks do not count, because commands are written in them.
    Command,
    /// Nothing.
    Stays,
}

/// A set of parts of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places(u16);

impl Places {
    pub(crate) const NOWHERE: Self = Self(0);
    /// Everywhere.
    pub const ANY: Self = Self(u16::MAX);
    /// Only what is not shown on a page.
    pub const HIDDEN: Self =
        Self::of(&[Segment::Comment, Segment::Hidden, Segment::LinkTitle, Segment::AltText]);
    /// The block of settings at the top.
    pub const FRONTMATTER: Self = Self::of(&[Segment::Frontmatter]);
    /// Sentences, wherever they can stand: everything but programs and tables.
    pub const SENTENCES: Self = Self::HIDDEN.and(Self::of(&[
        Segment::Frontmatter,
        Segment::Heading,
        Segment::Prose,
        Segment::Quote,
        Segment::InlineCode,
        Segment::Code,
    ]));

    const fn of(segments: &[Segment]) -> Self {
        let (mut set, mut at) = (Self(0), 0);
        while at < segments.len() {
            set = set.and(Self::one(segments[at]));
            at += 1;
        }
        set
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn one(segment: Segment) -> Self {
        Self(1 << segment as u16)
    }

    /// Whether a part belongs to the set.
    #[must_use]
    pub const fn has(self, segment: Segment) -> bool {
        self.meets(Self::one(segment))
    }

    /// Whether a part belongs to both sets.
    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}
