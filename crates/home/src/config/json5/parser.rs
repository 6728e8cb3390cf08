//! Tokens to a tree. Recursion is bounded by the depth limit.

use std::collections::HashMap;

use super::lexer::{Failure, Lexer, Token, shown};
use super::source::position;
use super::{Dialect, Key, Kind, MAX_DEPTH, MAX_VALUES, Member, Node, Span, SyntaxError};

pub(super) fn parse(text: &str, dialect: Dialect) -> Result<(Node, Vec<Span>), Failure> {
    let mut parser = Parser {
        lexer: Lexer::new(text, dialect),
        dialect,
        values: 0,
        items: Vec::new(),
        members: Vec::new(),
    };
    let (token, span) = parser.lexer.next()?;
    let root = parser.value(token, span, "a value", 0)?;
    match parser.lexer.next()? {
        (Token::End, _) => Ok((root, parser.lexer.into_comments())),
        (token, span) => {
            let label = format!("expected the end of the file, found {}", parser.found(&token, span));
            Err(parser.lexer.fail(span.start, label))
        }
    }
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    dialect: Dialect,
    values: usize,
    /// What open lists have so far, those of the outermost first; a list that is closed takes its own, and the room
    /// for them and no more.
    items: Vec<Node>,
    /// The same for open objects.
    members: Vec<Member>,
}

impl Parser<'_> {
    fn value(&mut self, token: Token, span: Span, wanted: &str, depth: usize) -> Result<Node, Failure> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(self.too_large(span, format!("more than {MAX_VALUES} values")));
        }
        if depth == MAX_DEPTH && matches!(token, Token::Mark('{' | '[')) {
            return Err(self.too_large(span, format!("more than {MAX_DEPTH} brackets inside each other")));
        }
        match token {
            Token::Mark('{') => self.object(span.start, depth + 1),
            Token::Mark('[') => self.array(span.start, depth + 1),
            Token::String(text) => Ok(Node { span, kind: Kind::String(text) }),
            Token::Number(number) => Ok(Node { span, kind: Kind::Number(number) }),
            // By its text: a keyword with an escape in it is none.
            Token::Word(_) => match &self.lexer.text()[span.start..span.end] {
                "null" => Ok(Node { span, kind: Kind::Null }),
                "true" => Ok(Node { span, kind: Kind::Bool(true) }),
                "false" => Ok(Node { span, kind: Kind::Bool(false) }),
                "Infinity" | "NaN" => Err(self.lexer.fail(span.start, "expected a finite number")),
                word => {
                    let word: String = word.chars().take(40).collect();
                    let label = format!("expected {wanted}, found `{word}`; a string stands in quotes");
                    Err(self.lexer.fail(span.start, label))
                }
            },
            token @ (Token::Mark(_) | Token::End) => {
                let label = format!("expected {wanted}, found {}", self.found(&token, span));
                Err(self.lexer.fail(span.start, label))
            }
        }
    }

    fn array(&mut self, start: usize, depth: usize) -> Result<Node, Failure> {
        let first = self.items.len();
        loop {
            let (token, span) = self.lexer.next()?;
            if token == Token::Mark(']') {
                self.check_trailing_comma(self.items.len() > first, span)?;
                return Ok(self.closed_array(Span { start, end: span.end }, first));
            }
            let item = self.value(token, span, "a value or `]`", depth)?;
            self.items.push(item);
            match self.lexer.next()? {
                (Token::Mark(','), _) => {}
                (Token::Mark(']'), span) => {
                    return Ok(self.closed_array(Span { start, end: span.end }, first));
                }
                (token, span) => {
                    let found = self.found(&token, span);
                    let label = format!("expected `,` or `]` after the value, found {found}");
                    return Err(self.lexer.fail(span.start, label));
                }
            }
        }
    }

    fn object(&mut self, start: usize, depth: usize) -> Result<Node, Failure> {
        let first = self.members.len();
        loop {
            let (token, span) = self.lexer.next()?;
            let name = match token {
                Token::Mark('}') => {
                    self.check_trailing_comma(self.members.len() > first, span)?;
                    return self.closed_object(Span { start, end: span.end }, first);
                }
                Token::String(name) => name,
                Token::Word(name) if self.dialect == Dialect::Json5 => name,
                Token::Word(_) => {
                    return Err(self.lexer.fail(span.start, "JSON keys stand in double quotes"));
                }
                token => {
                    let label = format!("expected a key or `}}`, found {}", self.found(&token, span));
                    return Err(self.lexer.fail(span.start, label));
                }
            };
            match self.lexer.next()? {
                (Token::Mark(':'), _) => {}
                (_, at) => {
                    let label = format!("expected `:` after {}", key_shown(&name));
                    return Err(self.lexer.fail(at.start, label));
                }
            }
            let (token, at) = self.lexer.next()?;
            let value = self.value(token, at, "a value", depth)?;
            self.members.push(Member { key: Key { span, name }, value });
            match self.lexer.next()? {
                (Token::Mark(','), _) => {}
                (Token::Mark('}'), span) => {
                    return self.closed_object(Span { start, end: span.end }, first);
                }
                (token, span) => {
                    let name = self.members.last().map_or("", |member| member.key.name.as_str());
                    let found = self.found(&token, span);
                    let label =
                        format!("expected `,` or `}}` after the value of {}, found {found}", key_shown(name));
                    return Err(self.lexer.fail(span.start, label));
                }
            }
        }
    }

    fn closed_array(&mut self, span: Span, first: usize) -> Node {
        Node { span, kind: Kind::Array(self.items.drain(first..).collect()) }
    }

    /// An object whose keys are all there: now each may occur once.
    fn closed_object(&mut self, span: Span, first: usize) -> Result<Node, Failure> {
        let members: Vec<Member> = self.members.drain(first..).collect();
        if let Some((first, second)) = same_key(&members) {
            let (line, column) = position(self.lexer.text().as_bytes(), first.span.start);
            let label =
                format!("{} is already there, at line {line}, column {column}", key_shown(&second.name));
            return Err(self.lexer.fail(second.span.start, label));
        }
        Ok(Node { span, kind: Kind::Object(members) })
    }

    fn check_trailing_comma(&self, after_comma: bool, span: Span) -> Result<(), Failure> {
        if after_comma && self.dialect == Dialect::Json {
            return Err(self.lexer.fail(span.start, "JSON has no comma after the last value"));
        }
        Ok(())
    }

    fn too_large(&self, span: Span, label: String) -> Failure {
        Box::new(SyntaxError::too_large(self.lexer.text().as_bytes(), span.start, label))
    }

    fn found(&self, token: &Token, span: Span) -> String {
        match token {
            Token::Mark(mark) => shown(*mark),
            Token::String(_) => "a string".to_owned(),
            Token::Number(_) => "a number".to_owned(),
            Token::Word(_) => {
                let word: String = self.lexer.text()[span.start..span.end].chars().take(40).collect();
                format!("`{word}`")
            }
            Token::End => "the end of the file".to_owned(),
        }
    }
}

/// The first key that occurs a second time, and where it occurred before. Few keys are compared with each other,
/// many get a table.
fn same_key(members: &[Member]) -> Option<(&Key, &Key)> {
    const FEW: usize = 16;
    let mut keys = members.iter().map(|member| &member.key);
    if members.len() <= FEW {
        return keys.enumerate().find_map(|(at, key)| {
            let before = members[..at].iter().find(|member| member.key.name == key.name)?;
            Some((&before.key, key))
        });
    }
    let mut seen = HashMap::with_capacity(members.len());
    keys.find_map(|key| seen.insert(key.name.as_str(), key).map(|before| (before, key)))
}

fn key_shown(name: &str) -> String {
    let cut: String = name.chars().take(40).collect();
    let dots = if cut.len() < name.len() { "…" } else { "" };
    format!("the key {}{dots}", serde_json::Value::from(cut))
}
