//! What is wrong with a text, as data that each surface puts into its own language. `Display` is the English sentence.

use std::fmt;

use super::lexer::display_char;
use super::node::NodeKind;
use super::parser::display_key;
use super::{MAX_BYTES, MAX_DEPTH, MAX_VALUES};

/// What is wrong with a text. Words are cut to a short length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// The text is too long.
    TooManyBytes {
        /// Its size.
        bytes: usize,
    },
    /// The text has too many values.
    TooManyValues,
    /// The text is nested too deeply.
    TooDeep,
    /// A NUL byte.
    Nul {
        /// Position of the byte, from 1.
        byte: usize,
    },
    /// A byte that is not UTF-8.
    NotUtf8 {
        /// Position of the byte, from 1.
        byte: usize,
        /// The byte.
        value: u8,
    },
    /// Valid, but not an object.
    NotAnObject { found: ValueKind },
    /// Valid, but an object has a key twice.
    DuplicateKey {
        key: String,
        /// Line of the first one.
        line: u32,
        /// Column of the first one.
        column: u32,
    },
    /// Another token was expected.
    Expected {
        /// The expected token.
        expected: Expected,
        /// The token that is there.
        found: Found,
    },
    /// A word where a value belongs.
    BareWord {
        /// The expected token.
        expected: Expected,
        word: String,
    },
    /// No colon after a key.
    NoColon { key: String },
    /// A key without double quotes.
    UnquotedKey,
    /// A comma after the last value.
    TrailingComma,
    /// A character that begins nothing.
    Unexpected {
        /// The character.
        letter: char,
    },
    /// A comment without an end.
    UnterminatedComment,
    /// A slash that begins no comment.
    LoneSlash,
    /// A comment in JSON.
    Comment,
    /// A character that does not belong in a number.
    UnexpectedInNumber {
        /// The character.
        letter: char,
    },
    /// An escape of another kind in a key without quotes.
    EscapeInBareKey,
    /// An escape that is no letter in a key without quotes.
    NotALetter,
    /// A key without quotes that begins with another character.
    BareKeyStart,
    /// A string in single quotes.
    SingleQuotes,
    /// A string without an end.
    UnterminatedString {
        /// The quote that is missing.
        quote: char,
        /// Whether the line ends before the string does.
        at_line_end: bool,
    },
    /// A control character in a string.
    RawControl {
        /// The character.
        letter: char,
    },
    /// The text ends in an escape.
    CutEscape,
    /// An escape that JSON does not have.
    UnknownEscape,
    /// A backslash with digits.
    DigitEscape,
    /// Half of a surrogate pair.
    LoneSurrogate,
    /// An escape with too few hexadecimal digits.
    HexEscape {
        /// The number of digits that it needs.
        digits: usize,
    },
    /// A number with a plus sign.
    Plus,
    /// Infinity, or not a number.
    NotFinite,
    /// A hexadecimal number in JSON.
    Hexadecimal,
    /// No digit after `0x`.
    NoHexDigit,
    /// A number that begins with a needless zero.
    LeadingZero,
    /// A point with no digit on one side.
    PointWithoutDigit,
    /// A number without a digit.
    NoDigit,
    /// An exponent without a digit.
    NoExponentDigit,
    /// A number beyond every limit.
    NumberTooLarge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// `null`.
    Null,
    /// True or false.
    Boolean,
    Number,
    String,
    List,
    Object,
}

/// The token that was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    Value,
    ValueOrListEnd,
    KeyOrObjectEnd,
    CommaOrListEnd,
    CommaOrObjectEnd {
        /// The key of the value before.
        key: String,
    },
    /// The end of the text.
    End,
}

/// The token that is there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A punctuation mark.
    Mark(char),
    String,
    Number,
    Word(String),
    /// The end of the text.
    End,
}

impl From<&NodeKind> for ValueKind {
    fn from(kind: &NodeKind) -> Self {
        match kind {
            NodeKind::Null => Self::Null,
            NodeKind::Bool(_) => Self::Boolean,
            NodeKind::Number(_) => Self::Number,
            NodeKind::String(_) => Self::String,
            NodeKind::Array(_) => Self::List,
            NodeKind::Object(_) => Self::Object,
        }
    }
}

impl fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::TooManyBytes { bytes } => {
                return write!(f, "the text has {bytes} bytes; at most {MAX_BYTES} are read");
            }
            Self::TooManyValues => return write!(f, "more than {MAX_VALUES} values"),
            Self::TooDeep => return write!(f, "more than {MAX_DEPTH} nested brackets"),
            Self::Nul { byte } => return write!(f, "a NUL byte (byte {byte})"),
            Self::NotUtf8 { byte, value } => {
                return write!(f, "byte {byte} is {value:#04x}, which is not valid UTF-8");
            }
            Self::NotAnObject { found } => return write!(f, "expected `{{`, found {found}"),
            Self::DuplicateKey { key, line, column } => {
                return write!(f, "{} is already set at line {line}, column {column}", display_key(key));
            }
            Self::Expected { expected, found } => return write!(f, "expected {expected}, found {found}"),
            Self::BareWord { expected, word } => {
                return write!(f, "expected {expected}, found `{word}`; strings need quotes");
            }
            Self::NoColon { key } => return write!(f, "expected `:` after {}", display_key(key)),
            Self::Unexpected { letter } => return write!(f, "unexpected {}", display_char(*letter)),
            Self::UnexpectedInNumber { letter } => {
                return write!(f, "unexpected {} in a number", display_char(*letter));
            }
            Self::UnterminatedString { quote, at_line_end: false } => {
                return write!(f, "unterminated string; expected `{quote}`");
            }
            Self::UnterminatedString { quote, at_line_end: true } => {
                return write!(f, "unterminated string on this line; expected `{quote}`");
            }
            Self::RawControl { letter } => {
                return write!(f, "{} must be written as an escape", display_char(*letter));
            }
            Self::HexEscape { digits } => {
                return write!(f, "expected {digits} hexadecimal digits in this escape");
            }
            Self::UnquotedKey => "JSON keys need double quotes",
            Self::TrailingComma => "JSON has no comma after the last value",
            Self::UnterminatedComment => "unterminated comment; expected `*/`",
            Self::LoneSlash => "unexpected `/`; a comment begins with `//` or `/*`",
            Self::Comment => "JSON has no comments",
            Self::EscapeInBareKey => "a key without quotes may contain only `\\u` escapes",
            Self::NotALetter => "this escape is not a letter; put the key in quotes",
            Self::BareKeyStart => "a key without quotes begins with a letter, `$` or `_`",
            Self::SingleQuotes => "JSON strings need double quotes",
            Self::CutEscape => "the text ends within an escape",
            Self::UnknownEscape => "JSON does not have this escape",
            Self::DigitEscape => "an escape with digits begins with `\\x` or `\\u`",
            Self::LoneSurrogate => "unpaired surrogate: `\\uD800` to `\\uDFFF` come in pairs",
            Self::Plus => "JSON numbers have no `+`",
            Self::NotFinite => "expected a finite number",
            Self::Hexadecimal => "JSON has no hexadecimal numbers",
            Self::NoHexDigit => "expected a hexadecimal digit after `0x`",
            Self::LeadingZero => "a number does not begin with a needless `0`",
            Self::PointWithoutDigit => "expected a digit on both sides of the `.`",
            Self::NoDigit => "expected a digit",
            Self::NoExponentDigit => "expected a digit in the exponent",
            Self::NumberTooLarge => "the number is too large",
        };
        f.write_str(text)
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Boolean => "true or false",
            Self::Number => "a number",
            Self::String => "a string",
            Self::List => "a list",
            Self::Object => "an object",
        })
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value => f.write_str("a value"),
            Self::ValueOrListEnd => f.write_str("a value or `]`"),
            Self::KeyOrObjectEnd => f.write_str("a key or `}`"),
            Self::CommaOrListEnd => f.write_str("`,` or `]` after the value"),
            Self::CommaOrObjectEnd { key } => {
                write!(f, "`,` or `}}` after the value of {}", display_key(key))
            }
            Self::End => f.write_str("the end of the file"),
        }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mark(mark) => f.write_str(&display_char(*mark)),
            Self::String => f.write_str("a string"),
            Self::Number => f.write_str("a number"),
            Self::Word(word) => write!(f, "`{word}`"),
            Self::End => f.write_str("the end of the file"),
        }
    }
}
