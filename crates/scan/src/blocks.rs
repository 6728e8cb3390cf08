//! A text cut into its parts: frontmatter, headings, prose, tables, quotes, fenced code, what is not shown; and sections,
//! which run from one heading to the next. Lines of one paragraph are put together, so that a sentence can be read
//! however it is broken.
//!
//! Promises: one pass over the lines; the parts lie in order, without gaps. Works on the plain form (`normal`). Leaves to
//! others: what stands inside a line (`spans`), and what is written in the parts.

use std::ops::Range;

use tarsus_protocol::scan::Segment;

use crate::normal::Normal;
use crate::rule::Places;
use crate::spans::{self, Span};

/// How often something that is not shown may begin or end inside one line.
const PARTS: usize = 64;

/// A stretch of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// Where it stands in the plain form.
    pub range: Range<usize>,
    /// What kinds of parts are in it.
    pub holds: Places,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// What kind of part it is.
    pub segment: Segment,
    pub part: Part,
    /// The number of its section.
    pub section: usize,
}

/// A text's parts.
#[derive(Debug)]
pub(crate) struct Blocks {
    /// In order.
    pub blocks: Vec<Block>,
    /// In order; each covers its blocks.
    pub sections: Vec<Part>,
    /// Parts inside lines, in order.
    spans: Vec<Span>,
}

/// What a file is to the one who reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Text with Markdown in it.
    Markdown,
    /// A program, or data for one: everything in it is meant.
    Script,
    /// What was written in another form: sentences or a program, and nobody has seen it.
    Decoded,
}

impl Blocks {
    /// Cuts a text. In prose, lines that go on are put together.
    pub fn of(normal: &mut Normal, format: Format) -> Self {
        match format {
            Format::Markdown => {
                let (unfolded, blocks) = Reader::of(normal).read();
                *normal = unfolded;
                blocks
            }
            Format::Script => Self::whole(normal, Segment::Script),
            Format::Decoded => Self::whole(normal, Segment::Hidden),
        }
    }

    fn whole(normal: &Normal, segment: Segment) -> Self {
        let part = Part { range: 0..normal.text.len(), holds: Places::one(segment) };
        let blocks = vec![Block { segment, part: part.clone(), section: 0 }];
        Self { blocks, sections: vec![part], spans: Vec::new() }
    }

    /// The block that a place is in.
    pub fn at(&self, place: usize) -> Option<usize> {
        let after = self.blocks.partition_point(|block| block.part.range.start <= place);
        after.checked_sub(1)
    }

    /// The kind of part that a place is in: the innermost.
    pub fn segment(&self, place: usize) -> Segment {
        let after = self.spans.partition_point(|span| span.range.start <= place);
        let span = after.checked_sub(1).map(|at| &self.spans[at]).filter(|span| span.range.end > place);
        span.map(|span| span.segment)
            .or_else(|| self.at(place).map(|at| self.blocks[at].segment))
            .unwrap_or(Segment::File)
    }
}

struct Reader<'a> {
    folded: &'a mut Normal,
    normal: Normal,
    blocks: Vec<Block>,
    sections: Vec<Part>,
    spans: Vec<Span>,
}

/// What the lines before the next one have opened.
#[derive(Clone, Copy)]
enum Inside {
    Start,
    Frontmatter,
    Fence(u8, usize),
    /// Something that is not shown, up to its end.
    Unshown(Segment, &'static str),
    Text,
    Blank,
}

impl<'a> Reader<'a> {
    fn of(folded: &'a mut Normal) -> Self {
        let normal = folded.empty();
        let sections = vec![Part { range: 0..0, holds: Places::NOWHERE }];
        Self { folded, normal, blocks: Vec::new(), sections, spans: Vec::new() }
    }

    fn read(mut self) -> (Normal, Blocks) {
        let text = std::mem::take(&mut self.folded.text);
        let mut inside = Inside::Start;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let mut read = 0;
            for _ in 0..PARTS {
                let (next, length) = self.line(inside, &line[read..], at + read);
                (inside, read) = (next, read + length);
                if read == line.len() {
                    break;
                }
            }
            // Nobody writes such a line for people.
            if read < line.len() {
                self.add(Segment::Hidden, &line[read..], at + read, false);
            }
            at += line.len();
        }
        let end = self.normal.text.len();
        self.normal.finish(self.folded);
        self.end_section(end);
        (self.normal, Blocks { blocks: self.blocks, sections: self.sections, spans: self.spans })
    }

    /// Reads a line, or what is left of one, up to where something ends inside it; `at` is its place in the folded text.
    fn line(&mut self, inside: Inside, line: &str, at: usize) -> (Inside, usize) {
        if let Inside::Unshown(segment, end) = inside {
            return self.unshown(segment, end, line, at, true);
        }
        if let Some(inside) = self.opened(inside, line, at) {
            return (inside, line.len());
        }
        if let Some((start, segment, end)) = spans::hides(line) {
            let before = &line[..start];
            if !before.trim().is_empty() {
                self.shown(inside, before, at);
            }
            let start = if before.trim().is_empty() { 0 } else { start };
            let (inside, length) = self.unshown(segment, end, &line[start..], at + start, false);
            return (inside, start + length);
        }
        (self.shown(inside, line, at), line.len())
    }

    /// A line of the frontmatter or of a fence, or one that opens them.
    fn opened(&mut self, inside: Inside, line: &str, at: usize) -> Option<Inside> {
        let bare = line.trim();
        match inside {
            Inside::Start if bare.is_empty() => {
                self.add(Segment::Prose, line, at, false);
                return Some(Inside::Start);
            }
            Inside::Start if bare == "---" => {
                self.add(Segment::Frontmatter, line, at, false);
                return Some(Inside::Frontmatter);
            }
            Inside::Frontmatter => {
                self.add(Segment::Frontmatter, line, at, true);
                if bare != "---" {
                    return Some(Inside::Frontmatter);
                }
                self.section();
                return Some(Inside::Text);
            }
            Inside::Fence(mark, length) => {
                let closes = run(bare, mark) >= length && bare.bytes().all(|byte| byte == mark);
                self.add(Segment::Code, line, at, true);
                return Some(if closes { Inside::Blank } else { inside });
            }
            Inside::Start | Inside::Text | Inside::Blank | Inside::Unshown(..) => {}
        }
        let quoted = bare.trim_start_matches(['>', ' ']);
        let mark = *quoted.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
        let length = run(quoted, mark);
        if length < 3 || quoted[length..].contains('`') {
            return None;
        }
        self.add(Segment::Code, line, at, false);
        Some(Inside::Fence(mark, length))
    }

    /// A line, or the part of one, that a page shows.
    fn shown(&mut self, inside: Inside, line: &str, at: usize) -> Inside {
        let bare = line.trim();
        let joins = matches!(inside, Inside::Text);
        if bare.is_empty() {
            // A blank line belongs to what is above it and ends it.
            let segment = self.blocks.last().map_or(Segment::Prose, |block| block.segment);
            self.add(segment, line, at, true);
            return Inside::Blank;
        }
        if bare.starts_with('#') {
            self.section();
            self.add_shown(Segment::Heading, line, at, false);
            return Inside::Blank;
        }
        let segment = match bare.as_bytes()[0] {
            b'>' => Segment::Quote,
            b'|' => Segment::Table,
            _ => Segment::Prose,
        };
        let joins = joins && self.blocks.last().is_some_and(|block| block.segment == segment);
        if joins && segment != Segment::Table && self.goes_on(bare) {
            let kept = line.trim_start_matches(['>', ' ', '\t']);
            self.normal.unfold();
            self.add_shown(segment, kept, at + line.len() - kept.len(), true);
        } else {
            self.add_shown(segment, line, at, joins);
        }
        Inside::Text
    }

    /// Whether a line goes on with the sentence of the one before it, rather than beginning something of its own.
    fn goes_on(&self, bare: &str) -> bool {
        let before = self.normal.text.trim_end().bytes().last();
        let open = before.is_some_and(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b',' | b')' | b'`' | b'"' | b'\'')
        });
        let next = bare.trim_start_matches(['>', ' ']);
        let digits = run_of(next, |byte| byte.is_ascii_digit());
        let numbered = digits > 0 && next[digits..].starts_with(['.', ')']);
        open && !numbered
            && next.bytes().next().is_some_and(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'`' | b'"' | b'\'' | b'(' | b'[')
            })
    }

    /// What a page does not show, up to its end.
    fn unshown(
        &mut self,
        segment: Segment,
        end: &'static str,
        line: &str,
        at: usize,
        joins: bool,
    ) -> (Inside, usize) {
        let closed = line.find(end).map(|found| found + end.len());
        let rest = closed.map(|closed| line[closed..].trim());
        let (inside, length) = match (closed, rest) {
            (Some(closed), Some(rest)) if !rest.is_empty() => (Inside::Blank, closed),
            (Some(_), _) => (Inside::Blank, line.len()),
            (None, _) => (Inside::Unshown(segment, end), line.len()),
        };
        self.add(segment, &line[..length], at, joins);
        (inside, length)
    }

    fn add_shown(&mut self, segment: Segment, line: &str, at: usize, join: bool) {
        let first = self.spans.len();
        spans::of_line(line, self.normal.text.len(), &mut self.spans);
        self.add(segment, line, at, join);
        let inside = self.spans[first..].iter().map(|span| Places::one(span.segment));
        let holds = inside.fold(Places::one(segment), Places::and);
        self.hold(holds);
    }

    /// Notes what the last block and section hold.
    fn hold(&mut self, places: Places) {
        if let (Some(block), Some(section)) = (self.blocks.last_mut(), self.sections.last_mut()) {
            block.part.holds = block.part.holds.and(places);
            section.holds = section.holds.and(places);
        }
    }

    fn add(&mut self, segment: Segment, line: &str, at: usize, join: bool) {
        let start = self.normal.text.len();
        self.normal.copy(self.folded, line, at);
        let end = self.normal.text.len();
        let (section, holds) = (self.sections.len() - 1, Places::one(segment));
        match self.blocks.last_mut() {
            Some(last) if join => last.part.range.end = end,
            _ => self.blocks.push(Block { segment, part: Part { range: start..end, holds }, section }),
        }
        self.hold(holds);
    }

    fn section(&mut self) {
        let at = self.normal.text.len();
        self.end_section(at);
        self.sections.push(Part { range: at..at, holds: Places::NOWHERE });
    }

    fn end_section(&mut self, at: usize) {
        if let Some(last) = self.sections.last_mut() {
            last.range.end = at;
        }
    }
}

/// How often a character stands at the start.
fn run(line: &str, mark: u8) -> usize {
    run_of(line, |byte| byte == mark)
}

fn run_of(line: &str, belongs: impl Fn(u8) -> bool) -> usize {
    line.bytes().take_while(|byte| belongs(*byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<(Segment, String)> {
        let mut normal = Normal::of(text);
        let blocks = Blocks::of(&mut normal, Format::Markdown);
        let part =
            |block: &Block| (block.segment, normal.text[block.part.range.clone()].trim_end().to_owned());
        blocks.blocks.iter().map(part).collect()
    }

    fn expected(parts: &[(Segment, &str)]) -> Vec<(Segment, String)> {
        parts.iter().map(|(segment, text)| (*segment, (*text).to_owned())).collect()
    }

    #[test]
    fn every_kind_of_part_is_told_apart() {
        let text = "---\nname: a\n---\n# title\n\nsome\n- words\n\n> said\n\n| a | b |\n|---|---|\n\n```sh\nls\n```\nend\n<!-- not\nshown -->\nlast";
        assert_eq!(
            parts(text),
            expected(&[
                (Segment::Frontmatter, "---\nname: a\n---"),
                (Segment::Heading, "# title"),
                (Segment::Prose, "some\n- words"),
                (Segment::Quote, "> said"),
                (Segment::Table, "| a | b |\n|---|---|"),
                (Segment::Code, "```sh\nls\n```"),
                (Segment::Prose, "end"),
                (Segment::Comment, "<!-- not\nshown -->"),
                (Segment::Prose, "last"),
            ])
        );
    }

    #[test]
    fn what_is_not_shown_begins_and_ends_inside_a_line() {
        assert_eq!(
            parts("seen <!-- un\nseen --> again\n<div style=\"display:none\"><b>x</b> y</div> z"),
            expected(&[
                (Segment::Prose, "seen"),
                (Segment::Comment, "<!-- un\nseen -->"),
                (Segment::Prose, " again"),
                (Segment::Hidden, "<div style=\"display:none\"><b>x</b> y</div>"),
                (Segment::Prose, " z"),
            ])
        );
        assert_eq!(parts("[//]: # (aside)"), expected(&[(Segment::Comment, "[//]: # (aside)")]));
    }

    #[test]
    fn a_sentence_is_one_line_and_a_list_is_not() {
        let text = "a sentence that\n  goes on here\nand ends.\nnext\n- one\n- two\n1. three\n\n> quoted and\n> broken";
        assert_eq!(
            parts(text),
            expected(&[
                (Segment::Prose, "a sentence that goes on here and ends.\nnext\n- one\n- two\n1. three"),
                (Segment::Quote, "> quoted and broken"),
            ])
        );
        assert_eq!(parts("```\na\nb\n```"), expected(&[(Segment::Code, "```\na\nb\n```")]));
    }

    #[test]
    fn a_fence_that_is_never_closed_ends_with_the_text() {
        assert_eq!(parts("```\nrm"), expected(&[(Segment::Code, "```\nrm")]));
        assert_eq!(parts(""), []);
    }

    #[test]
    fn sections_run_from_heading_to_heading() {
        let mut normal = Normal::of("a\n# b\nc\n# d\n");
        let blocks = Blocks::of(&mut normal, Format::Markdown);
        let sections: Vec<_> = blocks.sections.iter().map(|part| &normal.text[part.range.clone()]).collect();
        assert_eq!(sections, ["a\n", "# b\nc\n", "# d\n"]);
    }
}
