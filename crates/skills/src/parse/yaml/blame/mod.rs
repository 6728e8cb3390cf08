//! The parser's errors in the codes and words of OpenClaw's loader, at the place where the loader has them: what a
//! repair of free text goes by. A table of shapes; what fits none is an unexpected token.

mod block;
mod flow;
mod quote;
mod scene;

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::ErrorKind as Kind;
use tarsus_protocol::DiagnosticCode as Code;

pub(super) use self::scene::Scene;
use super::Fault;

const ONE_LINE: &str = "Implicit keys need to be on a single line";
const COLUMN: &str = "All mapping items must start at the same column";
const COMMENT: &str = "Comments must be separated from other tokens by white space characters";
const LONG_KEY: &str =
    "The : indicator must be at most 1024 chars after the start of an implicit block mapping key";

/// The longest key, in characters.
const LONGEST_KEY: usize = 1_024;

fn of(code: Code, message: impl Into<Cow<'static, str>>, at: usize) -> Fault {
    Fault { code, message: message.into(), at }
}

/// A second document.
pub(super) fn several_documents(at: usize) -> Fault {
    of(Code::MultipleDocs, "Source contains multiple documents; please use YAML.parseAllDocuments()", at)
}

/// A key that the map has already.
pub(super) fn repeated_key(at: usize) -> Fault {
    of(Code::DuplicateKey, "Map keys must be unique", at)
}

/// More levels than are read.
pub(super) fn too_deep(at: usize) -> Fault {
    of(Code::ResourceExhaustion, "The frontmatter nests deeper than 128 levels", at)
}

/// A flow collection that ends, or is left, where it should go on.
pub(super) fn unclosed(scene: &Scene<'_>, at: usize) -> Fault {
    let scene = scene.with_brackets(at);
    let (kind, bracket) = if scene.in_braces { ("map", '}') } else { ("sequence", ']') };
    let message =
        format!("Flow {kind} in block collection must be sufficiently indented and end with a {bracket}");
    of(Code::BadIndent, message, at)
}

/// A key of a block map, when it is too long.
pub(super) fn long_key(source: &str, range: Range<usize>) -> Result<(), Fault> {
    let key = source.get(range.clone()).filter(|key| key.len() > LONGEST_KEY);
    let is_long = key.is_some_and(|key| key.chars().count() > LONGEST_KEY);
    // The colon of a key with a question mark stands on a line of its own.
    let is_implicit =
        || source.get(range.end..).unwrap_or_default().trim_start_matches([' ', '\t']).starts_with(':');
    if is_long && is_implicit() { Err(of(Code::KeyOver1024Chars, LONG_KEY, range.start)) } else { Ok(()) }
}

/// Whether an error is one of a quoted scalar that is not closed.
pub(super) fn is_of_a_quote(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::UnclosedQuotedScalar
            | Kind::InvalidQuotedScalarIndent
            | Kind::DocumentIndicatorInQuotedScalar
            | Kind::TabInIndentation
    )
}

/// An error of the parser.
pub(super) fn fault(scene: &Scene<'_>, kind: &Kind, at: usize) -> Fault {
    let scene = &scene.with_brackets(at);
    match kind {
        Kind::RecursionLimitExceeded => too_deep(at),
        kind if is_of_a_quote(kind) => scene.unclosed_quote(at),
        Kind::UnknownQuotedScalarEscape
        | Kind::InvalidQuotedScalarHexEscape
        | Kind::InvalidLowSurrogateHexEscape
        | Kind::InvalidLowSurrogate
        | Kind::MissingLowSurrogate
        | Kind::UnpairedLowSurrogate
        | Kind::InvalidUnicodeEscape => scene.escape(at),
        Kind::TabInBlockIndentation | Kind::TabInPlainScalar | Kind::TabNotAllowed => {
            of(Code::TabAsIndent, "Tabs are not allowed as indentation", scene.tab(at))
        }
        Kind::TabAtBlockScalarStart => {
            let after = scene.rest(at).find('\n').map_or(at, |newline| at + newline + 1);
            of(Code::BadIndent, "Block scalar values in collections must be indented", after)
        }
        Kind::CommentNotSeparated => of(Code::MissingChar, COMMENT, at),
        Kind::MissingAnchorOrAliasName => {
            let what = if scene.rest(at).starts_with('*') { "Alias" } else { "Anchor" };
            of(Code::BadAlias, format!("{what} cannot be an empty string"), at)
        }
        Kind::MissingTagUri => of(Code::TagResolveFailed, "The !! tag has no suffix", at),
        Kind::UndeclaredTagHandle => {
            let tag = scene.rest(at).split([' ', '\t', '\n', ',']).next().unwrap_or_default();
            of(Code::TagResolveFailed, format!("Could not resolve tag: {tag}"), at)
        }
        Kind::MisplacedFlowCollectionEnd => stray_bracket(scene.rest(at), at),
        Kind::InvalidBlockScalarIndent if scene.has_fixed_indent() => of(Code::BadIndent, COLUMN, at),
        Kind::InvalidBlockScalarIndent => {
            let message = "Block scalars with more-indented leading empty lines must use an explicit indentation indicator";
            of(Code::MissingChar, message, at)
        }
        Kind::UnclosedFlowCollection { .. } | Kind::MismatchedFlowCollectionEnd { .. } => unclosed(scene, at),
        _ if scene.in_flow => scene.in_flow(kind, at),
        _ => scene.in_block(kind, at),
    }
}

/// A closing bracket that closes nothing.
fn stray_bracket(rest: &str, at: usize) -> Fault {
    let (kind, bracket) = if rest.starts_with(']') { ("seq", ']') } else { ("map", '}') };
    of(Code::UnexpectedToken, format!("Unexpected flow-{kind}-end token in YAML stream: \"{bracket}\""), at)
}

/// A scalar that may not start as it does, by its first character.
fn bad_start(rest: &str, at: usize) -> Option<Fault> {
    let first = rest.chars().next()?;
    let what = match first {
        '@' | '`' => "reserved character",
        '%' => "directive indicator character",
        ',' => "flow indicator character",
        '|' | '>' => "block scalar indicator",
        _ => return None,
    };
    Some(of(Code::BadScalarStart, format!("Plain value cannot start with {what} {first}"), at))
}

/// What the text goes on with, in the loader's word.
fn token(rest: &str) -> &'static str {
    match rest.as_bytes() {
        [b'"', ..] => "double-quoted-scalar",
        [b'\'', ..] => "single-quoted-scalar",
        [b'[', ..] => "flow-seq-start",
        [b'{', ..] => "flow-map-start",
        [b'*', ..] => "alias",
        [b'&', ..] => "anchor",
        [b'!', ..] => "tag",
        [b'|' | b'>', ..] => "block-scalar-header",
        [b'-'] | [b'-', b' ' | b'\t' | b'\n', ..] => "seq-item-ind",
        _ => "scalar",
    }
}

fn is_list_item(rest: &str) -> bool {
    token(rest) == "seq-item-ind"
}
