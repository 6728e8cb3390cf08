//! Tokens to a tree. Recursion is bounded by the depth limit.

use std::collections::HashMap;

use super::lexer::{Failure, Lexer, Token, shown};
use super::source::position;
use super::{Dialect, Key, Kind, MAX_DEPTH, MAX_VALUES, Member, Node, Span, SyntaxError};

pub(super) fn parse(text: &str, dialect: Dialect) -> Result<(Node, Vec<Span>), Failure> {
    let mut parser = Parser::new(text, dialect);
    let (token, span) = parser.lexer.next()?;
    let root = parser.value(token, span, "a value", 0)?;
    parser.end()?;
    Ok((root, parser.lexer.into_comments()))
}

/// The members of the outermost object, each handed to `take` as soon as it is read. `name` tells what a taken one was
/// called.
pub(super) fn parse_members<T>(
    text: &str,
    dialect: Dialect,
    mut take: impl FnMut(Member) -> T,
    name: fn(&T) -> &str,
) -> Result<Vec<T>, Failure> {
    let mut parser = Parser::new(text, dialect);
    let (token, span) = parser.lexer.next()?;
    if token != Token::Mark('{') {
        let root = parser.value(token, span, "a value", 0)?;
        parser.end()?;
        return Err(not_an_object(text.as_bytes(), &root));
    }
    parser.values += 1;
    let (mut taken, mut spans) = (Vec::new(), Vec::new());
    parser.each_member(1, |_, member| {
        spans.push(member.key.span);
        taken.push(take(member));
    })?;
    parser.check_repeated(taken.iter().map(name), |at| spans[at])?;
    parser.end()?;
    Ok(taken)
}

/// The error for a text that had to be an object.
pub(super) fn not_an_object(text: &[u8], root: &Node) -> Failure {
    let label = format!("expected `{{`, found {}", root.described());
    Box::new(SyntaxError::new(text, root.span.start, label))
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

impl<'t> Parser<'t> {
    fn new(text: &'t str, dialect: Dialect) -> Self {
        let lexer = Lexer::new(text, dialect);
        Self { lexer, dialect, values: 0, items: Vec::new(), members: Vec::new() }
    }

    fn end(&mut self) -> Result<(), Failure> {
        match self.lexer.next()? {
            (Token::End, _) => Ok(()),
            (token, span) => {
                let label = format!("expected the end of the file, found {}", self.found(&token, span));
                Err(self.lexer.fail(span.start, label))
            }
        }
    }

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
        let end = self.each_member(depth, |parser, member| parser.members.push(member))?;
        let members: Vec<Member> = self.members.drain(first..).collect();
        let names = members.iter().map(|member| member.key.name.as_str());
        self.check_repeated(names, |at| members[at].key.span)?;
        Ok(Node { span: Span { start, end }, kind: Kind::Object(members) })
    }

    /// Reads on behind a `{` and hands over each member, until the brace that closes; where that one ends.
    fn each_member(
        &mut self,
        depth: usize,
        mut take: impl FnMut(&mut Self, Member),
    ) -> Result<usize, Failure> {
        let mut after_comma = false;
        loop {
            let (token, span) = self.lexer.next()?;
            let name = match token {
                Token::Mark('}') => {
                    self.check_trailing_comma(after_comma, span)?;
                    return Ok(span.end);
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
            let (token, end) = self.lexer.next()?;
            let closes = token == Token::Mark('}');
            if !closes && token != Token::Mark(',') {
                let found = self.found(&token, end);
                let label =
                    format!("expected `,` or `}}` after the value of {}, found {found}", key_shown(&name));
                return Err(self.lexer.fail(end.start, label));
            }
            take(self, Member { key: Key { span, name }, value });
            if closes {
                return Ok(end.end);
            }
            after_comma = true;
        }
    }

    fn closed_array(&mut self, span: Span, first: usize) -> Node {
        Node { span, kind: Kind::Array(self.items.drain(first..).collect()) }
    }

    /// The keys of an object are all there: now each may occur once. `span` tells where one stands.
    fn check_repeated<'n>(
        &self,
        names: impl ExactSizeIterator<Item = &'n str> + Clone,
        span: impl Fn(usize) -> Span,
    ) -> Result<(), Failure> {
        let Some((first, second, name)) = repeated(names) else { return Ok(()) };
        let (line, column) = position(self.lexer.text().as_bytes(), span(first).start);
        let label = format!("{} is already there, at line {line}, column {column}", key_shown(name));
        Err(self.lexer.fail(span(second).start, label))
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

/// The first name that occurs a second time: where it occurred before, where again. Few names are compared with each
/// other, many get a table.
fn repeated<'n>(names: impl ExactSizeIterator<Item = &'n str> + Clone) -> Option<(usize, usize, &'n str)> {
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

fn key_shown(name: &str) -> String {
    let cut: String = name.chars().take(40).collect();
    let dots = if cut.len() < name.len() { "…" } else { "" };
    format!("the key {}{dots}", serde_json::Value::from(cut))
}
