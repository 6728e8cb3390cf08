//! Codes of skill diagnostics. Those of OpenClaw's loader keep its spelling.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// Code of a skill diagnostic.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum DiagnosticCode { $($(#[$doc])* #[serde(rename = $text)] $name,)* }

        impl DiagnosticCode {
            /// The code in JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text,)* } }
        }
    };
}

codes! {
    /// The file has another name than SKILL.md.
    WrongFileName = "WRONG_FILE_NAME",
    /// There is no frontmatter.
    NoFrontmatter = "NO_FRONTMATTER",
    /// The frontmatter is not terminated.
    UnterminatedFrontmatter = "UNTERMINATED_FRONTMATTER",
    /// The frontmatter is not a map.
    InvalidRoot = "INVALID_ROOT",
    /// There is no name.
    NoName = "NO_NAME",
    /// There is no description.
    NoDescription = "NO_DESCRIPTION",
    /// YAML: an alias has a tag or an anchor.
    AliasProps = "ALIAS_PROPS",
    /// YAML: an anchor or an alias has no name.
    BadAlias = "BAD_ALIAS",
    /// YAML: an unknown escape in double quotes.
    BadDqEscape = "BAD_DQ_ESCAPE",
    /// YAML: wrong indentation.
    BadIndent = "BAD_INDENT",
    /// YAML: an unquoted string begins with a reserved character.
    BadScalarStart = "BAD_SCALAR_START",
    /// YAML: a block map as an implicit key.
    BlockAsImplicitKey = "BLOCK_AS_IMPLICIT_KEY",
    /// YAML: a block collection inside a flow collection.
    BlockInFlow = "BLOCK_IN_FLOW",
    /// YAML: a duplicate key.
    DuplicateKey = "DUPLICATE_KEY",
    /// YAML: a key is too long.
    KeyOver1024Chars = "KEY_OVER_1024_CHARS",
    /// YAML: a character is missing.
    MissingChar = "MISSING_CHAR",
    /// YAML: an implicit key has more than one line.
    MultilineImplicitKey = "MULTILINE_IMPLICIT_KEY",
    /// YAML: two anchors for one value.
    MultipleAnchors = "MULTIPLE_ANCHORS",
    /// YAML: more than one document.
    MultipleDocs = "MULTIPLE_DOCS",
    /// YAML: nested too deeply.
    ResourceExhaustion = "RESOURCE_EXHAUSTION",
    /// YAML: a tab as indentation.
    TabAsIndent = "TAB_AS_INDENT",
    /// YAML: an unknown tag.
    TagResolveFailed = "TAG_RESOLVE_FAILED",
    /// YAML: an unexpected token.
    UnexpectedToken = "UNEXPECTED_TOKEN",
    /// YAML: an unresolved or excessive alias.
    YamlException = "YAML_EXCEPTION",
    /// Its metadata cannot be read.
    MetadataUnreadable = "metadata-unreadable",
    /// Its metadata is under a vendor key that is not read.
    VendorMetadata = "vendor-metadata",
    /// An installer is left out.
    InstallerDropped = "installer-dropped",
    /// The dispatch of its command is ignored.
    DispatchIgnored = "dispatch-ignored",
    /// An invalid YAML line was repaired.
    LineRepaired = "line-repaired",
    /// The folder's name is used as its name.
    NameFromFolder = "name-from-folder",
    /// Other programs may reject its name.
    NameOutsideRule = "name-outside-rule",
    /// Name and folder differ.
    NameNotFolder = "name-not-folder",
    /// Other programs reject a description of this length.
    DescriptionOutsideRule = "description-outside-rule",
    /// Tools of its own are not offered.
    ToolsNotOffered = "tools-not-offered",
    /// A setting for it has no effect.
    SettingWithoutEffect = "setting-without-effect",
    /// Its files could not be scanned because they changed.
    NotLookedInto = "not-looked-into",
    /// The limit of skills was reached.
    LimitReached = "limit-reached",
    /// A folder or a file was skipped.
    Skipped = "skipped",
    /// It replaces a bundled skill.
    CoversBundled = "covers-bundled",
    /// The agent's allowlist names an unknown skill.
    UnknownSkill = "unknown-skill",
}

impl fmt::Display for DiagnosticCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
