//! Translates the parser's errors to the codes, messages and offsets of OpenClaw's loader, on which the repair of free text
//! depends. An error of an unknown shape is an unexpected token.

mod block;
mod context;
mod flow;
mod quote;

use std::ops::Range;

use granit_parser::ErrorKind as Kind;
use tarsus_protocol::DiagnosticCode as Code;

pub(super) use self::context::FaultContext;
use super::Fault;

const ONE_LINE: &str = "Implicit keys need to be on a single line";
const COLUMN: &str = "All mapping items must start at the same column";
const COMMENT: &str = "Comments must be separated from other tokens by white space characters";
const LONG_KEY: &str =
    "The : indicator must be at most 1024 chars after the start of an implicit block mapping key";

/// Characters of a key.
const MAX_KEY_CHARS: usize = 1_024;

/// A second document.
pub(super) fn several_documents(at: usize) -> Fault {
    Fault::new(
        Code::MultipleDocs,
        "Source contains multiple documents; please use YAML.parseAllDocuments()",
        at,
    )
}

/// A duplicate key.
pub(super) fn duplicate_key(at: usize) -> Fault {
    Fault::new(Code::DuplicateKey, "Map keys must be unique", at)
}

/// Nesting deeper than the limit.
pub(super) fn too_deep(at: usize) -> Fault {
    Fault::new(Code::ResourceExhaustion, "The frontmatter nests deeper than 128 levels", at)
}

/// A flow collection that is not closed.
pub(super) fn unclosed(context: &FaultContext<'_>, at: usize) -> Fault {
    let context = context.with_brackets(at);
    let (kind, bracket) = if context.in_braces { ("map", '}') } else { ("sequence", ']') };
    let message =
        format!("Flow {kind} in block collection must be sufficiently indented and end with a {bracket}");
    Fault::new(Code::BadIndent, message, at)
}

/// Checks the length of a key of a block map.
pub(super) fn check_key_length(source: &str, range: Range<usize>) -> Result<(), Fault> {
    let key = source.get(range.clone()).filter(|key| key.len() > MAX_KEY_CHARS);
    let is_long = key.is_some_and(|key| key.chars().count() > MAX_KEY_CHARS);
    // The colon of a key with a question mark is on a separate line.
    let is_implicit =
        || source.get(range.end..).unwrap_or_default().trim_start_matches([' ', '\t']).starts_with(':');
    if is_long && is_implicit() {
        Err(Fault::new(Code::KeyOver1024Chars, LONG_KEY, range.start))
    } else {
        Ok(())
    }
}

/// Whether an error is an unclosed quoted scalar.
pub(super) fn is_quote_error(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::UnclosedQuotedScalar
            | Kind::InvalidQuotedScalarIndent
            | Kind::DocumentIndicatorInQuotedScalar
            | Kind::TabInIndentation
    )
}

/// Translates an error of the parser.
pub(super) fn translate(context: &FaultContext<'_>, kind: &Kind, at: usize) -> Fault {
    let context = &context.with_brackets(at);
    match kind {
        Kind::RecursionLimitExceeded => too_deep(at),
        kind if is_quote_error(kind) => context.unclosed_quote(at),
        Kind::UnknownQuotedScalarEscape
        | Kind::InvalidQuotedScalarHexEscape
        | Kind::InvalidLowSurrogateHexEscape
        | Kind::InvalidLowSurrogate
        | Kind::MissingLowSurrogate
        | Kind::UnpairedLowSurrogate
        | Kind::InvalidUnicodeEscape => context.escape(at),
        Kind::TabInBlockIndentation | Kind::TabInPlainScalar | Kind::TabNotAllowed => {
            Fault::new(Code::TabAsIndent, "Tabs are not allowed as indentation", context.tab(at))
        }
        Kind::TabAtBlockScalarStart => {
            let after = context.rest(at).find('\n').map_or(at, |newline| at + newline + 1);
            Fault::new(Code::BadIndent, "Block scalar values in collections must be indented", after)
        }
        Kind::CommentNotSeparated => Fault::new(Code::MissingChar, COMMENT, at),
        Kind::MissingAnchorOrAliasName => {
            let what = if context.rest(at).starts_with('*') { "Alias" } else { "Anchor" };
            Fault::new(Code::BadAlias, format!("{what} cannot be an empty string"), at)
        }
        Kind::MissingTagUri => Fault::new(Code::TagResolveFailed, "The !! tag has no suffix", at),
        Kind::UndeclaredTagHandle => {
            let tag = context.rest(at).split([' ', '\t', '\n', ',']).next().unwrap_or_default();
            Fault::new(Code::TagResolveFailed, format!("Could not resolve tag: {tag}"), at)
        }
        Kind::MisplacedFlowCollectionEnd => stray_bracket(context.rest(at), at),
        Kind::InvalidBlockScalarIndent if context.has_fixed_indent() => {
            Fault::new(Code::BadIndent, COLUMN, at)
        }
        Kind::InvalidBlockScalarIndent => {
            let message = "Block scalars with more-indented leading empty lines must use an explicit indentation indicator";
            Fault::new(Code::MissingChar, message, at)
        }
        Kind::UnclosedFlowCollection { .. } | Kind::MismatchedFlowCollectionEnd { .. } => {
            unclosed(context, at)
        }
        _ if context.in_flow => context.in_flow(kind, at),
        _ => context.in_block(kind, at),
    }
}

/// A closing bracket without an opening one.
fn stray_bracket(rest: &str, at: usize) -> Fault {
    let (kind, bracket) = if rest.starts_with(']') { ("seq", ']') } else { ("map", '}') };
    Fault::new(
        Code::UnexpectedToken,
        format!("Unexpected flow-{kind}-end token in YAML stream: \"{bracket}\""),
        at,
    )
}

/// A plain scalar with an invalid first character.
fn bad_start(rest: &str, at: usize) -> Option<Fault> {
    let first = rest.chars().next()?;
    let what = match first {
        '@' | '`' => "reserved character",
        '%' => "directive indicator character",
        ',' => "flow indicator character",
        '|' | '>' => "block scalar indicator",
        _ => return None,
    };
    Some(Fault::new(Code::BadScalarStart, format!("Plain value cannot start with {what} {first}"), at))
}

/// Returns the loader's name for the next token.
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
