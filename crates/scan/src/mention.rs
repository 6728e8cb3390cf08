//! Distinguishes instructions from mere mentions, by a bounded context around a match.

use tarsus_protocol::scan::{Mention, Segment};

use crate::document::Document;
use crate::rule::MentionPolicy;
use crate::ruleset::LazyRegex;

/// Bytes of context before a match.
const REACH: usize = 120;

/// Words that forbid something.
static FORBIDS: LazyRegex = LazyRegex::new(
    r"\b(never|don'?t|do not|avoid|must not|should not|cannot|instead of)\b|\xe2\x9d\x8c|\xf0\x9f\x9a\xab|\xe2\x9b\x94",
);

/// Negations that are not prohibitions ("don't worry").
static CALMS: LazyRegex = LazyRegex::new(r"\b(don'?t|do not) (worry|forget|hesitate|panic|skip|miss)\b");

/// Words that warn of something.
static WARNS: LazyRegex = LazyRegex::new(
    r"\b(refuses?|reject(s|ed)?|block(s|ed|ing)?|detect(s|ed|ing|ion)?|flag(s|ged)?|prevent(s|ed)?|beware|warn(s|ing)?|looks? like|such as|e\.g|attempts?|attempting|attack(s|er|ers)?|malicious|suspicious|dangerous|unsafe|bad|wrong|untrusted|injected|phrases?|patterns?|trying to|tries to|if (a|an|any|the) \w+ (says|contains|asks))\b",
);

/// Orders, which outweigh an earlier warning.
static ORDERS: LazyRegex =
    LazyRegex::new(r"[,:] ?(just |then |simply |please |first )?(run|execute|paste|enter|type|launch)\b");

/// Headings and lead-in lines of lists of things to look out for.
static EXPLAINS: LazyRegex = LazyRegex::new(
    r"\b(detect\w*|red flags?|threats?|attacks?|malicious|suspicious|dangerous|danger|vulnerab\w*|injections?|jailbreaks?|unsafe|forbidden|blocked|blocklist|deny ?list|anti-?patterns?|what (it|we|this) (scans?|checks?|looks?)|checks? for|scans? for|looks? for|look out|indicators?|signatures?|exploits?|payloads?|reject|never|avoid|don'?t|do not|bad|examples? of|test cases?|exfiltration|risks?|severity|critical findings?|warning signs?|security (checks?|rules|boundaries|considerations))\b",
);

/// Names and descriptions of security tools.
static SECURITY: LazyRegex = LazyRegex::new(
    r"\b(security|malware|threats?|prompt[- ]injection|vulnerabilit\w+|vett(er|ing)|vet\b|pentest\w*|penetration test\w*|red[- ]team\w*|exploit\w*|intrusion|jailbreaks?|secrets? scann\w+|credential theft|malicious|hardening|attack\w*|defen[sc]e)\b",
);

/// All reasons to treat a match as a mention.
pub(crate) fn reasons(
    document: &Document<'_>,
    start: usize,
    end: usize,
    rule: MentionPolicy,
) -> Vec<Mention> {
    if rule == MentionPolicy::Stays {
        return Vec::new();
    }
    let text = document.normal.text.as_bytes();
    let blocks = &document.blocks;
    let Some(number) = blocks.at(start) else { return Vec::new() };
    let block = &blocks.blocks[number];
    let line = text[..start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let before = &text[line.max(start.saturating_sub(REACH))..start];
    let shown = !matches!(block.segment, Segment::Hidden | Segment::Comment | Segment::Frontmatter);

    let mut reasons = Vec::new();
    if shown
        && rule == MentionPolicy::Sentence
        && (block.segment == Segment::Quote || quoted(text, line, start, end))
    {
        reasons.push(Mention::Quoted);
    }
    if block.segment == Segment::Table {
        reasons.push(Mention::Tabulated);
    }
    if shown && (negated(before) || (block.segment == Segment::Code && negated(above(text, line)))) {
        reasons.push(Mention::Negated);
    }
    if shown && explained(document, number) {
        reasons.push(Mention::Explained);
    }
    if document.is_fixture {
        reasons.push(Mention::Fixture);
    }
    if document.about.is_some_and(|about| SECURITY.matches(about.as_bytes())) {
        reasons.push(Mention::SecurityTool);
    }
    reasons
}

/// Whether the sentence forbids what follows or warns of it. Earlier sentences do not count.
fn negated(before: &[u8]) -> bool {
    let ends = |pair: &[u8]| matches!(pair, [b'.' | b'!' | b'?' | b';', b' ']);
    let sentence = before.windows(2).rposition(ends).map_or(before, |end| &before[end + 1..]);
    let sentence = behind(&CALMS, sentence);
    FORBIDS.matches(sentence) || WARNS.matches(behind(&ORDERS, sentence))
}

/// The text after the last match.
fn behind<'a>(words: &LazyRegex, text: &'a [u8]) -> &'a [u8] {
    let last = words.get().and_then(|words| words.find_iter(text).last());
    last.map_or(text, |last| &text[last.end()..])
}

/// The line above, if it is a comment.
fn above(text: &[u8], line: usize) -> &[u8] {
    let end = line.saturating_sub(1);
    let start = text[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let above = text[start.max(end.saturating_sub(REACH))..end].trim_ascii();
    if above.starts_with(b"#") || above.starts_with(b"//") { above } else { &[] }
}

/// Whether the match is inside quotation marks on its line.
fn quoted(text: &[u8], line: usize, start: usize, end: usize) -> bool {
    let before = &text[line.max(start.saturating_sub(REACH))..start];
    let after = &text[end.min(text.len())..text.len().min(end + REACH)];
    let after = after.split(|byte| *byte == b'\n').next().unwrap_or_default();
    [
        (&b"\""[..], &b"\""[..]),
        (b"`", b"`"),
        (b"'", b"'"),
        ("“".as_bytes(), "”".as_bytes()),
        ("「".as_bytes(), "」".as_bytes()),
    ]
    .iter()
    .any(|(open, close)| {
        let opened = marks(before, open).count();
        let closes = marks(after, close).next().is_some();
        // An even number of the same mark is closed again.
        closes && (if open == close { opened % 2 == 1 } else { opened > 0 })
    })
}

/// Offsets of a mark; inside a word it is an apostrophe.
fn marks<'a>(text: &'a [u8], mark: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let letter = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_alphabetic);
    let places = text.windows(mark.len()).enumerate().filter(move |(_, run)| *run == mark);
    places
        .map(|(at, _)| at)
        .filter(move |at| mark != b"'" || !(letter(at.checked_sub(1)) && letter(Some(at + 1))))
}

/// Whether the heading or the line before the block introduces things to look out for.
fn explained(document: &Document<'_>, number: usize) -> bool {
    let text = document.normal.text.as_bytes();
    let blocks = &document.blocks.blocks;
    let block = &blocks[number];
    let section = &document.blocks.sections[block.section];
    let start = section.range.start;
    let title = text[start..section.range.end.min(start + REACH)].split(|byte| *byte == b'\n').next();
    if title.is_some_and(|title| title.starts_with(b"#") && EXPLAINS.matches(title)) {
        return true;
    }
    let Some(lead) = number.checked_sub(1).map(|before| &blocks[before]) else { return false };
    if lead.section != block.section || lead.segment != Segment::Prose {
        return false;
    }
    let lead = text[lead.part.range.clone()].trim_ascii_end();
    let line = lead.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    line.ends_with(b":") && EXPLAINS.matches(&line[line.len().saturating_sub(REACH)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        for words in [&FORBIDS, &CALMS, &WARNS, &ORDERS, &EXPLAINS, &SECURITY] {
            assert!(words.get().is_some());
        }
    }

    #[test]
    fn prohibitions_differ_from_orders_after_a_warning() {
        let cases = [
            ("never run ", true),
            ("do not, in any case, run ", true),
            ("never do this: run ", true),
            ("attackers write such as ", true),
            ("don't worry, it is quick: ", false),
            ("if it is blocked or looks wrong, run ", false),
            ("never stop. now ", false),
            ("please ", false),
        ];
        for (before, expected) in cases {
            assert_eq!(negated(before.as_bytes()), expected, "{before}");
        }
    }

    #[test]
    fn quotation_marks_are_recognised() {
        let text = "people write \"forget it all\" there";
        let at = text.find("forget").unwrap();
        assert!(quoted(text.as_bytes(), 0, at, at + 9));
        assert!(!quoted(b"a \"b\" forget it all \"c\"", 0, 6, 15));
        assert!(!quoted(b"don't, forget it all, it's", 0, 7, 20));
        assert!(quoted(b"say 'forget it all' there", 0, 5, 18));
    }
}
