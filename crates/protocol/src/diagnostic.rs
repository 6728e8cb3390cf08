//! The words for what is odd about skills: one table.
//!
//! Promises: those of OpenClaw's loader are spelt as it spells them. Leaves to others: the sentence beside each word.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What is odd about a skill, in one word.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum DiagnosticCode { $($(#[$doc])* #[serde(rename = $text)] $name,)* }

        impl DiagnosticCode {
            /// The word that programs see.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text,)* } }
        }
    };
}

codes! {
    /// The file has another name than SKILL.md.
    WrongFileName = "WRONG_FILE_NAME",
    /// There is no block of settings at the top.
    NoFrontmatter = "NO_FRONTMATTER",
    /// The block of settings does not end.
    UnterminatedFrontmatter = "UNTERMINATED_FRONTMATTER",
    /// The block of settings is no map.
    InvalidRoot = "INVALID_ROOT",
    /// There is no name.
    NoName = "NO_NAME",
    /// There is no description.
    NoDescription = "NO_DESCRIPTION",
    /// YAML: an alias has a tag or an anchor.
    AliasProps = "ALIAS_PROPS",
    /// YAML: an anchor or an alias has no name.
    BadAlias = "BAD_ALIAS",
    /// YAML: no such escape in double quotes.
    BadDqEscape = "BAD_DQ_ESCAPE",
    /// YAML: a line begins in the wrong column.
    BadIndent = "BAD_INDENT",
    /// YAML: a text without quotes begins with a sign that has a meaning.
    BadScalarStart = "BAD_SCALAR_START",
    /// YAML: a map inside of a line of another.
    BlockAsImplicitKey = "BLOCK_AS_IMPLICIT_KEY",
    /// YAML: lines of a block inside of brackets.
    BlockInFlow = "BLOCK_IN_FLOW",
    /// YAML: the same key twice.
    DuplicateKey = "DUPLICATE_KEY",
    /// YAML: a key is too long.
    KeyOver1024Chars = "KEY_OVER_1024_CHARS",
    /// YAML: a sign is missing.
    MissingChar = "MISSING_CHAR",
    /// YAML: a key takes more than one line.
    MultilineImplicitKey = "MULTILINE_IMPLICIT_KEY",
    /// YAML: two anchors for one value.
    MultipleAnchors = "MULTIPLE_ANCHORS",
    /// YAML: more than one document.
    MultipleDocs = "MULTIPLE_DOCS",
    /// YAML: nested too deeply.
    ResourceExhaustion = "RESOURCE_EXHAUSTION",
    /// YAML: a tab at the beginning of a line.
    TabAsIndent = "TAB_AS_INDENT",
    /// YAML: a tag that nobody knows.
    TagResolveFailed = "TAG_RESOLVE_FAILED",
    /// YAML: something stands where it does not belong.
    UnexpectedToken = "UNEXPECTED_TOKEN",
    /// YAML: an alias leads nowhere, or to too much.
    YamlException = "YAML_EXCEPTION",
    /// What it requires cannot be read.
    MetadataUnreadable = "metadata-unreadable",
    /// What it requires stands under a name that is not read.
    VendorMetadata = "vendor-metadata",
    /// A way to install what it needs is left out.
    InstallerDropped = "installer-dropped",
    /// How its command is carried out is ignored.
    DispatchIgnored = "dispatch-ignored",
    /// A line was read although it is no YAML.
    LineRepaired = "line-repaired",
    /// Its folder's name is used.
    NameFromFolder = "name-from-folder",
    /// Other programs may refuse its name.
    NameOutsideRule = "name-outside-rule",
    /// Name and folder differ.
    NameNotFolder = "name-not-folder",
    /// Other programs refuse so long a description.
    DescriptionOutsideRule = "description-outside-rule",
    /// Tools of its own are not offered.
    ToolsNotOffered = "tools-not-offered",
    /// A setting for it has no effect.
    SettingWithoutEffect = "setting-without-effect",
    /// Its files changed while they were read.
    NotLookedInto = "not-looked-into",
    /// As many skills were found as may be.
    LimitReached = "limit-reached",
    /// A folder or a file was left out.
    Skipped = "skipped",
    /// It stands in for one that Tarsus brings along.
    CoversBundled = "covers-bundled",
    /// The agent's list names a skill that is not there.
    UnknownSkill = "unknown-skill",
}

impl fmt::Display for DiagnosticCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
