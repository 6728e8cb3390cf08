//! What one SKILL.md says: the skill, its frontmatter, its OpenClaw metadata, and how it may be invoked.
//!
//! Promises: a [`Skill`] always has a name and a description. Leaves to others: where the file lies, whether the skill
//! can be used here, and whether it is safe.

use serde_json::Value;
use tarsus_protocol::DiagnosticCode;

/// What became of one SKILL.md.
#[derive(Debug, Clone, PartialEq)]
pub enum Parsed {
    /// It loads.
    Loaded(Skill),
    /// It does not load as it stands, but a name and a description could be read.
    Degraded(Skill, ParseError),
    /// It does not load, and nothing that could stand for a skill was in it.
    Malformed(ParseError),
}

/// One skill, as its file describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    /// The name: from the frontmatter, else the folder's.
    pub name: String,
    /// Whether the name is the folder's.
    pub name_from_dir: bool,
    /// When to use it: what the model reads to choose.
    pub description: String,
    /// The title for people: the first heading of the body, else the name in title case.
    pub display_name: String,
    /// The slash command before clashes are settled.
    pub slash_base: String,
    /// The frontmatter's top-level fields as text, in the order of the file.
    pub frontmatter: Frontmatter,
    /// The `openclaw` (or `clawdbot`) block of the metadata.
    pub metadata: Option<Box<Metadata>>,
    /// A block under another vendor's name, when there is none of ours.
    pub vendor_metadata: Option<Box<VendorMetadata>>,
    /// Who may invoke it, and how.
    pub invocation: Invocation,
    /// SHA-256 of the file.
    pub content_hash: [u8; 32],
    /// What is odd about it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Skill {
    /// The key of its settings in `skills.entries`: declared, else the name.
    #[must_use]
    pub fn key(&self) -> &str {
        self.metadata.as_ref().and_then(|metadata| metadata.skill_key.as_deref()).unwrap_or(&self.name)
    }

    /// Where to read more: from the metadata, else from the frontmatter.
    #[must_use]
    pub fn homepage(&self) -> Option<&str> {
        let declared = self.metadata.as_ref().and_then(|metadata| metadata.homepage.as_deref());
        declared.or_else(|| self.frontmatter.get("homepage"))
    }
}

/// The frontmatter's top-level fields as text, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frontmatter(pub Vec<(String, String)>);

impl Frontmatter {
    /// A field's text.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, text)| text.as_str())
    }
}

/// What the metadata block declares. Unknown fields are not kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metadata {
    /// Whether every gate but the switch is skipped; `None` when the field is absent.
    pub always: Option<bool>,
    /// A sign for lists.
    pub emoji: Option<String>,
    /// Where to read more.
    pub homepage: Option<String>,
    /// The key of its settings, when it is not the name.
    pub skill_key: Option<String>,
    /// The variable that its one key goes to.
    pub primary_env: Option<String>,
    /// The systems it runs on, as written; `None` when none is named.
    pub os: Option<Vec<String>>,
    /// What it needs; `None` when the field is absent.
    pub requires: Option<Requires>,
    /// How what it needs can be installed.
    pub install: Vec<Install>,
    /// What it declares to use, as written; `guard` gives it meaning.
    pub capabilities: Option<Value>,
    /// What is shown to people and gates nothing.
    pub about: Option<Box<About>>,
}

impl Metadata {
    /// Whether every gate but the switch is skipped.
    #[must_use]
    pub fn is_always(&self) -> bool {
        self.always == Some(true)
    }
}

/// What a skill says about itself that gates nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// How its program is used.
    pub cli_help: Option<String>,
    /// Who made it.
    pub author: Option<String>,
    /// The environment variables that it reads.
    pub env_vars: Vec<EnvVar>,
    /// What it builds on.
    pub dependencies: Vec<Dependency>,
    /// Where to read more.
    pub links: Links,
}

/// An environment variable that a skill says it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvVar {
    /// Its name.
    pub name: String,
    /// Whether it must be set, when that is said.
    pub required: Option<bool>,
    /// What it is for.
    pub description: Option<String>,
}

/// Something that a skill says it builds on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// Its name.
    pub name: String,
    /// What sort of thing it is, as written.
    pub kind: Option<String>,
    /// Which version.
    pub version: Option<String>,
    /// Its page.
    pub url: Option<String>,
    /// Its source.
    pub repository: Option<String>,
}

/// Pages about a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is a field of the file")]
pub struct Links {
    pub homepage: Option<String>,
    pub repository: Option<String>,
    pub documentation: Option<String>,
    pub changelog: Option<String>,
}

/// What a skill needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requires {
    /// Programs, all of them.
    pub bins: Vec<String>,
    /// Programs, one of them.
    pub any_bins: Vec<String>,
    /// Environment variables.
    pub env: Vec<String>,
    /// Paths in `openclaw.json` that must be set.
    pub config: Vec<String>,
}

/// One way to install what a skill needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Install {
    /// Its id, when one is declared.
    pub id: Option<String>,
    /// By what.
    pub kind: InstallKind,
    /// What to say, when declared.
    pub label: Option<String>,
    /// The programs that it brings.
    pub bins: Vec<String>,
    /// The systems it is for; all when empty.
    pub os: Vec<String>,
    /// Fields that its kind does not need, kept as declared.
    pub extra: Option<Box<InstallExtra>>,
}

/// By what something is installed, with what that needs to know. Each text was checked against the kind's own rule.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is a field of the file")]
pub enum InstallKind {
    Brew { formula: String },
    Node { package: String },
    Go { module: String },
    Uv { package: String },
    Download { url: String, sha256: Option<String> },
}

impl InstallKind {
    /// The word in the file.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Brew { .. } => "brew",
            Self::Node { .. } => "node",
            Self::Go { .. } => "go",
            Self::Uv { .. } => "uv",
            Self::Download { .. } => "download",
        }
    }
}

/// What an installer says beside what its kind needs: how a download is unpacked, and what another kind would use.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(missing_docs, reason = "each is a field of the file")]
pub struct InstallExtra {
    pub formula: Option<String>,
    pub module: Option<String>,
    pub url: Option<String>,
    pub archive: Option<String>,
    pub extract: Option<bool>,
    pub strip_components: Option<f64>,
    pub target_dir: Option<String>,
}

/// A metadata block under a name that OpenClaw does not read.
#[derive(Debug, Clone, PartialEq)]
pub struct VendorMetadata {
    /// `moltbot`, `clawdis` or `clawdhub`.
    pub vendor: &'static str,
    /// What it declares.
    pub metadata: Metadata,
}

/// Who may invoke a skill, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// Whether people may, as a slash command.
    pub user_invocable: bool,
    /// Whether the model is not told of it.
    pub disable_model_invocation: bool,
    /// The tool that its slash command goes to without the model.
    pub dispatch: Option<Dispatch>,
}

/// A slash command that goes straight to a tool, with its arguments as they were typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    /// The tool.
    pub tool: String,
}

/// Why a file does not load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// A word for programs, such as `DUPLICATE_KEY`.
    pub code: DiagnosticCode,
    /// What OpenClaw's loader says.
    pub message: String,
    /// The line of the file, when there is one.
    pub line: Option<u32>,
    /// The names of the frontmatter's fields, when there is no skill to hold them.
    pub keys: Vec<String>,
    /// What else is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// Something odd that does not keep a skill from loading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// A word for programs.
    pub code: DiagnosticCode,
    /// What it is, and what to do about it.
    pub message: String,
    /// The line of the file, when there is one.
    pub line: Option<u32>,
}
