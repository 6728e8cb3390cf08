//! What every surface reports about a look into a skill's files: `tarsus skills scan --json`, the gateway, the page.
//!
//! Promises: places are lines and columns of the file as it is on disk; an excerpt is short, holds no secret and is safe
//! to print. Leaves to others: looking into files (`scan`), and how findings look to people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::Capability;

/// What a look into one folder or text found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanReport {
    /// What was looked at, as it was named.
    pub path: String,
    /// What follows from it.
    pub verdict: ScanVerdict,
    /// SHA-256 over the names and bytes of all files.
    pub hash: String,
    /// SHA-256 over the rules that were asked, and over the code that asks them.
    pub ruleset: String,
    /// What its texts and programs use, in the order of [`Capability::ALL`].
    pub uses: Vec<CapabilityUse>,
    /// The most serious first, then by file and place.
    pub findings: Vec<Finding>,
}

/// A capability that a skill uses, with the first place that shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CapabilityUse {
    /// The capability.
    pub capability: Capability,
    /// The file, below the folder, with `/`.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The text, at most 160 characters, secrets masked.
    pub excerpt: String,
    /// Further files that show it, which are not listed.
    pub more: u32,
}

/// What follows from the findings; the greatest is the most serious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScanVerdict {
    /// Nothing that a person has to look at.
    Clean,
    /// It loads, marked, after one yes.
    Warning,
    /// It does not load.
    Blocked,
}

/// How serious a finding is; the greatest is the most serious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; shown only when asked for.
    Info,
    /// Somebody should look at it.
    Warning,
    /// Blocks.
    Critical,
}

/// The kind of harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Takes the agent away from its own rules.
    PromptInjection,
    /// Pretends to be something around the skill: a tag, a message, a tool's answer, a seal.
    BoundarySpoofing,
    /// Claims more attention or trust than a skill has.
    CapabilityInflation,
    /// Makes the person install something that the skill does not need.
    FakePrerequisite,
    /// Runs what somebody else serves.
    RemoteExecution,
    /// Hides what is run.
    Obfuscation,
    /// Sends away what is not its own.
    Exfiltration,
    /// Reads keys, passwords, wallets.
    Credentials,
    /// Stays after the task: start-up files, schedules, the agent's own files.
    Persistence,
    /// Takes rights or switches protection off.
    Privilege,
    /// Deletes or spoils.
    Destructive,
    /// Gives somebody else a shell.
    ReverseShell,
    /// Computes for somebody else.
    Miner,
    /// Installs from where nobody looks.
    SupplyChain,
    /// Holds a real key.
    Secrets,
    /// Holds text that people do not see.
    HiddenText,
    /// A file that cannot be looked into, or is not what it says.
    Files,
    /// Uses something else than it declares.
    CapabilityMismatch,
}

/// The part of a file that a finding is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Segment {
    /// The block of settings at the top.
    Frontmatter,
    /// A title.
    Heading,
    /// Running text and lists.
    Prose,
    /// A table.
    Table,
    /// A block quote.
    Quote,
    /// A fenced block.
    Code,
    /// Code inside a sentence.
    InlineCode,
    /// The title of a link, shown only under a pointer.
    LinkTitle,
    /// The text that stands for a picture.
    AltText,
    /// A comment.
    Comment,
    /// An element that is not shown.
    Hidden,
    /// What stands behind so much emptiness that nobody scrolls to it.
    Padding,
    /// A file that is a program.
    Script,
    /// The file as a whole.
    File,
}

/// How a text was hidden from a plain reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// Base64.
    Base64,
    /// Hexadecimal digits.
    Hex,
    /// `\x41`, `\u0041`, `\101`.
    Escapes,
    /// `%41`.
    Percent,
    /// `&#65;`.
    Entities,
    /// Numbers of characters.
    CharacterCodes,
    /// Pieces of text that are put together when the program runs.
    JoinedText,
    /// Written backwards.
    Reversed,
    /// Letters moved by thirteen.
    Rot13,
    /// Compressed.
    Gzip,
    /// Unicode tag characters, which nobody sees.
    TagCharacters,
    /// Unicode variation selectors, which nobody sees.
    VariationSelectors,
}

/// Why a finding counts for less: the text speaks of something rather than doing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mention {
    /// It stands in quotation marks or a block quote.
    Quoted,
    /// It stands in a table.
    Tabulated,
    /// The words before it warn of it.
    Negated,
    /// The section is about what to look out for.
    Explained,
    /// The file is a test's.
    Fixture,
    /// The skill says that it looks for such things.
    SecurityTool,
}

/// Why a finding counts for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Raised {
    /// It was in a decoded layer.
    Decoded,
    /// Another finding of another telling kind stands beside it.
    Combined,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The rule's id.
    pub rule: String,
    /// What was found, in a few words.
    pub title: String,
    /// How serious it is here.
    pub severity: Severity,
    /// How serious the rule is by itself.
    pub base_severity: Severity,
    /// The kind of harm.
    pub category: Category,
    /// The entry of OWASP's Agentic Skills Top 10.
    pub owasp: String,
    /// The file, below the folder, with `/`.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Line of the end, from 1.
    pub end_line: u32,
    /// Column behind the last character, from 1.
    pub end_column: u32,
    /// The part of the file.
    pub segment: Segment,
    /// What had to be decoded to see it, the outermost first.
    pub layers: Vec<Layer>,
    /// The text, at most 160 characters, secrets masked.
    pub excerpt: String,
    /// Why it matters.
    pub why: String,
    /// What to do.
    pub fix: String,
    /// Why it counts for less than its rule.
    pub lowered_by: Vec<Mention>,
    /// Why it counts for more than its rule.
    pub raised_by: Vec<Raised>,
    /// Further places of the same rule in this file, which are not listed.
    pub more: u32,
    /// The same for the same text in the same file, wherever it moves.
    pub fingerprint: String,
    /// Whether a person has accepted the rule for exactly these files: it does not count for the verdict.
    pub accepted: bool,
}
