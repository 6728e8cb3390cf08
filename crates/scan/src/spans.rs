//! Segments inside a line of Markdown (code, link titles, alt texts), and the start of hidden text. Linear in the line.

use std::ops::Range;

use tarsus_protocol::scan::Segment;

/// A segment inside a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub segment: Segment,
    /// In the normalized text.
    pub range: Range<usize>,
}

/// Bytes of a URL that are skipped to find the title behind it.
const MAX_URL_BYTES: usize = 2048;

/// Styles that hide an element.
const UNSEEN: &[&str] = &[
    "display:none",
    "display: none",
    "visibility:hidden",
    "visibility: hidden",
    "font-size:0",
    "font-size: 0",
    "font-size:1px",
    "opacity:0;",
    "opacity:0\"",
    "opacity: 0;",
    "opacity: 0\"",
    "color:white",
    "color: white",
    "color:#fff",
    "color: #fff",
    "left:-9999",
    "left: -9999",
];
/// Elements that a style can hide, with their end tags.
const ELEMENTS: &[(&str, &str)] = &[
    ("<div", "</div>"),
    ("<span", "</span>"),
    ("<p", "</p>"),
    ("<section", "</section>"),
    ("<small", "</small>"),
    ("<font", "</font>"),
    ("<details", "</details>"),
];

/// The offset, segment and end marker of hidden text that starts in a line.
pub(crate) fn hides(line: &str) -> Option<(usize, Segment, &'static str)> {
    if line.starts_with('[') && (line.contains("]: # ") || line.contains("]: <> ")) {
        return Some((0, Segment::Comment, "\n"));
    }
    // The fast path for most lines.
    let tags = &line[line.find('<')?..];
    let place = |found: usize| line.len() - tags.len() + found;
    if let Some(found) = tags.find("<!--").or_else(|| tags.find("<\\!--")) {
        return Some((place(found), Segment::Comment, "-->"));
    }
    if tags.contains("style")
        && let Some(style) = UNSEEN.iter().filter_map(|style| tags.find(style)).min()
    {
        let start = tags[..style].rfind('<')?;
        let end = ELEMENTS.iter().find(|(element, _)| tags[start..].starts_with(element));
        return Some((place(start), Segment::Hidden, end.map_or("</", |(_, end)| end)));
    }
    let found = tags.find("<template")?;
    Some((place(found), Segment::Hidden, "</template>"))
}

/// Adds the segments of a line that starts at `at`, in order.
pub(crate) fn of_line(line: &str, at: usize, spans: &mut Vec<Span>) {
    let first = spans.len();
    let mut add = |segment, range: Range<usize>| {
        spans.push(Span { segment, range: at + range.start..at + range.end });
    };
    code(line, &mut add);
    if line.contains("](") || line.contains("]: ") {
        links(line, &mut add);
    }
    if line.contains('<') {
        attributes(line, &mut add);
    }
    spans[first..].sort_by_key(|span| span.range.start);
    let mut end = 0;
    let mut kept = first;
    for number in first..spans.len() {
        if spans[number].range.start >= end {
            end = spans[number].range.end;
            spans.swap(kept, number);
            kept += 1;
        }
    }
    spans.truncate(kept);
}

/// Code between single or double backticks.
fn code(line: &str, add: &mut impl FnMut(Segment, Range<usize>)) {
    let bytes = line.as_bytes();
    let length = |at: usize| bytes[at..].iter().take_while(|byte| **byte == b'`').count();
    let mut open = [None::<usize>; 2];
    let mut at = 0;
    while let Some(found) = line[at..].find('`') {
        let start = at + found;
        let ticks = length(start);
        at = start + ticks;
        let Some(slot) = open.get_mut(ticks - 1) else { continue };
        match slot.take() {
            Some(opened) => {
                add(Segment::InlineCode, opened..at);
                open = [None; 2];
            }
            None => *slot = Some(start),
        }
    }
}

/// `![text](address "title")` and `[name]: address "title"`.
fn links(line: &str, add: &mut impl FnMut(Segment, Range<usize>)) {
    let mut from = 0;
    while let Some(found) = line[from..].find("](") {
        let close = from + found;
        if let Some(open) = line[from..close].rfind('[').map(|open| from + open)
            && line[..open].ends_with('!')
        {
            add(Segment::AltText, open + 1..close);
        }
        from = close + 2;
        title(line, from, add);
    }
    if line.trim_start().starts_with('[')
        && let Some(found) = line.find("]: ")
    {
        title(line, found + 3, add);
    }
}

/// The quoted title behind a URL.
fn title(line: &str, from: usize, add: &mut impl FnMut(Segment, Range<usize>)) {
    let rest = &line.as_bytes()[from..];
    let address = rest.iter().take(MAX_URL_BYTES).take_while(|byte| !matches!(byte, b' ' | b')')).count();
    if let Some([b' ', mark @ (b'"' | b'\''), ..]) = rest.get(address..) {
        let start = from + address + 2;
        if let Some(length) = line[start..].find(char::from(*mark)) {
            add(Segment::LinkTitle, start..start + length);
        }
    }
}

/// `alt="…"` and `title="…"` of elements.
fn attributes(line: &str, add: &mut impl FnMut(Segment, Range<usize>)) {
    for (name, segment) in [(" alt=\"", Segment::AltText), (" title=\"", Segment::LinkTitle)] {
        let mut from = 0;
        while let Some(found) = line[from..].find(name) {
            let start = from + found + name.len();
            let Some(length) = line[start..].find('"') else { break };
            add(segment, start..start + length);
            from = start + length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> Vec<(Segment, &str)> {
        let mut spans = Vec::new();
        of_line(line, 0, &mut spans);
        spans.into_iter().map(|span| (span.segment, &line[span.range])).collect()
    }

    #[test]
    fn code_titles_and_alt_texts_are_segments() {
        let cases: [(&str, &[(Segment, &str)]); 7] = [
            ("run `ls` and ``a ` b``", &[(Segment::InlineCode, "`ls`"), (Segment::InlineCode, "``a ` b``")]),
            (
                "![a dog](d.png \"says hi\") [x](y)",
                &[(Segment::AltText, "a dog"), (Segment::LinkTitle, "says hi")],
            ),
            ("[1]: https://x.example 'hear this'", &[(Segment::LinkTitle, "hear this")]),
            ("<img src=\"a\" alt=\"a cat\">", &[(Segment::AltText, "a cat")]),
            ("`![no](x)`", &[(Segment::InlineCode, "`![no](x)`")]),
            ("one ` tick and ``` three", &[]),
            ("](a \"b", &[]),
        ];
        for (line, expected) in cases {
            assert_eq!(parts(line), expected, "{line}");
        }
    }

    #[test]
    fn start_of_hidden_text_is_found() {
        let cases = [
            ("a <!-- b", Some((2, Segment::Comment, "-->"))),
            ("x <span style=\"font-size:0\">y", Some((2, Segment::Hidden, "</span>"))),
            ("[//]: # (z)", Some((0, Segment::Comment, "\n"))),
            ("<p style=\"color: red\">", None),
            ("the colour is color:white in CSS", None),
        ];
        for (line, expected) in cases {
            assert_eq!(hides(line), expected, "{line}");
        }
    }
}
