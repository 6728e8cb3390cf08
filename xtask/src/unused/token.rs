//! A small Rust lexer: identifiers, punctuation and the identifiers in strings, with line numbers.
//!
//! Comments are dropped. It accepts any text; what is not Rust gives tokens that mean nothing.

/// A token. Literals other than strings are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    Ident(String),
    Punct(char),
    /// The contents of a string literal.
    Text(String),
}

/// The tokens of a source file, each with its line from 1.
pub fn tokens(source: &str) -> Vec<(Token, usize)> {
    let mut lexer = Lexer { rest: source, line: 1, tokens: Vec::new() };
    while lexer.step() {}
    lexer.tokens
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    tokens: Vec<(Token, usize)>,
}

impl Lexer<'_> {
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        if self.rest.starts_with("//") {
            self.advance(self.rest.find('\n').unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("/*") {
            self.advance(block_comment(self.rest));
        } else if let Some((before, hashes)) = raw_string(self.rest) {
            self.string(before, &format!("\"{}", "#".repeat(hashes)), false);
        } else if first == '"' {
            self.string(1, "\"", true);
        } else if let Some(length) = prefixed_string(self.rest) {
            self.string(length, "\"", true);
        } else if first == '\'' {
            self.advance(char_or_lifetime(self.rest));
        } else if first.is_ascii_digit() {
            self.advance(word_length(self.rest));
        } else if is_word(first) {
            let length = word_length(self.rest);
            self.tokens.push((Token::Ident(self.rest[..length].to_owned()), self.line));
            self.advance(length);
        } else {
            if !first.is_whitespace() {
                self.tokens.push((Token::Punct(first), self.line));
            }
            self.advance(first.len_utf8());
        }
        true
    }

    /// Takes a string whose contents start after `before` bytes.
    fn string(&mut self, before: usize, end: &str, escapes: bool) {
        let contents = &self.rest[before..];
        let mut length = 0;
        while length < contents.len() && !contents[length..].starts_with(end) {
            let letter = contents[length..].chars().next().map_or(1, char::len_utf8);
            length += letter;
            if escapes && contents[length - letter..].starts_with('\\') {
                length += contents[length..].chars().next().map_or(0, char::len_utf8);
            }
        }
        let length = length.min(contents.len());
        self.tokens.push((Token::Text(contents[..length].to_owned()), self.line));
        self.advance((before + length + end.len()).min(self.rest.len()));
    }

    fn advance(&mut self, length: usize) {
        self.line += self.rest[..length].matches('\n').count();
        self.rest = &self.rest[length..];
    }
}

pub fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn word_length(text: &str) -> usize {
    text.find(|letter| !is_word(letter)).unwrap_or(text.len())
}

/// Block comments nest.
fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The bytes before the contents of a raw string, and its number of hashes.
fn raw_string(text: &str) -> Option<(usize, usize)> {
    let prefix = ["r", "br", "cr"].into_iter().find(|prefix| {
        text.strip_prefix(prefix).is_some_and(|rest| rest.trim_start_matches('#').starts_with('"'))
    })?;
    let hashes = text[prefix.len()..].chars().take_while(|letter| *letter == '#').count();
    Some((prefix.len() + hashes + 1, hashes))
}

fn prefixed_string(text: &str) -> Option<usize> {
    ["b\"", "c\""].into_iter().find(|prefix| text.starts_with(prefix)).map(str::len)
}

/// `'a'` and `'\n'` are characters, `'a` is a lifetime.
fn char_or_lifetime(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    match letters.next() {
        Some((_, '\\')) => {
            let end = letters.skip(1).find(|(_, letter)| *letter == '\'');
            end.map_or(text.len(), |(at, _)| at + 1)
        }
        Some((at, letter)) => {
            let after = at + letter.len_utf8();
            if text[after..].starts_with('\'') { after + 1 } else { 1 }
        }
        None => 1,
    }
}
