//! Filters a model's reply while it is streamed: removes reasoning and reply tags, and detects silent replies.
//!
//! Text is emitted at once. When a `<final>` comes, the text before it was not the reply: what was emitted is withdrawn.
//! The result does not depend on how the stream is split. The work is linear in the text. Secrets are masked afterwards
//! ([`SecretMatcher`]), as filtering may join parts of a secret.

mod opening;
mod secrets;
mod tags;

use opening::Opening;
use tags::{PieceKind, Tags};

pub use opening::ReplyTo;
pub use secrets::{HIDDEN, Mask, SecretMatcher};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FilterOptions {
    /// Replies to a heartbeat: `HEARTBEAT_OK` is recognised.
    pub heartbeat: bool,
    /// Replies to a group: a whole reply of `HEARTBEAT_OK` is silent.
    pub group: bool,
}

/// What a piece of a reply adds to what is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Emitted {
    /// Everything that was emitted before was not the reply: discard it.
    pub withdraws: bool,
    /// The text that can be shown, after the withdrawal.
    pub text: String,
    /// Reasoning that is new.
    pub thinking: String,
}

/// A filtered reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// The text for the reader.
    pub text: String,
    /// The end of `text`, which was not emitted before.
    pub rest: String,
    pub reply_to: Option<ReplyTo>,
    /// Whether nothing is sent.
    pub silent: bool,
    /// Removed reasoning.
    pub thinking: String,
}

/// The token of a silent reply.
pub(crate) const NO_REPLY: &str = "NO_REPLY";
/// The token of a heartbeat reply when nothing needs attention.
const HEARTBEAT_OK: &str = "HEARTBEAT_OK";
/// Maximum characters beside `HEARTBEAT_OK` of a reply that counts as an acknowledgement.
const ACK_CHARS: usize = 300;

/// Filters one reply. See [the module](self).
///
/// ```
/// use tarsus_agent::reply::{ReplyFilter, ReplyTo, FilterOptions};
///
/// let mut filter = ReplyFilter::new(FilterOptions::default());
/// let shown: Vec<String> =
///     ["<thi", "nk>Hm.</think>[[reply_to", "_current]] Go", "od.<th"].map(|piece| filter.push(piece).text).into();
/// assert_eq!(shown, ["", "", "Go", "od."]);
/// let reply = filter.finish();
/// assert_eq!((reply.text.as_str(), reply.rest.as_str()), ("Good.<th", "<th"));
/// assert_eq!((reply.thinking.as_str(), reply.reply_to), ("Hm.", Some(ReplyTo::Current)));
/// ```
#[derive(Debug)]
pub struct ReplyFilter {
    options: FilterOptions,
    tags: Tags,
    opening: Opening,
    /// The reference of the text before `<final>`.
    earlier_reply_to: Option<ReplyTo>,
    thinking: String,
    /// Bytes of `thinking` that were emitted.
    emitted_thinking: usize,
    /// White space that is emitted once text follows it.
    gap: String,
    text: String,
    /// Bytes of `text` that were emitted.
    emitted: usize,
    /// Emitted text is not the reply; the next piece says so.
    withdraws: bool,
}

impl ReplyFilter {
    #[must_use]
    pub fn new(options: FilterOptions) -> Self {
        Self {
            options,
            tags: Tags::default(),
            opening: Self::opening(options),
            earlier_reply_to: None,
            thinking: String::new(),
            emitted_thinking: 0,
            gap: String::new(),
            text: String::new(),
            emitted: 0,
            withdraws: false,
        }
    }

    fn opening(options: FilterOptions) -> Opening {
        Opening::new(options.group && !options.heartbeat)
    }

    /// Takes the next piece and returns what can be emitted. A heartbeat reply is emitted as a whole, at the end.
    pub fn push(&mut self, piece: &str) -> Emitted {
        let mut tags = std::mem::take(&mut self.tags);
        tags.push(piece, |kind, text| self.sort(kind, text));
        self.tags = tags;
        self.take_new()
    }

    #[must_use]
    pub fn finish(mut self) -> Reply {
        let mut tags = std::mem::take(&mut self.tags);
        tags.finish(|kind, text| self.sort(kind, text));
        let mut silent = self.opening.is_token();
        if let Some(held) = self.opening.rest() {
            self.add(&held);
        }
        if self.options.heartbeat {
            silent = self.strip_acknowledgement();
        }
        if silent {
            self.text.clear();
            self.emitted = 0;
        }
        let rest = self.text[self.emitted..].to_owned();
        let thinking = self.thinking.trim().to_owned();
        let reply_to = self.opening.reply_to().or(self.earlier_reply_to);
        Reply { text: self.text, rest, reply_to, silent, thinking }
    }

    fn sort(&mut self, kind: PieceKind, text: &str) {
        match kind {
            PieceKind::Thought | PieceKind::OutsideFinal => self.thinking.push_str(text),
            PieceKind::EndOfThought => self.thinking.push('\n'),
            PieceKind::Plain | PieceKind::Final => self.show(text),
            PieceKind::FinalBegins => self.withdraw(),
        }
    }

    /// Takes back the text before the first `<final>`: it counts as reasoning.
    fn withdraw(&mut self) {
        let mut opening = std::mem::replace(&mut self.opening, Self::opening(self.options));
        self.withdraws |= self.emitted > 0;
        self.emitted = 0;
        self.thinking.push_str(&std::mem::take(&mut self.text));
        self.thinking.push_str(&std::mem::take(&mut self.gap));
        self.thinking.push_str(&opening.rest().unwrap_or_default());
        self.earlier_reply_to = opening.reply_to();
    }

    fn show(&mut self, text: &str) {
        if let Some(text) = self.opening.push(text) {
            self.add(&text);
        }
    }

    /// Appends to the text; trailing white space is held back.
    fn add(&mut self, text: &str) {
        let kept = text.trim_end().len();
        if kept > 0 {
            self.text.push_str(&self.gap);
            self.gap.clear();
            self.text.push_str(&text[..kept]);
        }
        self.gap.push_str(&text[kept..]);
    }

    fn take_new(&mut self) -> Emitted {
        let thinking = self.thinking[self.emitted_thinking..].to_owned();
        self.emitted_thinking = self.thinking.len();
        let mut emitted =
            Emitted { thinking, withdraws: std::mem::take(&mut self.withdraws), ..Emitted::default() };
        if !self.options.heartbeat {
            self.text[self.emitted..].clone_into(&mut emitted.text);
            self.emitted = self.text.len();
        }
        emitted
    }

    /// Removes the token from a heartbeat reply. Returns whether the rest is too short to be sent.
    fn strip_acknowledgement(&mut self) -> bool {
        if self.text == NO_REPLY {
            return true;
        }
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let mut rest = self.text.as_str();
        let mut found = false;
        if let Some(after) = rest.strip_prefix(HEARTBEAT_OK).filter(|after| !after.starts_with(is_word)) {
            (rest, found) = (after.trim_start(), true);
        }
        if let Some(before) = rest.strip_suffix(HEARTBEAT_OK).filter(|before| !before.ends_with(is_word)) {
            (rest, found) = (before.trim_end(), true);
        }
        if !found {
            return false;
        }
        let rest = rest.to_owned();
        let silent = rest.chars().count() <= ACK_CHARS;
        self.text = rest;
        silent
    }
}

#[cfg(test)]
mod tests;
