//! Parses the opening of a reply: a reply tag, or a token that is the whole reply. The opening is held back until it is
//! decided; after that, everything passes.

use super::{HEARTBEAT_OK, NO_REPLY};

/// Maximum characters of a tag.
const MAX_TAG_CHARS: usize = 200;

/// The message that a reply refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyTo {
    /// The message that is being answered.
    Current,
    /// The message with this id.
    Id(String),
}

#[derive(Debug)]
pub(super) struct Opening {
    tokens: &'static [&'static str],
    /// Text that may still become a tag or a token, without leading white space.
    held: String,
    /// White space after a whole token.
    gap: String,
    reply_to: Option<ReplyTo>,
    is_over: bool,
}

/// Whether a text is a reply tag.
#[derive(Debug, PartialEq, Eq)]
enum Match {
    Is(ReplyTo),
    MayBe,
    Not,
}

impl Opening {
    /// `group` says whether `HEARTBEAT_OK` is a token too.
    pub(super) fn new(group: bool) -> Self {
        let tokens: &[&str] = if group { &[NO_REPLY, HEARTBEAT_OK] } else { &[NO_REPLY] };
        Self { tokens, held: String::new(), gap: String::new(), reply_to: None, is_over: false }
    }

    /// Takes the next text and returns what is certainly text of the reply.
    pub(super) fn push(&mut self, text: &str) -> Option<String> {
        if self.is_over {
            return Some(text.to_owned());
        }
        for (at, letter) in text.char_indices() {
            self.take(letter);
            if self.is_over {
                let mut out = self.rest()?;
                out.push_str(&text[at + letter.len_utf8()..]);
                return Some(out);
            }
        }
        None
    }

    fn take(&mut self, letter: char) {
        if letter.is_whitespace() {
            if self.held.is_empty() {
                return;
            }
            if self.is_token() {
                self.gap.push(letter);
                return;
            }
        }
        if !self.gap.is_empty() {
            self.held.push_str(&std::mem::take(&mut self.gap));
        }
        self.held.push(letter);
        let may_be_token = self.tokens.iter().any(|token| token.starts_with(&self.held));
        let tag = if self.reply_to.is_some() { Match::Not } else { matched(&self.held) };
        match tag {
            Match::Is(reply_to) => {
                self.reply_to = Some(reply_to);
                self.held.clear();
            }
            Match::MayBe => {}
            Match::Not => self.is_over = !may_be_token,
        }
    }

    /// Whether the whole reply so far is a token.
    pub(super) fn is_token(&self) -> bool {
        !self.is_over && self.tokens.contains(&self.held.as_str())
    }

    /// Takes the text that is held back.
    pub(super) fn rest(&mut self) -> Option<String> {
        let mut held = std::mem::take(&mut self.held);
        held.push_str(&std::mem::take(&mut self.gap));
        (!held.is_empty()).then_some(held)
    }

    pub(super) fn reply_to(self) -> Option<ReplyTo> {
        self.reply_to
    }
}

fn matched(held: &str) -> Match {
    let Some(inside) = held.strip_prefix("[[") else {
        return if "[[".starts_with(held) { Match::MayBe } else { Match::Not };
    };
    if inside.contains('\n') || held.chars().count() > MAX_TAG_CHARS {
        return Match::Not;
    }
    match inside.split_once(']') {
        Some((inside, "]")) => parse_tag(inside.trim()).map_or(Match::Not, Match::Is),
        Some((inside, "")) if parse_tag(inside.trim()).is_some() => Match::MayBe,
        Some(_) => Match::Not,
        None if can_complete(inside.trim_start()) => Match::MayBe,
        None => Match::Not,
    }
}

/// Parses the inside of a complete tag.
fn parse_tag(inside: &str) -> Option<ReplyTo> {
    if inside == "reply_to_current" {
        return Some(ReplyTo::Current);
    }
    let id = inside.strip_prefix("reply_to")?.trim_start().strip_prefix(':')?.trim();
    (!id.is_empty() && !id.contains('[')).then(|| ReplyTo::Id(id.to_owned()))
}

/// Whether the inside of a partial tag can still be completed.
fn can_complete(inside: &str) -> bool {
    if "reply_to_current".starts_with(inside.trim_end()) {
        // White space may follow the whole word and precede a colon.
        let word = inside.trim_end();
        return word.len() == inside.len() || matches!(word, "" | "reply_to" | "reply_to_current");
    }
    let id = inside.strip_prefix("reply_to").and_then(|rest| rest.trim_start().strip_prefix(':'));
    id.is_some_and(|id| !id.contains('['))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reply_tags_are_recognised_with_white_space_inside() {
        let id = |id: &str| Match::Is(ReplyTo::Id(id.to_owned()));
        let longest = format!("[[reply_to:{}]]", "7".repeat(MAX_TAG_CHARS - 13));
        for (text, expected) in [
            ("[[reply_to_current]]", Match::Is(ReplyTo::Current)),
            ("[[  reply_to_current\t]]", Match::Is(ReplyTo::Current)),
            ("[[reply_to:42]]", id("42")),
            ("[[ reply_to : a b ]]", id("a b")),
            (&longest, id(&"7".repeat(MAX_TAG_CHARS - 13))),
            ("", Match::MayBe),
            ("[", Match::MayBe),
            ("[[", Match::MayBe),
            ("[[ reply_to", Match::MayBe),
            ("[[reply_to ", Match::MayBe),
            ("[[reply_to_cur", Match::MayBe),
            ("[[reply_to_current ", Match::MayBe),
            ("[[reply_to_current]", Match::MayBe),
            ("[[reply_to: 4", Match::MayBe),
            ("[[reply_to:]", Match::Not),
            ("[[reply_to: ]]", Match::Not),
            ("[[reply_to_cur ", Match::Not),
            ("[[reply_to_current x", Match::Not),
            ("[[reply_to x", Match::Not),
            ("[[reply_to:a]b", Match::Not),
            ("[[reply_to:[", Match::Not),
            ("[[\nreply_to_current", Match::Not),
            ("[[link]]", Match::Not),
            ("[x", Match::Not),
            ("x", Match::Not),
        ] {
            assert_eq!(matched(text), expected, "{text:?}");
        }
        assert_eq!(matched(&format!("[[reply_to:{}", "7".repeat(MAX_TAG_CHARS))), Match::Not);
    }
}
