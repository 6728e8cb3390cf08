//! Splits Markdown into blocks (frontmatter, headings, prose, tables, quotes, code, hidden text) and sections.
//!
//! One pass over the lines of the normalized text; blocks are in order, without gaps. The lines of a paragraph are joined,
//! so that a sentence matches however it is wrapped.

use std::ops::Range;

use tarsus_protocol::scan::Segment;

use crate::normalize::NormalizedText;
use crate::rule::SegmentSet;
use crate::spans::{self, Span};

/// Hidden text may start or end this often in one line.
const MAX_SPANS: usize = 64;

/// A range of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextRange {
    /// In the normalized text.
    pub range: Range<usize>,
    /// The kinds of segments inside.
    pub segments: SegmentSet,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    pub segment: Segment,
    pub part: TextRange,
    /// The index of its section.
    pub section: usize,
}

#[derive(Debug)]
pub(crate) struct Blocks {
    pub blocks: Vec<Block>,
    /// Each covers its blocks.
    pub sections: Vec<TextRange>,
    /// Segments inside lines.
    spans: Vec<Span>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Markdown,
    /// A program or its data: nothing in it is a mere mention.
    Script,
    /// Text that was encoded, so that nobody has seen it.
    Decoded,
}

impl Blocks {
    /// Splits a text, and joins the wrapped lines of its prose.
    pub fn parse(normal: &mut NormalizedText, format: Format) -> Self {
        match format {
            Format::Markdown => {
                let (unfolded, blocks) = BlockParser::new(normal).read();
                *normal = unfolded;
                blocks
            }
            Format::Script => Self::whole(normal, Segment::Script),
            Format::Decoded => Self::whole(normal, Segment::Hidden),
        }
    }

    fn whole(normal: &NormalizedText, segment: Segment) -> Self {
        let part = TextRange { range: 0..normal.text.len(), segments: SegmentSet::one(segment) };
        let blocks = vec![Block { segment, part: part.clone(), section: 0 }];
        Self { blocks, sections: vec![part], spans: Vec::new() }
    }

    /// The index of the block at an offset.
    pub fn at(&self, place: usize) -> Option<usize> {
        let after = self.blocks.partition_point(|block| block.part.range.start <= place);
        after.checked_sub(1)
    }

    /// The innermost segment at an offset.
    pub fn segment(&self, place: usize) -> Segment {
        let after = self.spans.partition_point(|span| span.range.start <= place);
        let span = after.checked_sub(1).map(|at| &self.spans[at]).filter(|span| span.range.end > place);
        span.map(|span| span.segment)
            .or_else(|| self.at(place).map(|at| self.blocks[at].segment))
            .unwrap_or(Segment::File)
    }
}

struct BlockParser<'a> {
    folded: &'a mut NormalizedText,
    normal: NormalizedText,
    blocks: Vec<Block>,
    sections: Vec<TextRange>,
    spans: Vec<Span>,
}

/// The state after the previous lines.
#[derive(Clone, Copy)]
enum LineState {
    Start,
    Frontmatter,
    Fence(u8, usize),
    /// Hidden text and its end marker.
    HiddenSpan(Segment, &'static str),
    Text,
    Blank,
}

impl<'a> BlockParser<'a> {
    fn new(folded: &'a mut NormalizedText) -> Self {
        let normal = folded.empty();
        let sections = vec![TextRange { range: 0..0, segments: SegmentSet::NOWHERE }];
        Self { folded, normal, blocks: Vec::new(), sections, spans: Vec::new() }
    }

    fn read(mut self) -> (NormalizedText, Blocks) {
        let text = std::mem::take(&mut self.folded.text);
        let mut inside = LineState::Start;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let mut read = 0;
            for _ in 0..MAX_SPANS {
                let (next, length) = self.line(inside, &line[read..], at + read);
                (inside, read) = (next, read + length);
                if read == line.len() {
                    break;
                }
            }
            // No such line is written for people.
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

    /// Parses a line, or the rest of one, up to the end of a hidden span; `at` is its offset in the folded text.
    fn line(&mut self, inside: LineState, line: &str, at: usize) -> (LineState, usize) {
        if let LineState::HiddenSpan(segment, end) = inside {
            return self.hidden_span(segment, end, line, at, true);
        }
        if let Some(inside) = self.opened(inside, line, at) {
            return (inside, line.len());
        }
        if let Some((start, segment, end)) = spans::hides(line) {
            let before = &line[..start];
            if !before.trim().is_empty() {
                self.visible_text(inside, before, at);
            }
            let start = if before.trim().is_empty() { 0 } else { start };
            let (inside, length) = self.hidden_span(segment, end, &line[start..], at + start, false);
            return (inside, start + length);
        }
        (self.visible_text(inside, line, at), line.len())
    }

    /// Handles a line of frontmatter or of a fence, or one that opens them.
    fn opened(&mut self, inside: LineState, line: &str, at: usize) -> Option<LineState> {
        let bare = line.trim();
        match inside {
            LineState::Start if bare.is_empty() => {
                self.add(Segment::Prose, line, at, false);
                return Some(LineState::Start);
            }
            LineState::Start if bare == "---" => {
                self.add(Segment::Frontmatter, line, at, false);
                return Some(LineState::Frontmatter);
            }
            LineState::Frontmatter => {
                self.add(Segment::Frontmatter, line, at, true);
                if bare != "---" {
                    return Some(LineState::Frontmatter);
                }
                self.section();
                return Some(LineState::Text);
            }
            LineState::Fence(mark, length) => {
                let closes = run(bare, mark) >= length && bare.bytes().all(|byte| byte == mark);
                self.add(Segment::Code, line, at, true);
                return Some(if closes { LineState::Blank } else { inside });
            }
            LineState::Start | LineState::Text | LineState::Blank | LineState::HiddenSpan(..) => {}
        }
        let quoted = bare.trim_start_matches(['>', ' ']);
        let mark = *quoted.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
        let length = run(quoted, mark);
        if length < 3 || quoted[length..].contains('`') {
            return None;
        }
        self.add(Segment::Code, line, at, false);
        Some(LineState::Fence(mark, length))
    }

    /// Handles visible text.
    fn visible_text(&mut self, inside: LineState, line: &str, at: usize) -> LineState {
        let bare = line.trim();
        let joins = matches!(inside, LineState::Text);
        if bare.is_empty() {
            // A blank line belongs to the block above and ends it.
            let segment = self.blocks.last().map_or(Segment::Prose, |block| block.segment);
            self.add(segment, line, at, true);
            return LineState::Blank;
        }
        if bare.starts_with('#') {
            self.section();
            self.add_shown(Segment::Heading, line, at, false);
            return LineState::Blank;
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
        LineState::Text
    }

    /// Whether a line continues the sentence of the previous one.
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

    /// Handles hidden text up to its end.
    fn hidden_span(
        &mut self,
        segment: Segment,
        end: &'static str,
        line: &str,
        at: usize,
        joins: bool,
    ) -> (LineState, usize) {
        let closed = line.find(end).map(|found| found + end.len());
        let rest = closed.map(|closed| line[closed..].trim());
        let (inside, length) = match (closed, rest) {
            (Some(closed), Some(rest)) if !rest.is_empty() => (LineState::Blank, closed),
            (Some(_), _) => (LineState::Blank, line.len()),
            (None, _) => (LineState::HiddenSpan(segment, end), line.len()),
        };
        self.add(segment, &line[..length], at, joins);
        (inside, length)
    }

    fn add_shown(&mut self, segment: Segment, line: &str, at: usize, join: bool) {
        let first = self.spans.len();
        spans::of_line(line, self.normal.text.len(), &mut self.spans);
        self.add(segment, line, at, join);
        let inside = self.spans[first..].iter().map(|span| SegmentSet::one(span.segment));
        let segments = inside.fold(SegmentSet::one(segment), SegmentSet::and);
        self.hold(segments);
    }

    fn hold(&mut self, places: SegmentSet) {
        if let (Some(block), Some(section)) = (self.blocks.last_mut(), self.sections.last_mut()) {
            block.part.segments = block.part.segments.and(places);
            section.segments = section.segments.and(places);
        }
    }

    fn add(&mut self, segment: Segment, line: &str, at: usize, join: bool) {
        let start = self.normal.text.len();
        self.normal.copy(self.folded, line, at);
        let end = self.normal.text.len();
        let (section, segments) = (self.sections.len() - 1, SegmentSet::one(segment));
        match self.blocks.last_mut() {
            Some(last) if join => last.part.range.end = end,
            _ => {
                self.blocks.push(Block { segment, part: TextRange { range: start..end, segments }, section })
            }
        }
        self.hold(segments);
    }

    fn section(&mut self) {
        let at = self.normal.text.len();
        self.end_section(at);
        self.sections.push(TextRange { range: at..at, segments: SegmentSet::NOWHERE });
    }

    fn end_section(&mut self, at: usize) {
        if let Some(last) = self.sections.last_mut() {
            last.range.end = at;
        }
    }
}

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
        let mut normal = NormalizedText::new(text);
        let blocks = Blocks::parse(&mut normal, Format::Markdown);
        let part =
            |block: &Block| (block.segment, normal.text[block.part.range.clone()].trim_end().to_owned());
        blocks.blocks.iter().map(part).collect()
    }

    fn expected(parts: &[(Segment, &str)]) -> Vec<(Segment, String)> {
        parts.iter().map(|(segment, text)| (*segment, (*text).to_owned())).collect()
    }

    #[test]
    fn every_segment_kind_is_recognised() {
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
    fn hidden_text_starts_and_ends_inside_lines() {
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
    fn sentences_are_joined_and_lists_are_not() {
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
    fn unclosed_fence_ends_with_the_text() {
        assert_eq!(parts("```\nrm"), expected(&[(Segment::Code, "```\nrm")]));
        assert_eq!(parts(""), []);
    }

    #[test]
    fn sections_run_from_heading_to_heading() {
        let mut normal = NormalizedText::new("a\n# b\nc\n# d\n");
        let blocks = Blocks::parse(&mut normal, Format::Markdown);
        let sections: Vec<_> = blocks.sections.iter().map(|part| &normal.text[part.range.clone()]).collect();
        assert_eq!(sections, ["a\n", "# b\nc\n", "# d\n"]);
    }
}
