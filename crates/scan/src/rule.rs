//! The data model of rules. A rule carries texts that it must flag and texts that it must not.

use tarsus_protocol::capability::Capability;
use tarsus_protocol::scan::{Category, Segment, Severity};

use crate::inventory::FileAnomaly;

/// Rules about one category of harm.
#[derive(Debug, Clone, Copy)]
pub struct RuleFamily {
    /// The category of its findings.
    pub category: Category,
    /// The entry of OWASP's Agentic Skills Top 10.
    pub owasp: &'static str,
    /// Advice for the owner.
    pub fix: &'static str,
    /// The rules of the family.
    pub rules: &'static [Rule],
}

/// One rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Stable: the meaning of an id never changes.
    pub id: &'static str,
    /// A short title.
    pub title: &'static str,
    /// The severity without context.
    pub severity: Severity,
    /// An explanation for the owner.
    pub why: &'static str,
    /// Overrides the family's OWASP entry.
    pub owasp: Option<&'static str>,
    /// The method of detection.
    pub how: Detection,
    /// The effect of a mere mention.
    pub mention: MentionPolicy,
    /// Texts that must be flagged.
    pub flags: &'static [&'static str],
    /// Texts that must not be flagged.
    pub passes: &'static [&'static str],
}

/// The method by which a rule detects something.
#[derive(Debug, Clone, Copy)]
pub enum Detection {
    /// Patterns over the normalized text.
    Text(Patterns),
    /// Patterns that show the use of a capability; not a finding by itself.
    Use(Capability, Patterns),
    /// An order in a skill's name or description.
    Order,
    /// A property that normalization removes.
    InvisibleRun(HiddenTextKind),
    /// A property of the file.
    File(FileAnomaly),
    /// Knowledge from outside the files.
    ContextCheck(ContextCheck),
}

impl Detection {
    /// The patterns, if the method has any.
    #[must_use]
    pub const fn patterns(self) -> Option<Patterns> {
        match self {
            Self::Text(patterns) | Self::Use(_, patterns) => Some(patterns),
            Self::Order | Self::InvisibleRun(_) | Self::File(_) | Self::ContextCheck(_) => None,
        }
    }
}

/// Patterns over the normalized text.
#[derive(Debug, Clone, Copy)]
pub struct Patterns {
    /// The segments in which the first pattern may match.
    pub places: SegmentSet,
    /// The range in which all patterns have to match.
    pub scope: RuleScope,
    /// One of these words must occur before any pattern runs.
    pub hints: &'static [&'static str],
    /// One of these words must occur as well, unless the list is empty.
    pub with: &'static [&'static str],
    /// All must match; the first one gives the position.
    pub all: &'static [&'static str],
    /// All must match inside the first match.
    pub within: &'static [&'static str],
    /// None may match there.
    pub unless: &'static [&'static str],
    /// One of the URLs there matches all of these ...
    pub leads_to: &'static [&'static str],
    /// ... and none of these. A URL next to another one excuses nothing.
    pub unless_to: &'static [&'static str],
    /// An additional check of the first match.
    pub check: AddressCheck,
}

/// A check that a pattern cannot express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressCheck {
    /// No check.
    None,
    /// The URL belongs to an owner that the text hardly mentions otherwise.
    Stranger,
    /// The URL is that of the service named by the skill.
    Own,
    /// The URL is that of another service.
    NotOwn,
    /// The match contains a misspelt well-known name.
    Misspelt,
}

/// A way to hide text from people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenTextKind {
    /// Tag characters or runs of variation selectors.
    UnseenText,
    /// Bidirectional control characters.
    TurnedText,
    /// Invisible characters inside words.
    SplitWords,
    /// Words of two scripts.
    DisguisedWords,
    /// Text far behind blank lines or spaces.
    Padding,
}

/// A check against the other skills and the skill's declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextCheck {
    /// The same name as another skill.
    SameName,
    /// A name one edit away from another skill's.
    NearName,
    /// Uses an undeclared capability.
    Undeclared,
    /// Declares an unused capability.
    Unused,
}

/// The range in which the patterns of a rule match together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleScope {
    /// One paragraph, list, table or fence.
    Block,
    /// From one heading to the next.
    Section,
    /// The whole text.
    Text,
}

/// The effect of a mere mention on a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MentionPolicy {
    /// A critical finding becomes a warning; quotation marks count.
    Sentence,
    /// A critical finding becomes a warning; quotation marks do not count, because commands are written in them.
    Command,
    /// A mention does not change the severity.
    Stays,
}

/// A set of segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentSet(u16);

impl SegmentSet {
    pub(crate) const NOWHERE: Self = Self(0);
    /// All segments.
    pub const ANY: Self = Self(u16::MAX);
    /// Segments that a rendered page does not show.
    pub const HIDDEN: Self =
        Self::from_segments(&[Segment::Comment, Segment::Hidden, Segment::LinkTitle, Segment::AltText]);
    /// Frontmatter only.
    pub const FRONTMATTER: Self = Self::from_segments(&[Segment::Frontmatter]);
    /// Segments with sentences: all except programs and tables.
    pub const SENTENCES: Self = Self::HIDDEN.and(Self::from_segments(&[
        Segment::Frontmatter,
        Segment::Heading,
        Segment::Prose,
        Segment::Quote,
        Segment::InlineCode,
        Segment::Code,
    ]));

    const fn from_segments(segments: &[Segment]) -> Self {
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

    /// Whether the set contains a segment.
    #[must_use]
    pub const fn has(self, segment: Segment) -> bool {
        self.meets(Self::one(segment))
    }

    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}
