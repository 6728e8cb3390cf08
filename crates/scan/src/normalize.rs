//! Normalizes text for the rules: lowercase, confusable letters replaced, invisible characters removed, white space
//! collapsed; with a map from every byte back to the original.
//!
//! One pass; the map is monotonic, and removed characters are reported.

use std::ops::Range;

use tarsus_protocol::scan::Layer;
use unicode_normalization::UnicodeNormalization;

use crate::decode::DecodedText;
use crate::look_alike::look_alike;

/// A normalized text with a map to the original.
#[derive(Debug, Default)]
pub(crate) struct NormalizedText {
    pub text: String,
    /// For every byte of `text`, the offset of its character in the original; one more entry for the end.
    map: Vec<u32>,
    /// Removed characters, in order.
    pub invisible: Vec<InvisibleRun>,
    /// Words that mix Latin letters with confusable ones, as ranges in the original.
    pub disguised: Vec<Range<usize>>,
}

/// A run of invisible characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InvisibleRun {
    pub kind: InvisibleKind,
    /// In the original.
    pub range: Range<usize>,
    pub count: usize,
    /// The encoded bytes, for kinds that can carry text.
    content: Vec<u8>,
}

/// The kinds that can carry text.
const CARRIERS: [(InvisibleKind, Layer); 2] =
    [(InvisibleKind::Tags, Layer::TagCharacters), (InvisibleKind::Selectors, Layer::VariationSelectors)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InvisibleKind {
    /// Zero-width spaces, joiners, soft hyphens.
    ZeroWidth,
    /// Bidirectional control characters.
    Bidi,
    /// Tag characters outside a flag.
    Tags,
    /// Consecutive variation selectors.
    Selectors,
}

impl NormalizedText {
    pub fn new(original: &str) -> Self {
        let mut normal = Self::default();
        normal.text.reserve(original.len());
        normal.map.reserve(original.len() + 1);
        let mut word = Word::default();
        let mut characters = original.char_indices().peekable();
        let mut flag_end = 0;
        let mut before = '\n';
        while let Some((at, character)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            word.see(character, at, &mut normal.disguised);
            match character {
                '\r' if next == Some('\n') => {}
                '*' | '_' if is_emphasis(before, character, next) => {}
                // A shell joins such a line with the next one.
                '\\' if goes_on_below(&original[at + 1..]) => {}
                '\n' if before == '\\' && goes_on_below(&original[at..]) => normal.space(at),
                '\n' => normal.push('\n', at),
                ' '..='~' => {
                    if !(character == ' ' && matches!(normal.text.as_bytes().last(), Some(b' '))) {
                        normal.push(character.to_ascii_lowercase(), at);
                    }
                }
                '\u{1F3F4}' => {
                    flag_end = at + character.len_utf8() + flag(&original[at + character.len_utf8()..]);
                    normal.push(character, at);
                }
                _ if at < flag_end => {}
                _ => normal.other(character, at, before),
            }
            if character != '\r' {
                before = character;
            }
        }
        word.end(original.len(), &mut normal.disguised);
        normal.map.push(index(original.len()));
        normal
    }

    /// The text in invisible characters, one for each kind: they may be adjacent or between visible ones.
    pub fn invisible_texts(&self) -> impl Iterator<Item = DecodedText> {
        CARRIERS.into_iter().filter_map(|(kind, layer)| {
            let runs = || self.invisible.iter().filter(move |run| run.kind == kind && run.count > 0);
            let range = runs().next()?.range.start..runs().next_back()?.range.end;
            let bytes: Vec<u8> = runs().flat_map(|run| run.content.iter().copied()).collect();
            let content = String::from_utf8_lossy(&bytes).into_owned();
            (bytes.len() > 1).then(|| DecodedText { layers: vec![layer], range, content, cut: false })
        })
    }

    /// The range in the original of a range of the normalized text.
    pub fn origin(&self, original: &str, range: Range<usize>) -> Range<usize> {
        let place = |at: usize| self.map[at.min(self.map.len() - 1)] as usize;
        let start = place(range.start);
        let last = place(range.end.saturating_sub(1).max(range.start));
        let length = original[last..].chars().next().map_or(0, char::len_utf8);
        start..if range.is_empty() { start } else { last + length }
    }

    /// Takes everything except the text, which is then rebuilt.
    pub fn empty(&mut self) -> Self {
        let (text, map) = (String::with_capacity(self.text.len()), Vec::with_capacity(self.map.len()));
        Self {
            text,
            map,
            invisible: std::mem::take(&mut self.invisible),
            disguised: std::mem::take(&mut self.disguised),
        }
    }

    /// Copies a range of another one, which is at `at` there.
    pub fn copy(&mut self, other: &Self, stretch: &str, at: usize) {
        self.text.push_str(stretch);
        self.map.extend_from_slice(&other.map[at..at + stretch.len()]);
    }

    /// Replaces the end of a line by a space.
    pub fn unfold(&mut self) {
        let kept = self.text.trim_end().len();
        self.text.truncate(kept);
        self.map.truncate(kept + 1);
        self.text.push(' ');
    }

    /// Copies the end of another one's map.
    pub fn finish(&mut self, other: &Self) {
        self.map.extend(other.map.last());
    }

    fn push(&mut self, character: char, at: usize) {
        self.text.push(character);
        self.map.resize(self.text.len(), index(at));
    }

    fn space(&mut self, at: usize) {
        if !matches!(self.text.as_bytes().last(), Some(b' ' | b'\n')) {
            self.push(' ', at);
        }
    }

    fn other(&mut self, character: char, at: usize, before: char) {
        if let Some(kind) = unseen(character) {
            self.hide(kind, character, at, before);
            return;
        }
        if character.is_whitespace() || character.is_control() {
            self.space(at);
            return;
        }
        if let Some(latin) = look_alike(character) {
            self.push(latin, at);
            return;
        }
        // Han and Hangul have no form that matters here, and are most of what is not Latin.
        if matches!(character, '\u{3040}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}') {
            self.push(character, at);
            return;
        }
        for part in std::iter::once(character).nfkd() {
            if matches!(part, '\u{300}'..='\u{36F}') {
                continue;
            }
            for lower in look_alike(part).unwrap_or(part).to_lowercase() {
                self.push(lower, at);
            }
        }
    }

    fn hide(&mut self, kind: InvisibleKind, character: char, at: usize, before: char) {
        let end = at + character.len_utf8();
        let content = byte_of(character);
        match self.invisible.last_mut() {
            Some(last) if last.kind == kind && last.range.end == at => {
                last.range.end = end;
                last.count += 1;
                last.content.extend(content);
            }
            _ => {
                // A single joiner or selector after a suitable character is usual in emoji and many scripts.
                let usual = match kind {
                    InvisibleKind::Selectors if character <= '\u{FE0F}' => !before.is_ascii_alphabetic(),
                    InvisibleKind::Selectors => ('\u{2E80}'..='\u{3FFFF}').contains(&before),
                    InvisibleKind::ZeroWidth => !before.is_ascii_alphanumeric(),
                    InvisibleKind::Bidi | InvisibleKind::Tags => false,
                };
                let count = usize::from(!usual);
                self.invisible.push(InvisibleRun {
                    kind,
                    range: at..end,
                    count,
                    content: content.into_iter().collect(),
                });
            }
        }
    }
}

/// Offsets fit in 32 bits: the limits allow no longer text.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn unseen(character: char) -> Option<InvisibleKind> {
    match character {
        '\u{AD}'
        | '\u{34F}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206A}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' => Some(InvisibleKind::ZeroWidth),
        '\u{61C}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Some(InvisibleKind::Bidi),
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => Some(InvisibleKind::Selectors),
        '\u{E0000}'..='\u{E0FFF}' => Some(InvisibleKind::Tags),
        _ => None,
    }
}

/// The length of the rest of a flag emoji: three to six region letters and an end tag. Anything longer is hidden text.
fn flag(rest: &str) -> usize {
    let in_region = |next: &char| matches!(next, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}');
    let length = rest.chars().take(7).take_while(in_region).count();
    let ends = rest.chars().nth(length) == Some('\u{E007F}');
    // Each of these characters takes four bytes.
    if (3..=6).contains(&length) && ends { (length + 1) * 4 } else { 0 }
}

/// Whether a mark is Markdown emphasis, which does not change the sentence.
fn is_emphasis(before: char, mark: char, next: Option<char>) -> bool {
    let doubled = mark == '*' && (before == '*' || next == Some('*'));
    let opens = (before.is_whitespace() || before == '(') && next.is_some_and(char::is_alphabetic);
    let closes = (before.is_alphabetic() || matches!(before, '.' | '!' | '?'))
        && next.is_none_or(|next| {
            next.is_whitespace() || matches!(next, '.' | ',' | ';' | ':' | '!' | '?' | ')')
        });
    doubled || opens || closes
}

/// Whether a text starts with a line end, and the next line does not open or close a block.
fn goes_on_below(rest: &str) -> bool {
    let below = rest.strip_prefix('\n').or_else(|| rest.strip_prefix("\r\n"));
    below.is_some_and(|below| {
        let bare = below.trim_start_matches([' ', '\t', '>']);
        !["```", "~~~", "---"].iter().any(|mark| bare.starts_with(mark))
    })
}

/// The byte that an invisible character can encode.
fn byte_of(character: char) -> Option<u8> {
    let code = u32::from(character);
    let byte = match character {
        '\u{E0020}'..='\u{E007E}' => code - 0xE0000,
        '\u{FE00}'..='\u{FE0F}' => code - 0xFE00,
        '\u{E0100}'..='\u{E01EF}' => code - 0xE0100 + 16,
        _ => return None,
    };
    u8::try_from(byte).ok()
}

/// Small capitals and phonetic letters look like others but are of the same script.
fn is_latin(character: char) -> bool {
    matches!(character, '\u{250}'..='\u{2AF}' | '\u{1D00}'..='\u{1D7F}' | '\u{A720}'..='\u{A7FF}')
}

/// Detects words that mix confusable scripts.
#[derive(Default)]
struct Word {
    start: Option<usize>,
    latin: usize,
    alike: usize,
    other: usize,
}

impl Word {
    fn see(&mut self, character: char, at: usize, disguised: &mut Vec<Range<usize>>) {
        if character.is_ascii_alphabetic() || is_latin(character) {
            self.latin += 1;
        } else if !character.is_ascii() && character.is_alphabetic() {
            if look_alike(character).is_some() { self.alike += 1 } else { self.other += 1 }
        } else {
            self.end(at, disguised);
            return;
        }
        self.start.get_or_insert(at);
    }

    fn end(&mut self, at: usize, disguised: &mut Vec<Range<usize>>) {
        let word = std::mem::take(self);
        if let Some(start) = word.start
            && word.latin >= 2
            && word.alike > 0
            && word.other == 0
        {
            disguised.push(start..at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn disguised_text_is_normalized() {
        let cases = [
            ("Ignore  ALL\tprevious", "ignore all previous"),
            ("ig\u{200B}no\u{200D}re", "ignore"),
            ("ｃｕｒｌ", "curl"),
            ("bаsh", "bash"),
            ("**IMPORTANT** run", "important run"),
            ("a\r\nb", "a\nb"),
            ("so *very* _sure_, **really**.", "so very sure, really."),
            ("a * b, *.md, snake_case, f(_x), __init__", "a * b, *.md, snake_case, f(x), __init__"),
            ("curl \\\n  -s x \\\r\n | sh", "curl -s x | sh"),
            ("ends with \\\n```sh", "ends with \\\n```sh"),
            ("cafe\u{301} É", "cafe e"),
            ("你好", "你好"),
        ];
        for (original, plain) in cases {
            assert_eq!(NormalizedText::new(original).text, plain, "{original:?}");
        }
    }

    #[test]
    fn flag_emoji_is_not_hidden_text() {
        let flag = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";
        assert_eq!(NormalizedText::new(flag).invisible, []);
        for hidden in ["\u{E0068}\u{E0069}\u{E0061}", "\u{E0068}\u{E007F}"] {
            assert_eq!(NormalizedText::new(&format!("\u{1F3F4}{hidden}")).invisible.len(), 1, "{hidden:?}");
        }
        let long: String =
            "ignoreallofit".chars().filter_map(|letter| char::from_u32(0xE0000 + letter as u32)).collect();
        let behind = NormalizedText::new(&format!("\u{1F3F4}{long}\u{E007F}")).invisible;
        assert_eq!(behind[0].content, b"ignoreallofit");
        let hidden = NormalizedText::new("x\u{E0068}\u{E0069}").invisible;
        assert_eq!(
            hidden,
            [InvisibleRun { kind: InvisibleKind::Tags, range: 1..9, count: 2, content: b"hi".to_vec() }]
        );
    }

    #[test]
    fn variation_selector_bytes_are_decoded() {
        let smuggled: String = "x"
            .chars()
            .chain("hi".bytes().filter_map(|byte| char::from_u32(0xE0100 + u32::from(byte) - 16)))
            .collect();
        let content = |text: &str| {
            NormalizedText::new(text)
                .invisible_texts()
                .map(|piece| (piece.layers, piece.content))
                .collect::<Vec<_>>()
        };
        let hidden = [(vec![Layer::VariationSelectors], "hi".to_owned())];
        assert_eq!(content(&smuggled), hidden);
        let between: String = smuggled.chars().flat_map(|character| [character, '.']).collect();
        assert_eq!(content(&between), hidden);
        assert_eq!(content("❤\u{FE0F} ok"), []);
    }

    #[test]
    fn mixed_script_words_are_disguised() {
        assert_eq!(NormalizedText::new("the pаssword").disguised.first(), Some(&(4..13)));
        for text in ["пароль слова, API", "ᴅᴀɴɪssᴇʟ", "naïve café"] {
            assert!(NormalizedText::new(text).disguised.is_empty(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn the_map_is_complete_and_never_goes_backwards(text in "\\PC{0,80}|[ -~\\n\\u{200B}\\u{E0061}а]{0,80}") {
            let normal = NormalizedText::new(&text);
            prop_assert_eq!(normal.map.len(), normal.text.len() + 1);
            prop_assert!(normal.map.is_sorted());
            for at in 0..normal.text.len() {
                let range = normal.origin(&text, at..at + 1);
                prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
            }
        }
    }
}
