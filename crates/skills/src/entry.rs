//! The contents of one SKILL.md: name, description, frontmatter, metadata and invocation.
//!
//! A [`Skill`] always has a name and a description.

use serde_json::Value;
use tarsus_protocol::DiagnosticCode;

/// The result of parsing one SKILL.md.
#[derive(Debug, Clone, PartialEq)]
pub enum Parsed {
    /// The file loads.
    Loaded(Skill),
    /// The file does not load, but a name and a description could be read.
    Degraded(Skill, ParseError),
    /// The file does not load, and holds no name and description.
    Malformed(ParseError),
}

/// A skill, as described by its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    /// Name from the frontmatter, else that of the folder.
    pub name: String,
    /// Whether the name is that of the folder.
    pub name_from_dir: bool,
    /// When to use the skill; the model chooses by this.
    pub description: String,
    /// Title: the first heading of the body, else the name in title case.
    pub display_name: String,
    /// Preferred slash command.
    pub slash_base: String,
    /// The top-level fields.
    pub frontmatter: Frontmatter,
    /// The `openclaw` (or `clawdbot`) block of the metadata.
    pub metadata: Option<Box<Metadata>>,
    /// The metadata of another vendor, if there is no `openclaw` block.
    pub vendor_metadata: Option<Box<VendorMetadata>>,
    /// How it can be invoked.
    pub invocation: Invocation,
    /// SHA-256 of the file.
    pub content_hash: [u8; 32],
    /// Diagnostics that do not keep the skill from loading.
    pub diagnostics: Vec<Diagnostic>,
}

impl Skill {
    /// Returns its key in `skills.entries`: declared, else the name.
    #[must_use]
    pub fn key(&self) -> &str {
        self.metadata.as_ref().and_then(|metadata| metadata.skill_key.as_deref()).unwrap_or(&self.name)
    }

    /// Returns the homepage from the metadata, else from the frontmatter.
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
    /// Returns the text of a field.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, text)| text.as_str())
    }
}

/// The metadata block. Unknown fields are dropped.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metadata {
    /// Whether requirements are ignored; `None` if the field is absent.
    pub always: Option<bool>,
    /// Emoji shown in lists.
    pub emoji: Option<String>,
    /// The page about the skill.
    pub homepage: Option<String>,
    /// Key in `skills.entries`, if it is not the name.
    pub skill_key: Option<String>,
    /// Environment variable that its API key is stored for.
    pub primary_env: Option<String>,
    /// Supported systems, as written; `None` if all are.
    pub os: Option<Vec<String>>,
    /// Requirements; `None` if the field is absent.
    pub requires: Option<Requires>,
    /// Ways to install the requirements.
    pub install: Vec<InstallSpec>,
    /// Declared capabilities, as written; `guard` parses them.
    pub capabilities: Option<Value>,
    /// Descriptive fields without effect.
    pub about: Option<Box<About>>,
}

impl Metadata {
    /// Whether requirements are ignored.
    #[must_use]
    pub fn is_always(&self) -> bool {
        self.always == Some(true)
    }
}

/// Descriptive fields of the metadata without effect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// Usage of its program.
    pub cli_help: Option<String>,
    /// The declared author.
    pub author: Option<String>,
    /// Environment variables that it reads.
    pub env_vars: Vec<EnvVar>,
    /// Other projects that the skill builds on.
    pub dependencies: Vec<Dependency>,
    /// Pages about the skill.
    pub links: Links,
}

/// An environment variable that a skill reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvVar {
    /// The name of the variable.
    pub name: String,
    /// Whether it must be set, if declared.
    pub required: Option<bool>,
    /// The purpose of the variable.
    pub description: Option<String>,
}

/// A dependency of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The name of the project.
    pub name: String,
    /// Kind, as written.
    pub kind: Option<String>,
    /// The required version.
    pub version: Option<String>,
    /// The page of the project.
    pub url: Option<String>,
    /// The repository of the project.
    pub repository: Option<String>,
}

/// Links of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is a field of the file")]
pub struct Links {
    pub homepage: Option<String>,
    pub repository: Option<String>,
    pub documentation: Option<String>,
    pub changelog: Option<String>,
}

/// Requirements of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requires {
    /// Programs that must all be on PATH.
    pub bins: Vec<String>,
    /// Programs of which one must be on PATH.
    pub any_bins: Vec<String>,
    /// Environment variables.
    pub env: Vec<String>,
    /// Paths in `openclaw.json` that must be set.
    pub config: Vec<String>,
}

/// One way to install requirements of a skill.
#[derive(Debug, Clone, PartialEq)]
pub struct InstallSpec {
    /// Declared id.
    pub id: Option<String>,
    /// Installer, with its arguments.
    pub kind: InstallKind,
    /// Declared label.
    pub label: Option<String>,
    /// Programs that it installs.
    pub bins: Vec<String>,
    /// Supported systems; empty means all.
    pub os: Vec<String>,
    /// Other declared fields.
    pub extra: Option<Box<InstallExtra>>,
}

/// An installer with its arguments, each checked against the rule of that installer.
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
    /// Returns the name in the file.
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

/// Fields of an install spec that its kind does not use, or that only describe how a download is unpacked.
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

/// A metadata block of another vendor, which OpenClaw ignores.
#[derive(Debug, Clone, PartialEq)]
pub struct VendorMetadata {
    /// `moltbot`, `clawdis` or `clawdhub`.
    pub vendor: &'static str,
    /// The block.
    pub metadata: Metadata,
}

/// How a skill can be invoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// Whether users can invoke it by a slash command.
    pub user_invocable: bool,
    /// Whether it is hidden from the model.
    pub disable_model_invocation: bool,
    /// The tool that its slash command calls without the model.
    pub dispatch: Option<Dispatch>,
}

/// A slash command that calls a tool without the model, with its arguments as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dispatch {
    /// The tool.
    pub tool: String,
}

/// Why a file does not load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Stable code, such as `DUPLICATE_KEY`.
    pub code: DiagnosticCode,
    /// Message, as worded by OpenClaw's loader.
    pub message: String,
    /// Line of the file, if known.
    pub line: Option<u32>,
    /// Names of the frontmatter's fields, if there is no skill to hold them.
    pub keys: Vec<String>,
    /// Further diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// A problem that does not keep a skill from loading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code.
    pub code: DiagnosticCode,
    /// Message with the fix.
    pub message: String,
    /// Line of the file, if known.
    pub line: Option<u32>,
}
