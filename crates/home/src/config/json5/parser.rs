//! Parses tokens into the tree. Recursion is bounded by `MAX_DEPTH`.

use std::collections::HashMap;

use super::lexer::{Failure, Lexer, Token};
use super::source::position;
use super::{
    Expected, Found, JsonDialect, Key, MAX_DEPTH, MAX_VALUES, Member, Node, NodeKind, Span, SyntaxError,
    SyntaxErrorKind,
};

pub(super) fn parse(text: &str, dialect: JsonDialect) -> Result<(Node, Vec<Span>), Failure> {
    let mut parser = Parser::new(text, dialect);
    let (token, span) = parser.lexer.next()?;
    let root = parser.parse_value(token, span, Expected::Value, 0)?;
    parser.expect_end()?;
    Ok((root, parser.lexer.into_comments()))
}

/// Parses a root object and passes each member to `take` as soon as it is parsed. `name` returns the key of a converted
/// member.
pub(super) fn parse_members<T>(
    text: &str,
    dialect: JsonDialect,
    mut take: impl FnMut(Member) -> T,
    name: fn(&T) -> &str,
) -> Result<Vec<T>, Failure> {
    let mut parser = Parser::new(text, dialect);
    let (token, span) = parser.lexer.next()?;
    if token != Token::Punctuation('{') {
        let root = parser.parse_value(token, span, Expected::Value, 0)?;
        parser.expect_end()?;
        return Err(not_an_object(text.as_bytes(), &root));
    }
    parser.values += 1;
    let (mut taken, mut spans) = (Vec::new(), Vec::new());
    parser.parse_members_with(1, |_, member| {
        spans.push(member.key.span);
        taken.push(take(member));
    })?;
    parser.check_duplicates(taken.iter().map(name), |at| spans[at])?;
    parser.expect_end()?;
    Ok(taken)
}

/// The error for a root that is not an object.
pub(super) fn not_an_object(text: &[u8], root: &Node) -> Failure {
    let kind = SyntaxErrorKind::NotAnObject { found: (&root.kind).into() };
    Box::new(SyntaxError::new(text, root.span.start, kind))
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    dialect: JsonDialect,
    values: usize,
    /// Stack of the items of all open lists, outermost first. Closing a list drains its items into an exactly sized `Vec`.
    items: Vec<Node>,
    /// The members of open objects, on a stack like `items`.
    members: Vec<Member>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, dialect: JsonDialect) -> Self {
        let lexer = Lexer::new(text, dialect);
        Self { lexer, dialect, values: 0, items: Vec::new(), members: Vec::new() }
    }

    fn expect_end(&mut self) -> Result<(), Failure> {
        match self.lexer.next()? {
            (Token::End, _) => Ok(()),
            (token, span) => Err(self.unexpected(Expected::End, &token, span)),
        }
    }

    fn parse_value(
        &mut self,
        token: Token,
        span: Span,
        expected: Expected,
        depth: usize,
    ) -> Result<Node, Failure> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(self.lexer.fail(span.start, SyntaxErrorKind::TooManyValues));
        }
        if depth == MAX_DEPTH && matches!(token, Token::Punctuation('{' | '[')) {
            return Err(self.lexer.fail(span.start, SyntaxErrorKind::TooDeep));
        }
        match token {
            Token::Punctuation('{') => self.parse_object(span.start, depth + 1),
            Token::Punctuation('[') => self.parse_array(span.start, depth + 1),
            Token::String(text) => Ok(Node { span, kind: NodeKind::String(text) }),
            Token::Number(number) => Ok(Node { span, kind: NodeKind::Number(number) }),
            // Compares the source text: a keyword written with an escape is not a keyword.
            Token::Identifier(_) => match &self.lexer.text()[span.start..span.end] {
                "null" => Ok(Node { span, kind: NodeKind::Null }),
                "true" => Ok(Node { span, kind: NodeKind::Bool(true) }),
                "false" => Ok(Node { span, kind: NodeKind::Bool(false) }),
                "Infinity" | "NaN" => Err(self.lexer.fail(span.start, SyntaxErrorKind::NotFinite)),
                word => {
                    let kind = SyntaxErrorKind::BareWord { expected, word: shortened(word) };
                    Err(self.lexer.fail(span.start, kind))
                }
            },
            token @ (Token::Punctuation(_) | Token::End) => Err(self.unexpected(expected, &token, span)),
        }
    }

    fn parse_array(&mut self, start: usize, depth: usize) -> Result<Node, Failure> {
        let first = self.items.len();
        loop {
            let (token, span) = self.lexer.next()?;
            if token == Token::Punctuation(']') {
                self.check_trailing_comma(self.items.len() > first, span)?;
                return Ok(self.close_array(Span { start, end: span.end }, first));
            }
            let item = self.parse_value(token, span, Expected::ValueOrListEnd, depth)?;
            self.items.push(item);
            match self.lexer.next()? {
                (Token::Punctuation(','), _) => {}
                (Token::Punctuation(']'), span) => {
                    return Ok(self.close_array(Span { start, end: span.end }, first));
                }
                (token, span) => return Err(self.unexpected(Expected::CommaOrListEnd, &token, span)),
            }
        }
    }

    fn parse_object(&mut self, start: usize, depth: usize) -> Result<Node, Failure> {
        let first = self.members.len();
        let end = self.parse_members_with(depth, |parser, member| parser.members.push(member))?;
        let members: Vec<Member> = self.members.drain(first..).collect();
        let names = members.iter().map(|member| member.key.name.as_str());
        self.check_duplicates(names, |at| members[at].key.span)?;
        Ok(Node { span: Span { start, end }, kind: NodeKind::Object(members) })
    }

    /// Parses members after a `{` and passes each to `take`. Returns the end of the closing brace.
    fn parse_members_with(
        &mut self,
        depth: usize,
        mut take: impl FnMut(&mut Self, Member),
    ) -> Result<usize, Failure> {
        let mut after_comma = false;
        loop {
            let (token, span) = self.lexer.next()?;
            let name = match token {
                Token::Punctuation('}') => {
                    self.check_trailing_comma(after_comma, span)?;
                    return Ok(span.end);
                }
                Token::String(name) => name,
                Token::Identifier(name) if self.dialect == JsonDialect::Json5 => name,
                Token::Identifier(_) => {
                    return Err(self.lexer.fail(span.start, SyntaxErrorKind::UnquotedKey));
                }
                token => return Err(self.unexpected(Expected::KeyOrObjectEnd, &token, span)),
            };
            match self.lexer.next()? {
                (Token::Punctuation(':'), _) => {}
                (_, at) => return Err(self.lexer.fail(at.start, SyntaxErrorKind::NoColon { key: name })),
            }
            let (token, at) = self.lexer.next()?;
            let value = self.parse_value(token, at, Expected::Value, depth)?;
            let (token, end) = self.lexer.next()?;
            let closes = token == Token::Punctuation('}');
            if !closes && token != Token::Punctuation(',') {
                return Err(self.unexpected(Expected::CommaOrObjectEnd { key: name }, &token, end));
            }
            take(self, Member { key: Key { span, name }, value });
            if closes {
                return Ok(end.end);
            }
            after_comma = true;
        }
    }

    fn close_array(&mut self, span: Span, first: usize) -> Node {
        Node { span, kind: NodeKind::Array(self.items.drain(first..).collect()) }
    }

    /// Rejects an object with a duplicate key. `span` returns the span of the key at an index.
    fn check_duplicates<'n>(
        &self,
        names: impl ExactSizeIterator<Item = &'n str> + Clone,
        span: impl Fn(usize) -> Span,
    ) -> Result<(), Failure> {
        let Some((first, second, name)) = first_duplicate(names) else { return Ok(()) };
        let (line, column) = position(self.lexer.text().as_bytes(), span(first).start);
        let kind = SyntaxErrorKind::DuplicateKey { key: name.to_owned(), line, column };
        Err(self.lexer.fail(span(second).start, kind))
    }

    fn check_trailing_comma(&self, after_comma: bool, span: Span) -> Result<(), Failure> {
        if after_comma && self.dialect == JsonDialect::Json {
            return Err(self.lexer.fail(span.start, SyntaxErrorKind::TrailingComma));
        }
        Ok(())
    }

    fn unexpected(&self, expected: Expected, token: &Token, span: Span) -> Failure {
        let found = match token {
            Token::Punctuation(mark) => Found::Mark(*mark),
            Token::String(_) => Found::String,
            Token::Number(_) => Found::Number,
            Token::Identifier(_) => Found::Word(shortened(&self.lexer.text()[span.start..span.end])),
            Token::End => Found::End,
        };
        self.lexer.fail(span.start, SyntaxErrorKind::Expected { expected, found })
    }
}

/// Returns the first duplicate name with its two indices. Compares pairwise up to `FEW` names, else uses a hash map.
fn first_duplicate<'n>(
    names: impl ExactSizeIterator<Item = &'n str> + Clone,
) -> Option<(usize, usize, &'n str)> {
    const FEW: usize = 16;
    let mut places = names.clone().enumerate();
    if names.len() <= FEW {
        return places.find_map(|(at, name)| {
            let before = names.clone().take(at).position(|other| other == name)?;
            Some((before, at, name))
        });
    }
    let mut seen = HashMap::with_capacity(names.len());
    places.find_map(|(at, name)| seen.insert(name, at).map(|before| (before, at, name)))
}

fn shortened(word: &str) -> String {
    word.chars().take(40).collect()
}

pub(super) fn display_key(name: &str) -> String {
    let cut: String = name.chars().take(40).collect();
    let dots = if cut.len() < name.len() { "…" } else { "" };
    format!("the key {}{dots}", serde_json::Value::from(cut))
}
