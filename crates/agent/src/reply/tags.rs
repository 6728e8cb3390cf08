//! `<think>` and `<final>` in a stream: a tag that is cut in two is held back until it is whole or is none.
//!
//! A tag that follows a backtick is only spoken of. What follows an open `<think>` is a thought to the end.

/// What a piece of the stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text outside of all tags, while there was no `<final>`.
    Plain,
    /// Inside `<think>`.
    Thought,
    /// A thought is over. Has no text.
    EndOfThought,
    /// The first or another `<final>`. Has no text.
    FinalBegins,
    /// Inside `<final>`.
    Final,
    /// After `</final>`.
    OutsideFinal,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Plain,
    Final,
    AfterFinal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Think,
    ThinkEnd,
    Final,
    FinalEnd,
}

const TAGS: [(&str, Tag); 4] = [
    ("<think>", Tag::Think),
    ("</think>", Tag::ThinkEnd),
    ("<final>", Tag::Final),
    ("</final>", Tag::FinalEnd),
];

/// How far a text is on the way to being a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    Is(Tag),
    MayBe,
    Not,
}

/// Tells tags from text.
#[derive(Debug, Default)]
pub(super) struct Tags {
    /// What may still become a tag.
    held: String,
    thinking: bool,
    place: Place,
    after_backtick: bool,
    #[cfg(test)]
    pub(super) work: usize,
}

impl Tags {
    pub(super) fn push(&mut self, piece: &str, mut emit: impl FnMut(Kind, &str)) {
        let mut rest = piece;
        loop {
            if self.held.is_empty() {
                let Some(at) = rest.find('<') else {
                    self.pass(rest, &mut emit);
                    return;
                };
                self.pass(&rest[..at], &mut emit);
                rest = &rest[at..];
                if self.after_backtick {
                    self.pass("<", &mut emit);
                    rest = &rest[1..];
                    continue;
                }
            }
            // Letter by letter; a tag is short.
            let Some(letter) = rest.chars().next() else { return };
            let begins_anew = letter == '<' && !self.held.is_empty();
            if begins_anew {
                self.release(&mut emit);
            }
            self.held.push(letter);
            rest = &rest[letter.len_utf8()..];
            #[cfg(test)]
            {
                self.work += self.held.len();
            }
            match matched(&self.held) {
                Match::MayBe => {}
                Match::Is(tag) => {
                    self.held.clear();
                    self.enter(tag, &mut emit);
                }
                Match::Not => self.release(&mut emit),
            }
        }
    }

    /// What was held back is text after all.
    pub(super) fn finish(&mut self, mut emit: impl FnMut(Kind, &str)) {
        self.release(&mut emit);
    }

    pub(super) fn has_seen_final(&self) -> bool {
        self.place != Place::Plain
    }

    fn release(&mut self, emit: &mut impl FnMut(Kind, &str)) {
        let held = std::mem::take(&mut self.held);
        self.pass(&held, emit);
    }

    fn pass(&mut self, text: &str, emit: &mut impl FnMut(Kind, &str)) {
        let Some(last) = text.chars().next_back() else { return };
        self.after_backtick = last == '`';
        #[cfg(test)]
        {
            self.work += text.len();
        }
        let kind = match (self.thinking, self.place) {
            (true, _) => Kind::Thought,
            (false, Place::Plain) => Kind::Plain,
            (false, Place::Final) => Kind::Final,
            (false, Place::AfterFinal) => Kind::OutsideFinal,
        };
        emit(kind, text);
    }

    fn enter(&mut self, tag: Tag, emit: &mut impl FnMut(Kind, &str)) {
        self.after_backtick = false;
        match (tag, self.thinking) {
            (Tag::Think, false) => self.thinking = true,
            (Tag::ThinkEnd, true) => {
                self.thinking = false;
                emit(Kind::EndOfThought, "");
            }
            (Tag::Final, false) => {
                self.place = Place::Final;
                emit(Kind::FinalBegins, "");
            }
            (Tag::FinalEnd, false) if self.place == Place::Final => self.place = Place::AfterFinal,
            // A tag that closes nothing, or that a thought speaks of.
            (Tag::ThinkEnd | Tag::FinalEnd, false) | (Tag::Think | Tag::Final | Tag::FinalEnd, true) => {}
        }
    }
}

fn matched(held: &str) -> Match {
    let same = |tag: &str| {
        tag.len() >= held.len() && tag.as_bytes()[..held.len()].eq_ignore_ascii_case(held.as_bytes())
    };
    match TAGS.iter().find(|(text, _)| same(text)) {
        Some((text, tag)) if text.len() == held.len() => Match::Is(*tag),
        Some(_) => Match::MayBe,
        None => Match::Not,
    }
}
