//! Scan reports: the output of `tarsus skills scan --json`, on the wire, and in Studio.
//!
//! Positions are lines and columns of the file on disk. Excerpts are short, contain no secrets and are safe to print.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::Capability;

/// Result of scanning a folder or a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScanReport {
    /// The scanned path, as given.
    pub path: String,
    /// The verdict.
    pub verdict: ScanVerdict,
    /// SHA-256 of the names and contents of all files.
    pub hash: String,
    /// SHA-256 of the rules and of the code that applies them.
    pub ruleset: String,
    /// Capabilities that its texts and programs use, in the order of [`Capability::ALL`].
    pub uses: Vec<CapabilityUse>,
    /// Findings: the most serious first, then by file and position.
    pub findings: Vec<Finding>,
}

/// A capability that a skill uses, with the first evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CapabilityUse {
    /// The capability.
    pub capability: Capability,
    /// Path below the folder, with `/`.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Excerpt of at most 160 characters, with secrets masked.
    pub excerpt: String,
    /// Number of further files with evidence.
    pub more: u32,
}

/// Verdict of a scan; the greatest is the most serious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScanVerdict {
    /// Nothing to review.
    Clean,
    /// Loads after approval, with a warning.
    Warning,
    /// Does not load.
    Blocked,
}

/// Severity of a finding; the greatest is the most serious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information, shown on request.
    Info,
    /// Should be reviewed.
    Warning,
    /// Blocks the skill.
    Critical,
}

/// Kind of harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Overrides the agent's instructions.
    PromptInjection,
    /// Imitates something outside the skill: a tag, a message, a tool result, a signature.
    BoundarySpoofing,
    /// Claims more priority or trust than a skill has.
    CapabilityInflation,
    /// Makes the user install something unnecessary.
    FakePrerequisite,
    /// Runs code from a remote server.
    RemoteExecution,
    /// Hides the code that is run.
    Obfuscation,
    /// Sends private data away.
    Exfiltration,
    /// Reads keys, passwords, wallets.
    Credentials,
    /// Persists after the task: start-up files, schedules, the agent's own files.
    Persistence,
    /// Gains privileges or disables protection.
    Privilege,
    /// Deletes or corrupts data.
    Destructive,
    /// Opens a remote shell.
    ReverseShell,
    /// Mines cryptocurrency.
    Miner,
    /// Installs packages from untrusted sources.
    SupplyChain,
    /// Contains a real key.
    Secrets,
    /// Contains invisible text.
    HiddenText,
    /// A file that cannot be scanned, or whose type is disguised.
    Files,
    /// Uses a capability that it does not declare.
    CapabilityMismatch,
}

/// The part of a file that contains a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Segment {
    /// The frontmatter.
    Frontmatter,
    /// A heading.
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
    /// The title of a link, shown only on hover.
    LinkTitle,
    /// The alternative text of a picture.
    AltText,
    /// A comment.
    Comment,
    /// A hidden element.
    Hidden,
    /// Text after a very long gap.
    Padding,
    /// A program file.
    Script,
    /// The file as a whole.
    File,
}

/// An encoding that hides a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// Base64 text.
    Base64,
    /// Hexadecimal digits.
    Hex,
    /// `\x41`, `\u0041`, `\101`.
    Escapes,
    /// `%41`.
    Percent,
    /// `&#65;`.
    Entities,
    /// Character codes.
    CharacterCodes,
    /// Strings joined at run time.
    JoinedText,
    /// Written backwards.
    Reversed,
    /// ROT13 text.
    Rot13,
    /// Compressed data.
    Gzip,
    /// Invisible Unicode tag characters.
    TagCharacters,
    /// Invisible Unicode variation selectors.
    VariationSelectors,
}

/// Reason for lowering the severity: the text mentions something rather than doing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mention {
    /// In quotation marks or a block quote.
    Quoted,
    /// In a table.
    Tabulated,
    /// The preceding words warn against it.
    Negated,
    /// The section explains what to avoid.
    Explained,
    /// In a test fixture.
    Fixture,
    /// The skill is a security tool.
    SecurityTool,
}

/// Reason for raising the severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Raised {
    /// In a decoded layer.
    Decoded,
    /// Next to a finding of another category.
    Combined,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Id of the rule.
    pub rule: String,
    /// Short title.
    pub title: String,
    /// Severity here.
    pub severity: Severity,
    /// Severity of the rule by itself.
    pub base_severity: Severity,
    /// Kind of harm.
    pub category: Category,
    /// Entry of OWASP's Agentic Skills Top 10.
    pub owasp: String,
    /// Path below the folder, with `/`.
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
    /// Decoded layers, the outermost first.
    pub layers: Vec<Layer>,
    /// Excerpt of at most 160 characters, with secrets masked.
    pub excerpt: String,
    /// Explanation of the risk.
    pub why: String,
    /// How to fix it.
    pub fix: String,
    /// Reasons for lowering the severity.
    pub lowered_by: Vec<Mention>,
    /// Reasons for raising the severity.
    pub raised_by: Vec<Raised>,
    /// Number of further findings of the rule in this file.
    pub more: u32,
    /// Identity of the finding: stable while the text moves within its file.
    pub fingerprint: String,
    /// Whether the owner accepted the rule for this content, so that it does not affect the verdict.
    pub accepted: bool,
}
