//! Splits text into tokens. Skips white space and comments; records the spans of comments.

use serde_json::Number;

use super::{JsonDialect, Span, SyntaxError, SyntaxErrorKind, number};

/// Boxed to keep the `Result` of every token and value small.
pub(super) type Failure = Box<SyntaxError>;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// One of `{}[]:,`
    Punctuation(char),
    String(String),
    Number(Number),
    /// An unquoted word, escapes decoded: a key, or `true`, `false`, `null`.
    Identifier(String),
    End,
}

pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    dialect: JsonDialect,
    comments: Vec<Span>,
}

/// The four characters that end a line in JSON5.
pub(super) fn is_line_break(char: char) -> bool {
    matches!(char, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// White space of JSON5, line breaks included.
pub(super) fn is_space(char: char) -> bool {
    is_line_break(char)
        || matches!(
            char,
            '\t' | '\u{B}' | '\u{C}' | ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'
                ..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' | '\u{FEFF}'
        )
}

pub(super) fn is_identifier_start(char: char) -> bool {
    matches!(char, '$' | '_') || unicode_ident::is_xid_start(char)
}

pub(super) fn is_identifier_part(char: char) -> bool {
    matches!(char, '$' | '\u{200C}' | '\u{200D}') || unicode_ident::is_xid_continue(char)
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, dialect: JsonDialect) -> Self {
        Self { text, at: 0, dialect, comments: Vec::new() }
    }

    pub(super) fn into_comments(self) -> Vec<Span> {
        self.comments
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    pub(super) fn fail(&self, at: usize, kind: SyntaxErrorKind) -> Failure {
        Box::new(SyntaxError::new(self.text.as_bytes(), at, kind))
    }

    pub(super) fn next(&mut self) -> Result<(Token, Span), Failure> {
        self.skip_space()?;
        let start = self.at;
        let token = match self.peek() {
            None => Token::End,
            Some(mark @ ('{' | '}' | '[' | ']' | ':' | ',')) => {
                self.at += 1;
                Token::Punctuation(mark)
            }
            Some(quote @ ('"' | '\'')) => self.string(quote)?,
            Some('0'..='9' | '+' | '-' | '.') => self.number()?,
            Some(char) if char == '\\' || is_identifier_start(char) => self.identifier()?,
            Some(char) => return Err(self.fail(start, SyntaxErrorKind::Unexpected { letter: char })),
        };
        Ok((token, Span { start, end: self.at }))
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn is_strict(&self) -> bool {
        self.dialect == JsonDialect::Json
    }

    fn skip_space(&mut self) -> Result<(), Failure> {
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                b'/' => self.comment()?,
                0x21..=0x7F => break,
                _ => match self.peek() {
                    // A byte order mark is accepted at the very beginning.
                    Some(char @ '\u{FEFF}') if self.at == 0 => self.at += char.len_utf8(),
                    Some(char) if is_space(char) && !self.is_strict() => self.at += char.len_utf8(),
                    _ => break,
                },
            }
        }
        Ok(())
    }

    fn comment(&mut self) -> Result<(), Failure> {
        let start = self.at;
        let rest = &self.text[start..];
        let length = if rest.starts_with("//") {
            rest.find(is_line_break).unwrap_or(rest.len())
        } else if let Some(inside) = rest.strip_prefix("/*") {
            let end =
                inside.find("*/").ok_or_else(|| self.fail(start, SyntaxErrorKind::UnterminatedComment))?;
            end + 4
        } else {
            return Err(self.fail(start, SyntaxErrorKind::LoneSlash));
        };
        if self.is_strict() {
            return Err(self.fail(start, SyntaxErrorKind::Comment));
        }
        self.at += length;
        self.comments.push(Span { start, end: self.at });
        Ok(())
    }

    fn number(&mut self) -> Result<Token, Failure> {
        let (number, length) = number::parse(&self.text[self.at..], self.dialect)
            .map_err(|(at, kind)| self.fail(self.at + at, kind))?;
        self.at += length;
        match self.peek() {
            Some(char) if is_identifier_part(char) || matches!(char, '.' | '\\') => {
                Err(self.fail(self.at, SyntaxErrorKind::UnexpectedInNumber { letter: char }))
            }
            _ => Ok(Token::Number(number)),
        }
    }

    fn identifier(&mut self) -> Result<Token, Failure> {
        let start = self.at;
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        let length = self.text.as_bytes()[start..].iter().take_while(|byte| plain(byte)).count();
        self.at += length;
        // The identifier may go on with a non-ASCII letter or an escape.
        let mut word = self.text[start..self.at].to_owned();
        while let Some(char) = self.peek() {
            let at = self.at;
            let char = match char {
                '\\' => {
                    self.at += 1;
                    if self.peek() != Some('u') {
                        return Err(self.fail(at, SyntaxErrorKind::EscapeInBareKey));
                    }
                    self.at += 1;
                    let char = self.unicode_escape(at)?;
                    if !is_identifier_part(char) {
                        return Err(self.fail(at, SyntaxErrorKind::NotALetter));
                    }
                    char
                }
                char if is_identifier_part(char) => {
                    self.at += char.len_utf8();
                    char
                }
                _ => break,
            };
            if word.is_empty() && !is_identifier_start(char) {
                return Err(self.fail(start, SyntaxErrorKind::BareKeyStart));
            }
            word.push(char);
        }
        Ok(Token::Identifier(word))
    }

    fn string(&mut self, quote: char) -> Result<Token, Failure> {
        let start = self.at;
        if self.is_strict() && quote == '\'' {
            return Err(self.fail(start, SyntaxErrorKind::SingleQuotes));
        }
        self.at += 1;
        let mut value = String::new();
        loop {
            let rest = &self.text[self.at..];
            // All three are ASCII, so they are never part of a multi-byte character.
            let special = |byte: &u8| *byte == quote as u8 || *byte == b'\\' || *byte < b' ';
            let plain = rest.as_bytes().iter().position(special).ok_or_else(|| {
                self.fail(start, SyntaxErrorKind::UnterminatedString { quote, at_line_end: false })
            })?;
            self.at += plain;
            if rest.as_bytes().get(plain) == Some(&(quote as u8)) {
                self.at += 1;
                // Nearly every string is one plain run: allocate exactly its length.
                value.reserve_exact(plain);
                value.push_str(&rest[..plain]);
                return Ok(Token::String(value));
            }
            value.push_str(&rest[..plain]);
            match self.peek() {
                Some('\\') => self.escape(&mut value)?,
                Some('\n' | '\r') => {
                    return Err(
                        self.fail(start, SyntaxErrorKind::UnterminatedString { quote, at_line_end: true })
                    );
                }
                Some(char) if self.is_strict() => {
                    return Err(self.fail(self.at, SyntaxErrorKind::RawControl { letter: char }));
                }
                Some(char) => {
                    value.push(char);
                    self.at += char.len_utf8();
                }
                None => {
                    return Err(
                        self.fail(start, SyntaxErrorKind::UnterminatedString { quote, at_line_end: false })
                    );
                }
            }
        }
    }

    fn escape(&mut self, value: &mut String) -> Result<(), Failure> {
        let at = self.at;
        self.at += 1;
        let Some(char) = self.peek() else {
            return Err(self.fail(at, SyntaxErrorKind::CutEscape));
        };
        self.at += char.len_utf8();
        let decoded = match char {
            '"' | '\\' | '/' => char,
            'b' => '\u{8}',
            'f' => '\u{C}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => self.unicode_escape(at)?,
            _ if self.is_strict() => return Err(self.fail(at, SyntaxErrorKind::UnknownEscape)),
            'v' => '\u{B}',
            'x' => char::from(u8::try_from(self.hex(at, 2)?).unwrap_or_default()),
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => '\0',
            '0'..='9' => return Err(self.fail(at, SyntaxErrorKind::DigitEscape)),
            // Line continuation.
            '\r' if self.peek() == Some('\n') => {
                self.at += 1;
                return Ok(());
            }
            char if is_line_break(char) => return Ok(()),
            other => other,
        };
        value.push(decoded);
        Ok(())
    }

    /// Decodes a `\u` escape whose backslash is at `start`, or a surrogate pair of two escapes.
    fn unicode_escape(&mut self, start: usize) -> Result<char, Failure> {
        let mut code = self.hex(start, 4)?;
        if (0xD800..0xDC00).contains(&code) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let second = self.hex(start, 4)?;
            if (0xDC00..0xE000).contains(&second) {
                code = 0x1_0000 + ((code - 0xD800) << 10) + (second - 0xDC00);
            }
        }
        char::from_u32(code).ok_or_else(|| self.fail(start, SyntaxErrorKind::LoneSurrogate))
    }

    fn hex(&mut self, start: usize, count: usize) -> Result<u32, Failure> {
        let digits = self.text.get(self.at..self.at + count);
        let value = digits
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.fail(start, SyntaxErrorKind::HexEscape { digits: count }))?;
        self.at += count;
        Ok(value)
    }
}

/// Formats a character for an error message.
pub(super) fn display_char(char: char) -> String {
    if char.is_control() || (is_space(char) && char != ' ') || ('\u{200B}'..='\u{206F}').contains(&char) {
        format!("U+{:04X}", char as u32)
    } else {
        format!("`{char}`")
    }
}
