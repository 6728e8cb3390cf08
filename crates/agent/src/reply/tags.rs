//! Recognises `<think>` and `<final>` in a stream. A partial tag is held back until it is complete or turns out to be text.
//!
//! A tag after a backtick is text. Everything after an unclosed `<think>` is reasoning.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// Text outside of all tags, before any `<final>`.
    Plain,
    /// Inside `<think>`.
    Thought,
    /// `</think>`, without text.
    EndOfThought,
    /// The first `<final>`, without text.
    FinalBegins,
    /// Inside `<final>`.
    Final,
    /// After `</final>`.
    OutsideFinal,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Section {
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

/// Whether a text is a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    Is(Tag),
    MayBe,
    Not,
}

/// Separates tags from text.
#[derive(Debug, Default)]
pub(super) struct Tags {
    /// Text that may still become a tag.
    held: String,
    thinking: bool,
    section: Section,
    after_backtick: bool,
    #[cfg(test)]
    pub(super) work: usize,
}

impl Tags {
    pub(super) fn push(&mut self, piece: &str, mut emit: impl FnMut(PieceKind, &str)) {
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
            // One character at a time, as tags are short.
            let Some(letter) = rest.chars().next() else { return };
            let is_new_tag = letter == '<' && !self.held.is_empty();
            if is_new_tag {
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

    pub(super) fn finish(&mut self, mut emit: impl FnMut(PieceKind, &str)) {
        self.release(&mut emit);
    }

    fn release(&mut self, emit: &mut impl FnMut(PieceKind, &str)) {
        let held = std::mem::take(&mut self.held);
        self.pass(&held, emit);
    }

    fn pass(&mut self, text: &str, emit: &mut impl FnMut(PieceKind, &str)) {
        let Some(last) = text.chars().next_back() else { return };
        self.after_backtick = last == '`';
        #[cfg(test)]
        {
            self.work += text.len();
        }
        let kind = match (self.thinking, self.section) {
            (true, _) => PieceKind::Thought,
            (false, Section::Plain) => PieceKind::Plain,
            (false, Section::Final) => PieceKind::Final,
            (false, Section::AfterFinal) => PieceKind::OutsideFinal,
        };
        emit(kind, text);
    }

    fn enter(&mut self, tag: Tag, emit: &mut impl FnMut(PieceKind, &str)) {
        self.after_backtick = false;
        match (tag, self.thinking) {
            (Tag::Think, false) => self.thinking = true,
            (Tag::ThinkEnd, true) => {
                self.thinking = false;
                emit(PieceKind::EndOfThought, "");
            }
            (Tag::Final, false) => {
                if std::mem::replace(&mut self.section, Section::Final) == Section::Plain {
                    emit(PieceKind::FinalBegins, "");
                }
            }
            (Tag::FinalEnd, false) if self.section == Section::Final => self.section = Section::AfterFinal,
            // A closing tag without an opening one, or a tag inside reasoning.
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
