//! What a model writes, turned into what people see, as it comes: thoughts are taken out, the tag that names the message
//! that is answered too, and some replies mean that nothing is said.
//!
//! Promises: what comes out is the same however the stream was cut; nothing is shown that has to be taken back; the work
//! grows with the text and not with the number of pieces. Leaves to others: secrets ([`Secrets`]), which are looked for in
//! what is shown, because what stands apart in the stream may come together there.

mod opening;
mod secrets;
mod tags;

use opening::Opening;
use tags::{Kind, Tags};

pub use opening::ReplyTo;
pub use secrets::{HIDDEN, Mask, Secrets};

/// What is answered, and how the model was told to write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FilterOptions {
    /// A heartbeat is answered: `HEARTBEAT_OK` counts.
    pub heartbeat: bool,
    /// A group is answered: a whole reply of `HEARTBEAT_OK` is silence.
    pub group: bool,
    /// The model was told to put its reply into `<final>`: what stands elsewhere is shown only when there is none.
    pub reasoning_tags: bool,
}

/// What a whole reply came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// What people see.
    pub text: String,
    /// The end of it, which was not shown before.
    pub rest: String,
    /// The message that it is a reply to.
    pub reply_to: Option<ReplyTo>,
    /// Whether nothing is to be sent.
    pub silent: bool,
    /// What was not shown.
    pub thinking: String,
}

/// The token of a reply that means that there is nothing to say.
pub(crate) const NO_REPLY: &str = "NO_REPLY";
/// The token of a reply that means that nothing needs attention.
const HEARTBEAT_OK: &str = "HEARTBEAT_OK";
/// Characters beside `HEARTBEAT_OK` up to which a reply counts as nothing but that.
const ACK_CHARS: usize = 300;

/// Filters one reply. See [the module](self).
///
/// ```
/// use tarsus_agent::reply::{Filter, ReplyTo, FilterOptions};
///
/// let mut filter = Filter::new(FilterOptions::default());
/// let shown: Vec<String> =
///     ["<thi", "nk>Hm.</think>[[reply_to", "_current]] Go", "od.<th"].map(|piece| filter.push(piece)).into();
/// assert_eq!(shown, ["", "", "Go", "od."]);
/// let reply = filter.finish();
/// assert_eq!((reply.text.as_str(), reply.rest.as_str()), ("Good.<th", "<th"));
/// assert_eq!((reply.thinking.as_str(), reply.reply_to), ("Hm.", Some(ReplyTo::Current)));
/// ```
#[derive(Debug)]
pub struct Filter {
    setting: FilterOptions,
    tags: Tags,
    opening: Opening,
    /// What is shown only when `<final>` never comes.
    waiting: String,
    thinking: String,
    /// White space that is shown once something follows it.
    gap: String,
    text: String,
    /// Bytes of `text` that were handed out.
    shown: usize,
}

impl Filter {
    /// A filter that has seen nothing yet.
    #[must_use]
    pub fn new(setting: FilterOptions) -> Self {
        Self {
            setting,
            tags: Tags::default(),
            opening: Opening::new(setting.group && !setting.heartbeat),
            waiting: String::new(),
            thinking: String::new(),
            gap: String::new(),
            text: String::new(),
            shown: 0,
        }
    }

    /// Takes the next piece; gives what can be shown now. An answer to a heartbeat is shown as a whole, at the end.
    pub fn push(&mut self, piece: &str) -> String {
        let mut tags = std::mem::take(&mut self.tags);
        tags.push(piece, |kind, text| self.sort(kind, text));
        self.tags = tags;
        self.news()
    }

    /// The end of the stream.
    #[must_use]
    pub fn finish(mut self) -> Reply {
        let mut tags = std::mem::take(&mut self.tags);
        tags.finish(|kind, text| self.sort(kind, text));
        if !tags.has_seen_final() {
            let waiting = std::mem::take(&mut self.waiting);
            self.show(&waiting);
        }
        let mut silent = self.opening.is_token();
        if let Some(held) = self.opening.rest() {
            self.add(&held);
        }
        if self.setting.heartbeat {
            silent = self.acknowledge();
        }
        if silent {
            self.text.clear();
            self.shown = 0;
        }
        let rest = self.text[self.shown..].to_owned();
        let thinking = self.thinking.trim().to_owned();
        Reply { text: self.text, rest, reply_to: self.opening.reply_to(), silent, thinking }
    }

    fn sort(&mut self, kind: Kind, text: &str) {
        match kind {
            Kind::Thought | Kind::OutsideFinal => self.thinking.push_str(text),
            Kind::EndOfThought => self.thinking.push('\n'),
            Kind::Final => self.show(text),
            Kind::Plain if self.setting.reasoning_tags => self.waiting.push_str(text),
            Kind::Plain => self.show(text),
            Kind::FinalBegins => {
                // It was not meant to be seen.
                self.thinking.push_str(&std::mem::take(&mut self.waiting));
            }
        }
    }

    fn show(&mut self, text: &str) {
        if let Some(text) = self.opening.push(text) {
            self.add(&text);
        }
    }

    /// Adds to the text; white space at its end waits.
    fn add(&mut self, text: &str) {
        let kept = text.trim_end().len();
        if kept > 0 {
            self.text.push_str(&self.gap);
            self.gap.clear();
            self.text.push_str(&text[..kept]);
        }
        self.gap.push_str(&text[kept..]);
    }

    fn news(&mut self) -> String {
        if self.setting.heartbeat {
            return String::new();
        }
        let news = self.text[self.shown..].to_owned();
        self.shown = self.text.len();
        news
    }

    /// Takes the token out of an answer to a heartbeat. True when nothing is left that is worth sending.
    fn acknowledge(&mut self) -> bool {
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
