//! String literals of programs: concatenated ones, and those near a word that reverses or rotates them.

use std::ops::Range;

use tarsus_protocol::scan::Layer;

use super::DecodedTexts;

/// Maximum distance in lines between a literal and the word that transforms it.
const BESIDE: usize = 2;

pub(super) fn read(text: &str, found: &mut DecodedTexts) {
    let lines: Vec<Line> = lines(text).collect();
    joined(text, &lines, found);
    // The fast path for most texts.
    if turning(text).is_none() {
        return;
    }
    let turns: Vec<_> = lines.iter().map(|line| turning(line.text)).collect();
    for (number, line) in lines.iter().enumerate() {
        let beside = &turns[number.saturating_sub(BESIDE)..lines.len().min(number + BESIDE + 1)];
        let Some(layer) = turns[number].or_else(|| beside.iter().copied().flatten().next()) else { continue };
        for literal in &line.literals {
            let clear = text[literal.clone()].chars();
            let content = match layer {
                Layer::Reversed => clear.rev().collect(),
                _ => clear.map(rot13).collect(),
            };
            found.add(layer, literal.clone(), content);
        }
    }
}

struct Line<'a> {
    text: &'a str,
    /// Offsets of its literals in the whole text, without quotes.
    literals: Vec<Range<usize>>,
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        Line { text: line, literals: literals(line, start) }
    })
}

fn literals(line: &str, start: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(u8, usize)> = None;
    for (at, byte) in line.bytes().enumerate() {
        match open {
            None if matches!(byte, b'"' | b'\'') => open = Some((byte, at + 1)),
            Some((mark, from)) if mark == byte => {
                found.push(start + from..start + at);
                open = None;
            }
            _ => {}
        }
    }
    found
}

/// Literals joined by `+`, `.` or the like, or by commas inside a call of `join`.
fn joined(text: &str, lines: &[Line<'_>], found: &mut DecodedTexts) {
    let mut chain: Option<(Range<usize>, usize, String)> = None;
    for line in lines {
        let listed = line.text.contains("join");
        for literal in &line.literals {
            let content = &text[literal.clone()];
            match &mut chain {
                Some((range, count, all)) if joins(&text[range.end + 1..literal.start - 1], listed) => {
                    range.end = literal.end;
                    *count += 1;
                    all.push_str(content);
                }
                _ => {
                    finish(chain.take(), found);
                    chain = Some((literal.clone(), 1, content.to_owned()));
                }
            }
        }
    }
    finish(chain, found);
}

fn finish(chain: Option<(Range<usize>, usize, String)>, found: &mut DecodedTexts) {
    if let Some((range, 2.., content)) = chain {
        found.add(Layer::JoinedText, range, content);
    }
}

fn joins(between: &str, listed: bool) -> bool {
    let one_line = !between.contains('\n');
    match between.trim() {
        "+" | ".." => true,
        "." | "&" => one_line,
        "," => one_line && listed,
        // Words separated by a space are quoted one by one.
        _ => between.is_empty(),
    }
}

/// The transformation that a line applies to literals.
fn turning(line: &str) -> Option<Layer> {
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    if has(&["| rev", "|rev", "[::-1]", ".reverse()", "reversed(", "strrev("]) {
        Some(Layer::Reversed)
    } else if has(&["rot13", "rot_13", "ROT13", "A-Za-z N-ZA-Mn-za-m", "a-zA-Z' 'n-za-mN-ZA-M"]) {
        Some(Layer::Rot13)
    } else {
        None
    }
}

fn rot13(character: char) -> char {
    let turn = |base: u8| char::from((character as u8 - base + 13) % 26 + base);
    match character {
        'a'..='z' => turn(b'a'),
        'A'..='Z' => turn(b'A'),
        _ => character,
    }
}
